#pragma once

#include "algebra/functors/functor_types.h"
#include "algebra/host/for_each.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace adamant::host
{
/// Reductions run over blocks of this many elements, so that the block of each vector stays in the first-level cache.
constexpr int block_length = 2048;

/// Adds up n_sums quantities that `block_sums(begin, end, sums)` computes on each block, in block order: `result` does
/// not depend on the number of threads.
template <typename BlockSums>
void blocked_sums(int n, int n_threads, int n_sums, double *result, const BlockSums &block_sums)
{
  const int           n_blocks = (n + block_length - 1) / block_length;
  std::vector<double> partial(static_cast<std::size_t>(n_blocks) * n_sums, 0.);
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int block = 0; block < n_blocks; ++block)
    block_sums(block * block_length, std::min(n, (block + 1) * block_length),
               partial.data() + static_cast<std::size_t>(block) * n_sums);
  std::fill(result, result + n_sums, 0.);
  for (int block = 0; block < n_blocks; ++block)
    for (int s = 0; s < n_sums; ++s)
      result[s] += partial[static_cast<std::size_t>(block) * n_sums + s];
}

/// Sets result[j] = Σ_i f(i, f.prepare()).value[j].
template <typename Functor>
void sums(int n_threads, int n, const Functor &f, double *result)
{
  constexpr int n_sums = Functor::n_sums;
  const auto    c      = f.prepare(); // before the results overwrite the scalars that f reads
  blocked_sums(n, threads_for(n_threads, n), n_sums, result, [&](int begin, int end, double *sum) {
    const Functor own       = f; // a copy for each thread: else the loop is not vectorised
    const auto    constants = c;
    double        first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
    for (int i = begin; i < end; ++i)
      {
        const Sums<n_sums> term = own(i, constants);
        first += term.value[0];
        second += term.value[n_sums - 1];
      }
    sum[0] = first;
    if (n_sums == 2)
      sum[n_sums - 1] = second;
  });
}
} // namespace adamant::host
