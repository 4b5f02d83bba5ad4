#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/rows_view.h"

#include <memory>
#include <vector>

namespace adamant
{
namespace cuda
{
/// Copies `source` in device memory to `target` in host memory, and waits for the copy.
template <typename T>
void to_host(const Context &context, const DeviceArray<T> &source, T *target)
{
  if (source.size() > 0)
    check(cudaMemcpyAsync(target, source.data(), source.size() * sizeof(T), cudaMemcpyDeviceToHost, context.stream()),
          "cudaMemcpyAsync", target, source.data(), source.size() * sizeof(T), "to host");
  context.synchronize();
}

/// Returns the different values of a matrix in device memory as Number, ascending. Values that differ by rounding are
/// merged where the dictionary does not hold them all (value_dictionary). Returns none where they are too many then,
/// too.
template <typename Number>
std::vector<Number> different_values(const Context &context, const RowsView &A);
} // namespace cuda
} // namespace adamant
