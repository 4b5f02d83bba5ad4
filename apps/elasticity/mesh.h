#pragma once

#include "discretization/meshes/mesh.h"

#include <cmath>
#include <vector>

namespace elasticity
{
/// Step l = 1, ..., n_steps refines the cells whose centre has its first n_coordinates coordinates below 2^-l times the length
/// of the box (Liebchen et al., Section 5.2: 1 towards a face, 2 an edge, 3 a vertex); all cells where n_coordinates is 0.
template <int dim>
void refine_towards_origin(dealii::Triangulation<dim> &mesh, const std::vector<double> &lengths,
                           unsigned int n_coordinates, unsigned int n_steps)
{
  for (unsigned int l = 1; l <= n_steps; ++l)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        {
          bool near = cell->is_locally_owned();
          for (unsigned int d = 0; d < n_coordinates; ++d)
            near = near && cell->center()[d] < std::ldexp(lengths[d], -static_cast<int>(l));
          if (near)
            cell->set_refine_flag();
        }
      adamant::execute_refinement(mesh);
    }
}
} // namespace elasticity
