#include "algebra/cuda/sparse/conversion.cuh"

#include "algebra/cuda/operations.h"
#include "algebra/functors/row_functors.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace adamant::cuda
{
namespace
{
// Of line_kernel: one to a warp, they keep the GPU busy. In double precision, rows of smaller matrices are quicker one
// by one than in a table.
constexpr int enough_items = 2048, most_warps = 4608;

// Tells matrices of different patterns from each other by the lengths of their rows.
std::size_t pattern_of(const CSRMatrix<double> &A)
{
  std::size_t hash = A.n_cols;
  for (const auto start : A.row_start)
    hash = (hash ^ static_cast<std::size_t>(start)) * 0x100000001b3ull;
  return hash;
}

// A CSR matrix on its way to the format.
struct Staged
{
  Staged(const Context &context, const CSRMatrix<double> &source)
    : row_start(to_device(context, source.row_start.data(), source.row_start.size(), "conversion"))
    , column(to_device(context, source.column.data(), source.n_nonzeros(), "conversion"))
    , value(to_device(context, source.value.data(), source.n_nonzeros(), "conversion"))
    , view{source.n_rows, row_start.data(), column.data(), value.data()}
  {}

  DeviceArray<std::int64_t> row_start;
  DeviceArray<int>          column;
  DeviceArray<double>       value;
  RowsView                  view;
};

// Dense blocks where the rows of nodes fit, else the longest runs that fit.
template <typename Number>
void choose_runs(const std::vector<int> &run_fits, SparseMatrix<Number> &A)
{
  const int m = A.node_size;
  A.rows = A.run = 1;
  for (int r = n_run_lengths; r-- > 0;)
    if (run_fits[r] && run_length[r] > 2)
      A.run = run_length[r];
  for (int r = 0; r < n_run_lengths; ++r)
    if (run_fits[r] && run_fits[n_run_lengths] && m == run_length[r])
      A.rows = A.run = m;
}

// Values in full, then the table of models; and what threads and blocks there are for dense blocks.
template <typename Number>
void allocate_values(const Context &context, const Arrangement &arrangement, SparseMatrix<Number> &A)
{
  const auto        &memory = context.memory_of_device();
  const int          m      = A.node_size;
  const unsigned     first  = slice_rows / model_unit * static_cast<unsigned>(arrangement.value_rows);
  std::vector<Model> models = arrangement.models;
  for (Model &model : models)
    model.start += first;
  // Lanes with a shorter row than their slice's longest read beyond theirs, and then beyond the last one.
  const std::size_t beyond = models.empty() ? 0 : static_cast<std::size_t>(A.widest) * m * m,
                    size   = model_unit * (static_cast<std::size_t>(first) + arrangement.end_of_models) + beyond;
  A.values                 = DeviceArray<Number>(memory, size, "matrices");
  A.codes                  = DeviceArray<unsigned>(memory, slice_rows * arrangement.place_rows, "matrices");
  A.models                 = to_device(context, models.data(), models.size(), "matrices");
  if (A.rows == 1)
    return;
  if (m < 4 && 4 * A.n_on_lines >= A.n_slices && static_cast<int>(arrangement.items.size()) >= enough_items)
    A.items = to_device(context, arrangement.items.data(), arrangement.items.size(), "matrices");
  // Rows are shared by as many threads as the GPU has at once, in blocks that let blocks of the next kernel start. A
  // block of most_threads fills a multiprocessor.
  const auto fits = [&](int threads) {
    return threads < most_threads ? threads / slice_rows * A.n_slices <= most_warps :
                                    A.n_slices <= context.n_multiprocessors();
  };
  A.most_threads = slice_rows;
  while (A.most_threads < most_threads && fits(2 * A.most_threads))
    A.most_threads *= 2;
}
} // namespace

template <typename Number>
SparseMatrix<Number>::SparseMatrix(std::shared_ptr<Context> context_, const CSRMatrix<double> &source, int node_size,
                                   std::shared_ptr<Exchange<Number>> exchange, const RowsView *changing)
  : context(std::move(context_))
  , pattern(pattern_of(source))
  , changing(changing != nullptr)
{
  this->n_rows    = source.n_rows;
  this->n_cols    = source.n_cols;
  this->node_size = node_size;
  first_ghost     = source.ghosts ? source.ghosts->n_owned : -1;
  changing != nullptr ? convert(owned(*changing), source) : convert(owned(Staged(*context, source).view), source);
  if (!source.ghosts || (source.ghosts->sends.empty() && source.ghosts->receives.empty()))
    return; // it needs nothing of other ranks
  if (!exchange)
    exchange = std::make_shared<Exchange<Number>>(context, source.ghosts);
  ghosts = std::make_shared<GhostMatrix<Number>>(context, source, node_size, exchange, true, changing);
}

// Without the ghosts' columns.
template <typename Number>
RowsView SparseMatrix<Number>::owned(RowsView rows) const
{
  rows.first_ghost = first_ghost;
  return rows;
}

template <typename Number>
void SparseMatrix<Number>::convert(const RowsView &source, const CSRMatrix<double> &pattern)
{
  Examination<Number> found       = examine(source, pattern);
  const Arrangement   arrangement = arrange(*context, source, found, *this);
  take(arrangement, std::move(found.dictionary));
  if (fill(*context, source, arrangement, found.dense, *this))
    return;
  models_differ = true;
  convert(source, pattern);
}

// Finds what the rows have in common, and chooses with that the runs, the rows of a thread and the order of nodes.
template <typename Number>
Examination<Number> SparseMatrix<Number>::examine(const RowsView &source, const CSRMatrix<double> &pattern)
{
  const RowsView      host_rows = owned(view_of(pattern));
  const int           m         = this->node_size;
  std::vector<int>    run_fits(n_run_lengths + 1, 1);
  Examination<Number> found;
  auto               &extents = found.extents;
  widest                      = 0;
  nodes                       = DeviceArray<int>();
  items                       = DeviceArray<int>();
  n_slices                    = slices_for(source.n_rows, m);
  extents                     = extents_of(*context, source, *this, run_fits);
  if (std::all_of(extents.begin(), extents.end(), [](const Extent &e) { return e.longest == 0; }))
    run_fits.assign(run_fits.size(), 0); // there are no runs
  choose_runs(run_fits, *this);
  if (!plain && rows == 1)
    found.dictionary = different_values<Number>(*context, source);
  n_values = static_cast<int>(found.dictionary.size());
  for (const Extent &e : extents)
    widest = std::max(widest, e.longest / run);
  with_format(*this, [&](auto format) { found.widest_band = format.bands ? format.chunk * run : 0; });
  const auto leave_out_pairs = [&] {
    for (Extent &e : extents)
      if (e.period > 1 && found.widest_band == 0)
        e = {e.longest, e.smallest, e.largest, -1, 1, false};
  };
  leave_out_pairs();
  if (const auto order = order_of_nodes(host_rows, m, extents); !order.empty())
    {
      nodes    = to_device(*context, order.data(), order.size(), "matrices");
      n_slices = static_cast<int>(order.size()) / slice_rows * m;
      extents  = extents_of(*context, source, *this, run_fits);
      leave_out_pairs();
    }
  for (Extent &e : extents)
    if (plain)
      e.stride = -1;
  if (rows > 1)
    {
      n_slices                 = n_slices / m;
      extents                  = of_groups(extents, m);
      found.dense              = compare_rows(*context, source, *this);
      found.dense.takes_models = !plain && !models_differ && (sizeof(Number) == 4 || n_slices >= enough_items);
    }
  return found;
}

// Makes room for what the arrangement stores.
template <typename Number>
void SparseMatrix<Number>::take(const Arrangement &arrangement, std::vector<Number> dictionary)
{
  const auto &memory                = context->memory_of_device();
  static_cast<SliceCounts &>(*this) = arrangement;
  slices  = to_device(*context, arrangement.slices.data(), arrangement.slices.size(), "matrices");
  columns = DeviceArray<unsigned>(memory, slice_rows * arrangement.column_rows, "matrices");
  if (n_values == 0)
    return allocate_values(*context, arrangement, *this);
  dictionary.resize(dictionary_size);
  values = to_device(*context, dictionary.data(), dictionary.size(), "matrices");
  codes  = DeviceArray<unsigned>(memory, slice_rows * arrangement.value_rows, "matrices");
}

template <typename Number>
void SparseMatrix<Number>::update(const CSRMatrix<double> &source)
{
  if (this->n_rows != source.n_rows || pattern != pattern_of(source))
    throw RunError("new values of a matrix: the matrix that has them has another pattern");
  // The format may change with the values, and with it kernels and addresses.
  *this = SparseMatrix(context, source, this->node_size, ghosts ? ghosts->exchange : nullptr);
  context->outdate_graphs();
}

template <typename Number>
void SparseMatrix<Number>::update_values(const RowsView &rows)
{
  if (!changing && values.size() > 0)
    return MatrixStorage<Number>::update_values(rows);
  if (ghosts)
    ghosts->take_values(*context, rows.value);
  if (values.size() == 0 || refill(*context, owned(rows), *this))
    return;
  plain = true;
  CSRMatrix<double> pattern;
  pattern.n_rows = rows.n_rows;
  pattern.row_start.resize(rows.n_rows + 1);
  context->download(pattern.row_start.data(), rows.row_start, pattern.row_start.size() * sizeof(EntryNumber));
  if (first_ghost >= 0) // else nobody asks for columns
    {
      pattern.column.resize(pattern.row_start.back());
      context->download(pattern.column.data(), rows.column, pattern.column.size() * sizeof(int));
    }
  convert(owned(rows), pattern);
  context->outdate_graphs(); // kernels and addresses are others
}

template <typename Number>
std::size_t SparseMatrix<Number>::bytes() const
{
  return nodes.size() * sizeof(int) + slices.size() * sizeof(Slice) + columns.size() * 4 +
         values.size() * sizeof(Number) + codes.size() * 4 + models.size() * sizeof(Model) +
         items.size() * sizeof(int) + (ghosts ? ghosts->bytes() : 0);
}

template <typename Number>
std::string SparseMatrix<Number>::format() const
{
  std::ostringstream text;
  text << this->n_rows << " x " << this->n_cols;
  text << ", rows of " << widest * run;
  if (this->node_size > 1)
    text << " in nodes of " << this->node_size << (nodes.size() > 0 ? ", ordered by length" : "");
  if (rows > 1)
    text << " in dense blocks";
  else if (run > 1)
    text << " in runs of " << run;
  const long slices = std::max(1, n_slices);
  text << ", stencils in " << 100L * (n_stencil + n_band) / slices << "% (" << 100L * n_band / slices
       << "% in bands) and 16-bit columns in " << 100L * n_narrow / slices << "% of the slices, ";
  if (rows > 1)
    text << "lines in " << 100L * n_on_lines / slices << "%" << (items.size() > 0 ? " (several at once)" : "") << ", "
         << models.size() << " different rows in " << 100L * n_of_models / slices << "%, other values in full";
  else if (n_values > 0)
    text << n_values << " different values";
  else
    text << "values in full";
  text << ", " << bytes() / 1000000. << " MB";
  return text.str();
}

template <typename Number>
void SparseMatrix<Number>::multiply(Number a, const Number *x, Number b, Number *y) const
{
  if (b == Number(1)) // y += a A x leaves alone where A has no entries, as boundary matrices mostly have
    for_each_row(*context, *this, Entries<Number>{x}, Addition<Number>(a, y));
  else
    for_each_row(*context, *this, Entries<Number>{x}, Product<Number>(a, b, y));
}

template class SparseMatrix<double>;
template class SparseMatrix<float>;

namespace
{
template <typename Number>
class KernelOperations : public Operations<Number>
{
public:
  explicit KernelOperations(Context &context)
    : context(context)
  {}

  std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                       const RowsView *changing) const override
  {
    return std::make_shared<SparseMatrix<Number>>(context.shared_from_this(), source, node_size, nullptr, changing);
  }
  std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const override
  {
    return make_dense_matrix<Number>(context, row_major, n);
  }

private:
  Context &context; // the owner of this object
};
} // namespace

OperationsOfBoth operations_of_kernels(Context &context)
{
  return {std::make_unique<KernelOperations<double>>(context), std::make_unique<KernelOperations<float>>(context)};
}
} // namespace adamant::cuda
