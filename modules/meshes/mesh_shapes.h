#pragma once

#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <string>
#include <vector>

namespace adamant
{
/// A mesh that programs make by its name, the value of Mesh/Type.
struct MeshShape
{
  std::string         name, sizes; ///< the names of its sizes, for messages
  std::vector<double> usual;       ///< the sizes, where none are given
  bool                curved;      ///< whether refinement places new vertices on manifolds
  unsigned int        least_dimension = 2;
  bool                deep            = false; ///< whether the last size counts in 3D alone; 2D need not have it
};

const std::vector<MeshShape> &mesh_shapes();

/// Makes the coarse mesh of a shape with these sizes (empty: the usual ones), from an empty one. Throws InputError for
/// sizes that do not fit.
template <int dim>
void make_shape(const MeshShape &shape, std::vector<double> sizes, dealii::Triangulation<dim> &mesh);

/// Makes the coarse mesh of a box from an empty one: cells in each direction between the corners `low` and `high`. The
/// sides have the ids 0, 1 (x), 2, 3 (y), 4, 5 (z), and all cells the material 0.
template <int dim>
void make_box(const std::vector<unsigned int> &cells, const dealii::Point<dim> &low, const dealii::Point<dim> &high,
              dealii::Triangulation<dim> &mesh);
} // namespace adamant
