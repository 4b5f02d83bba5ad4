#include "discretization/forms/cell_gather.h"

#include "base/exceptions.h"
#include "discretization/forms/quadrature_data.h"

#include <deal.II/dofs/dof_tools.h>

#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// Calls action(DoF, number of the local entry) for all nodes of cells and their components, in order.
template <int dim, typename Action>
void for_each_local_entry(const LevelSpace<dim> &space, const Action &action)
{
  const auto &fe = space.dof_handler().get_fe();
  const int   m = space.node_size(), n = space.dofs_per_cell() / m;
  if (m != static_cast<int>(fe.n_components()))
    throw RunError("sums over cells: the element " + fe.get_name() + " has nodes of different components");
  if (space.partition().n_mpi_processes() > 1)
    throw RunError("sums over cells: they run on one rank");
  const auto first = first_components(fe);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < n; ++a)
      for (int c = 0; c < m; ++c)
        action(space.cell_dofs(cell)[first[a]] / m * m + c, (cell * n + a) * m + c);
}

// The matrix with these rows, each of (column, value) in ascending order; `visit(add)` calls add(row, column, value)
// twice for all of them.
template <typename Visit>
CSRMatrix<double> make_matrix(int n_rows, int n_cols, const Visit &visit)
{
  CSRMatrix<double> matrix;
  matrix.n_rows = n_rows;
  matrix.n_cols = n_cols;
  matrix.row_start.assign(n_rows + 1, 0);
  visit([&](int row, int, double) { ++matrix.row_start[row + 1]; });
  finish_row_starts(matrix);
  Array<EntryNumber> next(matrix.row_start.begin(), matrix.row_start.end() - 1);
  visit([&](int row, int column, double value) {
    const auto k     = next[row]++;
    matrix.column[k] = column;
    matrix.value[k]  = value;
  });
  return matrix;
}

template <int dim>
int n_local(const LevelSpace<dim> &space)
{
  return to_index(std::size_t(space.n_cells()) * space.dofs_per_cell(), "nodes of cells");
}
} // namespace

template <int dim>
CSRMatrix<double> cell_gather(const LevelSpace<dim> &space)
{
  return make_matrix(space.n_dofs(), n_local(space), [&](const auto &add) {
    for_each_local_entry(space, [&](int dof, int number) {
      for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
        add(space.H.column[k], number, space.H.value[k]);
    });
  });
}

template <int dim>
CSRMatrix<double> boundary_gather(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  const auto on_boundary = dealii::DoFTools::extract_boundary_dofs(space.dof_handler(), dealii::ComponentMask(), {id});
  const int  m           = space.node_size();
  return make_matrix(m, n_local(space), [&](const auto &add) {
    for_each_local_entry(space, [&](int dof, int number) {
      if (on_boundary.is_element(dof))
        add(dof % m, number, 1.);
    });
  });
}

template CSRMatrix<double> cell_gather(const LevelSpace<2> &);
template CSRMatrix<double> cell_gather(const LevelSpace<3> &);
template CSRMatrix<double> boundary_gather(const LevelSpace<2> &, dealii::types::boundary_id);
template CSRMatrix<double> boundary_gather(const LevelSpace<3> &, dealii::types::boundary_id);
} // namespace adamant
