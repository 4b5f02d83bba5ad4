#include "solid/reactions.h"

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "base/csr/csr_operations.h"
#include "fem/forms/quadrature_data.h"
#include "fem/functions/points.h"

#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace adamant
{
namespace
{
// The inverse on the directions where A is not zero, and zero on the others.
template <int dim>
dealii::Tensor<2, dim> pseudo_inverse(const dealii::SymmetricTensor<2, dim> &A)
{
  dealii::Tensor<2, dim> result;
  for (const auto &[value, direction] : eigenvectors(A))
    if (value > 1e-6)
      result += outer_product(direction, direction) / value;
  return result;
}

// What a boundary prescribes at the node whose first DoF is given: the sum of projections to directions.
template <int dim>
dealii::SymmetricTensor<2, dim> directions(const dealii::ComponentMask          &components,
                                           const std::array<Array<double>, dim> &normals, int first)
{
  dealii::SymmetricTensor<2, dim> sum;
  for (unsigned int d = 0; d < dim; ++d)
    sum[d][d] = components[d] ? 1. : 0.;
  dealii::Tensor<1, dim> n;
  for (unsigned int d = 0; d < dim && !normals[d].empty(); ++d)
    n[d] = normals[d][first + d];
  return n.norm() > 0. ? sum + symmetrize(outer_product(n, n)) / n.norm_square() : sum;
}
} // namespace

template <int dim>
Reactions<dim>::Reactions(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const DirichletBoundary &held, const Array<double> &load)
  : device(device)
  , space(space)
{
  DirichletBoundary nothing;
  nothing.mapping_degree = held.mapping_degree;
  const LevelSpace<dim> whole({&space.triangulation(), [](const void *) {}}, space.element(), nothing);
  for (const auto &[id, components] : held)
    boundaries.insert(id);
  boundaries.insert(held.normal.begin(), held.normal.end());
  std::map<int, dealii::SymmetricTensor<2, dim>> all; // by node
  for (const auto id : boundaries)
    {
      const auto                     components = held.count(id) > 0 ? held.at(id) : dealii::ComponentMask(dim, false);
      const auto                     there      = space.on_boundary(id);
      std::array<Array<double>, dim> normals;
      if (held.normal.count(id) > 0)
        normals = whole.nodal_normals(id);
      for (int first = 0; first < space.n_owned(); first += dim)
        if (there[first] != 0)
          {
            const auto of = directions<dim>(components, normals, first);
            shares.push_back({id, first, of, {}, {}});
            all[first] += of;
          }
    }
  const auto places = support_points(space, mapping), loads = transposed_product(whole.owned_H(), load);
  const auto of_all = sum_of_cell_loads(whole);
  Array<int> rows;
  for (Share &share : shares)
    {
      share.of = share.of * pseudo_inverse(all.at(share.first));
      for (int d = 0; d < dim; ++d)
        {
          rows.push_back(share.first + d);
          share.load[d]  = loads[rows.back()];
          share.place[d] = places[static_cast<std::size_t>(d) * space.n_owned() + share.first];
        }
    }
  auto of_shares   = matrix_of_rows(static_cast<int>(rows.size()), of_all.n_cols, [&](int i, Row &row) {
    for (auto k = of_all.row_start[rows[i]]; k < of_all.row_start[rows[i] + 1]; ++k)
      row.emplace_back(of_all.column[k], of_all.value[k]);
  });
  of_shares.ghosts = of_all.ghosts;
  E                = Matrix<double>(device, of_shares);
  dofs             = List<int>(device, rows);
  values           = Scalars(device, std::max(1, 2 * dofs.size()));
}

template <int dim>
std::map<unsigned int, Resultant> Reactions<dim>::resultants(const Vector<double> &forces_of_cells, double factor,
                                                             const Vector<double> &u) const
{
  double *forces = values.on_host(), *displacement = forces + dofs.size();
  device.for_each_row(E, forces_of_cells, Product<double>(1., 0., forces));
  device.for_each(dofs.size(), Gather<double, double>{dofs.data(), u.data(), displacement});
  values.fetch();
  std::map<unsigned int, Resultant> sums;
  for (const auto id : boundaries)
    sums[id] = {};
  for (const Share &share : shares)
    {
      dealii::Tensor<1, dim> whole;
      dealii::Tensor<1, 3>   force, place;
      for (unsigned int d = 0; d < dim; ++d)
        whole[d] = *forces++ - factor * share.load[d];
      for (unsigned int d = 0; d < dim; ++d)
        {
          force[d] = (share.of * whole)[d];
          place[d] = share.place[d] + *displacement++;
        }
      sums[share.boundary].force += force;
      sums[share.boundary].moment += cross_product_3d(place, force);
    }
  for (auto &[id, sum] : sums)
    for (auto *vector : {&sum.force, &sum.moment})
      space.communicator().sum(vector->begin_raw(), 3);
  return sums;
}

template class Reactions<2>;
template class Reactions<3>;
} // namespace adamant
