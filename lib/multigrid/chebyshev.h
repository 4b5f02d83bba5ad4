#pragma once

#include "multigrid/options.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// n steps of any smoother S as one polynomial:
///   d <- alpha_k d + beta_k S (b - A x),   x <- x + d.
/// Damped iterations have alpha = 0, beta = omega; Chebyshev's have the coefficients of the polynomial of degree n that
/// is smallest on [1.1 lambda / range, 1.1 lambda], lambda the largest eigenvalue of S A by the power method.
/// Both functions return the vector that holds the result, x or y; the other one is scratch.
template <typename Number>
class PolynomialSmoother
{
public:
  using Vector = adamant::Vector<Number>;

  PolynomialSmoother(const SmootherLevel<Number> &level, const SmootherOptions &options);

  /// Takes over the level's values, see Smoother::update.
  void update();

  /// n >= 1 steps from x = 0, before the coarse correction: with S.
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const;
  /// n steps from x, after the coarse correction: with Sᵀ.
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const;

  bool   symmetric() const { return smoother->symmetric(); } ///< whether both are the same
  double eigenvalue() const { return lambda; }               ///< lambda; 0 without Chebyshev

private:
  using Coefficients = std::vector<std::pair<Number, Number>>; // alpha, beta of each step

  Coefficients coefficients(int n) const;
  Vector      &iterate(const Coefficients &c, std::size_t first, const Vector &b, Vector &x, Vector &y,
                       bool transposed) const;
  double       grow(Vector &x, Vector &y, int n) const;
  double       largest_eigenvalue();
  void         follow_eigenvalue();

  SmootherLevel<Number>             level;
  SmootherOptions                   options;
  std::unique_ptr<Smoother<Number>> smoother;
  double                            lambda = 0;
  mutable Vector                    d;        // empty without Chebyshev
  Vector                            dominant; // where values change: about the eigenvector of lambda
};

/// Coefficients (alpha_k, beta_k), k = 0..n-1, of d <- alpha d + beta S r, x <- x + d for Chebyshev's polynomial on
/// [lower, upper] (Saad, Iterative Methods, Algorithm 12.1).
template <typename Number>
std::vector<std::pair<Number, Number>> chebyshev_coefficients(int n, double lower, double upper);
} // namespace adamant
