#pragma once

#include "base/exceptions.h"
#include "fem/forms/integrals.h"
#include "fem/forms/quadrature_data.h"
#include "fem/ranks/distributed_rows.h"
#include "flow/boundary_values.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace adamant
{
/// Numbers that are computed on the host from a flow with velocity and pressure in one field. Its nodes have dim + 1
/// unknowns (u, p), and `nodal` has the values of all of them, in host memory, on one rank.

/// Calls action(cell number, FEFaceValues, point) for the points of a Gauss rule on the faces of this boundary, n in
/// each direction.
template <int dim, typename Action>
void for_each_boundary_point(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             dealii::types::boundary_id id, unsigned int n, const Action &action)
{
  dealii::FEFaceValues<dim> face_values(mapping, space.element(), dealii::QGauss<dim - 1>(n),
                                        dealii::update_values | dealii::update_quadrature_points |
                                          dealii::update_normal_vectors | dealii::update_JxW_values);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (const unsigned int face : space.active_cells()[cell]->face_indices())
      if (const auto on = space.active_cells()[cell]->face(face); on->at_boundary() && on->boundary_id() == id)
        {
          face_values.reinit(space.active_cells()[cell], face);
          for (const unsigned int q : face_values.quadrature_point_indices())
            action(cell, face_values, q);
        }
}

/// Returns (u, p) at quadrature point q of a cell.
template <int dim>
std::array<double, dim + 1> value_at(const LevelSpace<dim> &space, const Array<double> &nodal, int cell,
                                     const dealii::FEValuesBase<dim> &at, unsigned int q)
{
  std::array<double, dim + 1> value{};
  for (const unsigned int i : at.dof_indices())
    value[at.get_fe().system_to_component_index(i).first] += nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q);
  return value;
}

/// Returns the flux of a function u through a boundary, of all ranks, which call it together.
template <int dim>
BoundaryFlux flux_of(const dealii::Function<dim> &function, const LevelSpace<dim> &space,
                     const dealii::Mapping<dim> &mapping, dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 8, [&](int, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    dealii::Tensor<1, dim> u;
    for (int c = 0; c < dim; ++c)
      u[c] = function.value(at.quadrature_point(q), c);
    flux.net += u * at.normal_vector(q) * at.JxW(q);
    flux.scale += u.norm() * at.JxW(q);
  });
  space.communicator().sum(&flux.net, 1);
  space.communicator().sum(&flux.scale, 1);
  return flux;
}

/// Returns the flux of nodal values through a boundary; `scale` is at least ∫ |u|.
template <int dim>
BoundaryFlux flux_of(const Array<double> &nodal, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 2, [&](int cell, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    for (const unsigned int i : at.dof_indices())
      if (const unsigned int c = at.get_fe().system_to_component_index(i).first; c < dim)
        {
          const double part = nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q) * at.JxW(q);
          flux.net += part * at.normal_vector(q)[c];
          flux.scale += std::abs(part);
        }
  });
  return flux;
}

/// The integrals ½ ∫ |u|², ∫ p and the volume.
struct FlowIntegrals
{
  double energy = 0., pressure = 0., volume = 0.;
};
template <int dim>
FlowIntegrals flow_integrals(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             const Array<double> &nodal)
{
  const auto [energy, pressure, volume] =
    integrate<3>(space, mapping, dealii::QGauss<dim>(2), dealii::update_values | dealii::update_JxW_values,
                 [&](int cell, const dealii::FEValues<dim> &at, double *sums) {
                   for (const unsigned int q : at.quadrature_point_indices())
                     {
                       const auto value = value_at(space, nodal, cell, at, q);
                       for (int c = 0; c < dim; ++c)
                         sums[0] += 0.5 * value[c] * value[c] * at.JxW(q);
                       sums[1] += value[dim] * at.JxW(q);
                       sums[2] += at.JxW(q);
                     }
                 });
  return {energy, pressure, volume};
}

/// Returns the largest |u| h of a cell, h its longest edge: over ν it is a Reynolds number.
template <int dim>
double largest_cell_speed(const LevelSpace<dim> &space, const Array<double> &nodal)
{
  const auto &fe      = space.element();
  double      largest = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      double edge = 0.;
      for (const unsigned int line : space.active_cells()[cell]->line_indices())
        edge = std::max(edge, space.active_cells()[cell]->line(line)->diameter());
      for (unsigned int a = 0; a < dealii::GeometryInfo<dim>::vertices_per_cell; ++a)
        {
          double square = 0.;
          for (int c = 0; c < dim; ++c)
            square += std::pow(nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]], 2);
          largest = std::max(largest, edge * std::sqrt(square));
        }
    }
  return largest;
}

/// Returns component c of the nodal values, on the scalar space of these nodes.
template <int dim>
Array<double> component_of(const LevelSpace<dim> &space, const LevelSpace<dim> &scalar, const double *nodal, int c)
{
  const auto   &fe = space.element();
  Array<double> values(scalar.n_dofs());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < scalar.dofs_per_cell(); ++a)
      values[scalar.cell_dofs(cell)[a]] = nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]];
  return values;
}

// The matrices below sum local vectors of all cells of a space. Entry c of node a of a cell has number (cell n + a) m +
// c, with n nodes of a cell and m components, of which each node has all. The matrices are in host memory, on one rank.
// The functions throw RunError on several ranks, and where nodes have different components.

/// Returns the transpose of the matrix with a row for each local entry, which fill(dof, row) makes for the entry's DoF.
template <int dim, typename Fill>
CSRMatrix<double> gather_of_cells(const LevelSpace<dim> &space, int n_rows, const Fill &fill)
{
  const auto &fe = space.element();
  const int   m = space.node_size(), n = space.dofs_per_cell() / m;
  if (m != static_cast<int>(fe.n_components()))
    throw RunError("sums over cells: the element " + fe.get_name() + " has nodes of different components");
  if (space.partition().n_mpi_processes() > 1)
    throw RunError("sums over cells: they run on one rank");
  const auto first   = first_components(fe);
  const int  n_local = to_index(std::size_t(space.n_cells()) * space.dofs_per_cell(), "nodes of cells");
  return transpose(matrix_of_rows(n_local, n_rows, [&](int number, Row &row) {
    const int node = number / m;
    fill(space.cell_dofs(node / n)[first[node % n]] / m * m + number % m, row);
  }));
}

/// Returns Hᵀ times the sum over cells: a row for each DoF, empty where it is not free. Applied to local integrals of
/// test functions it gives residuals, right-hand sides and the like. Entries are 1, or weights at hanging nodes.
template <int dim>
CSRMatrix<double> cell_gather(const LevelSpace<dim> &space)
{
  return gather_of_cells(space, space.n_dofs(), [&](int dof, Row &row) {
    for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
      row.emplace_back(space.H.column[k], space.H.value[k]);
  });
}

/// Returns the sums over all nodes on a boundary, a row for each component. They test with the function that is 1
/// there, 0 at all other nodes that do not hang, and interpolated at nodes that do. Applied to a momentum balance they
/// give the force on a body.
template <int dim>
CSRMatrix<double> boundary_gather(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  std::vector<char> marked(space.n_dofs(), 0);
  for (const int dof : nodes_on_boundary(space, id))
    marked[dof] = 1;
  const int  m  = space.node_size();
  const auto on = [&](int dof) { return marked[dof] != 0; };
  return gather_of_cells(space, m, [&](int dof, Row &row) {
    double value = 0.; // of the test function
    for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
      value += on(space.H.column[k]) ? space.H.value[k] : 0.;
    for (auto k = space.B.row_start[dof]; k < space.B.row_start[dof + 1]; ++k)
      value += on(space.prescribed[space.B.column[k]]) ? space.B.value[k] : 0.;
    if (value != 0.)
      row.emplace_back(dof % m, value);
  });
}
} // namespace adamant
