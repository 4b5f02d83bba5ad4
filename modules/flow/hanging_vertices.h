#pragma once

#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <map>

namespace adamant
{
/// The vertices of a serial mesh that hang, where manifolds bend its edges. Bilinear cells have straight ones: a vertex
/// that hangs beside them leaves a gap, and forces and pressures near it are wrong. Halving edges from then on would
/// keep the kinks of the coarse mesh for good; so only the vertices that hang are moved, and only while they do:
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
  /// Moves those that hang to the middle of the edge, or to the average of the vertices of the face, that they hang on.
  void straighten(dealii::Triangulation<dim> &mesh);
  /// Puts them back where the last `straighten` found them; the mesh must not have been coarsened since.
  void restore(dealii::Triangulation<dim> &mesh);

private:
  template <typename Edge>
  void straighten_edge(const Edge &edge);
  void move(dealii::Point<dim> &vertex, unsigned int index, const dealii::Point<dim> &to);

  std::map<unsigned int, dealii::Point<dim>> before; // by the numbers of vertices
};
} // namespace adamant
