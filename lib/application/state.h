#pragma once

#include "application/checkpoint.h"
#include "application/device_field.h"
#include "base/storage_order.h"
#include "discretization/meshes/mesh_change.h"
#include "solvers/extrapolation.h"

#include <boost/serialization/map.hpp>

#include <map>
#include <string>
#include <vector>

namespace adamant
{
/// A space on a coarser one of the level meshes, as a pressure's: over a change of the mesh its functions go as those
/// of the finest space, which contains them.
template <int dim>
struct CoarserSpace
{
  const LevelSpace<dim> &space, &finest;
  const Matrix<double>  &interpolation, &injection; ///< of nodal values to the finest space, and back

  int n_owned() const { return space.n_owned(); }
};

/// What a program keeps in a checkpoint and over a change of its mesh, saved and loaded by one function:
///
///   void serialize(State &state) override
///   {
///     state.scalar(energy);
///     state.vector(u, field, boundary_values);
///     state.history(guess, device, field.space());
///   }
///
/// All ranks call all of it together. Vectors go by way of host memory. In checkpoints they are in the space's storage
/// order, so that any number of ranks can load them. Where the mesh changes, functions are interpolated on the new one.
class State
{
public:
  explicit State(CheckpointWriter::Archive &out)
    : out(&out)
  {}
  explicit State(CheckpointReader::Archive &in)
    : in(&in)
  {}
  /// Over a change of the mesh: vectors by `change`, before and after it, all else by the archive.
  template <int dim>
  State(CheckpointWriter::Archive &out, MeshChange<dim> &change)
    : out(&out)
    , change(&change)
  {}
  template <int dim>
  State(CheckpointReader::Archive &in, MeshChange<dim> &change)
    : in(&in)
    , change(&change)
  {}

  bool loading() const { return in != nullptr; }          ///< else saving
  bool changes_mesh() const { return change != nullptr; } ///< else it is a checkpoint's

  /// Numbers, texts, and vectors and maps of them; whatever Boost's serialization can do.
  template <typename T>
  void scalar(T &value)
  {
    if (loading())
      *in >> value;
    else
      *out << value;
  }

  /// Nodal values of the space; with several components those of one after the other's. Loads into a vector of the size
  /// that was saved; throws RunError where it has another one.
  template <int dim>
  void vector(Vector<double> &vector, const LevelSpace<dim> &space, int n_components = 1);
  /// Those of a field that have these prescribed values, also on a new mesh.
  template <int dim>
  void vector(Vector<double> &u, const DeviceField<dim> &field, const Vector<double> &prescribed)
  {
    vector(u, field.space());
    if (loading() && change != nullptr) // a checkpoint has them, to the last bit
      field.prescribe(prescribed, u);
  }
  /// Unknowns x of the space, see DeviceField::nodal_values: on a new mesh what is not free is 0, and near prescribed
  /// values they are a guess.
  template <int dim>
  void unknowns(Vector<double> &x, const LevelSpace<dim> &space);
  template <int dim>
  void unknowns(Vector<double> &x, const CoarserSpace<dim> &space);
  /// The earlier solutions of an extrapolation, unknowns of the space: a LevelSpace or a CoarserSpace.
  template <class Space>
  void history(Extrapolation &extrapolation, const Device &device, const Space &space);

  /// Values in this order, for checkpoints only.
  void vector(Vector<double> &vector, const StorageOrder &order);

private:
  CheckpointWriter::Archive *out    = nullptr;
  CheckpointReader::Archive *in     = nullptr;
  MeshChangeBase            *change = nullptr;
};
} // namespace adamant
