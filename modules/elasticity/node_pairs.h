#pragma once

#include "fem/forms/cell_context.h"

#include <deal.II/lac/full_matrix.h>

#include <vector>

namespace adamant
{
/// Calls f(i, j, entry) for each pair of nodes of the cell; i and j are the shape functions of their first components.
/// Its entry(c, d) is the local matrix's number for component c of the first node (row) and d of the second. It is for
/// kernels of vector fields whose components all have equal shape functions. Integrals for two nodes then serve all
/// pairs of their components.
template <int dim, typename F>
void for_each_node_pair(const CellContext<dim> &cell, dealii::FullMatrix<double> &local, const F &f)
{
  const auto               &functions    = cell.rows();
  const unsigned int        n_components = functions.n_components();
  std::vector<unsigned int> nodes(functions.dofs_per_cell()); // the shape functions, node after node
  for (const unsigned int i : functions.dof_indices())
    nodes[functions.node(i) * n_components + functions.component(i)] = i;
  for (const unsigned int *a = nodes.data(), *end = a + nodes.size(); a < end; a += n_components)
    for (const unsigned int *b = nodes.data(); b < end; b += n_components)
      f(*a, *b, [&](unsigned int c, unsigned int d) -> double & { return local(a[c], b[d]); });
}
} // namespace adamant
