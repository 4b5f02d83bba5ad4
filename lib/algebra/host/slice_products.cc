// The rows of slices times a vector, compiled once for each precision.

#include "algebra/host/for_each_row.h"
#include "algebra/host/sparse_matrix.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace adamant::host
{
namespace
{
// The numbers of one slice as one value: sums of them stay in registers.
template <typename Number>
struct LanesOf
{
  typedef Number type __attribute__((vector_size(64)));
};
template <typename Number>
using Lanes = typename LanesOf<Number>::type;

template <typename Number>
Lanes<Number> load(const Number *from)
{
  Lanes<Number> lanes;
  std::memcpy(&lanes, from, sizeof(lanes)); // they need not be aligned
  return lanes;
}

// sums[m r + c] = (A x) in component c of node r, for the nodes of one slice: blocks of m x m.
template <bool contiguous, bool shared, int lanes, int m, typename Number, typename Index>
void slice_product(const Index *__restrict column, const Number *__restrict value, int width,
                   const Number *__restrict x, Number *__restrict sums)
{
  Lanes<Number> sum[m] = {};
  for (int k = 0; k < width; ++k)
    {
      Number gathered[m][lanes];
      if constexpr (!contiguous || m > 1)
        {
#pragma omp simd
          for (int r = 0; r < lanes; ++r)
            for (int d = 0; d < m; ++d)
              gathered[d][r] = contiguous ? x[column[k] + m * r + d] : x[column[k * lanes + r] + d];
        }
      for (int c = 0; c < m; ++c)
        for (int d = 0; d < m; ++d)
          {
            const Number       *a    = value + ((k * m + c) * m + d) * (shared ? 1 : lanes);
            const Lanes<Number> from = load(contiguous && m == 1 ? x + column[k] : gathered[d]);
            if constexpr (shared)
              sum[c] += *a * from;
            else
              sum[c] += load(a) * from;
          }
    }
  for (int r = 0; r < lanes; ++r)
    for (int c = 0; c < m; ++c)
      sums[m * r + c] = sum[c][r];
}

// For n slices that are alike, contiguous and shared, without blocks: columns and values are read once, and no sum
// waits for another.
template <int n, typename Number>
void shared_products(const SparseMatrix<Number> &A, int slice, const Number *__restrict x, Number *__restrict sums)
{
  constexpr int lanes  = SparseMatrix<Number>::lanes;
  const auto   &s      = A.slices[slice];
  const int    *column = A.column.data() + s.column;
  const Number *value  = A.value.data() + s.value;
  Lanes<Number> sum[n] = {};
  x += slice * lanes;
  for (int k = 0; k < s.width; ++k)
    for (int i = 0; i < n; ++i)
      sum[i] += value[k] * load(x + column[k] + i * lanes);
  std::memcpy(sums, sum, sizeof(sum));
}

// The entries x[place] of a window. With AVX-512 it fills two registers, and one instruction picks from them; elsewhere
// compilers make so many of that, that a loop is faster; Clang has no such builtin.
template <typename Number>
Lanes<Number> pick(const Number *x, const unsigned short *place)
{
  constexpr int lanes = SparseMatrix<Number>::lanes;
#if defined(__AVX512F__) && !defined(__clang__)
  using Places = Lanes<std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>>;
  typedef unsigned short Narrow __attribute__((vector_size(2 * lanes)));
  Narrow                 narrow;
  std::memcpy(&narrow, place, sizeof(narrow));
  return __builtin_shuffle(load(x), load(x + lanes), __builtin_convertvector(narrow, Places));
#else
  Number picked[lanes];
#pragma omp simd
  for (int r = 0; r < lanes; ++r)
    picked[r] = x[place[r]];
  return load(picked);
#endif
}

// For n slices that are alike and windowed.
template <int n, typename Number>
void windowed_products(const SparseMatrix<Number> &A, int slice, const Number *__restrict x, Number *__restrict sums)
{
  constexpr int         lanes  = SparseMatrix<Number>::lanes;
  const auto           &s      = A.slices[slice];
  const unsigned short *window = A.narrow_column.data() + s.column, *place = window + s.width;
  const Number         *value  = A.value.data() + s.value;
  Lanes<Number>         sum[n] = {};
  for (int k = 0; k < s.width; ++k)
    {
      const Lanes<Number> a = s.shared ? value[k] - Lanes<Number>{} : load(value + k * lanes);
      for (int i = 0; i < n; ++i)
        sum[i] += a * pick(x + A.slices[slice + i].lowest_column + window[k], place + k * lanes);
    }
  std::memcpy(sums, sum, sizeof(sum));
}

template <int n, typename Number>
void alike_products(const SparseMatrix<Number> &A, int slice, const Number *x, Number *sums)
{
  if (A.slices[slice].windowed)
    windowed_products<n>(A, slice, x, sums);
  else
    shared_products<n>(A, slice, x, sums);
}

template <int m, typename Number>
void slice_product(const SparseMatrix<Number> &A, int slice, const Number *x, Number *sums)
{
  constexpr int lanes   = SparseMatrix<Number>::lanes;
  const auto   &s       = A.slices[slice];
  const Number *value   = A.value.data() + s.value;
  const auto    product = [&](const auto *column, const Number *from) {
    s.shared ? slice_product<false, true, lanes, m>(column, value, s.width, from, sums) :
               slice_product<false, false, lanes, m>(column, value, s.width, from, sums);
  };
  if (s.contiguous)
    s.shared ?
      slice_product<true, true, lanes, m>(A.column.data() + s.column, value, s.width, x + slice * lanes * m, sums) :
      slice_product<true, false, lanes, m>(A.column.data() + s.column, value, s.width, x + slice * lanes * m, sums);
  else if (s.windowed)
    windowed_products<1>(A, slice, x, sums);
  else if (s.narrow)
    product(A.narrow_column.data() + s.column, x + s.lowest_column);
  else
    product(A.column.data() + s.column, x);
}

template <typename Number>
void slice_product(const SparseMatrix<Number> &A, int slice, const Number *x, Number *sums)
{
  if (!with_node_size(A.block_rows, [&](auto m) { slice_product<m>(A, slice, x, sums); }))
    slice_product<1>(A, slice, x, sums);
}

// The rows of a group whose n slices are reordered.
template <typename Number>
void reordered_products(const SparseMatrix<Number> &A, int slice, int n, const Number *x, Number *sums)
{
  constexpr int lanes = SparseMatrix<Number>::lanes;
  const int     m     = A.block_rows;
  Number        of_slice[max_node_size * lanes];
  for (int i = slice; i < slice + n; ++i)
    {
      slice_product(A, i, x, of_slice);
      for (int p = 0; p < m * lanes; ++p)
        sums[m * A.order[i * lanes + p / m] + p % m] = of_slice[p];
    }
}
} // namespace

template <typename Number>
void SparseMatrix<Number>::products(int first, int end, const Number *x, Number *sums) const
{
  static_assert(slices_at_once == 4, "products are chosen for 1 to 4 slices");
  const int slice_rows = block_rows * lanes;
  for (int row = first, n; row < end; row += n * slice_rows)
    {
      const int     slice = row / slice_rows;
      Number *const to    = sums + (row - first);
      if (slices[slice].reordered)
        {
          n = std::min(int(group_slices), (end - row + slice_rows - 1) / slice_rows);
          reordered_products(*this, slice, n, x, to);
          continue;
        }
      n = block_rows > 1 ? 1 : std::min(slices[slice].n_alike, (end - row) / slice_rows);
      switch (n)
        {
          case 4: alike_products<4>(*this, slice, x, to); break;
          case 3: alike_products<3>(*this, slice, x, to); break;
          case 2: alike_products<2>(*this, slice, x, to); break;
          default: n = 1; slice_product(*this, slice, x, to);
        }
    }
}

template void SparseMatrix<double>::products(int, int, const double *, double *) const;
template void SparseMatrix<float>::products(int, int, const float *, float *) const;
} // namespace adamant::host
