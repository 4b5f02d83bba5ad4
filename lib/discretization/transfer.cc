#include "discretization/transfer.h"

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Row = std::vector<std::pair<int, double>>; // column, weight

// The nonzeros of the rows of the embedding of a cell into each of its children.
template <int dim>
std::vector<std::vector<Row>> embedding_rows(const dealii::FiniteElement<dim> &fe)
{
  const unsigned int            n = fe.n_dofs_per_cell(), n_children = dealii::GeometryInfo<dim>::max_children_per_cell;
  std::vector<std::vector<Row>> rows(n_children, std::vector<Row>(n));
  for (unsigned int child = 0; child < n_children; ++child)
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        if (const double weight = fe.get_prolongation_matrix(child)(i, j); std::abs(weight) > 1e-12)
          rows[child][i].emplace_back(static_cast<int>(j), weight);
  return rows;
}

// Sorts by column and adds up the entries of equal columns.
void compress(Row &row)
{
  std::sort(row.begin(), row.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (kept > 0 && row[kept - 1].first == row[k].first)
      row[kept - 1].second += row[k].second;
    else
      row[kept++] = row[k];
  row.resize(kept);
}
} // namespace

template <int dim>
CSRMatrix<double> prolongation_matrix(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine,
                                      const LevelSpace<dim> &coarse)
{
  const auto embedding = embedding_rows(fine.dof_handler().get_fe());
  const int  per_cell  = fine.dofs_per_cell();

  // The first cell of each fine DoF determines its row; continuity makes all of them agree.
  Array<int> first(fine.n_dofs(), -1);
  for (int cell = 0; cell < fine.n_cells(); ++cell)
    for (int i = 0; i < per_cell; ++i)
      if (int &position = first[fine.cell_dofs(cell)[i]]; position < 0)
        position = cell * per_cell + i;

  const auto add = [&coarse](int coarse_dof, double weight, Row &row) {
    for (int k = coarse.H.row_start[coarse_dof]; k < coarse.H.row_start[coarse_dof + 1]; ++k)
      row.emplace_back(coarse.H.column[k], weight * coarse.H.value[k]);
  };
  const auto fill_row = [&](int dof, Row &row) {
    row.clear();
    if (!fine.is_free(dof))
      return;
    const int  cell = first[dof] / per_cell, i = first[dof] % per_cell;
    const int *coarse_dofs = coarse.cell_dofs(fine_mesh.coarse_cell[cell]);
    if (fine_mesh.child[cell] == LevelMesh<dim>::same_cell)
      add(coarse_dofs[i], 1., row);
    else
      for (const auto &[j, weight] : embedding[fine_mesh.child[cell]][i])
        add(coarse_dofs[j], weight, row);
    compress(row);
  };

  CSRMatrix<double> P;
  P.n_rows = fine.n_dofs();
  P.n_cols = coarse.n_dofs();
  P.row_start.resize(P.n_rows + 1);
#pragma omp parallel
  {
    Row row;
#pragma omp for schedule(static)
    for (int i = 0; i < P.n_rows; ++i)
      {
        fill_row(i, row);
        P.row_start[i + 1] = static_cast<int>(row.size());
      }
  }
  finish_row_starts(P);
#pragma omp parallel
  {
    Row row;
#pragma omp for schedule(static)
    for (int i = 0; i < P.n_rows; ++i)
      {
        fill_row(i, row);
        for (std::size_t k = 0; k < row.size(); ++k)
          {
            P.column[P.row_start[i] + k] = row[k].first;
            P.value[P.row_start[i] + k]  = row[k].second;
          }
      }
  }
  return P;
}

template CSRMatrix<double> prolongation_matrix(const LevelMesh<2> &, const LevelSpace<2> &, const LevelSpace<2> &);
template CSRMatrix<double> prolongation_matrix(const LevelMesh<3> &, const LevelSpace<3> &, const LevelSpace<3> &);
} // namespace adamant
