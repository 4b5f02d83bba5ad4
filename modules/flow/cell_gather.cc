#include "flow/cell_gather.h"

#include "base/exceptions.h"
#include "fem/forms/quadrature_data.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/dofs/dof_tools.h>

#include <vector>

namespace adamant
{
namespace
{
// The transpose of the matrix with a row for each local entry, which fill(dof, row) makes for the DoF of that entry.
template <int dim, typename Fill>
CSRMatrix<double> gather(const LevelSpace<dim> &space, int n_rows, const Fill &fill)
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
} // namespace

template <int dim>
CSRMatrix<double> cell_gather(const LevelSpace<dim> &space)
{
  return gather(space, space.n_dofs(), [&](int dof, Row &row) {
    for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
      row.emplace_back(space.H.column[k], space.H.value[k]);
  });
}

template <int dim>
CSRMatrix<double> boundary_gather(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  const auto on_boundary = dealii::DoFTools::extract_boundary_dofs(space.dof_handler(), dealii::ComponentMask(), {id});
  std::vector<char> marked(space.n_dofs(), 0); // a look-up of an IndexSet may change it
  for (const auto dof : on_boundary)
    marked[dof] = 1;
  const int  m  = space.node_size();
  const auto on = [&](int dof) { return marked[dof] != 0; };
  return gather(space, m, [&](int dof, Row &row) {
    double value = 0.; // of the test function
    for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
      value += on(space.H.column[k]) ? space.H.value[k] : 0.;
    for (auto k = space.B.row_start[dof]; k < space.B.row_start[dof + 1]; ++k)
      value += on(space.prescribed[space.B.column[k]]) ? space.B.value[k] : 0.;
    if (value != 0.)
      row.emplace_back(dof % m, value);
  });
}

template CSRMatrix<double> cell_gather(const LevelSpace<2> &);
template CSRMatrix<double> cell_gather(const LevelSpace<3> &);
template CSRMatrix<double> boundary_gather(const LevelSpace<2> &, dealii::types::boundary_id);
template CSRMatrix<double> boundary_gather(const LevelSpace<3> &, dealii::types::boundary_id);
} // namespace adamant
