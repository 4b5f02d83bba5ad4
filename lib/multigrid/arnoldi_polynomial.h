#pragma once

#include "multigrid/chebyshev.h"

#include <complex>
#include <memory>
#include <vector>

namespace adamant
{
/// n steps of any smoother S as one polynomial for matrices far from symmetric, whose S A has complex eigenvalues: the
/// error becomes Π_i (1 - S A / θ_i), θ_i the harmonic Ritz values of n Arnoldi steps on S A, those of GMRES's residual
/// polynomial (Nachtigal, Reichel & Trefethen 1992). Pairs of conjugates are one real quadratic factor: for r = b - A x
/// and v = S r
///   x <- x + (2 Re θ v - S A v) / |θ|².
/// S itself in both functions.
template <typename Number>
class ArnoldiPolynomial : public LevelSmoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  ArnoldiPolynomial(const SmootherLevel<Number> &level, const SmootherOptions &options, int most_steps);

  void    update() override;
  Vector &vmult(int n, const Vector &b, Vector &x, Vector &y) const override;
  Vector &step(int n, const Vector &b, Vector &x, Vector &y) const override;
  double  eigenvalue() const override { return 0.; }

private:
  using Values = std::vector<std::complex<double>>; // one of each pair of conjugates
  void   find_values();
  Values values_of(int n, const std::vector<double> &H) const;
  void   apply(const Values &values, const Vector &b, Vector &x) const;
  void   correct(std::complex<double> value, const Vector &r, Vector &x) const;

  SmootherLevel<Number>             level;
  std::unique_ptr<Smoother<Number>> smoother;
  std::vector<Values>               of_degree; // the values of 1, 2, ... steps
  Vector                            start;     // of the Krylov space: random
  mutable Vector                    r, v, w;
};

/// The eigenvalues of a real n x n matrix, row-major.
std::vector<std::complex<double>> eigenvalues(int n, std::vector<double> matrix);

/// The smoothing of a level as the options have it, at most so many steps at a time.
template <typename Number>
std::unique_ptr<LevelSmoother<Number>> make_level_smoother(const SmootherLevel<Number> &level,
                                                           const SmootherOptions &options, int most_steps);
} // namespace adamant
