#pragma once

#include "base/communicator.h"
#include "base/csr_matrix.h"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace adamant
{
template <typename Number>
class HostGhosts;

/// Vector of one backend: this rank's part, owned, movable, not copyable (copies are explicit: Backend::copy).
template <typename Number>
class HostVector
{
public:
  using value_type = Number;
  HostVector()     = default;
  explicit HostVector(int n)
    : values(n)
  {}
  HostVector(HostVector &&) noexcept            = default;
  HostVector &operator=(HostVector &&) noexcept = default;

  int           size() const { return static_cast<int>(values.size()); }
  Number       *data() { return values.data(); }
  const Number *data() const { return values.data(); }

private:
  Array<Number> values;
};

/// Sparse matrix in sliced ELL format: `lanes` consecutive rows form a slice, stored by columns so that a product runs
/// through the vector units, short rows padded with zeros. Products are bound by memory, so slices are stored short.
/// Columns: only the first row's where those of the others follow one by one (nodes numbered along lines of a mesh),
/// else as 16-bit distances from the slice's lowest column where they fit. Values: once for all rows of the slice where
/// they agree to rounding (16 units in the last place of the row's largest entry), as with constant coefficients. Dense
/// blocks of m x m (the components of a node follow each other) have slices of `lanes` nodes: a column for each block. Where
/// padding would more than double the entries, the matrix is stored in compressed rows instead and has no slices.
template <typename Number>
struct HostMatrix
{
  static constexpr int lanes = 64 / sizeof(Number); ///< one AVX-512 register, two of AVX2

  struct Slice
  {
    std::size_t column; ///< where the slice begins in narrow_column or column
    std::size_t value;  ///< where it begins in value
    int         lowest_column;
    int         width;      ///< entries a row, or blocks a node
    bool        contiguous; ///< columns of the first row (node) only; row r has them shifted by r, node r by m r
    bool        narrow;     ///< 16-bit columns
    bool        shared;     ///< one value for all rows
  };

  int                   n_rows = 0, n_cols = 0;
  int                   node_size = 1; ///< m
  std::vector<Slice>    slices;        ///< empty for compressed rows
  Array<int>            row_start;     ///< of compressed rows
  Array<int>            column;
  Array<unsigned short> narrow_column;
  Array<Number>         value;

  std::shared_ptr<HostGhosts<Number>> ghosts; ///< the entries in columns of other ranks; null: none
};

/// Dense square matrix, row-major.
template <typename Number>
struct HostDenseMatrix
{
  int           n = 0;
  Array<Number> value;
};

/// A copy of a vector's values.
class HostSnapshot
{
public:
  HostSnapshot() = default;
  explicit HostSnapshot(int n)
    : copies(n)
  {}
  double       *data() { return copies.data(); }
  const double *values() const { return copies.data(); }

private:
  Array<double> copies;
};

/// The algebra on the CPU: OpenMP over rows, one object per precision, no globals. All sizes are this rank's own; reductions
/// run over all ranks, and products fetch what they need of other ranks' vectors: all ranks call them together. Reductions
/// sum fixed blocks in a fixed order, so that a result does not depend on the number of threads. Output vectors must
/// not alias input vectors unless stated. Every method of HostBackend has its twin in CudaBackend.
template <typename Number>
class HostBackend
{
public:
  using value_type  = Number;
  using Vector      = HostVector<Number>;
  using Matrix      = HostMatrix<Number>;
  using DenseMatrix = HostDenseMatrix<Number>;
  using Scalars     = std::vector<double>;   ///< results of reductions, where the backend computes them
  using Graph       = std::function<void()>; ///< a recorded sequence of operations
  using Snapshot    = HostSnapshot;
  template <typename Other>
  using Rebind = HostBackend<Other>;

  explicit HostBackend(int n_threads, const Communicator &ranks = Communicator());
  /// The same threads in another precision.
  template <typename Other>
  explicit HostBackend(const HostBackend<Other> &other)
    : HostBackend(other.n_threads(), other.communicator())
  {}

  const Communicator &communicator() const { return ranks; }

  int         n_threads() const { return threads; }
  std::size_t peak_memory() const { return 0; } ///< of a device, in bytes: the host is none
  std::string device_name() const;              ///< the processor's name as the operating system gives it

  /// @name Storage. Host data go in and out by upload and download.
  /// @{
  Vector create_vector(int n) const; ///< n zeros
  /// `node_size` rows belong to one node: a hint for the format.
  Matrix      create_matrix(const CSRMatrix<double> &source, int node_size = 1) const;
  DenseMatrix create_dense_matrix(const Array<double> &row_major, int n) const;
  void        update_values(Matrix &matrix, const CSRMatrix<double> &source) const; ///< new values
  void        upload(const double *source, Vector &x) const;   ///< x.size() values from host memory
  void        download(const Vector &x, double *target) const; ///< x.size() values to host memory
  void        synchronize() const {}
  Snapshot    create_snapshot(int n) const { return Snapshot(n); }
  /// Copies x to host memory, beside the operations that follow; Snapshot::values waits for it and gives x.size() values.
  void take(const Vector &x, Snapshot &snapshot) const { download(x, snapshot.data()); }
  /// @}

  /// @name Vector operations
  /// @{
  void set_zero(Vector &x) const;
  void copy(const Vector &x, Vector &y) const;                      ///< y = x
  void scale(Number a, Vector &x) const;                            ///< x = a x
  void axpby(Number a, const Vector &x, Number b, Vector &y) const; ///< y = a x + b y; b = 0: y is not read
  void scale_by_diagonal(Number a, const Vector &d, const Vector &x, Vector &y, int block_size) const; ///< y = a D x
  /// y = x between the precisions: the preconditioner's door.
  template <typename Other>
  void convert(const HostVector<Other> &x, Vector &y) const;
  /// x += sum_i a[i] basis[i], i < k.
  template <typename Other>
  void   multi_axpy(const std::vector<HostVector<Other>> &basis, int k, const double *a, Vector &x) const;
  double dot(const Vector &x, const Vector &y) const;
  double norm(const Vector &x) const;
  /// h[i] = basis[i] . w for i < k: all inner products in one pass.
  void multi_dot(const std::vector<Vector> &basis, int k, const Vector &w, Scalars &h) const;
  /// Classical Gram-Schmidt, twice: w <- (w - V Vᵀw)/‖·‖; h[0..k-1] the coefficients, h[k] the norm before scaling (a
  /// zero norm leaves w unscaled). Needs k + 1 scalars. Liebchen et al., Section 4.1.5, with re-orthogonalisation.
  void orthonormalize(const std::vector<Vector> &basis, int k, Vector &w, Scalars &h) const;
  /// @name The steps of conjugate gradients, whose scalars stay where the backend computes them
  /// @{
  void dot(const Vector &x, const Vector &y, Scalars &s, int i) const; ///< s[i] = x . y
  void xpay(const Vector &x, const Scalars &s, int numerator, int denominator,
            Vector &y) const; ///< y = x + s[.]/s[.] y
  /// With a = s[numerator] / s[denominator]: x += a p, r -= a q, s[i] = r . r.
  void step_along(const Vector &p, const Vector &q, int numerator, int denominator, Vector &x, Vector &r, Scalars &s,
                  int i) const;
  /// @}
  Scalars       create_scalars(int n) const { return Scalars(n, 0.); }
  const double *fetch(Scalars &h, int /*n*/) const { return h.data(); } ///< host copy of the first n; the only wait
  /// @}

  /// @name Matrix operations. Fused where a pass over memory is saved.
  /// @{
  void spmv(Number a, const Matrix &A, const Vector &x, Number b, Vector &y) const;  ///< y = a A x + b y
  void residual(const Matrix &A, const Vector &x, const Vector &b, Vector &r) const; ///< r = b - A x
  /// r = b - A x, s[0] = ‖r‖₂, s[1] = ‖b‖₂.
  void residual_norms(const Matrix &A, const Vector &x, const Vector &b, Vector &r, Scalars &s) const;
  /// r = b - A x, coarse = R r.
  void residual_restrict(const Matrix &A, const Vector &x, const Vector &b, const Matrix &R, Vector &r,
                         Vector &coarse) const;
  /// y = x + beta D (b - A x): damped (node-block) Jacobi. D is block diagonal with blocks of m x m, m = block_size; entry (i, j)
  /// of all n_nodes = n / m blocks lies together: D[(i m + j) n_nodes + node].
  void jacobi_step(const Matrix &A, const Vector &D, int block_size, Number beta, const Vector &b, const Vector &x,
                   Vector &y) const;
  /// y = beta D (2 b - beta A D b): two damped Jacobi steps from zero, D diagonal; the scratch vector may hold the first.
  void jacobi_two_steps(const Matrix &A, const Vector &D, Number beta, const Vector &b, Vector &scratch,
                        Vector &y) const;
  /// d = alpha d_old + beta D (b - A x), y = x + d: one step of Chebyshev's iteration. d_old may be d or x, and is not
  /// read where alpha is 0.
  void chebyshev_step(const Matrix &A, const Vector &D, int block_size, Number alpha, Number beta, const Vector &b,
                      const Vector &x, const Vector &d_old, Vector &d, Vector &y) const;
  /// d = alpha d_old + beta A r, x += d: the same with a preconditioner whose last factor is the sparse matrix A.
  void spmv_update(Number alpha, Number beta, const Matrix &A, const Vector &r, const Vector &d_old, Vector &d,
                   Vector &x) const;
  void gemv(const DenseMatrix &A, const Vector &x, Vector &y) const; ///< y = A x
  /// @}

  /// Calls functor(i) for 0 <= i < n, in any order; the functor holds pointers from Vector::data().
  template <typename Functor>
  void for_each(int n, const Functor &functor) const
  {
#pragma omp parallel for num_threads(threads_for(n)) schedule(static)
    for (int i = 0; i < n; ++i)
      functor(i);
  }

  /// Records what `operations` does on this backend's vectors, to be replayed with the same vectors any number of times.
  Graph record(const std::function<void()> &operations) const
  {
    return operations;
  }
  void replay(const Graph &graph) const
  {
    graph();
  }
  static int n_operations(const Graph &)
  {
    return 0;
  } ///< launches that the graph replaces; the host has none

  /// Whether operations run beside the host, which may do other work meanwhile.
  static constexpr bool asynchronous = false;

private:
  Matrix compressed_rows(const CSRMatrix<double> &source) const;

  /// Short loops are not worth waking threads for.
  int threads_for(int n) const
  {
    return n < 4096 ? 1 : threads;
  }

  template <typename BlockSums>
  void sum_blocks(int n, int n_sums, double *result, const BlockSums &block_sums) const;

  int          threads;
  Communicator ranks;
};
} // namespace adamant
