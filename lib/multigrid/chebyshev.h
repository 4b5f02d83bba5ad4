#pragma once

#include "multigrid/options.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// Smooths on a level before the coarse correction (`vmult`) and after it (`step`), n >= 1 steps at a time. They return
/// the vector that holds the result, either x or y; the other one is scratch.
template <typename Number>
class LevelSmoother
{
public:
  using Vector = adamant::Vector<Number>;

  explicit LevelSmoother(const DeviceLevel<Number> &level)
    : level(level)
  {}
  virtual ~LevelSmoother() = default;

  virtual void    update()                                                  = 0; ///< see Smoother::update
  virtual Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const = 0; ///< n steps from x = 0
  virtual Vector &step(int n, const Vector &b, Vector &x, Vector &y) const  = 0; ///< n steps from the given x
  virtual double  eigenvalue() const { return 0.; }                              ///< of Chebyshev's interval; else 0

  /// Makes n steps from x = 0 and sets r = b - A x. It may leave x to `prolongate` (see FirstStep), and then returns x.
  virtual Vector &smooth(int n, const Vector &b, Vector &x, Vector &y, Vector &r) const;
  /// Adds P e to the x that `smooth` has returned for n and b.
  virtual void prolongate(int n, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const;

protected:
  DeviceLevel<Number> level;
};

/// Makes n steps with any smoother S, which together are one polynomial in S A:
///   d <- alpha_k d + beta_k S (b - A x),   x <- x + d.
/// Here lambda is the largest eigenvalue of S A, which is given by the options or estimated by the power method. Damped
/// steps have alpha = 0 and beta = omega. With Jacobi's S, omega is at most 1.9 / lambda, as steps with 2 / lambda
/// diverge (the mass matrix of Q1 in 3D has lambda = 3.375). Chebyshev's steps have the coefficients of
/// the polynomial of degree n that is smallest on [1.1 lambda / range, 1.1 lambda].
template <typename Number>
class PolynomialSmoother : public LevelSmoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  PolynomialSmoother(const DeviceLevel<Number> &level, const SmootherOptions &options);

  /// Takes over the level's values, see Smoother::update.
  void update() override;

  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override; ///< steps with S
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;  ///< steps with Sᵀ, see Smoother
  double  eigenvalue() const override { return options.chebyshev ? lambda : 0.; }
  Vector &smooth(int n, const Vector &b, Vector &x, Vector &y, Vector &r) const override;
  void    prolongate(int n, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const override;

  bool symmetric() const { return smoother->symmetric(); } ///< whether S = Sᵀ where A is symmetric

  using Coefficients = std::vector<std::pair<Number, Number>>; ///< alpha, beta of each step
  Coefficients coefficients(int n) const;                      ///< returns the coefficients of n steps

private:
  Vector &iterate(const Coefficients &c, std::size_t first, const Vector &b, Vector &x, Vector &y,
                  bool transposed) const;
  double  grow(Vector &x, Vector &y, int n) const;
  double  largest_eigenvalue();
  void    follow_eigenvalue();

  using LevelSmoother<Number>::level;
  SmootherOptions                   options;
  std::unique_ptr<Smoother<Number>> smoother;
  double                            lambda = 0; // 0: it is not needed
  int                               begun  = 0; // options.beginning at the last update
  mutable Vector                    d;          // empty without Chebyshev
  // The power method's first and last vector, and its own work vector without Chebyshev; only where values change on
  // the device.
  Vector start, dominant, scratch;
};

/// Makes the steps of PolynomialSmoother in float in a V-cycle in double. The steps always begin from zero, for a
/// residual computed in double. Rounding then affects corrections alone, also for a matrix whose coefficients vary by
/// many orders of magnitude. The steps take S, not Sᵀ, also after the coarse correction.
class MixedSmoother : public LevelSmoother<double>
{
public:
  MixedSmoother(const DeviceLevel<double> &level, const SmootherOptions &options);

  void    update() override;
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override;
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;
  double  eigenvalue() const override { return smoother.eigenvalue(); }

private:
  void correction(int n, const Vector &r, Vector &x) const; // sets x to n steps from zero for A x = r

  DeviceLevel<float>             in_float;
  PolynomialSmoother<float>      smoother;
  mutable adamant::Vector<float> b, x, y;
};

/// Returns the coefficients (alpha_k, beta_k), k = 0..n-1, of the steps d <- alpha d + beta S r, x <- x + d. Together
/// the steps are Chebyshev's polynomial on [lower, upper] (Saad, Iterative Methods, Algorithm 12.1).
template <typename Number>
std::vector<std::pair<Number, Number>> chebyshev_coefficients(int n, double lower, double upper);
} // namespace adamant
