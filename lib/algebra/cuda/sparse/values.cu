// The different values of a matrix, for a dictionary.

#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/value_dictionary.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace adamant::cuda
{
namespace
{
constexpr int  table_size = 16384, most_values = 8192; // while they are collected
constexpr Bits empty = ~Bits(0);

__device__ Bits bits_of(double value)
{
  return __double_as_longlong(value);
}

// A hash table that collects the different values. For each value it has the smallest unit of its rows, and how often a
// sample of the rows has the value; `n` is the number of values.
struct ValueTable
{
  Bits *value, *unit;
  int  *found, *n;
};

// Stops where the values are too many.
template <typename Number>
__global__ void collect_values_kernel(RowsView A, ValueTable table)
{
  wait_for_predecessor();
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= A.n_rows)
    return;
  const auto begin = A.row_start[row], end = A.end(row);
  double     largest = 0;
  for (auto k = begin; k < end; ++k)
    largest = fmax(largest, fabs(A.value[k]));
  const Bits unit = bits_of(rounding_unit<Number>(largest));
  for (auto k = begin; k < end; ++k)
    {
      const Bits bits     = bits_of(static_cast<Number>(A.value[k]));
      int        position = static_cast<int>((bits * 0x9e3779b97f4a7c15ull) >> 50);
      for (int probe = 0;; ++probe)
        {
          if (probe == table_size || bits == empty)
            {
              atomicMax(table.n, most_values + 1);
              return;
            }
          if (probe % 16 == 15 && __ldcg(table.n) > most_values)
            return; // threads that ran at once have filled the table
          Bits found = __ldcg(table.value + position);
          if (found == empty)
            {
              if (__ldcg(table.n) > most_values)
                return;
              found = atomicCAS(table.value + position, empty, bits);
              if (found == empty)
                {
                  atomicAdd(table.n, 1);
                  found = bits;
                }
            }
          if (found == bits)
            break;
          position = (position + 1) % table_size;
        }
      if (unit < __ldcg(table.unit + position))
        atomicMin(table.unit + position, unit); // positive numbers are ordered as their bits
      if (row % 64 == 0)
        atomicAdd(table.found + position, 1);
    }
}

// What collect_values_kernel has found; nothing where it has stopped, or not all are numbers.
template <typename Number>
std::vector<FoundValue> collect_values(const Context &context, const RowsView &A)
{
  const std::vector<Bits> nothing(table_size, empty);
  const std::vector<int>  zeros(table_size, 0);
  DeviceArray<Bits>       value = to_device(context, nothing.data(), table_size, "conversion"),
                    unit        = to_device(context, nothing.data(), table_size, "conversion");
  DeviceArray<int> found        = to_device(context, zeros.data(), table_size, "conversion"),
                   n            = to_device(context, zeros.data(), 1, "conversion");
  launch(context, "collect_values", collect_values_kernel<Number>, blocks_for(A.n_rows), block_size, A,
         ValueTable{value.data(), unit.data(), found.data(), n.data()});
  std::vector<Bits> values(table_size), units(table_size);
  std::vector<int>  counts(table_size);
  int               n_found = 0;
  to_host(context, n, &n_found);
  to_host(context, value, values.data());
  to_host(context, unit, units.data());
  to_host(context, found, counts.data());
  std::vector<FoundValue> result;
  for (int i = 0; i < table_size && n_found <= most_values; ++i)
    if (values[i] != empty)
      {
        FoundValue f{0, 0, counts[i]};
        std::memcpy(&f.value, &values[i], sizeof(f.value));
        std::memcpy(&f.unit, &units[i], sizeof(f.unit));
        if (std::isnan(f.value))
          return {};
        result.push_back(f);
      }
  return result;
}

} // namespace

template <typename Number>
std::vector<Number> different_values(const Context &context, const RowsView &A)
{
  auto found = collect_values<Number>(context, A);
  if (found.size() <= dictionary_size)
    for (FoundValue &f : found)
      f.unit = 0;
  const std::vector<double> values = value_dictionary(std::move(found), dictionary_size);
  return {values.begin(), values.end()};
}

template std::vector<double> different_values(const Context &, const RowsView &);
template std::vector<float>  different_values(const Context &, const RowsView &);
} // namespace adamant::cuda
