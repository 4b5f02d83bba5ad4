#pragma once

#include "data.h"

#include "algebra/host/backend.h"
#include "base/csr_matrix.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#endif

#include <memory>
#include <vector>

/// A step without kernels of its own: one sparse product for each matrix and component, in compressed rows, by cuSPARSE on the
/// GPU; the products of velocities are formed on the host, as in column GPU* of Table 4 of the paper. For comparisons.
namespace navier_stokes
{
/// A matrix in compressed rows, on the backend.
template <class Backend>
class PlainMatrix;

template <>
class PlainMatrix<adamant::HostBackend<double>>
{
public:
  PlainMatrix(const adamant::HostBackend<double> &backend, const adamant::CSRMatrix<double> &source)
    : n_threads(backend.n_threads())
    , A(source)
  {}
  /// y = A x + b y.
  void vmult(const double *x, double b, double *y) const
  {
#pragma omp parallel for num_threads(n_threads) schedule(static)
    for (int i = 0; i < A.n_rows; ++i)
      {
        double sum = b == 0. ? 0. : b * y[i];
        for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          sum += A.value[k] * x[A.column[k]];
        y[i] = sum;
      }
  }

private:
  int                        n_threads;
  adamant::CSRMatrix<double> A;
};

#if ADAMANT_WITH_CUDA
template <>
class PlainMatrix<adamant::CudaBackend<double>>
{
public:
  PlainMatrix(const adamant::CudaBackend<double> &backend, const adamant::CSRMatrix<double> &source);
  void vmult(const double *x, double b, double *y) const;

private:
  struct Storage; // defined for .cu files
  adamant::CudaBackend<double> backend;
  std::shared_ptr<Storage>     storage;
};
#endif

/// The twin of FlowProducts. `timed(part, work)` runs work under the name of a part of Table 4.
template <int dim, class Backend>
class SeparateFlowProducts
{
public:
  using Vector = typename Backend::Vector;

  SeparateFlowProducts(const Backend &backend, const std::vector<const adamant::CSRMatrix<double> *> &momentum_matrices,
                       const std::vector<const adamant::CSRMatrix<double> *> &divergence_matrices)
    : backend(backend)
    , n(momentum_matrices[0]->n_rows)
    , products(backend.create_vector(n_products * n))
    , rhs(backend.create_vector(dim * n))
    , u_on_host(std::size_t(dim) * n)
    , products_on_host(std::size_t(n_products) * n)
  {
    for (const auto *matrix : momentum_matrices)
      momentum_matrix.emplace_back(backend, *matrix);
    for (const auto *matrix : divergence_matrices)
      divergence_matrix.emplace_back(backend, *matrix);
  }

  template <typename Timed>
  void momentum(const Timed &timed, double dt, const Vector &u, const Vector &p, const Vector &inverse_mass,
                const Vector &force, Vector &u_new)
  {
    timed("copy", [&] { backend.download(u, u_on_host.data()); });
    timed("mom-rhs-nonlin", [&] { multiply_velocities(); });
    timed("copy", [&] { backend.upload(products_on_host.data(), products); });
    timed("mom-rhs-nonlin", [&] {
      for (int c = 0; c < dim; ++c)
        for (int d = 0; d < dim; ++d)
          momentum_matrix[1 + d].vmult(products.data() + place(d, c) * long(n), d == 0 ? 0. : 1., component(rhs, c));
    });
    timed("mom-rhs-p", [&] {
      for (int c = 0; c < dim; ++c)
        momentum_matrix[1 + c].vmult(p.data(), 1., component(rhs, c));
    });
    timed("mom-rhs-visc", [&] {
      for (int c = 0; c < dim; ++c)
        momentum_matrix[0].vmult(u.data() + c * long(n), 1., component(rhs, c));
    });
    timed("mom-solve", [&] {
      backend.for_each(n, MomentumUpdate{dim, n, dt, u.data(), rhs.data(), inverse_mass.data(),
                                         force.size() > 0 ? force.data() : nullptr, u_new.data()});
    });
  }

  void divergence(const Vector &u, Vector &g) const
  {
    for (int d = 0; d < dim; ++d)
      divergence_matrix[d].vmult(u.data() + d * long(n), d == 0 ? 0. : 1., g.data());
  }

private:
  static constexpr int n_products = dim * (dim + 1) / 2;
  static int place(int c, int d) { return c > d ? place(d, c) : c * dim - c * (c - 1) / 2 + d - c; } // of u_c u_d
  double    *component(Vector &v, int c) const { return v.data() + c * long(n); }

  void multiply_velocities()
  {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < dim; ++c)
        for (int d = c; d < dim; ++d)
          products_on_host[place(c, d) * std::size_t(n) + i] =
            u_on_host[c * std::size_t(n) + i] * u_on_host[d * std::size_t(n) + i];
  }

  Backend                           backend;
  int                               n;
  std::vector<PlainMatrix<Backend>> momentum_matrix, divergence_matrix;
  Vector                            products, rhs;
  adamant::Array<double>            u_on_host, products_on_host;
};
} // namespace navier_stokes
