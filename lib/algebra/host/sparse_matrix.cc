#include "algebra/host/sparse_matrix.h"

#include "algebra/host/for_each_row.h"
#include "algebra/host/slice_rows.h"
#include "algebra/value_dictionary.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"

#include <numeric>
#include <sstream>
#include <vector>

namespace adamant::host
{
namespace
{
// Finds what any slice needs of the rows that have been read.
Slice plain_slice(int n_cols, const SliceRows &rows)
{
  Slice s{0, 0, n_cols, 0, 1, false, false, false, false, false};
  int   highest = 0;
  for (int r = 0; r < rows.lanes; ++r)
    if (const int width = rows.width(r); width > 0)
      {
        s.width         = std::max(s.width, width);
        s.lowest_column = std::min(s.lowest_column, rows.column(r, 0));
        highest         = std::max(highest, rows.column(r, width - 1));
      }
  s.narrow = highest - s.lowest_column < 65536;
  return s;
}

// Decides how to store the rows that have been read: `plain`, each value.
template <typename Number>
void arrange_slice(int n_cols, SliceRows &rows, bool plain, Slice &s)
{
  constexpr int lanes = SparseMatrix<Number>::lanes;
  s                   = plain_slice(n_cols, rows);
  if (s.width == 0)
    return;
  bool equal = true;
  for (int r = 0; r < lanes; ++r)
    equal = equal && rows.width(r) == s.width;
  s.contiguous = equal;
  for (int r = 1; r < lanes && s.contiguous; ++r)
    for (int k = 0; k < s.width && s.contiguous; ++k)
      s.contiguous = rows.column(r, k) == rows.column(0, k) + r * rows.m;
  s.shared   = equal && !plain && rows.same_values(rows, same_value<Number>);
  s.windowed = !s.contiguous && s.narrow && rows.m == 1 && rows.sort_by_windows(s.width, 2 * lanes, n_cols);
}

// Arranges a group of slices, and finds slices of the group that repeat others.
template <typename Number>
void arrange_slices(int first, int end, int n_cols, SliceRows &rows, SliceRows &head, bool plain, Slice *slices)
{
  int before = first; // what the next one may repeat
  for (int slice = first; slice < end; ++slice)
    {
      auto &s = slices[slice], &h = slices[before];
      rows.read(slice * rows.lanes);
      arrange_slice<Number>(n_cols, rows, plain, s);
      if (slice > first && !plain && s.width > 0 && s.width == h.width && s.shared == h.shared &&
          ((s.contiguous && h.contiguous && s.shared &&
            rows.same_columns(head, (slice - before) * rows.lanes * rows.m)) ||
           (s.windowed && h.windowed && rows.same_columns(head, s.lowest_column - h.lowest_column))) &&
          rows.same_values(head, same_value<Number>, !s.shared))
        {
          h.n_alike = slice + 1 - before;
          s.n_alike = 0;
          continue;
        }
      before = slice;
      head.read(slice * rows.lanes);
    }
}

// Orders the nodes of a group by length, longest first, where products then take less time. Entries that are picked one
// by one, as all are in reordered slices, take about twice the time of others.
template <typename Number>
void reorder_slices(int first, int end, int n_cols, const RowsView &A, SliceRows &rows, Slice *slices,
                    unsigned char *order)
{
  constexpr int lanes      = SparseMatrix<Number>::lanes;
  const int     first_node = first * lanes, n_places = (end - first) * lanes;
  int           present = 0, longest = 0, reordered = 0;
  for (int slice = first; slice < end; ++slice)
    {
      const auto &s = slices[slice];
      present += s.contiguous || s.windowed ? s.width : 2 * s.width;
      longest = std::max(longest, s.width);
    }
  const auto length = [&](int p) {
    const int row = (first_node + p) * rows.m;
    return row < A.n_rows ? static_cast<int>(A.end(row) - A.row_start[row]) / rows.m : 0;
  };
  std::vector<int> begin(longest + 2, 0); // of the places of nodes with each length, from the longest on
  for (int p = 0; p < n_places; ++p)
    ++begin[longest - length(p) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (int i = 0, p = 0; p < n_places; p += lanes, reordered += 2 * (longest - i))
    while (begin[i + 1] <= p)
      ++i;
  if (reordered >= present)
    return;
  for (int p = 0; p < n_places; ++p)
    order[first_node + begin[longest - length(p)]++] = static_cast<unsigned char>(p);
  for (int slice = first; slice < end; ++slice)
    {
      rows.read(first_node, order + slice * lanes);
      slices[slice]           = plain_slice(n_cols, rows);
      slices[slice].reordered = true;
    }
}

// Writes the columns of a slice to their place. Padding reads a column that the slice reads anyway.
template <typename Number>
void fill_columns(const SliceRows &rows, const Slice &s, SparseMatrix<Number> &A)
{
  constexpr int lanes     = SparseMatrix<Number>::lanes;
  const int     first_row = static_cast<int>(&s - A.slices.data()) * lanes * rows.m;
  if (s.contiguous)
    for (int k = 0; k < s.width; ++k)
      A.column[s.column + k] = rows.column(0, k) - first_row;
  else if (!s.narrow)
    rows.for_entries(s.width, [&, to = A.column.data() + s.column](int r, int k, int entry) {
      to[k * lanes + r] = entry >= 0 ? rows.column(r, entry) : s.lowest_column;
    });
  else
    {
      unsigned short *const window = A.narrow_column.data() + s.column, *to = window + (s.windowed ? s.width : 0);
      for (int k = 0; k < s.width && s.windowed; ++k)
        window[k] = static_cast<unsigned short>(rows.window(k) - s.lowest_column);
      rows.for_entries(s.width, [&](int r, int k, int entry) {
        const int from    = s.windowed ? rows.window(k) : s.lowest_column;
        to[k * lanes + r] = static_cast<unsigned short>(entry >= 0 ? rows.column(r, entry) - from : 0);
      });
    }
}

// Writes the values of a slice to their place.
template <typename Number>
void fill_values(const SliceRows &rows, const Slice &s, SparseMatrix<Number> &A)
{
  const int m = rows.m, n_stored = s.shared ? 1 : SparseMatrix<Number>::lanes;
  for (int c = 0; c < m; ++c)
    for (int d = 0; d < m; ++d)
      rows.for_entries(s.width, [&, to = A.value.data() + s.value](int r, int k, int entry) {
        if (r < n_stored)
          to[((k * m + c) * m + d) * n_stored + r] =
            entry >= 0 ? static_cast<Number>(rows.value(r, entry, c, d)) : Number(0);
      });
}

// Whether the rows of each node have the same columns, in whole nodes: the matrix consists of dense blocks of m x m.
bool has_dense_blocks(const RowsView &A, int n_cols, int m, int n_threads)
{
  bool dense = A.n_rows % m == 0 && n_cols % m == 0;
  if (!dense)
    return false;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(&& : dense)
  for (int row = 0; row < A.n_rows; ++row)
    {
      const auto begin = A.row_start[row], node = A.row_start[row - row % m];
      const int  length = static_cast<int>(A.end(row) - begin);
      dense             = dense && length % m == 0 && A.end(row - row % m) - node == length;
      for (int k = 0; k < length && dense; ++k)
        dense = A.column[begin + k] == A.column[node + k] && A.column[node + k] == A.column[node + k - k % m] + k % m;
    }
  return dense;
}

// Returns a number by which other patterns are told: the sum of a hash of each entry's row and column (splitmix64).
std::uint64_t fingerprint(const RowsView &A, int n_threads)
{
  std::uint64_t sum = 0;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(+ : sum)
  for (int row = 0; row < A.n_rows; ++row)
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      {
        std::uint64_t entry = (std::uint64_t(row) << 32) + A.column[k] + 0x9e3779b97f4a7c15;
        for (const std::uint64_t factor : {0xbf58476d1ce4e5b9, 0x94d049bb133111eb})
          entry = (entry ^ (entry >> 29)) * factor;
        sum += entry ^ (entry >> 31);
      }
  return sum;
}
} // namespace

template <typename Number>
SparseMatrix<Number>::SparseMatrix(const CSRMatrix<double> &source, int node_size, int n_threads,
                                   const RowsView *changing)
  : RowProducts<Number>(n_threads)
  , changing(changing != nullptr)
{
  this->n_rows    = source.n_rows;
  this->n_cols    = source.n_cols;
  this->node_size = node_size;
  take(source.ghosts, changing != nullptr ? *changing : view_of(source));
}

template <typename Number>
void SparseMatrix<Number>::take(const std::shared_ptr<const ExchangePlan> &plan, const RowsView &rows)
{
  if (plan)
    ghosts = std::make_unique<Ghosts<Number>>(plan, rows);
  pattern = fingerprint(rows, n_threads);
  arrange(without_ghosts(rows));
}

// Takes the ghosts' values, and leaves them out of the rows.
template <typename Number>
RowsView SparseMatrix<Number>::without_ghosts(RowsView rows)
{
  if (ghosts)
    {
      ghosts->take_values(rows);
      rows.first_ghost = ghosts->n_owned();
    }
  return rows;
}

template <typename Number>
void SparseMatrix<Number>::update(const CSRMatrix<double> &source)
{
  if (this->n_rows != source.n_rows || this->n_cols != source.n_cols)
    throw RunError("new values of a matrix: it has " + std::to_string(this->n_rows) + " x " +
                   std::to_string(this->n_cols) + " entries, the new one " + std::to_string(source.n_rows) + " x " +
                   std::to_string(source.n_cols));
  const bool same =
    (ghosts ? ghosts->are_of(source.ghosts) : !source.ghosts) && fingerprint(view_of(source), n_threads) == pattern;
  if (!same)
    take(source.ghosts, view_of(source));
  else if (const RowsView rows = without_ghosts(view_of(source)); !refill(rows))
    arrange(rows);
}

template <typename Number>
void SparseMatrix<Number>::arrange(const RowsView &source)
{
  const int  n_cols   = source.first_ghost >= 0 ? source.first_ghost : this->n_cols;
  const int  m_wanted = this->node_size;
  const bool known    = m_wanted == 2 || m_wanted == 3 || m_wanted == 4 || m_wanted == 6;
  block_rows          = known && has_dense_blocks(source, n_cols, m_wanted, n_threads) ? m_wanted : 1;
  const int m = block_rows, slice_rows = m * lanes, n_slices = (source.n_rows + slice_rows - 1) / slice_rows;
  slices.resize(n_slices);
  order.resize(n_slices * lanes); // pages that are not written cost nothing
#pragma omp parallel num_threads(n_threads)
  {
    SliceRows rows(source, m, lanes), head(source, m, lanes);
#pragma omp for schedule(static)
    for (int first = 0; first < n_slices; first += group_slices)
      {
        const int end = std::min(n_slices, first + group_slices);
        for (int slice = first; slice < end; slice += slices_at_once)
          arrange_slices<Number>(slice, std::min(end, slice + slices_at_once), n_cols, rows, head, plain,
                                 slices.data());
        reorder_slices<Number>(first, end, n_cols, source, rows, slices.data(), order.data());
      }
  }
  std::size_t n_narrow = 0, n_wide = 0, n_values = 0;
  this->reordered = false;
  for (auto &s : slices)
    {
      this->reordered           = this->reordered || s.reordered;
      const std::size_t blocks  = std::size_t(s.width) * lanes;
      std::size_t      &columns = s.narrow && !s.contiguous ? n_narrow : n_wide;
      s.column                  = s.n_alike == 0 ? (&s - 1)->column : columns;
      s.value                   = s.n_alike == 0 ? (&s - 1)->value : n_values;
      if (s.n_alike > 0)
        {
          columns += s.contiguous ? s.width : blocks + (s.windowed ? s.width : 0);
          n_values += (s.shared ? s.width : blocks) * m * m;
        }
    }
  order.resize(this->reordered ? order.size() : 0);
  column.resize(n_wide);
  narrow_column.resize(n_narrow);
  value.resize(n_values);
#pragma omp parallel num_threads(n_threads)
  {
    SliceRows rows(source, m, lanes);
#pragma omp for schedule(static)
    for (int slice = 0; slice < n_slices; ++slice)
      if (slices[slice].n_alike > 0)
        {
          read(slice, n_cols, rows);
          fill_columns(rows, slices[slice], *this);
          fill_values(rows, slices[slice], *this);
        }
  }
}

// Reads the rows of a slice in the order in which they and their entries are stored.
template <typename Number>
void SparseMatrix<Number>::read(int slice, int n_cols, SliceRows &rows) const
{
  const Slice &s = slices[slice];
  if (s.reordered)
    rows.read((slice - slice % group_slices) * lanes, order.data() + slice * lanes);
  else
    rows.read(slice * lanes);
  if (s.windowed)
    rows.sort_by_windows(s.width, 2 * lanes, n_cols);
}

// New values in the places of the old ones. Returns whether rows that share their values can go on to do so.
template <typename Number>
bool SparseMatrix<Number>::refill(const RowsView &source)
{
  const int n_slices = static_cast<int>(slices.size());
  bool      agree    = true;
#pragma omp parallel num_threads(n_threads) reduction(&& : agree)
  {
    SliceRows rows(source, block_rows, lanes), head(source, block_rows, lanes);
#pragma omp for schedule(static)
    for (int slice = 0; slice < n_slices; ++slice)
      {
        const Slice &s      = slices[slice];
        const bool   stored = s.n_alike > 0;
        read(slice, this->n_cols, rows);
        int repeated = slice;
        while (slices[repeated].n_alike == 0)
          --repeated;
        if (!stored)
          head.read(repeated * lanes);
        if (s.shared || !stored)
          agree = agree && rows.same_values(stored ? rows : head, same_value<Number>, !s.shared);
        if (stored)
          fill_values(rows, s, *this);
      }
  }
  return agree;
}

template <typename Number>
void SparseMatrix<Number>::update_values(const RowsView &all)
{
  if (!changing && !value.empty())
    return MatrixStorage<Number>::update_values(all);
  const RowsView rows = without_ghosts(all);
  if (value.empty() || refill(rows))
    return;
  plain = true;
  arrange(rows);
}

template <typename Number>
void RowProducts<Number>::multiply(Number a, const Number *x, Number b, Number *y) const
{
  if (b == Number(1)) // y += a A x leaves alone where A has no entries, as boundary matrices mostly have
    for_each_row(n_threads, *this, Entries<Number>{x}, Addition<Number>(a, y));
  else
    for_each_row(n_threads, *this, Entries<Number>{x}, Product<Number>(a, b, y));
}

template <typename Number>
bool SparseMatrix<Number>::empty(int first, int end) const
{
  const int rows = block_rows * lanes;
  return std::all_of(&slices[first / rows], &slices[first / rows] + (end - first + rows - 1) / rows,
                     [](const Slice &s) { return s.width == 0; });
}

template <typename Number>
std::size_t SparseMatrix<Number>::bytes() const
{
  return slices.size() * sizeof(Slice) + column.size() * sizeof(int) + narrow_column.size() * sizeof(unsigned short) +
         value.size() * sizeof(Number) + order.size();
}

template <typename Number>
std::string SparseMatrix<Number>::format() const
{
  std::ostringstream text;
  text << this->n_rows << " x " << this->n_cols << ", slices of " << lanes
       << (block_rows > 1 ? " nodes in dense blocks" : " rows") << ", " << 1e-6 * bytes() << " MB";
  return text.str();
}

template class RowProducts<double>;
template class RowProducts<float>;
template class SparseMatrix<double>;
template class SparseMatrix<float>;
} // namespace adamant::host
