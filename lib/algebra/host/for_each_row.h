#pragma once

#include "algebra/functors/row_functors.h"
#include "algebra/host/for_each.h"
#include "algebra/host/row_products.h"
#include "base/exceptions.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

// The loops over the rows of a matrix on the host.

namespace adamant::host
{
constexpr int max_node_size = 8, max_group_nodes = 8 * 6; // bounds of a node's rows, and of their lcm with dense blocks

/// Calls epilogue(first, end, sums) for all rows, on n_threads threads, with sums[i - first] = (A x)_i. Each call has a
/// group of whole slices and whole nodes of `node_size` rows. With `skip_empty`, groups without entries may be skipped.
/// Rows that need other ranks' values come last: their messages travel meanwhile.
template <typename Number, typename Epilogue>
void for_each_product(const RowProducts<Number> &A, const Number *x, int n_threads, int node_size,
                      const Epilogue &epilogue, bool skip_empty = false)
{
  using Rows         = RowProducts<Number>;
  const int m        = std::lcm(A.block_rows, node_size);
  const int group    = m * Rows::lanes * (A.reordered ? Rows::group_slices : m == 1 ? Rows::slices_at_once : 1);
  const int n_groups = (A.n_rows + group - 1) / group;
  auto     *ghosts   = A.ghosts.get();
  if (ghosts)
    ghosts->start(x);
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int g = 0; g < n_groups; ++g)
    {
      Number    sums[max_group_nodes * Rows::lanes * Rows::group_slices];
      const int first = g * group, end = std::min(A.n_rows, first + group);
      if (ghosts && ghosts->reach(first, end))
        continue;
      if (skip_empty && A.empty(first, end))
        continue;
      A.products(first, end, x, sums);
      epilogue(first, end, sums);
    }
  if (!ghosts)
    return;
  ghosts->finish();
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int g = 0; g < n_groups; ++g)
    if (const int first = g * group, end = std::min(A.n_rows, first + group); ghosts->reach(first, end))
      {
        Number sums[max_group_nodes * Rows::lanes * Rows::group_slices];
        A.products(first, end, x, sums);
        ghosts->add(first, end, sums);
        epilogue(first, end, sums);
      }
}

// Calls action with the size as a constant where it is a usual one, so that its loops unroll, and returns true; else
// returns false.
template <typename Action>
bool with_node_size(int size, const Action &action)
{
  switch (size)
    {
      case 2: action(std::integral_constant<int, 2>()); return true;
      case 3: action(std::integral_constant<int, 3>()); return true;
      case 4: action(std::integral_constant<int, 4>()); return true;
      case 6: action(std::integral_constant<int, 6>()); return true;
      default: return false;
    }
}

// Runs a functor of nodes, which gets the sums or the residuals of a node's rows together.
template <typename Number, class Functor>
void for_each_node(const RowProducts<Number> &A, const Number *x, int n_threads, const Functor &f)
{
  const bool usual = with_node_size(f.node_size, [&](auto m) {
    for_each_product(A, x, n_threads, m, [=](int first, int end, const Number *sums) {
      for (int i = first; i < end; i += m)
        {
          Number sum[m];
          for (int c = 0; c < m; ++c)
            sum[c] = sums[i + c - first];
          f.finish_node(i / m, sum, f.template fetch_node<m>(i / m));
        }
    });
  });
  if (usual)
    return;
  const int m = f.node_size;
  if (m > max_node_size)
    throw RunError("a matrix has nodes of " + std::to_string(m) + " rows; at most " + std::to_string(max_node_size) +
                   " can be taken together");
  for_each_product(A, x, n_threads, m, [=](int first, int end, const Number *sums) {
    for (int i = first; i < end; i += m)
      {
        Number residual[max_node_size];
        for (int c = 0; c < m; ++c)
          residual[c] = f.residual(i + c, sums[i + c - first]);
        for (int c = 0; c < m; ++c)
          f.finish_row(i + c, residual);
      }
  });
}

template <typename Number, class Functor>
void for_each_row(int n_threads, const MatrixStorage<Number> &matrix, const Entries<Number> &x, const Functor &f)
{
  const auto &A = dynamic_cast<const RowProducts<Number> &>(matrix);
  n_threads     = threads_for(n_threads, A.n_rows);
  if constexpr (Functor::by_node)
    for_each_node(A, x.x, n_threads, f);
  else
    for_each_product(
      A, x.x, n_threads, 1,
      [f](int first, int end, const Number *sums) {
        const Functor own = f; // a copy that no result overwrites
#pragma omp simd
        for (int i = first; i < end; ++i)
          own(i, sums[i - first], own.fetch(i));
      },
      Functor::skips_empty);
}

/// Visits the rows of a product with a vector that the functor x computes: once for each entry, before the product.
template <typename Number, class Gather, class Functor>
void for_each_row(int n_threads, const MatrixStorage<Number> &matrix, const Gather &x, const Functor &f)
{
  const auto &A = dynamic_cast<const RowProducts<Number> &>(matrix);
  const int   n = A.ghosts ? A.ghosts->n_owned() : A.n_cols;
  A.scratch.resize(n);
  for_each(n_threads, n, [&x, to = A.scratch.data()](int i) { to[i] = x(i); });
  for_each_row(n_threads, matrix, Entries<Number>{A.scratch.data()}, f);
}
} // namespace adamant::host
