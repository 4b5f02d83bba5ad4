#pragma once

#include "data.h"
#include "levels.h"

#include "direct/column_matrix.h"
#include "tensor/multi_vector.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

namespace poisson
{
/// Computes B = M F - C g for several samples at once. F are the values of their sources at Levels::points. C is the
/// part of A that acts on prescribed values g. Where no value is prescribed, right-hand sides and solutions lose a
/// constant: b -= (Σ b) m / Σ m and x -= (m . x) / Σ m with m = M 1.
template <int dim>
class RightHandSides
{
public:
  using Vector = adamant::Vector<double>;

  /// Prepares right-hand sides in r columns.
  RightHandSides(const adamant::Device &device, const ProblemParameters &parameters, const Levels &levels, int r)
    : device(device)
    , parameters(parameters)
    , levels(levels)
    , r(r)
    , norms(device, levels.n(), r)
    , M(device, levels.mass)
  {
    if (!levels.g.empty())
      C = {device, levels.lift};
    if (levels.singular)
      setup_constants();
  }

  /// Computes right-hand sides of n samples from `first` on; the other columns of b are zero. Throws InputError where
  /// values are no numbers.
  void set(unsigned int first, int n, Vector &b)
  {
    if (parameters.random())
      device.for_each(b.size(), RandomColumns{r, int(first), int(parameters.n_samples), b.data()});
    else
      evaluate(first, n, b);
    if (!levels.g.empty())
      lift(n, b);
    const auto sizes = norms.fetch(b);
    for (int s = 0; s < n; ++s)
      {
        require(std::isfinite(sizes[s]), "Problem/Source and Boundary values: right-hand side ", first + s,
                " has values that are no numbers, or too large");
        if (sizes[s] == 0.)
          std::cout << "note: right-hand side " << first + s << " is zero or below 1e-162; its solution is zero\n";
      }
    if (levels.singular)
      subtract(sum, loads, b);
  }
  /// Returns the squared norms of these right-hand sides, in device memory, where they are known, else null.
  const double *squares() const { return levels.singular ? nullptr : norms.last(); }
  /// Takes the constant out of solutions, where it is free.
  void remove_constant(Vector &x) const
  {
    if (levels.singular)
      subtract(mean, ones, x);
  }

private:
  void setup_constants()
  {
    const int           n     = levels.n();
    const Array<double> m     = product(levels.mass, Array<double>(levels.mass.n_cols, 1.));
    const double        total = std::accumulate(m.begin(), m.end(), 0.);
    CSRMatrix<double>   row{1, n, {0, n}, adamant::numbers_below(n), m, nullptr};
    for (double &value : row.value)
      value /= total;
    mean = {device, row};
    row.value.assign(n, 1. / total);
    sum   = {device, row};
    ones  = Vector(device, Array<double>(n, 1.));
    loads = Vector(device, m);
  }

  void evaluate(unsigned int first, int n, Vector &b) const
  {
    const int  n_points = levels.mass.n_cols;
    const auto material = levels.material.empty() ? Array<unsigned int>(n_points, 0U) : levels.material;
    const adamant::CoefficientFunctions<dim> f(parameters.f.changed(with_sample_number), 1);
    Array<double>                            F(std::size_t(n_points) * r, 0.);
    for (int s = 0; s < n; ++s)
      {
        const auto values = f.at(first + s, levels.points, material);
        for (int i = 0; i < n_points; ++i)
          F[std::size_t(i) * r + s] = values[i];
      }
    M.multiply(r, 1., Vector(device, F), 0., b, b);
  }

  void lift(int n, Vector &b) const
  {
    Array<double> G(levels.g.size() * r, 0.);
    for (std::size_t i = 0; i < levels.g.size(); ++i)
      std::fill_n(G.begin() + long(i * r), n, levels.g[i]);
    C.multiply(r, -1., Vector(device, G), 1., b, b);
  }

  void subtract(const adamant::ColumnMatrix<double> &functional, const Vector &direction, Vector &x) const
  {
    const int n_columns = x.size() / levels.n();
    Vector    products(device, n_columns);
    functional.multiply(n_columns, 1., x, 0., products, products);
    device.for_each(x.size(), SubtractMultiple{n_columns, products.data(), direction.data(), x.data()});
  }

  adamant::Device               device;
  const ProblemParameters      &parameters;
  const Levels                 &levels;
  const int                     r;
  adamant::ColumnNorms          norms;
  adamant::ColumnMatrix<double> M, C, sum, mean; // the last two have one row
  Vector                        ones, loads;
};
} // namespace poisson
