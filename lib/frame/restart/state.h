#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "frame/restart/checkpoint.h"

#include <boost/serialization/map.hpp>

#include <vector>

namespace adamant
{
template <int dim>
class DeviceField;
class Extrapolation;
template <int dim>
class LevelSpace;
class MeshChangeBase;
struct StorageOrder;

/// A space on a coarser one of the level meshes, such as a pressure's. Where the mesh changes, its functions are
/// carried over in the finest space, which contains them.
template <int dim>
struct CoarserSpace
{
  const LevelSpace<dim> &space, &finest;
  const Matrix<double>  &interpolation, &injection; ///< matrices of nodal values, to the finest space and back

  int n_owned() const { return space.n_owned(); }
};

/// The data that a program keeps in a checkpoint and over a change of its mesh. One function saves and loads them, see
/// TimeDependentProblem::serialize.
/// All ranks call all functions together. Checkpoints have vectors in the space's storage order, so that any number of
/// ranks can load them. Where the mesh changes, functions are interpolated on the new one. Both ways lead through host
/// memory; a program that goes_back() has copies on the device.
class State
{
public:
  using Copies = std::vector<Vector<double>>;

  /// Where the mesh changes, `change` carries vectors over, and the archive everything else. Where a program may have
  /// to go back to this state, `copies` takes the vectors in turn, on their device.
  explicit State(CheckpointWriter::Archive &out, MeshChangeBase *change = nullptr, Copies *copies = nullptr)
    : out(&out)
    , change(change)
    , copies(copies)
  {}
  explicit State(CheckpointReader::Archive &in, MeshChangeBase *change = nullptr, Copies *copies = nullptr)
    : in(&in)
    , change(change)
    , copies(copies)
  {}

  bool loading() const { return in != nullptr; }          ///< false: saving
  bool changes_mesh() const { return change != nullptr; } ///< false: the mesh stays
  bool goes_back() const { return copies != nullptr; }    ///< to an earlier state of this run, in memory

  /// Saves or loads numbers, texts, and vectors and maps of them: all types that Boost's serialization knows.
  template <typename T>
  void scalar(T &value)
  {
    if (loading())
      *in >> value;
    else
      *out << value;
  }

  /// Saves or loads nodal values of the space; the values of several components stand one component after the other.
  /// Loads into a vector of the size that was saved; throws RunError where it has another size.
  template <int dim>
  void vector(Vector<double> &vector, const LevelSpace<dim> &space, int n_components = 1);
  /// Saves or loads nodal values of a field; on a new mesh it sets the prescribed values in them.
  template <int dim>
  void vector(Vector<double> &u, const DeviceField<dim> &field, const Vector<double> &prescribed)
  {
    vector(u, field.space());
    if (loading() && change != nullptr) // a checkpoint holds the prescribed values to the last bit
      field.prescribe(prescribed, u);
  }
  /// Saves or loads unknowns x of the space, see DeviceField::nodal_values. On a new mesh entries that are not free are
  /// 0, and entries near prescribed values are a guess.
  template <int dim>
  void unknowns(Vector<double> &x, const LevelSpace<dim> &space);
  template <int dim>
  void unknowns(Vector<double> &x, const CoarserSpace<dim> &space);
  /// Saves or loads the earlier solutions of an extrapolation: unknowns of the space, a LevelSpace or a CoarserSpace.
  template <class Space>
  void history(Extrapolation &extrapolation, const Device &device, const Space &space);

  /// Saves or loads a vector in this storage order; for checkpoints only.
  void vector(Vector<double> &vector, const StorageOrder &order);

private:
  void copy(Vector<double> &vector); // on its device

  CheckpointWriter::Archive *out    = nullptr;
  CheckpointReader::Archive *in     = nullptr;
  MeshChangeBase            *change = nullptr;
  Copies                    *copies = nullptr;
  std::size_t                copied = 0; // of them so far
};
} // namespace adamant
