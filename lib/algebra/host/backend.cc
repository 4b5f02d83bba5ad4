#include "algebra/host/backend.h"

#include "algebra/host/ghosts.h"
#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
// Reductions run over blocks of this many elements: the block of each vector stays in the first-level cache.
constexpr int block_length = 2048;

constexpr int max_block_size = 8, max_group_nodes = 8 * 6; // of rows in a node; lcm with a matrix's nodes

// sums[m r + c] = (A x) in component c of node r, for the nodes of one slice: blocks of m x m.
template <bool contiguous, bool shared, int lanes, int m, typename Number, typename Index>
void slice_product(const Index *__restrict column, const Number *__restrict value, int width,
                   const Number *__restrict x, Number *__restrict sums)
{
  Number sum[m][lanes] = {};
  for (int k = 0; k < width; ++k)
    {
      Number from[m][lanes];
#pragma omp simd
      for (int r = 0; r < lanes; ++r)
        for (int d = 0; d < m; ++d)
          from[d][r] = contiguous ? x[column[k] + m * r + d] : x[column[k * lanes + r] + d];
      for (int c = 0; c < m; ++c)
        for (int d = 0; d < m; ++d)
          {
            const Number *a = value + ((k * m + c) * m + d) * (shared ? 1 : lanes);
#pragma omp simd
            for (int r = 0; r < lanes; ++r)
              sum[c][r] += a[shared ? 0 : r] * from[d][r];
          }
    }
  for (int r = 0; r < lanes; ++r)
    for (int c = 0; c < m; ++c)
      sums[m * r + c] = sum[c][r];
}

template <int m, typename Number>
void slice_product(const HostMatrix<Number> &A, int slice, const Number *x, Number *sums)
{
  constexpr int lanes   = HostMatrix<Number>::lanes;
  const auto   &s       = A.slices[slice];
  const Number *value   = A.value.data() + s.value;
  const auto    product = [&](const auto *column, const Number *from) {
    s.shared ? slice_product<false, true, lanes, m>(column, value, s.width, from, sums) :
               slice_product<false, false, lanes, m>(column, value, s.width, from, sums);
  };
  if (s.contiguous)
    s.shared ? slice_product<true, true, lanes, m>(A.column.data() + s.column, value, s.width, x, sums) :
               slice_product<true, false, lanes, m>(A.column.data() + s.column, value, s.width, x, sums);
  else if (s.narrow)
    product(A.narrow_column.data() + s.column, x + s.lowest_column);
  else
    product(A.column.data() + s.column, x);
}

template <typename Number>
void slice_product(const HostMatrix<Number> &A, int slice, const Number *x, Number *sums)
{
  switch (A.node_size)
    {
      case 2: return slice_product<2>(A, slice, x, sums);
      case 3: return slice_product<3>(A, slice, x, sums);
      case 4: return slice_product<4>(A, slice, x, sums);
      case 6: return slice_product<6>(A, slice, x, sums);
      default: return slice_product<1>(A, slice, x, sums);
    }
}

template <typename Number>
Number row_product(const HostMatrix<Number> &A, int row, const Number *x)
{
  Number sum = 0;
  for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
    sum += A.value[k] * x[A.column[k]];
  return sum;
}

// sums[i - first] = (A x)_i over the columns that this rank owns; whole slices.
template <typename Number>
void owned_products(const HostMatrix<Number> &A, int first, int end, const Number *x, Number *sums)
{
  const int slice_rows = A.node_size * HostMatrix<Number>::lanes;
  if (A.slices.empty())
    for (int row = first; row < end; ++row)
      sums[row - first] = row_product(A, row, x);
  else
    for (int row = first; row < end; row += slice_rows)
      slice_product(A, row / slice_rows, x, sums + (row - first));
}

// Calls epilogue(first, end, sums) for all rows in groups of whole slices and whole nodes of `block_size` rows, with
// sums[i - first] = (A x)_i. Threaded. Groups without entries may be skipped where block_size is 1. Rows that need other ranks'
// values come last: their messages travel meanwhile.
template <typename Number, typename Epilogue>
void for_each_product(const HostMatrix<Number> &A, const Number *x, int n_threads, int block_size,
                      const Epilogue &epilogue, bool skip_empty = false)
{
  constexpr int lanes    = HostMatrix<Number>::lanes;
  const int     group    = std::lcm(A.node_size, block_size) * lanes;
  const int     n_groups = (A.n_rows + group - 1) / group;
  auto         *ghosts   = A.ghosts.get();
  if (ghosts)
    ghosts->start(x);
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int g = 0; g < n_groups; ++g)
    {
      Number    sums[max_group_nodes * lanes];
      const int first = g * group, end = std::min(A.n_rows, first + group);
      if (ghosts && ghosts->reach(first, end))
        continue;
      if (skip_empty && (A.slices.empty() ? A.row_start[first] == A.row_start[end] : A.slices[g].width == 0))
        continue;
      owned_products(A, first, end, x, sums);
      epilogue(first, end, sums);
    }
  if (!ghosts)
    return;
  ghosts->finish();
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int g = 0; g < n_groups; ++g)
    if (const int first = g * group, end = std::min(A.n_rows, first + group); ghosts->reach(first, end))
      {
        Number sums[max_group_nodes * lanes];
        owned_products(A, first, end, x, sums);
        ghosts->add(first, end, sums);
        epilogue(first, end, sums);
      }
}

// The rows of a slice in terms of blocks of m x m entries: order[r] lists the blocks of node r in the order they are stored.
struct SliceRows
{
  const CSRMatrix<double>      &A;
  int                           m, first_node;
  std::vector<std::vector<int>> order;

  int    column(int r, int k) const { return A.column[A.row_start[(first_node + r) * m] + order[r][k] * m]; }
  double value(int r, int k, int c, int d) const
  {
    return A.value[A.row_start[(first_node + r) * m + c] + order[r][k] * m + d];
  }

  // Columns ascend.
  void read(int slice, int lanes)
  {
    first_node = slice * lanes;
    order.resize(lanes);
    for (int r = 0; r < lanes; ++r)
      {
        const int row = (first_node + r) * m;
        order[r].resize(row < A.n_rows ? (A.row_start[row + 1] - A.row_start[row]) / m : 0);
        std::iota(order[r].begin(), order[r].end(), 0);
      }
  }

  void sort_by_value()
  {
    for (std::size_t r = 0; r < order.size(); ++r)
      std::sort(order[r].begin(), order[r].end(), [&, row = (first_node + static_cast<int>(r)) * m](int k, int l) {
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < m; ++d)
            {
              const double a = A.value[A.row_start[row + c] + k * m + d], b = A.value[A.row_start[row + c] + l * m + d];
              if (a != b)
                return a < b;
            }
        return k < l;
      });
  }

  // Whether all nodes have the same values, one block after the other, to `rounding` of a node's largest.
  bool same_values(double rounding) const
  {
    for (std::size_t r = 0; r < order.size(); ++r)
      {
        const int begin = A.row_start[(first_node + r) * m], end = A.row_start[(first_node + r + 1) * m];
        double    largest = 0;
        for (int k = begin; k < end; ++k)
          largest = std::max(largest, std::abs(A.value[k]));
        for (std::size_t k = 0; k < order[r].size(); ++k)
          for (int c = 0; c < m; ++c)
            for (int d = 0; d < m; ++d)
              if (!(std::abs(value(r, k, c, d) - value(0, k, c, d)) <= rounding * largest))
                return false;
      }
    return true;
  }
};

// Reads the rows of a slice and decides how to store them. Rows of the same stencil whose columns are numbered without
// order agree when they are sorted by value.
template <typename Number>
void arrange_slice(int slice, SliceRows &rows, typename HostMatrix<Number>::Slice &s)
{
  constexpr int    lanes    = HostMatrix<Number>::lanes;
  constexpr double rounding = 16 * std::numeric_limits<Number>::epsilon();
  bool             equal    = true;
  int              highest  = 0;
  rows.read(slice, lanes);
  s = {0, 0, rows.A.n_cols, 0, false, false, false};
  for (int r = 0; r < lanes; ++r)
    {
      const int width = static_cast<int>(rows.order[r].size());
      s.width         = std::max(s.width, width);
      equal           = equal && width == static_cast<int>(rows.order[0].size());
      if (width > 0)
        {
          s.lowest_column = std::min(s.lowest_column, rows.column(r, 0));
          highest         = std::max(highest, rows.column(r, width - 1));
        }
    }
  s.narrow = highest - s.lowest_column < 65536;
  if (!equal || s.width == 0)
    return;
  s.contiguous = true;
  for (int r = 1; r < lanes && s.contiguous; ++r)
    for (int k = 0; k < s.width && s.contiguous; ++k)
      s.contiguous = rows.column(r, k) == rows.column(0, k) + r * rows.m;
  s.shared = rows.same_values(rounding);
  if (s.shared || s.contiguous)
    return;
  rows.sort_by_value();
  s.shared = rows.same_values(rounding);
  if (!s.shared)
    rows.read(slice, lanes);
}

// Writes a slice to its place.
template <typename Number>
void fill_slice(const SliceRows &rows, const typename HostMatrix<Number>::Slice &s, HostMatrix<Number> &A)
{
  constexpr int lanes = HostMatrix<Number>::lanes;
  const int     m     = rows.m;
  for (int r = 0; r < lanes; ++r)
    for (int k = 0; k < s.width; ++k)
      {
        // Padding reads a column that the slice reads anyway.
        const bool stored = k < static_cast<int>(rows.order[r].size());
        const int  column = stored ? rows.column(r, k) : s.lowest_column;
        const auto place  = s.column + k * lanes + r;
        if (s.contiguous)
          A.column[s.column + k] = rows.column(0, k);
        else if (s.narrow)
          A.narrow_column[place] = static_cast<unsigned short>(column - s.lowest_column);
        else
          A.column[place] = column;
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < m; ++d)
            {
              const auto entry = static_cast<std::size_t>(k * m + c) * m + d;
              if (s.shared)
                A.value[s.value + entry] = static_cast<Number>(rows.value(0, k, c, d));
              else
                A.value[s.value + entry * lanes + r] = stored ? static_cast<Number>(rows.value(r, k, c, d)) : Number(0);
            }
      }
}

// Whether the rows of each node have the same columns, in whole nodes: the matrix consists of dense blocks of m x m.
bool has_dense_blocks(const CSRMatrix<double> &A, int m, int n_threads)
{
  bool dense = A.n_rows % m == 0 && A.n_cols % m == 0;
  if (!dense)
    return false;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(&& : dense)
  for (int row = 0; row < A.n_rows; ++row)
    {
      const int begin = A.row_start[row], node = A.row_start[row - row % m], length = A.row_start[row + 1] - begin;
      dense = dense && length % m == 0 && A.row_start[row - row % m + 1] - node == length;
      for (int k = 0; k < length && dense; ++k)
        dense = A.column[begin + k] == A.column[node + k] && A.column[node + k] == A.column[node + k - k % m] + k % m;
    }
  return dense;
}

// y = D r on one node, D its part of a block diagonal of n_nodes blocks.
template <typename Number, typename Size>
void multiply_block(const Number *D, int n_nodes, Size block_size, const Number *r, Number *y)
{
  for (int a = 0; a < block_size; ++a)
    {
      Number sum = 0;
      for (int c = 0; c < block_size; ++c)
        sum += D[static_cast<std::size_t>(a * block_size + c) * n_nodes] * r[c];
      y[a] = sum;
    }
}

// Calls action with the size as a constant where it is a usual one, so that its loops unroll.
template <typename Action>
void with_block_size(int size, const Action &action)
{
  switch (size)
    {
      case 2: return action(std::integral_constant<int, 2>());
      case 3: return action(std::integral_constant<int, 3>());
      case 4: return action(std::integral_constant<int, 4>());
      case 6: return action(std::integral_constant<int, 6>());
      default: return action(size);
    }
}

// update(i, (D (b - A x))_i) for every row i, D a block diagonal: what all point and block smoothers share.
template <typename Number, typename Update>
void for_each_correction(const HostMatrix<Number> &A, const Number *D, int block_size, const Number *b, const Number *x,
                         int n_threads, const Update &update)
{
  if (block_size == 1)
    return for_each_product(A, x, n_threads, 1, [=](int first, int end, const Number *sums) {
#pragma omp simd
      for (int i = first; i < end; ++i)
        update(i, D[i] * (b[i] - sums[i - first]));
    });
  with_block_size(block_size, [&](auto m) {
    const int n_nodes = A.n_rows / m;
    for_each_product(A, x, n_threads, m, [=](int first, int end, const Number *sums) {
      for (int i = first; i < end; i += m)
        {
          Number residual[max_block_size], correction[max_block_size];
          for (int c = 0; c < m; ++c)
            residual[c] = b[i + c] - sums[i + c - first];
          multiply_block(D + i / m, n_nodes, m, residual, correction);
          for (int c = 0; c < m; ++c)
            update(i + c, correction[c]);
        }
    });
  });
}

// Sums n_sums quantities that `block_sums(begin, end, sums)` computes on each block, in block order: the result is the
// same for every number of threads.
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

// Pointers, not vectors: else the loop is not vectorised.
template <typename Number>
Number dense_row_product(int n, const Number *row, const Number *x)
{
  Number sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < n; ++j)
    sum += row[j] * x[j];
  return sum;
}

template <typename Number>
double block_dot(const Number *x, const Number *y, int begin, int end)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = begin; i < end; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

template <typename Other, typename Number>
void block_axpy(Number a, const Other *x, Number *y, int begin, int end)
{
#pragma omp simd
  for (int i = begin; i < end; ++i)
    y[i] += a * static_cast<Number>(x[i]);
}
} // namespace

template <typename Number>
HostBackend<Number>::HostBackend(int n_threads, const Communicator &ranks)
  : threads(n_threads)
  , ranks(ranks)
{
  if (n_threads < 1)
    throw InputError("the number of threads must be positive, not " + std::to_string(n_threads));
}

template <typename Number>
template <typename BlockSums>
void HostBackend<Number>::sum_blocks(int n, int n_sums, double *result, const BlockSums &block_sums) const
{
  blocked_sums(n, threads_for(n), n_sums, result, block_sums);
  ranks.sum(result, n_sums);
}

template <typename Number>
std::string HostBackend<Number>::device_name() const
{
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "CPU";
}

template <typename Number>
auto HostBackend<Number>::create_vector(int n) const -> Vector
{
  Vector x(n);
  set_zero(x);
  return x;
}

template <typename Number>
auto HostBackend<Number>::create_matrix(const CSRMatrix<double> &source, int node_size) const -> Matrix
{
  constexpr int lanes = Matrix::lanes;
  Matrix        A;
  if (source.ghosts)
    {
      A        = create_matrix(owned_block(source), node_size);
      A.n_cols = source.n_cols;
      A.ghosts = std::make_shared<HostGhosts<Number>>(source);
      return A;
    }
  A.n_rows         = source.n_rows;
  A.n_cols         = source.n_cols;
  const bool known = node_size == 2 || node_size == 3 || node_size == 4 || node_size == 6;
  A.node_size      = known && has_dense_blocks(source, node_size, threads) ? node_size : 1;
  const int m = A.node_size, slice_rows = m * lanes, n_slices = (source.n_rows + slice_rows - 1) / slice_rows;
  A.slices.resize(n_slices);
#pragma omp parallel num_threads(threads)
  {
    SliceRows rows{source, m, 0, {}};
#pragma omp for schedule(static)
    for (int slice = 0; slice < n_slices; ++slice)
      arrange_slice<Number>(slice, rows, A.slices[slice]);
  }
  std::size_t padded = 0, n_narrow = 0, n_wide = 0, n_values = 0;
  for (auto &s : A.slices)
    {
      const std::size_t blocks  = std::size_t(s.width) * lanes;
      std::size_t      &columns = s.narrow && !s.contiguous ? n_narrow : n_wide;
      s.column                  = columns;
      s.value                   = n_values;
      columns += s.contiguous ? s.width : blocks;
      n_values += (s.shared ? s.width : blocks) * m * m;
      padded += blocks * m * m;
    }
  if (padded > 2 * source.value.size() + slice_rows * 32)
    return compressed_rows(source);
  A.column.resize(n_wide);
  A.narrow_column.resize(n_narrow);
  A.value.resize(n_values);
#pragma omp parallel num_threads(threads)
  {
    SliceRows              rows{source, m, 0, {}};
    typename Matrix::Slice again;
#pragma omp for schedule(static)
    for (int slice = 0; slice < n_slices; ++slice)
      {
        arrange_slice<Number>(slice, rows, again);
        fill_slice(rows, A.slices[slice], A);
      }
  }
  return A;
}

template <typename Number>
auto HostBackend<Number>::compressed_rows(const CSRMatrix<double> &source) const -> Matrix
{
  Matrix A;
  A.n_rows    = source.n_rows;
  A.n_cols    = source.n_cols;
  A.row_start = source.row_start;
  A.column.resize(source.column.size());
  A.value.resize(source.value.size());
  for_each(source.n_rows, [&](int i) {
    for (int k = source.row_start[i]; k < source.row_start[i + 1]; ++k)
      {
        A.column[k] = source.column[k];
        A.value[k]  = static_cast<Number>(source.value[k]);
      }
  });
  return A;
}

template <typename Number>
void HostBackend<Number>::update_values(Matrix &matrix, const CSRMatrix<double> &source) const
{
  if (matrix.n_rows != source.n_rows || matrix.n_cols != source.n_cols)
    throw RunError("update_values: the new matrix has another size");
  matrix = create_matrix(source, matrix.node_size); // which values agree may have changed
}

template <typename Number>
auto HostBackend<Number>::create_dense_matrix(const Array<double> &row_major, int n) const -> DenseMatrix
{
  DenseMatrix matrix;
  matrix.n = n;
  matrix.value.resize(row_major.size());
  std::copy(row_major.begin(), row_major.end(), matrix.value.begin());
  return matrix;
}

template <typename Number>
void HostBackend<Number>::upload(const double *source, Vector &x) const
{
  for_each(x.size(), [source, to = x.data()](int i) { to[i] = static_cast<Number>(source[i]); });
}

template <typename Number>
void HostBackend<Number>::download(const Vector &x, double *target) const
{
  for_each(x.size(), [target, from = x.data()](int i) { target[i] = from[i]; });
}

template <typename Number>
void HostBackend<Number>::set_zero(Vector &x) const
{
  for_each(x.size(), [to = x.data()](int i) { to[i] = 0; });
}

template <typename Number>
void HostBackend<Number>::copy(const Vector &x, Vector &y) const
{
  convert(x, y);
}

template <typename Number>
template <typename Other>
void HostBackend<Number>::convert(const HostVector<Other> &x, Vector &y) const
{
  for_each(x.size(), [from = x.data(), to = y.data()](int i) { to[i] = static_cast<Number>(from[i]); });
}

template <typename Number>
void HostBackend<Number>::scale(Number a, Vector &x) const
{
  for_each(x.size(), [a, to = x.data()](int i) { to[i] *= a; });
}

template <typename Number>
void HostBackend<Number>::axpby(Number a, const Vector &x, Number b, Vector &y) const
{
  if (b == Number(0)) // y may hold anything, NaN included
    for_each(x.size(), [a, from = x.data(), to = y.data()](int i) { to[i] = a * from[i]; });
  else
    for_each(x.size(), [a, b, from = x.data(), to = y.data()](int i) { to[i] = a * from[i] + b * to[i]; });
}

template <typename Number>
void HostBackend<Number>::scale_by_diagonal(Number a, const Vector &d, const Vector &x, Vector &y, int block_size) const
{
  if (block_size == 1)
    for_each(x.size(), [a, d = d.data(), x = x.data(), y = y.data()](int i) { y[i] = a * d[i] * x[i]; });
  else
    with_block_size(block_size, [&](auto m) {
      const int n_nodes = x.size() / m;
      for_each(n_nodes, [a, m, n_nodes, d = d.data(), x = x.data(), y = y.data()](int node) {
        multiply_block(d + node, n_nodes, m, x + node * m, y + node * m);
        for (int c = 0; c < m; ++c)
          y[node * m + c] *= a;
      });
    });
}

template <typename Number>
template <typename Other>
void HostBackend<Number>::multi_axpy(const std::vector<HostVector<Other>> &basis, int k, const double *a,
                                     Vector &x) const
{
  const int n = x.size(), n_blocks = (n + block_length - 1) / block_length;
#pragma omp parallel for num_threads(threads_for(n)) schedule(static)
  for (int block = 0; block < n_blocks; ++block)
    for (int i = 0; i < k; ++i)
      block_axpy(static_cast<Number>(a[i]), basis[i].data(), x.data(), block * block_length,
                 std::min(n, (block + 1) * block_length));
}

template <typename Number>
double HostBackend<Number>::dot(const Vector &x, const Vector &y) const
{
  double result = 0;
  sum_blocks(x.size(), 1, &result,
             [&](int begin, int end, double *sum) { sum[0] = block_dot(x.data(), y.data(), begin, end); });
  return result;
}

template <typename Number>
void HostBackend<Number>::dot(const Vector &x, const Vector &y, Scalars &s, int i) const
{
  s[i] = dot(x, y);
}

template <typename Number>
void HostBackend<Number>::xpay(const Vector &x, const Scalars &s, int numerator, int denominator, Vector &y) const
{
  axpby(1, x, static_cast<Number>(s[numerator] / s[denominator]), y);
}

template <typename Number>
void HostBackend<Number>::step_along(const Vector &p, const Vector &q, int numerator, int denominator, Vector &x,
                                     Vector &r, Scalars &s, int i) const
{
  const Number a = static_cast<Number>(s[numerator] / s[denominator]);
  sum_blocks(x.size(), 1, &s[i], [&](int begin, int end, double *sum) {
    block_axpy(a, p.data(), x.data(), begin, end);
    block_axpy(-a, q.data(), r.data(), begin, end);
    sum[0] = block_dot(r.data(), r.data(), begin, end);
  });
}

template <typename Number>
double HostBackend<Number>::norm(const Vector &x) const
{
  return std::sqrt(dot(x, x));
}

template <typename Number>
void HostBackend<Number>::multi_dot(const std::vector<Vector> &basis, int k, const Vector &w, Scalars &h) const
{
  sum_blocks(w.size(), k, h.data(), [&](int begin, int end, double *sum) {
    for (int i = 0; i < k; ++i)
      sum[i] = block_dot(basis[i].data(), w.data(), begin, end);
  });
}

template <typename Number>
void HostBackend<Number>::orthonormalize(const std::vector<Vector> &basis, int k, Vector &w, Scalars &h) const
{
  const int           n = w.size(), n_blocks = (n + block_length - 1) / block_length;
  std::vector<double> correction(k + 1, 0.);
  const auto          subtract = [&](const double *coefficients, int begin, int end) {
    for (int i = 0; i < k; ++i)
      block_axpy(static_cast<Number>(-coefficients[i]), basis[i].data(), w.data(), begin, end);
  };
  multi_dot(basis, k, w, h);
  // The second inner products are taken on each block while its update is still in cache.
  sum_blocks(n, k + 1, correction.data(), [&](int begin, int end, double *sum) {
    subtract(h.data(), begin, end);
    for (int i = 0; i < k; ++i)
      sum[i] = block_dot(basis[i].data(), w.data(), begin, end);
    sum[k] = block_dot(w.data(), w.data(), begin, end);
  });
  // The norm follows from that before the correction by Pythagoras, as the corrections are of rounding size.
  double square = correction[k];
  for (int i = 0; i < k; ++i)
    {
      h[i] += correction[i];
      square -= correction[i] * correction[i];
    }
  h[k]                = std::sqrt(square < 0 ? 0. : square); // NaN stays
  const Number factor = h[k] > 0 ? static_cast<Number>(1. / h[k]) : Number(1);
#pragma omp parallel for num_threads(threads_for(n)) schedule(static)
  for (int block = 0; block < n_blocks; ++block)
    {
      const int begin = block * block_length, end = std::min(n, begin + block_length);
      subtract(correction.data(), begin, end);
#pragma omp simd
      for (int i = begin; i < end; ++i)
        w.data()[i] *= factor;
    }
}

template <typename Number>
void HostBackend<Number>::spmv(Number a, const Matrix &A, const Vector &x, Number b, Vector &y) const
{
  Number *to = y.data();
  if (b == Number(0)) // y may hold anything, NaN included
    for_each_product(A, x.data(), threads_for(A.n_rows), 1, [a, to](int first, int end, const Number *sums) {
#pragma omp simd
      for (int i = first; i < end; ++i)
        to[i] = a * sums[i - first];
    });
  else // y += a A x leaves alone where A has no entries, as boundary matrices mostly have
    for_each_product(
      A, x.data(), threads_for(A.n_rows), 1,
      [a, b, to](int first, int end, const Number *sums) {
#pragma omp simd
        for (int i = first; i < end; ++i)
          to[i] = a * sums[i - first] + b * to[i];
      },
      b == Number(1));
}

template <typename Number>
void HostBackend<Number>::residual(const Matrix &A, const Vector &x, const Vector &b, Vector &r) const
{
  const Number *rhs = b.data();
  Number       *to  = r.data();
  for_each_product(A, x.data(), threads_for(A.n_rows), 1, [rhs, to](int first, int end, const Number *sums) {
#pragma omp simd
    for (int i = first; i < end; ++i)
      to[i] = rhs[i] - sums[i - first];
  });
}

template <typename Number>
void HostBackend<Number>::residual_norms(const Matrix &A, const Vector &x, const Vector &b, Vector &r, Scalars &s) const
{
  residual(A, x, b, r);
  sum_blocks(A.n_rows, 2, s.data(), [&](int begin, int end, double *sum) {
    sum[0] = block_dot(r.data(), r.data(), begin, end);
    sum[1] = block_dot(b.data(), b.data(), begin, end);
  });
  s[0] = std::sqrt(s[0]);
  s[1] = std::sqrt(s[1]);
}

template <typename Number>
void HostBackend<Number>::residual_restrict(const Matrix &A, const Vector &x, const Vector &b, const Matrix &R,
                                            Vector &r, Vector &coarse) const
{
  residual(A, x, b, r);
  spmv(1, R, r, 0, coarse);
}

template <typename Number>
void HostBackend<Number>::jacobi_step(const Matrix &A, const Vector &D, int block_size, Number beta, const Vector &b,
                                      const Vector &x, Vector &y) const
{
  const Number *from = x.data();
  Number       *to   = y.data();
  for_each_correction(A, D.data(), block_size, b.data(), from, threads_for(A.n_rows),
                      [=](int i, Number correction) { to[i] = from[i] + beta * correction; });
}

template <typename Number>
void HostBackend<Number>::jacobi_two_steps(const Matrix &A, const Vector &D, Number beta, const Vector &b,
                                           Vector &scratch, Vector &y) const
{
  scale_by_diagonal(beta, D, b, scratch, 1);
  jacobi_step(A, D, 1, beta, b, scratch, y);
}

template <typename Number>
void HostBackend<Number>::chebyshev_step(const Matrix &A, const Vector &D, int block_size, Number alpha, Number beta,
                                         const Vector &b, const Vector &x, const Vector &d_old, Vector &d,
                                         Vector &y) const
{
  const Number *from = x.data(), *old = d_old.data();
  Number       *to = y.data(), *direction = d.data();
  for_each_correction(A, D.data(), block_size, b.data(), from, threads_for(A.n_rows), [=](int i, Number correction) {
    // d_old may be unset where alpha is zero.
    const Number step = (alpha == Number(0) ? Number(0) : alpha * old[i]) + beta * correction;
    direction[i]      = step;
    to[i]             = from[i] + step;
  });
}

template <typename Number>
void HostBackend<Number>::spmv_update(Number alpha, Number beta, const Matrix &A, const Vector &r, const Vector &d_old,
                                      Vector &d, Vector &x) const
{
  const Number *old       = d_old.data();
  Number       *direction = d.data(), *to = x.data();
  for_each_product(A, r.data(), threads_for(A.n_rows), 1, [=](int first, int end, const Number *sums) {
    for (int i = first; i < end; ++i)
      {
        direction[i] = (alpha == Number(0) ? Number(0) : alpha * old[i]) + beta * sums[i - first];
        to[i] += direction[i];
      }
  });
}

template <typename Number>
void HostBackend<Number>::gemv(const DenseMatrix &A, const Vector &x, Vector &y) const
{
  const int     n     = A.n;
  const Number *value = A.value.data(), *from = x.data();
  Number       *to = y.data();
#pragma omp parallel for num_threads(n < 64 ? 1 : threads) schedule(static)
  for (int i = 0; i < n; ++i)
    to[i] = dense_row_product(n, value + static_cast<std::size_t>(i) * n, from);
}

template class HostBackend<double>;
template class HostBackend<float>;
template void HostBackend<double>::convert(const HostVector<float> &, HostVector<double> &) const;
template void HostBackend<float>::convert(const HostVector<double> &, HostVector<float> &) const;
template void HostBackend<double>::convert(const HostVector<double> &, HostVector<double> &) const;
template void HostBackend<float>::convert(const HostVector<float> &, HostVector<float> &) const;
template void HostBackend<double>::multi_axpy(const std::vector<HostVector<double>> &, int, const double *,
                                              HostVector<double> &) const;
template void HostBackend<double>::multi_axpy(const std::vector<HostVector<float>> &, int, const double *,
                                              HostVector<double> &) const;
} // namespace adamant
