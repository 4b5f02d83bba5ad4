#pragma once

#include "algebra/vector.h"
#include "base/array.h"
#include "base/communicator.h"

#include <deal.II/base/index_set.h>

#include <cstddef>
#include <string>
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
/// ghosts. write() sets the owned entries. Ghosts of deal.II's own vectors are then updated, where they have been before;
/// Trilinos' and PETSc's vectors must not have ghosts. All is in host memory.
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
  if (vector.has_ghost_elements())
    vector.update_ghost_values();
}
/// @}

/// Copies between the entries of a rank in a user's vector and a device's vectors of a level. On the device,
/// constrained entries are zero.
class DealiiVectors
{
public:
  DealiiVectors() = default;
  /// Entry k of the user's vector stands for number[k] in the level; `constrained` says of each number whether it is
  /// constrained. The users' vectors have the entries `owned` on this rank.
  DealiiVectors(const Device &device, const Array<int> &number, const Array<char> &constrained,
                const dealii::IndexSet &owned);

  /// Sets the diagonal entries d of a user's matrix, by the level's numbers; they are 1 before. A zero counts as 1.
  void set_diagonal(const Array<double> &d);

  /// Returns a sentence for a vector with other entries on this rank; empty for one that fits.
  std::string complaint(const dealii::IndexSet &entries) const;
  /// Throws RunError on all ranks where one of two vectors has a complaint() on some rank.
  void check(const Communicator &ranks, const dealii::IndexSet &one, const dealii::IndexSet &other) const;

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
  dealii::IndexSet              owned;
  std::vector<ConstrainedEntry> constrained;
  List<int>                     entry, row; // entry: of the user's vector for each row of the level; row: the reverse
  mutable Vector<double>        on_device;  // holds the user's vector, where the device is not the host
};
} // namespace adamant
