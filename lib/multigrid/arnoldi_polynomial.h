#pragma once

#include "multigrid/chebyshev.h"

#include <complex>
#include <memory>
#include <vector>

namespace adamant
{
/// Combines n steps of any smoother S into one polynomial, for matrices far from symmetric, where S A has complex
/// eigenvalues. The polynomial multiplies the error by Π_i (1 - S A / θ_i). The θ_i are the harmonic Ritz values of n
/// Arnoldi steps on S A, which are the roots of GMRES's residual polynomial (Nachtigal, Reichel & Trefethen 1992). A
/// pair of conjugate θ_i makes one real quadratic factor: with r = b - A x and v = S r
///   x <- x + (2 Re θ v - S A v) / |θ|².
/// Both `vmult` and `step` take S, never Sᵀ.
template <typename Number>
class ArnoldiPolynomial : public LevelSmoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// `most_steps` is the largest n that `vmult` and `step` are called with.
  ArnoldiPolynomial(const DeviceLevel<Number> &level, const SmootherOptions &options, int most_steps);

  void    update() override;
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override;
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;

private:
  using Values = std::vector<std::complex<double>>; // the θ_i, one of each pair of conjugates
  void   find_values();
  Values values_of(int n, const std::vector<double> &H) const;
  void   apply(const Values &values, const Vector &b, Vector &x) const;
  void   correct(std::complex<double> value, const Vector &r, Vector &x) const;

  using LevelSmoother<Number>::level;
  std::unique_ptr<Smoother<Number>> smoother;
  std::vector<Values>               of_degree; // the values θ_i for 1, 2, ... steps
  Vector                            start;     // a random vector, from which the Krylov space is made
  mutable Vector                    r, v, w;
};

/// Returns the n eigenvalues of a real n x n matrix, given row-major. They are NaN where LAPACK fails.
std::vector<std::complex<double>> eigenvalues(int n, std::vector<double> matrix);

/// Makes the smoother of a level that the options of a V-cycle ask for.
template <typename Number>
std::unique_ptr<LevelSmoother<Number>> make_level_smoother(const DeviceLevel<Number> &level,
                                                           const MultigridOptions    &options);
} // namespace adamant
