// How the slices of a matrix are stored.

#include "algebra/cuda/conversion.cuh"
#include "algebra/value_dictionary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace adamant
{
namespace cuda
{
std::vector<Extent> of_groups(const std::vector<Extent> &extents, int size)
{
  std::vector<Extent> groups;
  for (std::size_t first = 0; first < extents.size(); first += size)
    {
      Extent group = extents[first];
      for (std::size_t k = first + 1; k < first + size; ++k)
        {
          const Extent &e = extents[k];
          group           = {std::max(group.longest, e.longest),
                             std::min(group.smallest, e.smallest),
                             std::max(group.largest, e.largest),
                   group.stride == e.stride ? e.stride : -1,
                             1,
                             false};
        }
      groups.push_back(group);
    }
  return groups;
}

std::vector<int> order_of_nodes(const CSRMatrix<double> &A, int node_size, const std::vector<Extent> &extents)
{
  const int        n_nodes = A.n_rows / node_size, n_groups = static_cast<int>(extents.size()) / node_size;
  std::vector<int> order, others;
  long             padded = 0, entries = 0;
  const auto       length = [&](int node) {
    return static_cast<int>(A.row_start[(node + 1) * node_size] - A.row_start[node * node_size]);
  };
  for (int group = 0; group < n_groups && node_size > 1; ++group)
    {
      const auto begin = extents.begin() + group * node_size, end = begin + node_size;
      const bool stencil = std::all_of(begin, end, [](const Extent &e) { return e.stride >= 0; });
      for (int node = group * slice_rows; node < std::min(n_nodes, (group + 1) * slice_rows); ++node)
        {
          (stencil ? order : others).push_back(node);
          entries += stencil ? 0 : length(node);
        }
      for (auto e = begin; e != end && !stencil; ++e)
        padded += slice_rows * e->longest;
    }
  if (10 * padded <= 11 * entries)
    return {};
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return length(a) > length(b); });
  order.insert(order.end(), others.begin(), others.end());
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

// The different stencils of bands: on a uniform mesh nearly all bands have the same one.
class Stencils
{
public:
  Stencils(const CSRMatrix<double> &A, const std::vector<Extent> &extents, double tolerance)
    : A(A)
    , extents(extents)
    , tolerance(tolerance)
  {}

  // The number of the stencil of the band that begins with this slice; a new one where it is none of the last few.
  int number_of(int slice)
  {
    for (std::size_t k = owners.size(), tried = 0; k-- > 0 && tried < 32; ++tried)
      if (agree(owners[k], slice))
        return static_cast<int>(k);
    owners.push_back(slice);
    return static_cast<int>(owners.size()) - 1;
  }
  std::vector<int> owners; // the slice whose first row (or two) is the stencil

private:
  bool agree(int slice, int other) const
  {
    const Extent &a = extents[slice], &b = extents[other];
    if (a.period != b.period || a.longest != b.longest)
      return false;
    for (int k = 0; k < a.period; ++k)
      if (!agree(slice_rows * slice + k, a.smallest, slice_rows * other + k, b.smallest))
        return false;
    return true;
  }

  // Whether the rows agree, with columns that count from these.
  bool agree(int row, int from, int other, int other_from) const
  {
    const int n = static_cast<int>(A.row_start[row + 1] - A.row_start[row]), *a = &A.column[A.row_start[row]],
              *b    = &A.column[A.row_start[other]];
    const double *v = &A.value[A.row_start[row]], *w = &A.value[A.row_start[other]];
    if (A.row_start[other + 1] - A.row_start[other] != n)
      return false;
    double largest = 0, difference = 0;
    for (int k = 0; k < n; ++k)
      {
        if (a[k] - from != b[k] - other_from)
          return false;
        largest    = std::max(largest, std::abs(v[k]));
        difference = std::max(difference, std::abs(v[k] - w[k]));
      }
    return difference <= tolerance * largest;
  }

  const CSRMatrix<double>   &A;
  const std::vector<Extent> &extents;
  double                     tolerance;
};

// The slice with this extent, which is none of a band, behind those that have been placed.
Slice place_slice(const Extent &e, int run, int rows, bool coded, Arrangement &placed)
{
  const int   width   = e.longest / run;
  const bool  stencil = e.stride >= 0 && e.stride < in_pairs && e.period == 1;
  const bool  narrow  = !stencil && e.largest - e.smallest < 0xffff && e.smallest < 1 << 29;
  const int   entries = e.longest * rows, words = coded ? (entries + 3) / 4 : entries;
  const auto  kind = stencil ? SliceKind::stencil : narrow ? SliceKind::narrow : SliceKind::full;
  const Slice slice{to_index(placed.column_rows, "slices of a sparse matrix"),
                    to_index(placed.value_rows, "slices of a sparse matrix"), width, static_cast<unsigned>(kind),
                    stencil             ? e.stride :
                    narrow && width > 0 ? e.smallest :
                                          0};
  placed.column_rows += stencil ? (width + 31) / 32 : narrow ? (width + 1) / 2 : width;
  placed.value_rows += stencil ? (words + 31) / 32 : words;
  placed.n_narrow += narrow;
  placed.n_stencil += stencil;
  return slice;
}
} // namespace

template <typename Number>
Arrangement arrange(const CSRMatrix<double> &source, const std::vector<Extent> &extents, const SparseMatrix<Number> &A,
                    int widest_band)
{
  Arrangement result;
  Stencils    stencils(source, extents, same_value<Number>);
  auto       &slices = result.slices;
  slices.resize(extents.size());
  const auto is_of_band = [&](std::size_t i) { return slices[i].kind == static_cast<unsigned>(SliceKind::band); };
  for (std::size_t i = 0; i < slices.size(); ++i)
    if (is_band(extents, i - i % band_slices, widest_band))
      {
        slices[i] = i % band_slices > 0 ? slices[i - 1] :
                                          Slice{stencils.number_of(static_cast<int>(i)), extents[i].smallest,
                                                extents[i].longest / A.run, static_cast<unsigned>(SliceKind::band),
                                                extents[i].stride + (extents[i].period - 1) * in_pairs};
        result.n_band += 1;
      }
  result.owners      = stencils.owners;
  result.column_rows = result.value_rows = result.owners.size(); // one each, before all else
  for (std::size_t i = 0; i < slices.size(); ++i)
    if (!is_of_band(i))
      slices[i] = place_slice(extents[i], A.run, A.rows, A.n_values > 0, result);
  return result;
}

template Arrangement arrange(const CSRMatrix<double> &, const std::vector<Extent> &, const SparseMatrix<double> &, int);
template Arrangement arrange(const CSRMatrix<double> &, const std::vector<Extent> &, const SparseMatrix<float> &, int);
} // namespace cuda
} // namespace adamant
