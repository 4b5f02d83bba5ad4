#pragma once

#include "algebra/cuda/check.cuh"

#include <cstdint>
#include <memory>
#include <vector>

namespace adamant
{
namespace cuda
{
/// A CSR matrix in device memory, before its conversion.
struct CSRView
{
  int                 n_rows;
  const std::int64_t *row_start;
  const int          *column;
  const double       *value;
};

/// Waits for the copy.
template <typename T>
void to_host(const Context &context, const DeviceArray<T> &source, T *target)
{
  if (source.size() > 0)
    check(cudaMemcpyAsync(target, source.data(), source.size() * sizeof(T), cudaMemcpyDeviceToHost, context.stream()),
          "cudaMemcpyAsync", target, source.data(), source.size() * sizeof(T), "to host");
  context.synchronize();
}

/// The different values as Number, ascending; those that differ by rounding are one where the dictionary does not hold
/// them all (value_dictionary). None where they are too many then, too.
template <typename Number>
std::vector<Number> different_values(const Context &context, const CSRView &A);
} // namespace cuda
} // namespace adamant
