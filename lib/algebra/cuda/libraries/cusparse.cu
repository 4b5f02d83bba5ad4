#include "algebra/cuda/libraries/libraries.cuh"
#include "algebra/cuda/sparse/library_matrix.cuh"
#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/functors/vector_functors.h"

#include <sstream>

namespace adamant::cuda
{
namespace
{
// Tells matrices of different patterns from each other.
std::size_t pattern_of(const CSRMatrix<double> &A)
{
  std::size_t hash = A.n_cols;
  const auto  add  = [&hash](auto index) { hash = (hash ^ static_cast<std::size_t>(index)) * 0x100000001b3ull; };
  for (const auto k : A.row_start)
    add(k);
  for (const int j : A.column)
    add(j);
  return hash;
}

// Where the entries in owned columns are among all.
DeviceArray<int> places_of_owned(const Context &context, const CSRMatrix<double> &A)
{
  Array<int> places;
  for (std::size_t k = 0; k < A.column.size(); ++k)
    if (A.column[k] < A.ghosts->n_owned)
      places.push_back(to_index(k, "entries of a matrix for cuSPARSE"));
  DeviceArray<int> result = to_device(context, places.data(), places.size(), "matrices");
  context.synchronize();
  return result;
}

// A sparse matrix in compressed rows with 32-bit indices, multiplied by cuSPARSE (cusparseSpMV). Values are rounded to
// Number and not changed otherwise. The algorithm is CUSPARSE_SPMV_CSR_ALG2, the deterministic one: two runs agree to
// the last bit. It is prepared (cusparseSpMV_preprocess) when the matrix is made. Its buffer and the descriptors are
// kept, and products only set their pointers, so that graphs can record them.
template <typename Number>
class CusparseMatrix : public LibraryMatrix<Number>
{
public:
  CusparseMatrix(std::shared_ptr<Context> context_, std::shared_ptr<Libraries> libraries,
                 const CSRMatrix<double> &source, int node_size, const RowsView *changing)
    : context(std::move(context_))
    , libraries(std::move(libraries))
    , pattern(pattern_of(source))
  {
    this->n_rows    = source.n_rows;
    this->n_cols    = source.n_cols;
    this->node_size = node_size;
    if (changing != nullptr && source.ghosts)
      place = places_of_owned(*context, source);
    source.ghosts ? store(owned_block(source), changing) : store(source, changing);
    take_ghosts(source, changing);
  }

  void multiply(Number a, const Number *x, Number b, Number *y) const override
  {
    if (this->ghosts)
      for_each_row(*context, *this, Entries<Number>{x}, Product<Number>(a, b, y));
    else
      product(a, x, b, y);
  }
  // The addresses stay.
  void update(const CSRMatrix<double> &source) override
  {
    if (this->n_rows != source.n_rows || pattern != pattern_of(source))
      throw RunError("new values of a matrix: the matrix that has them has another pattern");
    const Array<double> owned = source.ghosts ? owned_block(source).value : source.value;
    const Array<Number> values(owned.begin(), owned.end());
    context->upload(value.data(), values.data(), values.size() * sizeof(Number));
    if (!this->ghosts)
      return;
    take_ghosts(source, nullptr);
    context->outdate_graphs(); // the ghosts' addresses have
  }
  void update_values(const RowsView &rows) override
  {
    take_values(rows.value);
    if (this->ghosts)
      this->ghosts->take_values(*context, rows.value);
  }
  std::size_t bytes() const override
  {
    return (start.size() + column.size() + place.size()) * sizeof(int) + value.size() * sizeof(Number) + buffer.size() +
           (this->ghosts ? this->ghosts->bytes() : 0);
  }
  std::string format() const override
  {
    std::ostringstream text;
    text << this->n_rows << " x " << this->n_cols << ", compressed rows for cuSPARSE, " << value.size() << " entries, "
         << bytes() / 1000000. << " MB";
    return text.str();
  }
  const Number *product(const Number *x) const override
  {
    auto *result = static_cast<Number *>(libraries->product());
    product(Number(1), x, Number(0), result);
    return result;
  }
  Number    *operand() const override { return static_cast<Number *>(libraries->operand()); }
  const int *row_start() const override { return start.data(); }

private:
  using Matrix                            = std::shared_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>>;
  using Vector                            = std::shared_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>>;
  static constexpr cudaDataType type      = sizeof(Number) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
  static constexpr auto         algorithm = CUSPARSE_SPMV_CSR_ALG2;

  void store(const CSRMatrix<double> &owned, const RowsView *changing)
  {
    to_index(owned.n_nonzeros(), "entries of a matrix for cuSPARSE");
    const Array<int> starts(owned.row_start.begin(), owned.row_start.end());
    this->n_owned_cols = owned.n_cols;
    start              = to_device(*context, starts.data(), starts.size(), "matrices");
    column             = to_device(*context, owned.column.data(), owned.n_nonzeros(), "matrices");
    if (changing != nullptr)
      {
        value = DeviceArray<Number>(context->memory_of_device(), owned.n_nonzeros(), "matrices");
        take_values(changing->value);
      }
    else
      {
        const Array<Number> values(owned.value.begin(), owned.value.end());
        value = to_device(*context, values.data(), values.size(), "matrices");
        context->synchronize();
      }
    libraries->make_room<Number>(this->n_rows, this->n_owned_cols);
    if (value.size() > 0)
      describe();
  }

  Vector describe_vector(int n, void *values) const
  {
    cusparseDnVecDescr_t   created = nullptr;
    const cusparseStatus_t status  = libraries->cusparse.create_vector(&created, n, values, type);
    Vector                 owned(created, [libraries = libraries](auto v) { libraries->cusparse.destroy_vector(v); });
    libraries->check(status, "cusparseCreateDnVec", n, values);
    return owned;
  }

  void describe()
  {
    const Cusparse        &cusparse = libraries->cusparse;
    cusparseSpMatDescr_t   created  = nullptr;
    const cusparseStatus_t status =
      cusparse.create_csr(&created, this->n_rows, this->n_owned_cols, value.size(), start.data(), column.data(),
                          value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    matrix.reset(created, [libraries = libraries](auto m) { libraries->cusparse.destroy_csr(m); });
    libraries->check(status, "cusparseCreateCsr", this->n_rows, this->n_owned_cols, value.size(), start.data(),
                     column.data(), value.data());
    x_vector = describe_vector(this->n_owned_cols, libraries->operand());
    y_vector = describe_vector(this->n_rows, libraries->product());

    const Number one = 1, zero = 0;
    std::size_t  bytes = 0;
    libraries->check(cusparse.buffer_size(libraries->sparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                          matrix.get(), x_vector.get(), &zero, y_vector.get(), type, algorithm, &bytes),
                     "cusparseSpMV_bufferSize", this->n_rows, this->n_owned_cols, value.size());
    buffer = DeviceArray<char>(context->memory_of_device(), bytes, "matrices");
    libraries->check(
      cusparse.preprocess(libraries->sparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix.get(),
                          x_vector.get(), &zero, y_vector.get(), type, algorithm, buffer.data()),
      "cusparseSpMV_preprocess", this->n_rows, this->n_owned_cols, value.size(), static_cast<void *>(buffer.data()));
  }

  void take_ghosts(const CSRMatrix<double> &source, const RowsView *changing)
  {
    if (!source.ghosts || (source.ghosts->sends.empty() && source.ghosts->receives.empty()))
      return; // it needs nothing of other ranks
    const auto exchange =
      this->ghosts ? this->ghosts->exchange : std::make_shared<Exchange<Number>>(context, source.ghosts);
    this->ghosts = std::make_shared<GhostMatrix<Number>>(context, source, this->node_size, exchange, false, changing);
  }

  void take_values(const double *source)
  {
    const int n = to_index(value.size(), "entries of a matrix");
    if (place.size() > 0)
      for_each(*context, n, Gather<double, Number>{place.data(), source, value.data()});
    else
      for_each(*context, n, Convert<double, Number>{source, value.data()});
  }

  void product(Number a, const Number *x, Number b, Number *y) const
  {
    if (!matrix)
      {
        if (b == Number(0))
          context->clear(y, this->n_rows * sizeof(Number));
        else if (b != Number(1))
          for_each(*context, this->n_rows, Scale<Number>{b, y});
        return;
      }
    const Cusparse &cusparse = libraries->cusparse;
    libraries->check(cusparse.set_values(x_vector.get(), const_cast<Number *>(x)), "cusparseDnVecSetValues", x);
    libraries->check(cusparse.set_values(y_vector.get(), y), "cusparseDnVecSetValues", y);
    libraries->check(cusparse.multiply(libraries->sparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &a, matrix.get(),
                                       x_vector.get(), &b, y_vector.get(), type, algorithm, buffer.data()),
                     "cusparseSpMV", this->n_rows, this->n_owned_cols, value.size(), a, x, b, y);
  }

  std::shared_ptr<Context>   context;
  std::shared_ptr<Libraries> libraries; // the descriptors need them to the end
  std::size_t                pattern = 0;
  DeviceArray<int>           start, column;
  DeviceArray<int>           place; // places of changing values where ghosts lie between them
  DeviceArray<Number>        value;
  mutable DeviceArray<char>  buffer;
  Matrix                     matrix; // null where there are no entries
  Vector                     x_vector, y_vector;
};
} // namespace

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cusparse_matrix(Context &context, std::shared_ptr<Libraries> libraries,
                                                            const CSRMatrix<double> &source, int node_size,
                                                            const RowsView *changing)
{
  return std::make_shared<CusparseMatrix<Number>>(context.shared_from_this(), std::move(libraries), source, node_size,
                                                  changing);
}

template std::shared_ptr<MatrixStorage<double>> make_cusparse_matrix(Context &, std::shared_ptr<Libraries>,
                                                                     const CSRMatrix<double> &, int, const RowsView *);
template std::shared_ptr<MatrixStorage<float>>  make_cusparse_matrix(Context &, std::shared_ptr<Libraries>,
                                                                     const CSRMatrix<double> &, int, const RowsView *);
} // namespace adamant::cuda
