#pragma once

#include "algebra/cuda/context.h"
#include "base/csr_matrix.h"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace adamant
{
/// Vector in device memory: owned, movable. `data` is a device pointer.
template <typename Number>
class CudaVector
{
public:
  using value_type = Number;
  CudaVector()     = default;
  CudaVector(const std::shared_ptr<CudaContext> &context, int n)
    : values(context, n, "vectors")
  {}

  int           size() const { return static_cast<int>(values.size()); }
  Number       *data() { return values.data(); }
  const Number *data() const { return values.data(); }

private:
  CudaArray<Number> values;
};

/// Sparse matrix in device memory: sliced ELL, compressed without loss (format: cuda_sparse.cuh). At set-up each
/// matrix is examined:
///  - columns that come in runs of 9, 4 or 3 (quadrature points of a cell, components of a node) store one index a run;
///  - a slice of 32 rows that are one row, shifted, stores that row only, and groups of four such slices share it with all
///    groups that are alike (meshes of similar cells, numbered along lines;
///    with nodes of several rows, the slice takes one row of each of 32 nodes);
///  - another slice whose columns span less than 2^16 stores 16-bit offsets;
///  - a matrix with at most 256 different values (meshes of similar cells, transfer) stores 8-bit codes for them.
template <typename Number>
class CudaMatrix
{
public:
  int n_rows = 0, n_cols = 0;

  std::size_t bytes() const;  ///< of device memory
  std::string format() const; ///< e.g. "runs of 9, 16-bit offsets in 98% of the slices, 12 values, 31.2 MB"

  struct Storage; // defined for .cu files
  std::shared_ptr<Storage> storage;
};

/// Dense square matrix in device memory, row-major.
template <typename Number>
class CudaDenseMatrix
{
public:
  int               n = 0, row_length = 0; ///< rows are padded to 16 bytes
  CudaArray<Number> value;
};

/// The algebra on a GPU for each rank: the twin of HostBackend, which documents what its methods do. Operations are asynchronous on
/// one stream; those that return numbers wait, and so do upload, download and fetch. Reductions sum a fixed partition
/// in a fixed order: two runs agree to the last bit. Backends of both precisions share a context. Errors of CUDA are RunErrors.
template <typename Number>
class CudaBackend
{
public:
  using value_type  = Number;
  using Vector      = CudaVector<Number>;
  using Matrix      = CudaMatrix<Number>;
  using DenseMatrix = CudaDenseMatrix<Number>;
  using Scalars     = CudaScalars;
  using Graph       = CudaGraph;
  using Snapshot    = CudaSnapshot;
  template <typename Other>
  using Rebind = CudaBackend<Other>;

  explicit CudaBackend(std::shared_ptr<CudaContext> context = std::make_shared<CudaContext>())
    : context(std::move(context))
    , dot_result(std::make_shared<Scalars>(this->context, 1))
  {}
  /// The same device and stream in another precision.
  template <typename Other, typename = std::enable_if_t<!std::is_same_v<Other, Number>>>
  explicit CudaBackend(const CudaBackend<Other> &other)
    : CudaBackend(other.shared_context())
  {}

  const std::shared_ptr<CudaContext> &shared_context() const { return context; }
  const Communicator                 &communicator() const { return context->communicator(); }
  std::string                         device_name() const { return context->device_name(); }
  std::size_t                         peak_memory() const { return context->peak_memory(); } ///< device, in bytes

  /// @name Storage
  /// @{
  Vector      create_vector(int n) const;
  Matrix      create_matrix(const CSRMatrix<double> &source, int node_size = 1) const;
  DenseMatrix create_dense_matrix(const Array<double> &row_major, int n) const;
  void     update_values(Matrix &matrix, const CSRMatrix<double> &source) const; ///< recorded graphs are recorded anew
  void     upload(const double *source, Vector &x) const;
  void     download(const Vector &x, double *target) const;
  void     synchronize() const { context->synchronize(); }
  Snapshot create_snapshot(int n) const { return Snapshot(context, n); }
  void     take(const Vector &x, Snapshot &snapshot) const;
  /// @}

  /// @name Vector operations
  /// @{
  void set_zero(Vector &x) const;
  void copy(const Vector &x, Vector &y) const;
  void scale(Number a, Vector &x) const;
  void axpby(Number a, const Vector &x, Number b, Vector &y) const;
  void scale_by_diagonal(Number a, const Vector &d, const Vector &x, Vector &y, int block_size) const;
  template <typename Other>
  void convert(const CudaVector<Other> &x, Vector &y) const;
  template <typename Other>
  void    multi_axpy(const std::vector<CudaVector<Other>> &basis, int k, const double *a, Vector &x) const;
  double  dot(const Vector &x, const Vector &y) const;
  double  norm(const Vector &x) const;
  void    multi_dot(const std::vector<Vector> &basis, int k, const Vector &w, Scalars &h) const;
  void    orthonormalize(const std::vector<Vector> &basis, int k, Vector &w, Scalars &h) const;
  void    dot(const Vector &x, const Vector &y, Scalars &s, int i) const;
  void    xpay(const Vector &x, const Scalars &s, int numerator, int denominator, Vector &y) const;
  void    step_along(const Vector &p, const Vector &q, int numerator, int denominator, Vector &x, Vector &r, Scalars &s,
                     int i) const;
  Scalars create_scalars(int n) const { return Scalars(context, n); }
  const double *fetch(Scalars &h, int n) const;
  /// @}

  /// @name Matrix operations
  /// @{
  void spmv(Number a, const Matrix &A, const Vector &x, Number b, Vector &y) const;
  void residual(const Matrix &A, const Vector &x, const Vector &b, Vector &r) const;
  void residual_norms(const Matrix &A, const Vector &x, const Vector &b, Vector &r, Scalars &s) const;
  void residual_restrict(const Matrix &A, const Vector &x, const Vector &b, const Matrix &R, Vector &r,
                         Vector &coarse) const;
  void jacobi_step(const Matrix &A, const Vector &D, int block_size, Number beta, const Vector &b, const Vector &x,
                   Vector &y) const;
  void jacobi_two_steps(const Matrix &A, const Vector &D, Number beta, const Vector &b, Vector &scratch,
                        Vector &y) const;
  void chebyshev_step(const Matrix &A, const Vector &D, int block_size, Number alpha, Number beta, const Vector &b,
                      const Vector &x, const Vector &d_old, Vector &d, Vector &y) const;
  void spmv_update(Number alpha, Number beta, const Matrix &A, const Vector &r, const Vector &d_old, Vector &d,
                   Vector &x) const;
  void gemv(const DenseMatrix &A, const Vector &x, Vector &y) const;
  /// @}

  /// Instantiated in the application's .cu file, which includes cuda_for_each.cuh.
  template <typename Functor>
  void for_each(int n, const Functor &functor) const;

  Graph      record(const std::function<void()> &operations) const; ///< as a CUDA graph; `operations` must not wait
  void       replay(const Graph &graph) const;
  static int n_operations(const Graph &graph) { return graph.recording->n_nodes; }

  static constexpr bool asynchronous = true;

  /// Bytes read plus bytes written per second by a copy within device memory, much larger than the caches.
  double copy_bandwidth() const;
  double seconds(const Graph &graph, int samples = 5) const; ///< of one replay on the device, median

private:
  std::shared_ptr<CudaContext> context;
  std::shared_ptr<Scalars>     dot_result;
};
} // namespace adamant
