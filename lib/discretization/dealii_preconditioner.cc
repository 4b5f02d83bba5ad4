#include "discretization/dealii_preconditioner.h"

#include "multigrid/v_cycle.h"

#include <string>

namespace adamant
{
template <typename Number>
struct DealiiPreconditioner<Number>::Implementation
{
  Implementation(const std::vector<LevelData> &levels, const MultigridOptions &options, int n_threads)
    : device(Device::host(n_threads))
    , cycle(device, levels, options)
    , b(device, cycle.n_rows())
  {}

  Device         device;
  VCycle<Number> cycle;
  Vector<Number> b;
};

template <typename Number>
DealiiPreconditioner<Number>::DealiiPreconditioner(const std::vector<LevelData> &levels,
                                                   const MultigridOptions &options, int n_threads, Array<int> numbers_)
  : implementation(std::make_unique<Implementation>(levels, options, n_threads))
  , numbers(std::move(numbers_))
{
  // Constrained rows are those of the identity (see LevelData).
  const auto &A = *levels.back().matrix;
  for (int row = 0; row < A.n_rows; ++row)
    {
      const int i = numbers.empty() ? row : numbers[row];
      if (A.row_start[i + 1] == A.row_start[i] + 1 && A.column[A.row_start[i]] == i)
        constrained.emplace_back(row, 1.);
    }
}

template <typename Number>
DealiiPreconditioner<Number>::~DealiiPreconditioner() = default;

template <typename Number>
void DealiiPreconditioner<Number>::update()
{
  implementation->cycle.update();
}

template <typename Number>
void DealiiPreconditioner<Number>::check_size(std::size_t n) const
{
  if (n != static_cast<std::size_t>(implementation->b.size()))
    throw RunError("multigrid preconditioner: the vector has " + std::to_string(n) +
                   " entries, but the finest level has " + std::to_string(implementation->b.size()));
}

template <typename Number>
void DealiiPreconditioner<Number>::apply(const double *src, double *dst) const
{
  auto &[device, cycle, b] = *implementation;
  if (numbers.empty())
    {
      b.upload(src);
      cycle.vmult(b).download(dst);
      return;
    }
  const int n      = b.size();
  Number   *target = b.data(); // the host's memory
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    target[numbers[i]] = Number(src[i]);
  const Number *z = cycle.vmult(b).data();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    dst[i] = z[numbers[i]];
}

template <int dim>
Array<int> numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs)
{
  if (&dofs.get_triangulation() != &space.dof_handler().get_triangulation() ||
      dofs.get_fe().get_name() != space.dof_handler().get_fe().get_name())
    throw RunError("multigrid preconditioner: expected a DoFHandler on the field's mesh with its element, " +
                   space.dof_handler().get_fe().get_name() + ", not " + dofs.get_fe().get_name());
  Array<int>                                   numbers(space.n_dofs());
  std::vector<dealii::types::global_dof_index> indices(space.dofs_per_cell());
  int                                          c = 0; // both go through the mesh in the same order
  for (const auto &cell : dofs.active_cell_iterators())
    {
      cell->get_dof_indices(indices);
      for (std::size_t i = 0; i < indices.size(); ++i)
        numbers[indices[i]] = space.cell_dofs(c)[i];
      ++c;
    }
  return numbers;
}

template Array<int> numbers_in_space(const LevelSpace<2> &, const dealii::DoFHandler<2> &);
template Array<int> numbers_in_space(const LevelSpace<3> &, const dealii::DoFHandler<3> &);
template class DealiiPreconditioner<float>;
template class DealiiPreconditioner<double>;
} // namespace adamant
