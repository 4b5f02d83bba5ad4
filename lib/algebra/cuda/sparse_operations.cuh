#pragma once

#include "algebra/cuda/for_each_row.cuh"
#include "algebra/cuda/reduction.cuh"

// The matrix operations of CudaBackend: what each does with a row's product and what it fetches for the row; and how it changes a row's
// results, fetched before, when more is to be added to the product. Instantiated per precision in its own .cu file.

namespace adamant
{
namespace cuda
{
/// One damped Jacobi step from zero, computed where it is needed.
template <typename Number>
struct FirstJacobiStep
{
  Number            beta;
  const Number     *D, *b;
  __device__ Number operator()(int i) const { return beta * D[i] * b[i]; }
};

struct RowWise
{
  static constexpr bool exchange = false, skips_empty = false, is_product = false;
};

template <typename Number>
struct Product : RowWise // y = a A x + b y
{
  static constexpr bool is_product = true;

  Number  a, b;
  Number *y;
  Product(Number a, Number b, Number *y)
    : a(a)
    , b(b)
    , y(y)
  {}
  __device__ Number fetch(int row) const
  {
    return b == Number(0) ? Number(0) : y[row];
  } // with b = 0, y may hold anything
  __device__ void   operator()(int row, Number sum, Number y_row) const { y[row] = a * sum + b * y_row; }
  __device__ Number result(int row) const { return y[row]; }
  __device__ void   add(int row, Number sum, Number result) const { y[row] = result + a * sum; }
};

template <typename Number>
struct Addition // y += a A x, empty rows untouched
{
  static constexpr bool exchange = false, skips_empty = true, is_product = true;
  Number                a;
  Number               *y;
  __device__ Number     fetch(int row) const { return y[row]; }
  __device__ void       operator()(int row, Number sum, Number y_row) const { y[row] = y_row + a * sum; }
  __device__ Number     result(int row) const { return y[row]; }
  __device__ void       add(int row, Number sum, Number result) const { y[row] = result + a * sum; }
};

template <typename Number>
struct Residual : RowWise
{
  const Number *b;
  Number       *r;
  Residual(const Number *b, Number *r)
    : b(b)
    , r(r)
  {}
  __device__ Number fetch(int row) const { return b[row]; }
  __device__ void   operator()(int row, Number sum, Number b_row) const { r[row] = b_row - sum; }
  __device__ Number result(int row) const { return r[row]; }
  __device__ void   add(int row, Number sum, Number result) const { r[row] = result - sum; }
};

/// d = alpha d_old + beta D (b - A x), y = x + d; d may be null.
template <typename Number, bool exchange_>
struct SmootherStep
{
  static constexpr bool exchange = exchange_, skips_empty = false, is_product = false;
  int                   node_size, n_nodes;
  Number                alpha, beta;
  const Number         *D, *b, *x, *d_old; // of D, entry (i, j) of all blocks lies together
  Number               *d, *y;

  struct Operands
  {
    Number D, b, x, d_old;
  };
  __device__ Number   old_direction(int row) const { return alpha == Number(0) ? Number(0) : d_old[row]; }
  __device__ Operands fetch(int row) const { return {D[row], b[row], x[row], old_direction(row)}; }
  __device__ Number   residual(int row, Number sum) const { return b[row] - sum; }
  __device__ void     update(int row, Number correction, Number x_row, Number old) const
  {
    const Number direction = alpha * old + beta * correction;
    if (d != nullptr)
      d[row] = direction;
    y[row] = x_row + direction;
  }
  __device__ void operator()(int row, Number sum, const Operands &o) const
  {
    update(row, o.D * (o.b - sum), o.x, o.d_old);
  }
  /// All rows of a node at once.
  template <int rows>
  __device__ void finish_node(int node, const Number (&residual)[rows]) const
  {
    Number block[rows * rows], x_node[rows], old[rows];
#pragma unroll
    for (int k = 0; k < rows * rows; ++k)
      block[k] = D[static_cast<long>(k) * n_nodes + node];
#pragma unroll
    for (int c = 0; c < rows; ++c)
      {
        x_node[c] = x[node * rows + c];
        old[c]    = old_direction(node * rows + c);
      }
#pragma unroll
    for (int c = 0; c < rows; ++c)
      {
        Number correction = 0;
#pragma unroll
        for (int k = 0; k < rows; ++k)
          correction += block[c * rows + k] * residual[k];
        update(node * rows + c, correction, x_node[c], old[c]);
      }
  }
  __device__ void operator()(int row, const Number *residuals_of_node) const
  {
    const Number *block      = D + static_cast<long>(row % node_size) * node_size * n_nodes + row / node_size;
    Number        correction = 0;
    for (int c = 0; c < node_size; ++c)
      correction += block[static_cast<long>(c) * n_nodes] * residuals_of_node[c];
    update(row, correction, x[row], old_direction(row));
  }
  template <int most>
  struct Result
  {
    Number D[most], d, y;
  };
  __device__ Result<1> result(int row) const
  {
    return {{D[row]}, d != nullptr ? d[row] : Number(0), y[row]};
  }
  __device__ void add(int row, Number sum, const Result<1> &result) const
  {
    change(row, -beta * result.D[0] * sum, result);
  }
  /// Of a node, the k-th row, which the sums of all its rows, at most `most`, change.
  template <int most>
  __device__ Result<most> result(int node, int k) const
  {
    Result<most> r;
    const int    row = node * node_size + k;
#pragma unroll
    for (int c = 0; c < most; ++c)
      r.D[c] = c < node_size ? D[static_cast<long>(k * node_size + c) * n_nodes + node] : Number(0);
    r.d = d != nullptr ? d[row] : Number(0);
    r.y = y[row];
    return r;
  }
  template <int most>
  __device__ void add(int node, int k, const Number (&sum)[most], const Result<most> &result) const
  {
    Number correction = 0;
#pragma unroll
    for (int c = 0; c < most; ++c)
      correction += result.D[c] * sum[c];
    change(node * node_size + k, -beta * correction, result);
  }
  template <int most>
  __device__ void change(int row, Number by, const Result<most> &result) const
  {
    if (d != nullptr)
      d[row] = result.d + by;
    y[row] = result.y + by;
  }
};

template <typename Number>
struct SecondJacobiStep : RowWise
{
  Number        beta;
  const Number *D, *b;
  Number       *y;
  SecondJacobiStep(Number beta, const Number *D, const Number *b, Number *y)
    : beta(beta)
    , D(D)
    , b(b)
    , y(y)
  {}
  struct Operands
  {
    Number D, b;
  };
  __device__ Operands fetch(int row) const { return {D[row], b[row]}; }
  __device__ void     operator()(int row, Number sum, const Operands &o) const
  {
    y[row] = beta * o.D * o.b + beta * o.D * (o.b - sum);
  }
  struct Result
  {
    Number D, y;
  };
  __device__ Result result(int row) const { return {D[row], y[row]}; }
  __device__ void   add(int row, Number sum, const Result &result) const { y[row] = result.y - beta * result.D * sum; }
};

/// d = alpha d_old + beta A r, x += d.
template <typename Number>
struct Update : RowWise
{
  Number        alpha, beta;
  const Number *d_old;
  Number       *d, *x;
  Update(Number alpha, Number beta, const Number *d_old, Number *d, Number *x)
    : alpha(alpha)
    , beta(beta)
    , d_old(d_old)
    , d(d)
    , x(x)
  {}
  struct Operands
  {
    Number x, d_old;
  };
  __device__ Operands fetch(int row) const { return {x[row], alpha == Number(0) ? Number(0) : d_old[row]}; }
  __device__ void     operator()(int row, Number sum, const Operands &o) const
  {
    const Number direction = alpha * o.d_old + beta * sum;
    d[row]                 = direction;
    x[row]                 = o.x + direction;
  }
  struct Result
  {
    Number d, x;
  };
  __device__ Result result(int row) const { return {d[row], x[row]}; }
  __device__ void   add(int row, Number sum, const Result &result) const
  {
    d[row] = result.d + beta * sum;
    x[row] = result.x + beta * sum;
  }
};

/// The norms of r and b, together, or their squares.
template <typename Number>
__global__ void norms_kernel(int n, const Number *r, const Number *b, Reduction reduction, bool squares,
                             double *on_device, double *on_host)
{
  wait_for_predecessor();
  double square[2] = {0, 0}, sum[2];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
      const double r_i = r[i], b_i = b[i];
      square[0] += r_i * r_i;
      square[1] += b_i * b_i;
    }
  if (reduction.total(square, sum))
    for (int s = 0; s < 2; ++s)
      on_device[s] = on_host[s] = squares ? sum[s] : sqrt(sum[s]);
}

/// One warp a row; rows are padded so that they are read four numbers at once.
template <typename Number>
__global__ void gemv_kernel(int n, int row_length, const Number *A, const Number *x, Number *y)
{
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  wait_for_predecessor();
  if (row >= n)
    return;
  Number sum = 0;
  for (int j = 4 * lane; j < n; j += 128)
    {
      Number a[4] = {};
#pragma unroll
      for (int i = 0; i < 4; i += 16 / sizeof(Number))
        *reinterpret_cast<int4 *>(a + i) =
          *reinterpret_cast<const int4 *>(A + static_cast<long>(row) * row_length + j + i);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (j + i < n)
          sum += a[i] * x[j + i];
    }
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0)
    y[row] = sum;
}
} // namespace cuda

template <typename Number>
void CudaBackend<Number>::spmv(Number a, const Matrix &A, const Vector &x, Number b, Vector &y) const
{
  if (b == Number(1))
    cuda::for_each_row(*context, "spmv_add", A, cuda::Entry<Number>{x.data()}, cuda::Addition<Number>{a, y.data()});
  else
    cuda::for_each_row(*context, "spmv", A, cuda::Entry<Number>{x.data()}, cuda::Product<Number>(a, b, y.data()));
}

template <typename Number>
void CudaBackend<Number>::residual(const Matrix &A, const Vector &x, const Vector &b, Vector &r) const
{
  cuda::for_each_row(*context, "residual", A, cuda::Entry<Number>{x.data()},
                     cuda::Residual<Number>(b.data(), r.data()));
}

template <typename Number>
void CudaBackend<Number>::residual_norms(const Matrix &A, const Vector &x, const Vector &b, Vector &r, Scalars &s) const
{
  // Not one kernel: the product needs every warp there is, the sums a fixed number of blocks (68 + 6 against 118 us).
  residual(A, x, b, r);
  cuda::launch(*context, "residual_norms", cuda::norms_kernel<Number>, cuda::reduction_blocks_for(A.n_rows),
               cuda::block_size, A.n_rows, r.data(), b.data(), cuda::Reduction(*context),
               cuda::leaves_sums_to_ranks(*context), s.device(), s.host());
  cuda::sum_over_ranks(*context, 2, s.device(), s.host(), true);
}

template <typename Number>
void CudaBackend<Number>::residual_restrict(const Matrix &A, const Vector &x, const Vector &b, const Matrix &R,
                                            Vector &r, Vector &coarse) const
{
  residual(A, x, b, r);
  spmv(1, R, r, 0, coarse);
}

template <typename Number>
void CudaBackend<Number>::jacobi_step(const Matrix &A, const Vector &D, int block_size, Number beta, const Vector &b,
                                      const Vector &x, Vector &y) const
{
  const cuda::Entry<Number> entry{x.data()};
  if (block_size == 1)
    cuda::for_each_row(*context, "jacobi_step", A, entry,
                       cuda::SmootherStep<Number, false>{1, A.n_rows, 0, beta, D.data(), b.data(), x.data(), nullptr,
                                                         nullptr, y.data()});
  else
    cuda::for_each_row(*context, "jacobi_step", A, entry,
                       cuda::SmootherStep<Number, true>{block_size, A.n_rows / block_size, 0, beta, D.data(), b.data(),
                                                        x.data(), nullptr, nullptr, y.data()},
                       block_size);
}

template <typename Number>
void CudaBackend<Number>::jacobi_two_steps(const Matrix &A, const Vector &D, Number beta, const Vector &b,
                                           Vector & /*scratch*/, Vector &y) const
{
  cuda::for_each_row(*context, "jacobi_two_steps", A, cuda::FirstJacobiStep<Number>{beta, D.data(), b.data()},
                     cuda::SecondJacobiStep<Number>(beta, D.data(), b.data(), y.data()));
}

template <typename Number>
void CudaBackend<Number>::chebyshev_step(const Matrix &A, const Vector &D, int block_size, Number alpha, Number beta,
                                         const Vector &b, const Vector &x, const Vector &d_old, Vector &d,
                                         Vector &y) const
{
  const cuda::Entry<Number> entry{x.data()};
  if (block_size == 1)
    cuda::for_each_row(*context, "chebyshev_step", A, entry,
                       cuda::SmootherStep<Number, false>{1, A.n_rows, alpha, beta, D.data(), b.data(), x.data(),
                                                         d_old.data(), d.data(), y.data()});
  else
    cuda::for_each_row(*context, "chebyshev_step", A, entry,
                       cuda::SmootherStep<Number, true>{block_size, A.n_rows / block_size, alpha, beta, D.data(),
                                                        b.data(), x.data(), d_old.data(), d.data(), y.data()},
                       block_size);
}

template <typename Number>
void CudaBackend<Number>::spmv_update(Number alpha, Number beta, const Matrix &A, const Vector &r, const Vector &d_old,
                                      Vector &d, Vector &x) const
{
  cuda::for_each_row(*context, "spmv_update", A, cuda::Entry<Number>{r.data()},
                     cuda::Update<Number>(alpha, beta, d_old.data(), d.data(), x.data()));
}

template <typename Number>
void CudaBackend<Number>::gemv(const DenseMatrix &A, const Vector &x, Vector &y) const
{
  cuda::launch(*context, "gemv", cuda::gemv_kernel<Number>, cuda::blocks_for(32L * A.n), cuda::block_size, A.n,
               A.row_length, A.value.data(), x.data(), y.data());
}
} // namespace adamant
