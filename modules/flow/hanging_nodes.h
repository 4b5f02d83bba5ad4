#pragma once

#include "algebra/device.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <map>

namespace adamant
{
/// The hanging nodes of a scalar space on a device. The class makes fields of several components, stored one after the
/// other, continuous there.
template <int dim>
class HangingNodes
{
public:
  /// All ranks call it together.
  HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components);

  /// Sets u = H u at the hanging nodes, for all components. All ranks call it together, or record it in graphs.
  void apply(Vector<double> &u);

private:
  Device         device;
  int            n_components;
  long           n;    // the space's own nodes
  bool           none; // whether no rank has hanging nodes
  List<int>      nodes;
  Matrix<double> rows;
  Vector<double> values;
};

/// The hanging vertices of a serial mesh whose edges manifolds bend. Bilinear cells have straight edges: a hanging
/// vertex off them leaves a gap, and forces and pressures near it are wrong. Placing all new vertices in the middle of
/// edges would keep the kinks of the coarse mesh for good. So only hanging vertices are moved, and only while they
/// hang:
///
///   HangingVertices<dim> hanging;
///   hanging.straighten(mesh);
///   ...
///   hanging.restore(mesh);      // before the mesh is refined, so that new vertices lie on the manifolds, too
///   mesh.execute_coarsening_and_refinement();
///   hanging.straighten(mesh);
template <int dim>
class HangingVertices
{
public:
  /// Moves hanging vertices to the middle of their edge, or to the average of the vertices of their face. Since other
  /// vertices hung, the mesh may have been refined globally, `refined` times. Then the earlier hanging vertices come
  /// first. New vertices go with the vertices that they lie between. What hangs now comes last. Throws InputError where
  /// a cell beside a vertex that moves is turned inside out: where it is flatter than the arc beside it.
  void straighten(dealii::Triangulation<dim> &mesh, unsigned int refined = 0);
  /// Moves the vertices back to their places before the last `straighten`; the mesh must not have been coarsened since.
  void restore(dealii::Triangulation<dim> &mesh);

private:
  template <typename Object>
  void straighten_middle(const Object &object);
  template <typename Object>
  void carry_middle(const Object &object);
  void check_cells(const dealii::Triangulation<dim> &mesh) const;
  void move(dealii::Point<dim> &vertex, unsigned int index, const dealii::Point<dim> &to);

  std::map<unsigned int, dealii::Point<dim>> before; // by vertex numbers
};
} // namespace adamant
