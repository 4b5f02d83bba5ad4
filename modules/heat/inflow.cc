#include "heat/inflow.h"

#include "base/csr/csr_operations.h"
#include "fem/meshes/mesh.h"
#include "heat/heat_statistics.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <vector>

namespace adamant
{
template <int dim>
Inflow<dim>::Inflow(const Device &device, const LevelSpace<dim> &velocity, const dealii::Mapping<dim> &mapping,
                    const std::set<unsigned int> &ids)
  : device(device)
  , ids(ids)
{
  if (ids.empty())
    return;
  Array<int> n_boundaries(velocity.n_dofs(), 0);
  for (const auto id : boundary_ids(velocity.triangulation()))
    {
      const auto on = velocity.on_boundary(id);
      for (std::size_t i = 0; i < on.size(); ++i)
        n_boundaries[i] += on[i] != 0;
    }
  dealii::FEFaceValues<dim> values(mapping, velocity.element(), dealii::QTrapezoid<dim - 1>(),
                                   dealii::update_values | dealii::update_normal_vectors);
  std::vector<Row>          rows;
  for (int c = 0; c < velocity.n_cells(); ++c)
    {
      const typename dealii::Triangulation<dim>::cell_iterator cell = velocity.active_cells()[c];
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f) && ids.count(boundary_id(cell->face(f))) > 0)
          {
            values.reinit(cell, f);
            for (const unsigned int q : values.quadrature_point_indices())
              {
                Row row;
                for (const unsigned int i : values.dof_indices())
                  if (const int dof = velocity.cell_dofs(c)[i];
                      values.shape_value(i, q) > 0.5 && dof < velocity.n_owned() && n_boundaries[dof] == 1)
                    row.emplace_back(dof, values.normal_vector(q)[values.get_fe().system_to_component_index(i).first]);
                if (row.empty())
                  continue;
                std::sort(row.begin(), row.end());
                rows.push_back(row);
                boundary.push_back(boundary_id(cell->face(f)));
              }
          }
    }
  normals = Matrix<double>(device, matrix_of_rows(static_cast<int>(rows.size()), velocity.n_owned(),
                                                  [&](int k, Row &result) { result = rows[k]; }));
}

template <int dim>
std::set<unsigned int> Inflow<dim>::boundaries(const Vector<double> &u, double part) const
{
  std::set<unsigned int> found;
  if (ids.empty())
    return found;
  const auto     bounds = extremes(u);
  const double   limit  = part * std::max(-bounds[0], bounds[1]);
  Vector<double> outwards(device, static_cast<int>(boundary.size()));
  device.multiply(1., normals, u, 0., outwards);
  if (!(extremes(outwards)[0] < -limit))
    return found;
  const auto on_host = to_host(outwards);
  for (const auto id : ids)
    {
      double most = 0.; // that comes in
      for (std::size_t k = 0; k < boundary.size(); ++k)
        most = std::max(most, boundary[k] == id ? -on_host[k] : 0.);
      device.communicator().max(&most, 1);
      if (most > limit)
        found.insert(id);
    }
  return found;
}

template class Inflow<2>;
template class Inflow<3>;
} // namespace adamant
