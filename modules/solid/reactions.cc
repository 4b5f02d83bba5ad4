#include "solid/reactions.h"

#include "fem/forms/quadrature_data.h"
#include "fem/functions/points.h"

#include <deal.II/base/symmetric_tensor.h>

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
                          const DirichletBoundary &held)
  : device(device)
  , space(space)
  , places(support_points(space, mapping))
{
  DirichletBoundary nothing;
  nothing.mapping_degree = held.mapping_degree;
  const LevelSpace<dim> whole({&space.triangulation(), [](const void *) {}}, space.element(), nothing);
  E = Matrix<double>(device, sum_of_cell_loads(whole));
  H = whole.owned_H();
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
            shares.push_back({id, first, of});
            all[first] += of;
          }
    }
  for (Share &share : shares)
    share.of = share.of * pseudo_inverse(all.at(share.first));
}

template <int dim>
std::map<unsigned int, Resultant> Reactions<dim>::resultants(const Vector<double> &forces_of_cells, double factor,
                                                             const Array<double> &load, const Array<double> &u) const
{
  Vector<double> at_nodes(device, space.n_owned());
  device.multiply(1., E, forces_of_cells, 0., at_nodes);
  const auto                            forces = to_host(at_nodes), loads = transposed_product(H, load);
  const auto                            n = static_cast<std::size_t>(space.n_owned());
  std::map<unsigned int, Array<double>> sums;
  for (const auto id : boundaries)
    sums[id].assign(6, 0.);
  for (const Share &share : shares)
    {
      dealii::Tensor<1, dim> whole;
      dealii::Tensor<1, 3>   force, place;
      for (unsigned int d = 0; d < dim; ++d)
        whole[d] = forces[share.first + d] - factor * loads[share.first + d];
      for (unsigned int d = 0; d < dim; ++d)
        {
          force[d] = (share.of * whole)[d];
          place[d] = places[d * n + share.first] + u[share.first + d];
        }
      const auto moment = cross_product_3d(place, force);
      for (int d = 0; d < 3; ++d)
        {
          sums[share.boundary][d] += force[d];
          sums[share.boundary][3 + d] += moment[d];
        }
    }
  std::map<unsigned int, Resultant> result;
  for (auto &[id, sum] : sums)
    {
      space.communicator().sum(sum.data(), 6);
      for (int d = 0; d < 3; ++d)
        {
          result[id].force[d]  = sum[d];
          result[id].moment[d] = sum[3 + d];
        }
    }
  return result;
}

template class Reactions<2>;
template class Reactions<3>;
} // namespace adamant
