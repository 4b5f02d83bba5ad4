#pragma once

#include "algebra/vector.h"
#include "base/array.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dealii
{
namespace TrilinosWrappers
{
namespace MPI
{
class Vector;
}
} // namespace TrilinosWrappers
namespace PETScWrappers
{
namespace MPI
{
class Vector;
}
} // namespace PETScWrappers
} // namespace dealii

namespace adamant
{
/// @name Entries of deal.II's vectors
///
/// own_values() returns a pointer to the doubles that this rank owns, by ascending global numbers. They are in the
/// vector itself, or in `buffer`, where own_values() has copied them. It takes Vector<double>, Vector<float>,
/// LinearAlgebra::distributed::Vector, and the vectors of TrilinosWrappers::MPI and PETScWrappers::MPI. They may have
/// ghosts. write() sets the owned entries of a vector without ghosts. All is in host memory.
/// @{
const double *own_values(const dealii::TrilinosWrappers::MPI::Vector &vector, Array<double> &buffer);
const double *own_values(const dealii::PETScWrappers::MPI::Vector &vector, Array<double> &buffer);
void          write(const double *values, dealii::TrilinosWrappers::MPI::Vector &vector);
void          write(const double *values, dealii::PETScWrappers::MPI::Vector &vector);
template <class Vector>
const double *own_values(const Vector &vector, Array<double> &buffer)
{
  if constexpr (std::is_same_v<typename Vector::value_type, double>)
    return vector.begin();
  else
    {
      buffer.assign(vector.begin(), vector.begin() + vector.locally_owned_size());
      return buffer.data();
    }
}
template <class Vector>
void write(const double *values, Vector &vector)
{
  for (std::size_t i = 0; i < vector.locally_owned_size(); ++i)
    vector.begin()[i] = static_cast<typename Vector::value_type>(values[i]);
}
/// @}

/// Copies between the entries of a rank in a user's vector and a device's vectors of a level. On the device,
/// constrained entries are zero.
class DealiiVectors
{
public:
  DealiiVectors() = default;
  /// Entry k of the user's vector stands for number[k] in the level; `constrained` says of each number whether it is
  /// constrained. The users' vectors have n_global entries on all ranks.
  DealiiVectors(const Device &device, const Array<int> &number, const Array<char> &constrained, std::uint64_t n_global);

  /// Sets the diagonal entries d of a user's matrix, by the level's numbers; they are 1 before. A zero counts as 1.
  void set_diagonal(const Array<double> &d);

  /// Throws RunError for a vector of another size. All ranks throw where the vector as a whole has another size.
  void check_size(std::uint64_t n_global, std::size_t n_owned) const;

  void take(const double *source, Vector<double> &x) const; ///< x = the entries of a user's vector
  /// Writes x to the entries of a user's vector; constrained ones get rhs / d.
  void give(const Vector<double> &x, const double *rhs, double *target) const;

private:
  struct ConstrainedEntry
  {
    int    entry, number;
    double scaling;
  };
  Device                        device;
  std::uint64_t                 n_global = 0;
  std::vector<ConstrainedEntry> constrained;
  List<int>                     entry, row; // entry: of the user's vector for each row of the level; row: the reverse
  mutable Vector<double>        on_device;  // holds the user's vector, where the device is not the host
};
} // namespace adamant
