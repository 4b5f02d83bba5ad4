#pragma once

#include "fem/spaces/level_space.h"
#include "fem/support.h"

#include <deal.II/grid/grid_tools.h>

#include <vector>

/// Meshes and fields of the tests of a flow's matrices.
namespace test
{
/// Trapezoids with hanging nodes, then the refinement that the velocity has more than the pressure.
template <int dim>
void make_distorted_mesh(Triangulation<dim> &mesh, unsigned int seed)
{
  make_random_mesh(mesh, seed);
  GridTools::transform(
    [](const Point<dim> &from) { // straight edges stay straight, midpoints midpoints
      Point<dim> to  = from;
      double     xyz = 1;
      for (int d = 0; d < dim; ++d)
        xyz *= from[d];
      for (int d = 0; d < dim; ++d)
        to[d] += 0.2 * (d + 1) * xyz;
      return to;
    },
    mesh);
  mesh.refine_global(1);
}

/// Random nodal values of n components that are continuous across hanging nodes.
template <int dim>
std::vector<Vector<double>> random_field(const adamant::LevelSpace<dim> &space, unsigned int n_components,
                                         unsigned int seed)
{
  std::vector<Vector<double>> field;
  for (unsigned int c = 0; c < n_components; ++c)
    {
      field.push_back(random_vector(space.n_dofs(), seed + c));
      space.hanging_nodes.distribute(field.back());
    }
  return field;
}

/// The values of all components, one component after the other.
inline std::vector<double> by_components(const std::vector<Vector<double>> &u)
{
  std::vector<double> values;
  for (const auto &component : u)
    values.insert(values.end(), component.begin(), component.end());
  return values;
}
} // namespace test
