#pragma once

#include "multigrid/level_data.h"
#include "multigrid/options.h"
#include "multigrid/smoothers/setup.h"

#include <utility>
#include <vector>

namespace adamant
{
/// Polynomial smoother on one level, with S after SmootherType: n steps of
///   d <- alpha_k d + beta_k S (b - A x),   x <- x + d.
/// Damped iterations have alpha = 0, beta = omega; Chebyshev's have the coefficients of the polynomial of degree n that
/// is smallest on [1.1 lambda / range, 1.1 lambda], lambda the largest eigenvalue of S A by the power method.
/// Both functions return the vector that holds the result, x or y; the other one is scratch.
template <class Backend>
class Smoother
{
public:
  using Number = typename Backend::value_type;
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  /// `A` is level.matrix on the backend; it has to outlive the smoother.
  Smoother(const Backend &backend, const LevelData &level, const Matrix &A, const SmootherOptions &options)
    : backend(backend)
    , A(A)
    , options(options)
    , block_size(options.type == SmootherType::block_jacobi ? level.node_size : 1)
    , d(backend.create_vector(level.matrix->n_rows))
  {
    update(level);
  }

  /// Takes over new values of the level's matrix, whose pattern is unchanged.
  void update(const LevelData &level)
  {
    if (options.type == SmootherType::fsai)
      {
        const CSRMatrix<double> G = fsai_factor(*level.matrix);
        factor                    = backend.create_matrix(G);
        factor_transposed         = backend.create_matrix(transpose(G));
        r                         = backend.create_vector(level.matrix->n_rows);
        s                         = backend.create_vector(level.matrix->n_rows);
      }
    else
      {
        const Array<double> blocks = inverse_diagonal_blocks(*level.matrix, block_size);
        diagonal                   = backend.create_vector(static_cast<int>(blocks.size()));
        backend.upload(blocks.data(), diagonal);
      }
    if (options.chebyshev)
      lambda = largest_eigenvalue();
  }

  /// n >= 1 steps from x = 0.
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const
  {
    const auto c = coefficients(n);
    if (n >= 2 && options.type != SmootherType::fsai && block_size == 1 && !options.chebyshev)
      {
        backend.jacobi_two_steps(A, diagonal, c[0].second, b, y, x);
        return iterate(c, 2, b, x, y);
      }
    apply(c[0].second, b, x);
    return iterate(c, 1, b, x, y);
  }

  /// n steps from x.
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const { return iterate(coefficients(n), 0, b, x, y); }

  double eigenvalue() const { return lambda; } ///< lambda; 0 without Chebyshev

private:
  using Coefficients = std::vector<std::pair<Number, Number>>; // alpha, beta of each step

  Coefficients coefficients(int n) const
  {
    return options.chebyshev ? chebyshev_coefficients<Number>(n, 1.1 * lambda / options.range, 1.1 * lambda) :
                               Coefficients(n, {Number(0), static_cast<Number>(options.damping)});
  }

  // x = a S b
  void apply(Number a, const Vector &b, Vector &x) const
  {
    if (options.type == SmootherType::fsai)
      {
        backend.spmv(1, factor, b, 0, s);
        backend.spmv(a, factor_transposed, s, 0, x);
      }
    else
      backend.scale_by_diagonal(a, diagonal, b, x, block_size);
  }

  Vector &iterate(const Coefficients &c, std::size_t first, const Vector &b, Vector &x, Vector &y) const
  {
    Vector *from = &x, *to = &y;
    for (std::size_t k = first; k < c.size(); ++k)
      {
        const auto [alpha, beta] = c[k];
        const Vector &d_old      = k == 1 && first == 1 ? *from : d; // after one step from zero, d is x
        if (options.type == SmootherType::fsai)
          {
            backend.residual(A, *from, b, r);
            backend.spmv(1, factor, r, 0, s);
            backend.spmv_update(alpha, beta, factor_transposed, s, d_old, d, *from);
            continue;
          }
        if (options.chebyshev)
          backend.chebyshev_step(A, diagonal, block_size, alpha, beta, b, *from, d_old, d, *to);
        else
          backend.jacobi_step(A, diagonal, block_size, beta, b, *from, *to);
        std::swap(from, to);
      }
    return *from;
  }

  // Power method for S A, at least 15 steps, then until a step adds less than 0.5%: too small a value would let the
  // polynomial amplify what it should damp. For a nonsymmetric matrix it estimates the growth ‖S A‖ of the dominant modes.
  double largest_eigenvalue() const
  {
    const int n = A.n_rows;
    Vector    x = backend.create_vector(n), y = backend.create_vector(n);
    backend.upload(start_vector(n).data(), x);
    backend.scale(static_cast<Number>(1. / backend.norm(x)), x);
    double estimate = 0, last = 0;
    for (int k = 0; k < 15 || (k < 60 && estimate > 1.005 * last); ++k)
      {
        last = estimate;
        backend.spmv(1, A, x, 0, y);
        apply(1, y, x);
        estimate = backend.norm(x);
        if (!(estimate > 0))
          return 1.;
        backend.scale(static_cast<Number>(1. / estimate), x);
      }
    return estimate;
  }

  Backend         backend;
  const Matrix   &A;
  SmootherOptions options;
  int             block_size;
  Vector          diagonal;                  // Jacobi
  Matrix          factor, factor_transposed; // FSAI: G, Gᵀ
  double          lambda = 0;
  mutable Vector  d, r, s;
};
} // namespace adamant
