#include "heat/coarser_cells.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "coefficients/coarser_values.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_q_iso_q1.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The matrix that takes a function of a coarser space to its nodal values in a finer one.
template <int dim>
CSRMatrix<double> nodes_from(const LevelSpace<dim> &coarse, const LevelMesh<dim> &fine_mesh,
                             const LevelSpace<dim> &fine)
{
  return product(fine.owned_H(), transfer_matrices(fine_mesh, fine, coarse).prolongation);
}

// The nodal values of a coarser space at nodes of a finer one.
template <int dim>
CSRMatrix<double> nodes_at(const LevelSpace<dim> &coarse, const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine)
{
  return product(coarse.owned_H(), at_common_nodes(nodes_from(coarse, fine_mesh, fine), fine, coarse));
}

// The number of each point of a rule in the children of a cell, [child n_q + q], among the points in the cell.
template <int dim>
std::vector<int> points_of_children(const dealii::Quadrature<dim> &of_child, const dealii::Quadrature<dim> &of_cell)
{
  std::vector<int> number;
  for (unsigned int child = 0; child < dealii::GeometryInfo<dim>::max_children_per_cell; ++child)
    for (const auto &point : of_child.get_points())
      {
        const auto &all   = of_cell.get_points();
        const auto  place = dealii::GeometryInfo<dim>::child_to_cell_coordinates(point, child);
        const auto  found =
          std::find_if(all.begin(), all.end(), [&](const auto &other) { return place.distance(other) < 1e-10; });
        if (found == all.end())
          throw RunError("a point of a cell's part is none of the cell's points");
        number.push_back(static_cast<int>(found - all.begin()));
      }
  return number;
}

// The permutation of values at points, from the order of the coarser cells to the order of a level's cells.
template <int dim>
CSRMatrix<double> points_from_coarser(const LevelMesh<dim> &fine_mesh)
{
  const dealii::QGauss<dim> rule(2);
  const auto                number = points_of_children<dim>(rule, CoarserCells<dim>::in_parts(2));
  const int                 n_q = static_cast<int>(rule.size()), n_in_coarse = static_cast<int>(number.size());
  const auto                points    = numbers_of_parts(fine_mesh, n_in_coarse); // other ranks' among them
  const int                 n_columns = static_cast<int>(points->locally_owned_size() + points->n_ghost_indices());
  const int                 n_rows    = n_q * static_cast<int>(fine_mesh.coarse_cell.size());

  auto permutation   = matrix_of_rows(n_rows, n_columns, [&](int point, Row &row) {
    const int cell = point / n_q, q = point % n_q;
    row.emplace_back(fine_mesh.coarse_cell[cell] * n_in_coarse + number[fine_mesh.child[cell] * n_q + q], 1.);
  });
  permutation.ghosts = exchange_plan(*points);
  return permutation;
}
} // namespace

template <int dim>
dealii::Quadrature<dim> CoarserCells<dim>::in_parts(unsigned int n)
{
  return dealii::QIterated<dim>(dealii::QGauss<1>(n), 2);
}

template <int dim>
CoarserCells<dim>::CoarserCells(const Device &device, const Field<dim> &of_velocity, const Field<dim> &temperature,
                                const dealii::Mapping<dim> &mapping)
  : velocity(of_velocity.meshes(), "velocity", dealii::FESystem<dim>(dealii::FE_Q_iso_Q1<dim>(2), dim), {},
             temperature.n_levels() - 1)
  , points(device, temperature.finest(), mapping, in_parts(2))
  , at_points(device, points.n_points())
  , shown(of_velocity.meshes(), "temperature", dealii::FE_Q<dim>(2))
  , device(device)
  , temperature(temperature)
{
  const auto      &fine_mesh = of_velocity.meshes().finest();
  const Field<dim> free(of_velocity.meshes(), "velocity", of_velocity.element());
  to_here            = Matrix<double>(device, nodes_at(velocity.finest(), fine_mesh, free.finest()), dim);
  u_here             = Vector<double>(device, velocity.finest().n_owned());
  to_velocity_points = Matrix<double>(device, points_from_coarser(fine_mesh));
}

template <int dim>
void CoarserCells<dim>::make_shown()
{
  if (std::exchange(can_show, true))
    return;
  const auto &coarse = temperature.finest();
  const auto &fine   = shown.finest();
  auto        nodes  = nodes_from(coarse, shown.meshes().finest(), fine);
  injection          = Matrix<double>(device, at_common_nodes(nodes, fine, coarse));
  interpolation      = Matrix<double>(device, nodes);
  T_shown            = Vector<double>(device, fine.n_owned());
}

template <int dim>
const Vector<double> &CoarserCells<dim>::velocity_here(const Vector<double> &u)
{
  device.multiply(1., to_here, u, 0., u_here);
  return u_here;
}

template <int dim>
const Vector<double> &CoarserCells<dim>::show(const Vector<double> &T)
{
  make_shown();
  device.multiply(1., interpolation, T, 0., T_shown);
  return T_shown;
}

template <int dim>
CoarserSpace<dim> CoarserCells<dim>::shown_by()
{
  make_shown();
  return {temperature.finest(), shown.finest(), interpolation, injection};
}

template class CoarserCells<2>;
template class CoarserCells<3>;
} // namespace adamant
