#pragma once

#include "fem/meshes/forest.h"

#include <deal.II/distributed/tria.h>

namespace adamant
{
/// A mesh of p4est that takes the cells of a forest in about the time in which a serial mesh is refined.
///
/// deal.II's load() compares all cells with the forest after each refinement, and goes once more through a mesh in
/// which no cell changes. Both together take twice the time of the refinement.
template <int dim>
class ForestMesh : public dealii::parallel::distributed::Triangulation<dim>
{
public:
  using dealii::parallel::distributed::Triangulation<dim>::Triangulation;

  /// Refines the unrefined mesh to the cells of a forest of its coarse cells, which is copied. Each rank gets the cells
  /// that load() would give to it, in the same order. All ranks call it together.
  void refine_to(const forest::Forest<dim> *forest);

private:
  void take_forest(const forest::Forest<dim> *forest);
};
} // namespace adamant
