// From a CSR matrix in host memory to the format of cuda_sparse.cuh: the examination and the conversion run on the GPU.

#include "algebra/cuda/csr.cuh"
#include "algebra/cuda/sparse.cuh"
#include "algebra/value_dictionary.h"
#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace adamant
{
namespace
{
using cuda::CSRView;

// Host CSR, uploaded.
struct Staged
{
  CudaArray<int>    row_start, column;
  CudaArray<double> value;
};

// What one slice needs: its longest row, smallest and largest column, the stride of a stencil or -1, its period, and whether
// it begins as the first slice of its group of band_slices, shifted.
struct Extent
{
  int  longest, smallest, largest, stride, period;
  bool continues;
};

// The extent of each slice; clears run_fits[r] unless every row is made of runs of run_length[r] consecutive columns, and
// run_fits[n_run_lengths] unless the rows of each node have the same columns.
constexpr int    n_run_lengths                    = 3;
constexpr int    run_length[n_run_lengths]        = {9, 4, 3};
__constant__ int device_run_length[n_run_lengths] = {9, 4, 3};

// What two entries may differ by, relative to the largest of their row.
template <typename Number>
constexpr double same_value = 16 * (sizeof(Number) == 8 ? 2.2204460492503131e-16 : 1.1920928955078125e-7);

// The stride where the rows have columns shifted by it from each row to the next but period - 1 and the same values, to 16
// units in the last place of the row's largest one (what the host backend allows, too), else -1. Prolongation has period 2.
template <typename Number>
__device__ int stencil_stride(const CSRView &A, int row, int begin, int length, int longest, int period)
{
  constexpr unsigned all  = 0xffffffff;
  const int          lane = threadIdx.x % slice_rows, model = lane % period;
  const int          model_length = __shfl_sync(all, length, model); // by all lanes
  if (!__all_sync(all, row < A.n_rows && length == model_length))
    return -1;
  int    stride  = 0;
  bool   same    = longest > 0;
  double largest = 0, difference = 0;
  for (int k = 0; k < longest; ++k)
    {
      const bool   present = k < length;
      const int    column = present ? A.column[begin + k] : 0, first = __shfl_sync(all, column, model);
      const double value = present ? A.value[begin + k] : 0., first_value = __shfl_sync(all, value, model);
      if (k == 0) // a model row may be empty
        {
          const int second = __shfl_sync(all, column, model + period), distance = present ? second - first : -1;
          stride = max(__shfl_sync(all, distance, 0), __shfl_sync(all, distance, period - 1));
        }
      same       = same && stride >= 0 && (!present || column == first + stride * (lane / period)) && value == value;
      largest    = fmax(largest, fabs(first_value));
      difference = fmax(difference, fabs(value - first_value));
    }
  return __all_sync(all, same && difference <= same_value<Number> * largest) ? stride : -1;
}

// Whether the slice has the stencil of the first slice of its group.
template <typename Number>
__device__ bool continues_band(const CSRView &A, int slice, int stride, int period)
{
  const int first = slice / band_slices * band_slices * slice_rows, shift = slice % band_slices * slice_rows;
  bool      same = true;
  for (int model = first; same && model < first + period; ++model)
    {
      const int from = A.row_start[model], mine = A.row_start[model + shift], n = A.row_start[model + 1] - from;
      double    largest = 0, difference = 0;
      same = A.row_start[model + shift + 1] - mine == n;
      for (int k = 0; same && k < n; ++k)
        {
          same       = A.column[mine + k] == A.column[from + k] + stride * (shift / period);
          largest    = fmax(largest, fabs(A.value[from + k]));
          difference = fmax(difference, fabs(A.value[mine + k] - A.value[from + k]));
        }
      same = same && difference <= same_value<Number> * largest;
    }
  return same;
}

template <typename Number>
__global__ void examine_kernel(CSRView A, int n_slices, int node_size, const int *nodes, Extent *extent, int *run_fits)
{
  cuda::wait_for_predecessor();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, slice = thread / slice_rows;
  const int row = slice < n_slices ? cuda::row_of(slice, thread % slice_rows, node_size, node_size, nodes) : A.n_rows;
  Extent    e{0, 0x7fffffff, 0, -1, 1, false};
  int       begin = 0, length = 0;
  if (row < A.n_rows)
    {
      const int end = A.row_start[row + 1];
      begin         = A.row_start[row];
      e.longest = length = end - begin;
      if (end > begin)
        {
          e.smallest = A.column[begin];
          e.largest  = A.column[end - 1];
        }
      for (int r = 0; r < n_run_lengths; ++r)
        {
          const int run  = device_run_length[r];
          bool      fits = length % run == 0;
          for (int k = begin; fits && k < end; k += run)
            for (int i = 1; i < run; ++i)
              fits = fits && A.column[k + i] == A.column[k] + i;
          if (!fits)
            run_fits[r] = 0;
        }
      const int first = A.row_start[row - row % node_size];
      bool      same  = A.row_start[row - row % node_size + 1] - first == length;
      for (int k = 0; same && k < length; ++k)
        same = A.column[first + k] == A.column[begin + k];
      if (!same)
        run_fits[n_run_lengths] = 0;
    }
  for (int offset = 16; offset > 0; offset /= 2)
    {
      e.longest  = max(e.longest, __shfl_xor_sync(0xffffffff, e.longest, offset));
      e.smallest = min(e.smallest, __shfl_xor_sync(0xffffffff, e.smallest, offset));
      e.largest  = max(e.largest, __shfl_xor_sync(0xffffffff, e.largest, offset));
    }
  e.stride = stencil_stride<Number>(A, row, begin, length, e.longest, 1);
  if (e.stride < 0 && node_size == 1)
    {
      e.period = 2;
      e.stride = stencil_stride<Number>(A, row, begin, length, e.longest, 2);
    }
  if (e.stride >= 0 && node_size == 1)
    e.continues = continues_band<Number>(A, slice, e.stride, e.period);
  if (threadIdx.x % slice_rows == 0 && slice < n_slices)
    extent[slice] = e;
}

// Fills the slices: a thread a row, padding included.
template <typename Number>
__global__ void fill_kernel(CSRView A, int n_slices, int node_size, int rows, const int *nodes, int run, int n_values,
                            const CudaSlice *slices, const int *owners, unsigned *columns, Number *values,
                            unsigned *codes)
{
  cuda::wait_for_predecessor();
  const int slice = (blockIdx.x * blockDim.x + threadIdx.x) / slice_rows, lane = threadIdx.x % slice_rows;
  if (slice >= n_slices)
    return;
  const int       row   = cuda::row_of(slice, lane, node_size, node_size / rows, nodes);
  const CudaSlice s     = slices[slice];
  const int       begin = row < A.n_rows ? A.row_start[row] : 0, n = row < A.n_rows ? A.row_start[row + 1] - begin : 0;
  columns += 32L * s.column + lane;
  const auto column  = [&](int r) { return r * run < n ? static_cast<unsigned>(A.column[begin + r * run]) : absent; };
  const auto offset  = [&](int r) { return r * run < n ? column(r) - s.parameter : 0xffff; };
  const bool band    = s.kind == static_cast<unsigned>(SliceKind::band);
  const bool stencil = band || s.kind == static_cast<unsigned>(SliceKind::stencil);
  const long spacing = stencil ? 1 : 32;
  if (stencil)
    {
      // The first row stands for all, or the first two.
      if (lane > (s.parameter >= in_pairs) || (band && owners[s.column] != slice))
        return;
      for (int r = 0; r < s.width; ++r)
        columns[lane * (s.width - 1) + r] = column(r) == absent ? absent : column(r) - (band ? s.value : 0);
    }
  else if (s.kind == static_cast<unsigned>(SliceKind::full))
    for (int r = 0; r < s.width; ++r)
      columns[r * 32L] = column(r);
  else
    for (int r = 0; r < s.width; r += 2)
      columns[r / 2 * 32L] = offset(r) | offset(r + 1) << 16;
  // Entry e: run by run, for each row of the node in turn.
  const int  entries = s.width * run * rows;
  const auto value   = [&](int e) {
    const int k = e / (run * rows) * run + e % run, c = e / run % rows;
    return k < n ? static_cast<Number>(A.value[begin + c * n + k]) : Number(0);
  };
  if (n_values == 0)
    for (int e = 0; e < entries; ++e)
      values[32L * s.value + spacing * e + lane] = value(e);
  else
    for (int e = 0; e < entries; e += 4)
      {
        unsigned word = 0;
        for (int i = 0; i < 4 && e + i < n * rows; ++i)
          word |= static_cast<unsigned>(code_of(value(e + i), values, n_values)) << (8 * i);
        codes[32L * (band ? s.column : s.value) + spacing * (e / 4) + (stencil ? lane * ((entries + 3) / 4) : lane)] =
          word;
      }
}

// The extents of all slices; run_fits[r] is cleared where rows are not made of runs of run_length[r].
template <typename Number>
std::vector<Extent> examine(const std::shared_ptr<CudaContext> &context, const CSRView &A,
                            const typename CudaMatrix<Number>::Storage &s, std::vector<int> &run_fits)
{
  CudaArray<Extent> extent(context, s.n_slices, "conversion");
  CudaArray<int>    fits = cuda::to_device(context, run_fits.data(), run_fits.size(), "conversion");
  cuda::launch(*context, "examine", examine_kernel<Number>,
               cuda::blocks_for(slice_rows * static_cast<long>(s.n_slices)), cuda::block_size, A, s.n_slices,
               s.node_size, s.nodes.data(), extent.data(), fits.data());
  std::vector<Extent> extents(s.n_slices);
  cuda::to_host(*context, fits, run_fits.data());
  cuda::to_host(*context, extent, extents.data());
  return extents;
}

// One extent for each group of slices.
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

// The nodes in the order of their slices: groups of 32 that are stencils as they come, then the other nodes by the lengths of
// their rows, which leaves less padding. Nothing where the padding is below a tenth.
std::vector<int> order_of_nodes(const CSRMatrix<double> &A, int node_size, const std::vector<Extent> &extents)
{
  const int        n_nodes = A.n_rows / node_size, n_groups = static_cast<int>(extents.size()) / node_size;
  std::vector<int> order, others;
  long             padded = 0, entries = 0;
  const auto length = [&](int node) { return A.row_start[(node + 1) * node_size] - A.row_start[node * node_size]; };
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
    const int n = A.row_start[row + 1] - A.row_start[row], *a = &A.column[A.row_start[row]],
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

// Tells matrices of different patterns from each other by the lengths of their rows.
std::size_t pattern_of(const CSRMatrix<double> &A)
{
  std::size_t hash = A.n_cols;
  for (const int start : A.row_start)
    hash = (hash ^ static_cast<std::size_t>(start)) * 0x100000001b3ull;
  return hash;
}
} // namespace

namespace
{
// A matrix whose rows are spread over ranks; without `exchange` it needs nothing of other ranks.
template <typename Number>
CudaMatrix<Number> spread_matrix(const CudaBackend<Number> &backend, const CSRMatrix<double> &source, int node_size,
                                 const std::shared_ptr<CudaExchange<Number>> &exchange)
{
  CudaMatrix<Number> A = backend.create_matrix(owned_block(source), node_size);
  A.n_cols             = source.n_cols;
  A.storage->pattern   = pattern_of(source);
  if (exchange)
    A.storage->ghosts = std::make_shared<CudaGhosts<Number>>(backend.shared_context(), source, node_size, exchange);
  return A;
}
} // namespace

template <typename Number>
auto CudaBackend<Number>::create_matrix(const CSRMatrix<double> &source, int node_size) const -> Matrix
{
  Matrix A;
  if (source.ghosts)
    {
      const auto &plan  = *source.ghosts;
      const bool  alone = plan.sends.empty() && plan.receives.empty();
      return spread_matrix(*this, source, node_size,
                           alone ? nullptr : CudaExchange<Number>::create(context, source.ghosts));
    }
  A.n_rows          = source.n_rows;
  A.n_cols          = source.n_cols;
  A.storage         = std::make_shared<typename Matrix::Storage>();
  auto         &s   = *A.storage;
  const int     n   = source.n_rows;
  const auto    nnz = static_cast<std::size_t>(source.n_nonzeros());
  Staged        staged{cuda::to_device(context, source.row_start.data(), source.row_start.size(), "conversion"),
                cuda::to_device(context, source.column.data(), nnz, "conversion"),
                cuda::to_device(context, source.value.data(), nnz, "conversion")};
  const CSRView csr{n, staged.row_start.data(), staged.column.data(), staged.value.data()};

  s.pattern   = pattern_of(source);
  s.node_size = node_size;
  s.n_slices  = cuda::slices_for(n, node_size);
  std::vector<int>    run_fits(n_run_lengths + 1, nnz > 0);
  std::vector<Extent> extents = examine<Number>(context, csr, s, run_fits);
  if (const auto order = order_of_nodes(source, node_size, extents); !order.empty())
    {
      s.nodes    = cuda::to_device(context, order.data(), order.size(), "matrices");
      s.n_slices = static_cast<int>(order.size()) / slice_rows * node_size;
      extents    = examine<Number>(context, csr, s, run_fits);
    }
  std::vector<Number> dictionary = cuda::different_values<Number>(context, csr);

  for (int r = n_run_lengths; r-- > 0;)
    if (run_fits[r])
      s.run = run_length[r];
  if (node_size == 3 && s.run == 3 && run_fits[n_run_lengths])
    {
      s.rows     = 3;
      s.n_slices = s.n_slices / 3;
      extents    = of_groups(extents, 3);
    }
  s.n_values = static_cast<int>(dictionary.size());
  std::vector<CudaSlice> slices(s.n_slices);
  std::size_t            column_rows = 0, value_rows = 0;
  for (const Extent &e : extents)
    s.widest = std::max(s.widest, e.longest / s.run);
  int widest_band = 0;
  cuda::with_format(A, [&](auto format) { widest_band = format.bands ? format.chunk * s.run : 0; });
  Stencils stencils(source, extents, same_value<Number>);
  for (int i = 0; i < s.n_slices; ++i)
    if (is_band(extents, i - i % band_slices, widest_band))
      {
        slices[i] = i % band_slices > 0 ? slices[i - 1] :
                                          CudaSlice{stencils.number_of(i), extents[i].smallest,
                                                    extents[i].longest / s.run, static_cast<unsigned>(SliceKind::band),
                                                    extents[i].stride + (extents[i].period - 1) * in_pairs};
        s.n_band += 1;
      }
  column_rows = value_rows = stencils.owners.size(); // one each, before all else
  for (int i = 0; i < s.n_slices; ++i)
    {
      if (slices[i].kind == static_cast<unsigned>(SliceKind::band))
        continue;
      const Extent &e       = extents[i];
      const int     width   = e.longest / s.run;
      const bool    stencil = e.stride >= 0 && e.stride < in_pairs && e.period == 1;
      const bool    narrow  = !stencil && e.largest - e.smallest < 0xffff && e.smallest < 1 << 29;
      const int     entries = e.longest * s.rows, words = s.n_values > 0 ? (entries + 3) / 4 : entries;
      slices[i] = {to_index(column_rows, "slices of a sparse matrix"),
                   to_index(value_rows, "slices of a sparse matrix"), width,
                   static_cast<unsigned>(stencil ? SliceKind::stencil :
                                         narrow  ? SliceKind::narrow :
                                                   SliceKind::full),
                   stencil             ? e.stride :
                   narrow && width > 0 ? e.smallest :
                                         0};
      column_rows += stencil ? (width + 31) / 32 : narrow ? (width + 1) / 2 : width;
      value_rows += stencil ? (words + 31) / 32 : words;
      s.n_narrow += narrow;
      s.n_stencil += stencil;
    }
  s.slices  = cuda::to_device(context, slices.data(), slices.size(), "matrices");
  s.columns = CudaArray<unsigned>(context, slice_rows * column_rows, "matrices");
  if (s.n_values > 0)
    {
      dictionary.resize(dictionary_size);
      s.values = cuda::to_device(context, dictionary.data(), dictionary.size(), "matrices");
      s.codes  = CudaArray<unsigned>(context, slice_rows * value_rows, "matrices");
    }
  else
    s.values = CudaArray<Number>(context, slice_rows * value_rows, "matrices");
  const CudaArray<int> owners = cuda::to_device(context, stencils.owners.data(), stencils.owners.size(), "conversion");
  cuda::launch(*context, "fill", fill_kernel<Number>, cuda::blocks_for(slice_rows * static_cast<long>(s.n_slices)),
               cuda::block_size, csr, s.n_slices, node_size, s.rows, s.nodes.data(), s.run, s.n_values, s.slices.data(),
               owners.data(), s.columns.data(), s.values.data(), s.codes.data());
  synchronize();
  return A;
}

template <typename Number>
void CudaBackend<Number>::update_values(Matrix &matrix, const CSRMatrix<double> &source) const
{
  if (matrix.n_rows != source.n_rows || matrix.storage->pattern != pattern_of(source))
    throw RunError("update_values: the new matrix has another pattern");
  // The format may change with the values, and with it kernels and addresses.
  const int node_size = matrix.storage->node_size;
  if (const auto ghosts = matrix.storage->ghosts)
    matrix = spread_matrix(*this, source, node_size, ghosts->exchange);
  else
    matrix = create_matrix(source, node_size);
  context->matrices_changed();
}

template <typename Number>
std::size_t CudaMatrix<Number>::bytes() const
{
  const auto &s = *storage;
  return s.nodes.size() * sizeof(int) + s.slices.size() * sizeof(CudaSlice) + s.columns.size() * 4 +
         s.values.size() * sizeof(Number) + s.codes.size() * 4 + (s.ghosts ? s.ghosts->bytes() : 0);
}

template <typename Number>
std::string CudaMatrix<Number>::format() const
{
  const auto        &s = *storage;
  std::ostringstream text;
  text << n_rows << " x " << n_cols << ", rows of " << s.widest * s.run;
  if (s.node_size > 1)
    text << " in nodes of " << s.node_size << (s.nodes.size() > 0 ? ", ordered by length" : "");
  if (s.rows > 1)
    text << " in dense blocks";
  else if (s.run > 1)
    text << " in runs of " << s.run;
  const long slices = std::max(1, s.n_slices);
  text << ", stencils in " << 100L * (s.n_stencil + s.n_band) / slices << "% (" << 100L * s.n_band / slices
       << "% in bands) and 16-bit columns in " << 100L * s.n_narrow / slices << "% of the slices, ";
  if (s.n_values > 0)
    text << s.n_values << " different values";
  else
    text << "values in full";
  text << ", " << bytes() / 1000000. << " MB";
  return text.str();
}

template struct CudaMatrix<double>::Storage;
template struct CudaMatrix<float>::Storage;
template std::size_t        CudaMatrix<double>::bytes() const;
template std::size_t        CudaMatrix<float>::bytes() const;
template std::string        CudaMatrix<double>::format() const;
template std::string        CudaMatrix<float>::format() const;
template CudaMatrix<double> CudaBackend<double>::create_matrix(const CSRMatrix<double> &, int) const;
template CudaMatrix<float>  CudaBackend<float>::create_matrix(const CSRMatrix<double> &, int) const;
template void               CudaBackend<double>::update_values(CudaMatrix<double> &, const CSRMatrix<double> &) const;
template void               CudaBackend<float>::update_values(CudaMatrix<float> &, const CSRMatrix<double> &) const;
} // namespace adamant
