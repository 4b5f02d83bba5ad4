#include "base/exceptions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/interpolation_weights.h"
#include "fem/forms/level_form.h"

#include <cstdint>
#include <utility>

namespace adamant
{
namespace
{
// Of what each row is the sum of, by the numbers of the different ones.
template <int dim>
void add_weights(const LevelSpace<dim> &rows, const RowCells &cells, CellSums &sums)
{
  const InterpolationWeights weights(rows.H);
  if (weights.values.size() == 1)
    return;
  if (weights.values.size() > 65535)
    throw RunError("sums over cells: hanging nodes have too many different weights");
  sums.weights.assign(weights.values.begin(), weights.values.end());
  sums.weight.assign(cells.cell.size(), 0);
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows.n_dofs(); ++row)
    for (auto k = cells.start[row]; k < cells.start[row + 1]; ++k)
      if (const int cell = cells.cell[k]; rows.has_constraints(cell))
        sums.weight[k] =
          static_cast<unsigned short>(weights.number_of(entry(rows.H, rows.cell_dofs(cell)[cells.dof[k]], row)));
}
} // namespace

template <int dim>
CellSums LevelForm<dim>::sums_over_cells(const typename Form<dim>::Kernel &kernel) const
{
  TabulatedMatrices matrices;
  tabulate(kernel, matrices);
  CellSums sums;
  sums.n_cells = rows.n_cells();
  sums.height  = rows.dofs_per_cell();
  sums.width   = columns_.per_cell();
  sums.local   = std::move(matrices.values);
  if (matrices.of_cells.size() > 1)
    sums.table = std::move(matrices.table);

  while (1 << sums.shift < sums.height)
    ++sums.shift;
  to_index(std::size_t(sums.n_cells) << sums.shift, "rows of the matrices of cells");
  sums.start.assign(row_cells->start.begin(), row_cells->start.begin() + rows.n_dofs() + 1);
  sums.place.resize(row_cells->cell.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < sums.place.size(); ++k)
    sums.place[k] = (row_cells->cell[k] << sums.shift) + row_cells->dof[k];
  add_weights(rows, *row_cells, sums);
  sums.plan = exchange_plan(rows.partition());
  return sums;
}

template CellSums LevelForm<2>::sums_over_cells(const Form<2>::Kernel &) const;
template CellSums LevelForm<3>::sums_over_cells(const Form<3>::Kernel &) const;
} // namespace adamant
