#include "dealii/vectors.h"

#include "algebra/functors/vector_functors.h"
#include "base/exceptions.h"

#include <string>

namespace adamant
{
namespace
{
// The number in the space of each entry of a deal.II vector's own part.
template <int dim>
Array<int> numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs)
{
  if (&dofs.get_triangulation() != &space.triangulation() || dofs.get_fe().get_name() != space.element().get_name())
    throw RunError("multigrid for deal.II's vectors: expected a DoFHandler on the field's mesh with its element, " +
                   space.element().get_name() + ", not " + dofs.get_fe().get_name());
  const auto                                  &owned = dofs.locally_owned_dofs();
  Array<int>                                   numbers(owned.n_elements(), -1);
  std::vector<dealii::types::global_dof_index> indices(space.dofs_per_cell());
  for (int c = 0; c < space.n_cells(); ++c)
    {
      with_dofs(space.active_cells()[c], dofs)->get_dof_indices(indices);
      for (std::size_t i = 0; i < indices.size(); ++i)
        if (owned.is_element(indices[i]))
          numbers[owned.index_within_set(indices[i])] = space.cell_dofs(c)[i];
    }
  for (const int number : numbers)
    if (number < 0 || number >= space.n_owned())
      throw RunError(
        "multigrid for deal.II's vectors: a DoF of the DoFHandler belongs to this rank, but not in the field");
  return numbers;
}
} // namespace

template <int dim>
DealiiVectors::DealiiVectors(const Device &device, const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs,
                             const CSRMatrix<double> &matrix)
  : device(device)
{
  Array<int> rows = numbers_in_space(space, dofs), entries(matrix.n_rows, -1);
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    // Constrained rows are those of the identity (see LevelData).
    if (const int row = rows[i];
        matrix.row_start[row + 1] == matrix.row_start[row] + 1 && matrix.column[matrix.row_start[row]] == row)
      {
        constrained.push_back({i, dofs.locally_owned_dofs().nth_index_in_set(i), 1.});
        rows[i] = -1;
      }
    else
      entries[row] = i;
  entry = List<int>(device, entries);
  row   = List<int>(device, rows);
  if (device.traits().separate_memory)
    on_device = Vector<double>(device, row.size());
}

void DealiiVectors::check_size(std::size_t n) const
{
  if (n != static_cast<std::size_t>(row.size()))
    throw RunError("multigrid for deal.II's vectors: the vector has " + std::to_string(n) +
                   " entries of this rank, but the finest level has " + std::to_string(row.size()));
}

template <typename Number>
void DealiiVectors::take(const double *source, Vector<Number> &x) const
{
  const double *from = source;
  if (device.traits().separate_memory)
    {
      on_device.upload(source);
      from = on_device.data();
    }
  device.for_each(x.size(), Gather<double, Number>{entry.data(), from, x.data()});
}

template <typename Number>
void DealiiVectors::give(const Vector<Number> &x, double *target) const
{
  double *to = device.traits().separate_memory ? on_device.data() : target;
  device.for_each(row.size(), Gather<Number, double>{row.data(), x.data(), to});
  if (device.traits().separate_memory)
    on_device.download(target);
}

template DealiiVectors::DealiiVectors(const Device &, const LevelSpace<2> &, const dealii::DoFHandler<2> &,
                                      const CSRMatrix<double> &);
template DealiiVectors::DealiiVectors(const Device &, const LevelSpace<3> &, const dealii::DoFHandler<3> &,
                                      const CSRMatrix<double> &);
template void DealiiVectors::take(const double *, Vector<double> &) const;
template void DealiiVectors::take(const double *, Vector<float> &) const;
template void DealiiVectors::give(const Vector<double> &, double *) const;
template void DealiiVectors::give(const Vector<float> &, double *) const;
} // namespace adamant
