// How the slices of a matrix are stored.

#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/cuda/sparse/lines.cuh"
#include "algebra/value_dictionary.h"
#include "base/row_ranges.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace adamant::cuda
{
std::vector<Extent> of_groups(const std::vector<Extent> &extents, int size)
{
  std::vector<Extent> groups;
  for (std::size_t first = 0; first < extents.size(); first += size)
    {
      Extent group = extents[first];
      if (group.period > 1)
        group.stride = -1;
      for (std::size_t k = first + 1; k < first + size; ++k)
        {
          const Extent &e = extents[k];
          group           = {std::max(group.longest, e.longest),
                             std::min(group.smallest, e.smallest),
                             std::max(group.largest, e.largest),
                   group.stride == e.stride && e.period == 1 ? e.stride : -1,
                             1,
                             false};
        }
      groups.push_back(group);
    }
  return groups;
}

std::vector<int> order_of_nodes(const RowsView &rows, int node_size, const std::vector<Extent> &extents)
{
  const int n_nodes  = rows.n_rows / node_size,
            n_groups = node_size == 1 ? 0 : static_cast<int>(extents.size()) / node_size;
  std::vector<int> order, others;
  long             padded = 0, entries = 0;
  int              longest = 0;
  const auto       length  = [&](int node) {
    EntryNumber n = 0;
    for (int row = node * node_size; row < (node + 1) * node_size; ++row)
      n += rows.end(row) - rows.row_start[row];
    return static_cast<int>(n);
  };
  for (int group = 0; group < n_groups; ++group)
    {
      const auto begin = extents.begin() + group * node_size, end = begin + node_size;
      const bool stencil = std::all_of(begin, end, [](const Extent &e) { return e.stride >= 0; });
      for (int node = group * slice_rows; node < std::min(n_nodes, (group + 1) * slice_rows); ++node)
        {
          (stencil ? order : others).push_back(node);
          entries += stencil ? 0 : length(node);
          longest = std::max(longest, stencil ? 0 : length(node));
        }
      for (auto e = begin; e != end && !stencil; ++e)
        padded += slice_rows * e->longest;
    }
  if (10 * padded <= 11 * entries)
    return {};
  const std::size_t n_first = order.size();
  Array<int>        start;
  list_by_rows(
    longest + 1, static_cast<int>(others.size()), start,
    [&](int k, const auto &add) { add(longest - length(others[k])); },
    [&](std::size_t n) { order.resize(n_first + n); }, [&](int place, int k) { order[n_first + place] = others[k]; });
  order.resize((order.size() + slice_rows - 1) / slice_rows * slice_rows, n_nodes);
  return order;
}

namespace
{
// Whether the slices from i on are a band with rows of at most `width` entries.
bool is_band(const std::vector<Extent> &extents, std::size_t i, int width)
{
  if (i + band_slices > extents.size() || extents[i].longest == 0 || extents[i].longest > width ||
      extents[i].stride >= 1 << 20)
    return false;
  return std::all_of(extents.begin() + i, extents.begin() + i + band_slices, [&](const Extent &e) {
    return e.continues && e.stride == extents[i].stride && e.stride >= 0 && e.longest == extents[i].longest &&
           e.period == extents[i].period;
  });
}

// Columns and values of row `row[k]`, `width` places for each.
__global__ void gather_rows_kernel(RowsView A, int n, int width, const int *row, int *column, double *value)
{
  wait_for_predecessor();
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n)
    return;
  const auto begin = A.row_start[row[k]];
  const int  n_row = static_cast<int>(A.end(row[k]) - begin);
  for (int e = 0; e < n_row && e < width; ++e)
    {
      column[static_cast<long>(k) * width + e] = A.column[begin + e];
      value[static_cast<long>(k) * width + e]  = A.value[begin + e];
    }
  for (int e = n_row; e < width; ++e)
    column[static_cast<long>(k) * width + e] = -1;
}

// The different stencils of bands: on a uniform mesh nearly all bands have the same one.
class Stencils
{
public:
  // `bands`: the first slices of all bands.
  Stencils(const Context &context, const RowsView &A, const std::vector<int> &bands, const std::vector<Extent> &extents,
           int width, double tolerance)
    : extents(extents)
    , width(width)
    , tolerance(tolerance)
    , columns(2 * bands.size() * width)
    , values(columns.size())
  {
    if (bands.empty())
      return;
    std::vector<int> rows;
    for (const int slice : bands)
      for (int k = 0; k < 2; ++k)
        rows.push_back(slice_rows * slice + k);
    const auto          list = to_device(context, rows.data(), rows.size(), "conversion");
    DeviceArray<int>    column(context.memory_of_device(), columns.size(), "conversion");
    DeviceArray<double> value(context.memory_of_device(), values.size(), "conversion");
    const int           n = static_cast<int>(rows.size());
    launch(context, "gather rows", gather_rows_kernel, blocks_for(n), block_size, A, n, width, list.data(),
           column.data(), value.data());
    to_host(context, column, columns.data());
    to_host(context, value, values.data());
  }

  // The number of the stencil of band b; a new one where it is none of the last few.
  int number_of(int b, int slice)
  {
    for (std::size_t k = owners.size(), tried = 0; k-- > 0 && tried < 32; ++tried)
      if (agree(models[k], owners[k], b, slice))
        return static_cast<int>(k);
    owners.push_back(slice);
    models.push_back(b);
    return static_cast<int>(owners.size()) - 1;
  }
  std::vector<int> owners; // the slice whose first row (or two) is the stencil

private:
  bool agree(int band, int slice, int other_band, int other) const
  {
    const Extent &a = extents[slice], &b = extents[other];
    if (a.period != b.period || a.longest != b.longest)
      return false;
    for (int k = 0; k < a.period; ++k)
      if (!rows_agree(2 * band + k, a.smallest, 2 * other_band + k, b.smallest))
        return false;
    return true;
  }

  // Whether the rows agree, with columns that count from these.
  bool rows_agree(int row, int from, int other, int other_from) const
  {
    const int *a    = &columns[static_cast<std::size_t>(row) * width],
              *b    = &columns[static_cast<std::size_t>(other) * width];
    const double *v = &values[static_cast<std::size_t>(row) * width],
                 *w = &values[static_cast<std::size_t>(other) * width];
    double largest = 0, difference = 0;
    for (int k = 0; k < width; ++k)
      {
        if (a[k] < 0 || b[k] < 0)
          {
            if (a[k] != b[k])
              return false;
            continue;
          }
        if (a[k] - from != b[k] - other_from)
          return false;
        largest    = std::max(largest, std::abs(v[k]));
        difference = std::max(difference, std::abs(v[k] - w[k]));
      }
    return difference <= tolerance * largest;
  }

  const std::vector<Extent> &extents;
  int                        width; // of the longest row of a band
  double                     tolerance;
  std::vector<int>           columns, models; // -1 behind the end of a row; the band of each owner
  std::vector<double>        values;
};

// Places the slice with this extent, which is none of a band, behind the slices before it. `of_models`: its values are
// in the table. A slice that follows another one has the values of that one, which are placed already.
Slice place_slice(const Extent &e, int run, int rows, bool coded, bool of_models, const Slice *follows,
                  Arrangement &placed)
{
  const int   width   = e.longest / run;
  const bool  stencil = e.stride >= 0 && e.stride < in_pairs;
  const bool  narrow  = !stencil && e.largest - e.smallest < 0xffff && e.smallest < 1 << 27;
  const int   entries = e.longest * rows, words = coded ? (entries + 3) / 4 : entries;
  const auto  kind  = stencil ? SliceKind::stencil : narrow ? SliceKind::narrow : SliceKind::full;
  const auto  value = of_models ? placed.place_rows : follows != nullptr ? follows->value_row : placed.value_rows;
  const Slice slice{to_index(placed.column_rows, "slices of a sparse matrix"),
                    to_index(value, "slices of a sparse matrix"),
                    width,
                    kind,
                    of_models,
                    follows != nullptr,
                    stencil             ? Slice::stride_code(e.stride, e.period) :
                    narrow && width > 0 ? e.smallest :
                                          0};
  placed.column_rows += stencil ? (e.period * width + 31) / 32 : narrow ? (width + 1) / 2 : width;
  placed.place_rows += of_models;
  placed.n_of_models += of_models;
  if (!of_models && follows == nullptr)
    placed.value_rows += stencil ? (e.period * words + 31) / 32 : words;
  placed.n_narrow += narrow;
  placed.n_stencil += stencil;
  return slice;
}
// Places the slices of dense blocks. Slices that are no stencils get models, and all slices get items.
void place_dense_slices(const std::vector<Extent> &extents, int m, int most, DenseRows &dense, Arrangement &placed)
{
  std::unordered_map<Bits, int> model_of;
  auto                         &slices = placed.slices;
  dense.models_of_slice.assign(most_models * slices.size(), 0);
  int first = 0, count = 0; // the item that may go on
  for (std::size_t i = 0; i < slices.size(); ++i)
    {
      const Extent      &e       = extents[i];
      const RowsOfSlice &rows    = dense.of_slice[i];
      const bool         stencil = e.stride >= 0, on_line = stencil && e.stride == m && (rows.flags & 1) != 0;
      const int          before    = static_cast<int>(i) - first;
      const bool         follows   = on_line && count > 0 && before < most && (rows.flags >> before & 1) != 0;
      const bool         of_models = dense.takes_models && !stencil && e.longest > 0 && rows.n <= most_models;
      slices[i]                    = place_slice(e, m, m, false, of_models, follows ? &slices[first] : nullptr, placed);
      placed.n_on_lines += on_line;
      if (follows)
        placed.items.back() = LineItem::code(first, count = before + 1);
      else
        placed.items.push_back(LineItem::code(first = static_cast<int>(i), count = on_line));
      for (int k = 0; of_models && k < rows.n; ++k)
        {
          const auto [model, is_new]                 = model_of.try_emplace(rows.hash[k], placed.models.size());
          dense.models_of_slice[most_models * i + k] = model->second;
          if (is_new)
            {
              placed.models.push_back({slice_rows * static_cast<int>(i) + rows.lane[k], placed.end_of_models});
              placed.end_of_models += (e.longest * m + model_unit - 1) / model_unit;
            }
        }
    }
}
} // namespace

template <typename Number>
Arrangement arrange(const Context &context, const RowsView &source, Examination<Number> &found,
                    const SparseMatrix<Number> &A)
{
  Arrangement result;
  auto       &slices  = result.slices;
  const auto &extents = found.extents;
  slices.resize(extents.size());
  if (A.rows > 1)
    {
      place_dense_slices(extents, A.rows, most_on_line<Number>(A.rows), found.dense, result);
      return result;
    }
  std::vector<int> bands; // their first slices
  for (std::size_t i = 0; i < slices.size(); i += band_slices)
    if (is_band(extents, i, found.widest_band))
      bands.push_back(static_cast<int>(i));
  Stencils stencils(context, source, bands, extents, found.widest_band, same_value<Number>);
  for (std::size_t b = 0; b < bands.size(); ++b)
    {
      const int     first = bands[b];
      const Extent &e     = extents[first];
      std::fill_n(slices.begin() + first, band_slices,
                  Slice{stencils.number_of(static_cast<int>(b), first), e.smallest, e.longest / A.run, SliceKind::band,
                        false, false, Slice::stride_code(e.stride, e.period)});
      result.n_band += band_slices;
    }
  result.owners      = stencils.owners;
  result.column_rows = result.value_rows = result.owners.size(); // one each, before all else
  for (std::size_t i = 0; i < slices.size(); ++i)
    if (slices[i].kind != SliceKind::band)
      slices[i] = place_slice(extents[i], A.run, A.rows, A.n_values > 0, false, nullptr, result);
  return result;
}

template Arrangement arrange(const Context &, const RowsView &, Examination<double> &, const SparseMatrix<double> &);
template Arrangement arrange(const Context &, const RowsView &, Examination<float> &, const SparseMatrix<float> &);
} // namespace adamant::cuda
