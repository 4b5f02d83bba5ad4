#pragma once

#include <omp.h>

namespace adamant
{
/// Calls action(first, end) in each thread with the range of rows that it owns: what only their owners write, in an
/// order that does not depend on the threads, is the same for any number of them.
template <typename Action>
void for_row_ranges(int n_rows, const Action &action)
{
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads();
    action(static_cast<int>(n_rows * thread / n_threads), static_cast<int>(n_rows * (thread + 1) / n_threads));
  }
}
} // namespace adamant
