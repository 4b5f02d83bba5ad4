#pragma once

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
};

const std::vector<MeshShape> &mesh_shapes();

/// Makes the coarse mesh of a shape with these sizes (empty: the usual ones), from an empty one. Throws InputError for
/// sizes that do not fit.
template <int dim>
void make_shape(const MeshShape &shape, std::vector<double> sizes, dealii::Triangulation<dim> &mesh);
} // namespace adamant
