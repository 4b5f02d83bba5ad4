#pragma once

#include "application/checkpoint.h"
#include "base/storage_order.h"
#include "solvers/extrapolation.h"

#include <boost/serialization/map.hpp>

#include <map>
#include <string>
#include <vector>

namespace adamant
{
/// What a program keeps in a checkpoint, saved and loaded by one function:
///
///   void serialize(State &state) override
///   {
///     state.scalar(energy);
///     state.vector(u, order);
///     state.history(guess, u.size(), order);
///   }
///
/// All ranks call all of it together. Vectors go by way of host memory in the given order, so that any number of ranks
/// can load them where the order depends on the mesh alone (LevelSpace::storage_order).
class State
{
public:
  explicit State(CheckpointWriter::Archive &out)
    : out(&out)
  {}
  explicit State(CheckpointReader::Archive &in)
    : in(&in)
  {}

  bool loading() const { return in != nullptr; } ///< else saving

  /// Numbers, texts, and vectors and maps of them; whatever Boost's serialization can do.
  template <typename T>
  void scalar(T &value)
  {
    if (loading())
      *in >> value;
    else
      *out << value;
  }

  /// Loads into a vector of the size that was saved; throws RunError where it has another one.
  void vector(Vector<double> &vector, const StorageOrder &order = StorageOrder());
  /// The earlier solutions of an extrapolation, vectors of `size` values.
  void history(Extrapolation &extrapolation, const Device &device, int size,
               const StorageOrder &order = StorageOrder());

private:
  CheckpointWriter::Archive *out = nullptr;
  CheckpointReader::Archive *in  = nullptr;
};
} // namespace adamant
