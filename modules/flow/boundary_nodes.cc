#include "flow/boundary_nodes.h"

#include <deal.II/dofs/dof_tools.h>

#include <utility>

namespace adamant
{
template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  const auto      &numbers = space.partition();
  std::vector<int> nodes;
  for (const auto i : dealii::DoFTools::extract_boundary_dofs(space.dof_handler(), dealii::ComponentMask(), {id}))
    if (numbers.in_local_range(i))
      nodes.push_back(static_cast<int>(numbers.global_to_local(i)));
  return nodes;
}

template <int dim>
HangingRows hanging_rows(const LevelSpace<dim> &space)
{
  const auto       &H = space.H;
  CSRMatrix<double> rows;
  rows.n_rows = H.n_rows;
  rows.n_cols = H.n_cols;
  rows.row_start.push_back(0);
  Array<int> nodes;
  for (int i = 0; i < H.n_rows; ++i)
    {
      if (i < space.n_owned() && !space.is_free(i))
        {
          nodes.push_back(i);
          const auto begin = H.row_start[i], end = H.row_start[i + 1];
          rows.column.insert(rows.column.end(), H.column.begin() + begin, H.column.begin() + end);
          rows.value.insert(rows.value.end(), H.value.begin() + begin, H.value.begin() + end);
        }
      rows.row_start.push_back(rows.column.size());
    }
  rows = sum_rows(std::move(rows), space.partition(), space.partition()); // with the ghosts that occur
  // The other rows are empty.
  rows.n_rows = static_cast<int>(nodes.size());
  for (int k = 0; k < rows.n_rows; ++k)
    rows.row_start[k + 1] = rows.row_start[nodes[k] + 1];
  rows.row_start.resize(rows.n_rows + 1);
  return {std::move(nodes), std::move(rows)};
}

#define INSTANTIATE(dim)                                                                            \
  template std::vector<int> nodes_on_boundary(const LevelSpace<dim> &, dealii::types::boundary_id); \
  template HangingRows      hanging_rows(const LevelSpace<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
