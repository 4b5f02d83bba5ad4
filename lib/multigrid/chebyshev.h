#pragma once

#include "multigrid/options.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// The smoothing of a level before and after the coarse correction, n >= 1 steps at a time. Both functions return the
/// vector that holds the result, x or y; the other one is scratch.
template <typename Number>
class LevelSmoother
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~LevelSmoother() = default;

  virtual void    update()                                                  = 0; ///< see Smoother::update
  virtual Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const = 0; ///< from x = 0
  virtual Vector &step(int n, const Vector &b, Vector &x, Vector &y) const  = 0; ///< from x
  /// Where it saves passes that x, one step from zero, is not stored: r = b - A x. Whether it has been done.
  virtual bool residual_of_first_step(const Vector & /*b*/, Vector & /*r*/) const { return false; }
  /// Then y = x + P e.
  virtual void correct_first_step(const Vector & /*b*/, const Matrix<Number> & /*P*/, const Vector & /*e*/,
                                  Vector & /*y*/) const
  {}
  virtual double eigenvalue() const = 0; ///< lambda; 0 without Chebyshev
};

/// n steps of any smoother S as one polynomial:
///   d <- alpha_k d + beta_k S (b - A x),   x <- x + d.
/// Damped iterations have alpha = 0, beta = omega; Chebyshev's have the coefficients of the polynomial of degree n that
/// is smallest on [1.1 lambda / range, 1.1 lambda], lambda the largest eigenvalue of S A, known or by the power method.
template <typename Number>
class PolynomialSmoother : public LevelSmoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  PolynomialSmoother(const SmootherLevel<Number> &level, const SmootherOptions &options);

  /// Takes over the level's values, see Smoother::update.
  void update() override;

  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override; ///< with S
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;  ///< with Sᵀ
  bool    residual_of_first_step(const Vector &b, Vector &r) const override
  {
    return smoother->residual_of_vmult(coefficients(1)[0].second, b, r);
  }
  void correct_first_step(const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &y) const override
  {
    smoother->correct_vmult(coefficients(1)[0].second, b, P, e, y);
  }

  bool              symmetric() const { return smoother->symmetric(); } ///< whether both are the same
  double            eigenvalue() const override { return lambda; }
  CSRMatrix<double> matrix() const { return smoother->matrix(); } ///< S, see Smoother::matrix

  using Coefficients = std::vector<std::pair<Number, Number>>; ///< alpha, beta of each step
  Coefficients coefficients(int n) const;

private:
  Vector &iterate(const Coefficients &c, std::size_t first, const Vector &b, Vector &x, Vector &y,
                  bool transposed) const;
  double  grow(Vector &x, Vector &y, int n) const;
  double  largest_eigenvalue();
  void    follow_eigenvalue();

  SmootherLevel<Number>             level;
  SmootherOptions                   options;
  std::unique_ptr<Smoother<Number>> smoother;
  double                            lambda = 0;
  mutable Vector                    d;        // empty without Chebyshev
  Vector                            dominant; // where values change: about the eigenvector of lambda
};

/// The same steps in float in a V-cycle in double: always from zero, on a residual computed in double, so that rounding
/// of a matrix whose coefficients vary by many orders of magnitude meets corrections alone. After the coarse
/// correction, too, the steps are with S.
class MixedSmoother : public LevelSmoother<double>
{
public:
  MixedSmoother(const SmootherLevel<double> &level, const SmootherOptions &options);

  void    update() override;
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override;
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;
  double  eigenvalue() const override { return smoother.eigenvalue(); }

private:
  void correction(int n, const Vector &r, Vector &x) const; // x = n steps for r

  SmootherLevel<double>          level;
  SmootherLevel<float>           in_float;
  PolynomialSmoother<float>      smoother;
  mutable adamant::Vector<float> b, x, y;
};

/// Coefficients (alpha_k, beta_k), k = 0..n-1, of d <- alpha d + beta S r, x <- x + d for Chebyshev's polynomial on
/// [lower, upper] (Saad, Iterative Methods, Algorithm 12.1).
template <typename Number>
std::vector<std::pair<Number, Number>> chebyshev_coefficients(int n, double lower, double upper);
} // namespace adamant
