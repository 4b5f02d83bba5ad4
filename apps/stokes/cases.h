#pragma once

#include "parameters.h"

#include <deal.II/base/function.h>
#include <deal.II/base/point.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// The cases: viscosity, force, and the exact solution where it is known.
namespace stokes
{
/// The centres of `nsinker`, from ASPECT's benchmark of this name (benchmarks/nsinker, after D. May); 2D takes x, y.
inline constexpr double sinker_centres[][3] = {
  {0.2425782989, 0.013469574514, 0.38313885004},  {0.41465269048, 0.067768972864, 0.99312692973},
  {0.48430804651, 0.76533776604, 0.031833815403}, {0.030935481671, 0.93264044027, 0.88787953411},
  {0.59132973039, 0.47877868473, 0.8333543366},   {0.18633519681, 0.73565270739, 0.11505317181},
  {0.69865863058, 0.35560411138, 0.63830000658},  {0.90821050755, 0.2940004148, 0.26497158886},
  {0.37749399775, 0.54162011554, 0.009281815034}, {0.85247022139, 0.46701098395, 0.053607231962},
  {0.97674759057, 0.19675474344, 0.85697294067},  {0.14421375987, 0.80066218823, 0.72939761948},
  {0.98579064709, 0.18340570954, 0.49976021075},  {0.46986202126, 0.97099129947, 0.45077026191},
  {0.095791877292, 0.97408164664, 0.39023506101}, {0.68067035576, 0.0266693188, 0.2312410745},
  {0.46873909443, 0.097960100555, 0.41541002524}, {0.7962941871, 0.31640260216, 0.77853444953},
  {0.82849331472, 0.48714042059, 0.36904878},     {0.60284549678, 0.024264360789, 0.81111178631},
  {0.35579259291, 0.80610905439, 0.27487712366},  {0.85981739865, 0.95101905612, 0.77727618477},
  {0.68083745971, 0.83518540665, 0.96112961413},  {0.70542474869, 0.073751226102, 0.5368570944}};
inline constexpr unsigned int n_sinker_centres = std::size(sinker_centres);

/// A viscosity: a function of position and material.
template <int dim>
using ViscosityFunction = std::function<double(const Point<dim> &x, unsigned int material)>;

/// A case: functions of position, and the force, of dim components, by material.
template <int dim>
struct Case
{
  ViscosityFunction<dim>                                      viscosity;
  std::function<const Function<dim> &(unsigned int material)> force;
  std::unique_ptr<Function<dim>>                              exact_velocity, exact_pressure; // may be null
};

/// Returns whether x is in a block that sinks. Its viscosity is `ratio` and its force -e_y in [0.4, 0.6]^dim; they are
/// 1 and 0 elsewhere.
template <int dim>
bool in_block(const Point<dim> &x)
{
  bool inside = true;
  for (unsigned int d = 0; d < dim; ++d)
    inside = inside && x[d] >= 0.4 && x[d] <= 0.6;
  return inside;
}

/// Returns χ = Π_s [1 - exp(-200 max(0, |x - c_s| - 0.05)²)]: 0 in n balls, 1 away from them (Rudi, Stadler and Ghattas
/// 2017).
template <int dim>
double outside_sinkers(const Point<dim> &x, unsigned int n)
{
  double chi = 1.;
  for (unsigned int s = 0; s < n; ++s)
    {
      double square = 0.;
      for (unsigned int d = 0; d < dim; ++d)
        square += std::pow(x[d] - sinker_centres[s][d], 2);
      const double distance = std::max(0., std::sqrt(square) - 0.05);
      chi *= 1. - std::exp(-200. * distance * distance);
    }
  return chi;
}

/// The exact solution of SolCx: η = 1 for x < 1/2, else `ratio`; f = (0, sin πy cos πx); free slip. With U(x)
///
///   `u = U cos πy,   v = -U' / π sin πy,   p = P cos πy,   P = η (U''' / π² - U') - cos(πx) / π`,
///   `U = -sin πx / (4 π² η) + (a + b x) e^{πx} + (c + d x) e^{-πx}` on each side,
///
/// where U = U'' = 0 at x = 0, 1, and U, U', 2 η U' - P and η (U'' / π + π U) are continuous at x = 1/2.
class SolCx
{
public:
  explicit SolCx(double ratio)
    : eta{{1., ratio}}
  {
    FullMatrix<double> matrix(8, 8);
    Vector<double>     rhs(8), solution(8);
    for (unsigned int side = 0; side < 2; ++side)
      for (unsigned int k = 0; k < 5; ++k) // the last one: the particular solution
        {
          const double end = side, sign = side == 0 ? 1. : -1.;
          const auto   U   = [&](double x, unsigned int n) { return k < 4 ? basis(k, x, n) : particular(x, n); };
          const auto   add = [&](unsigned int row, double value) { // functions of a side have the factor 1 / η
            if (k < 4)
              matrix(row, 4 * side + k) = value / eta[side];
            else
              rhs(row) -= value / eta[side];
          };
          add(2 * side, eta[side] * U(end, 0));
          add(2 * side + 1, eta[side] * U(end, 2));
          add(4, sign * U(0.5, 0));
          add(5, sign * U(0.5, 1));
          add(6, sign * eta[side] * (3. * U(0.5, 1) - U(0.5, 3) / (numbers::PI * numbers::PI)));
          add(7, sign * eta[side] * (U(0.5, 2) / numbers::PI + numbers::PI * U(0.5, 0)));
        }
    matrix.gauss_jordan();
    matrix.vmult(solution, rhs);
    std::copy(solution.begin(), solution.end(), coefficients.begin());
  }

  double velocity(double x, double y, unsigned int component) const
  {
    return component == 0 ? U(x, 0) * std::cos(numbers::PI * y) : -U(x, 1) / numbers::PI * std::sin(numbers::PI * y);
  }
  double pressure(double x, double y) const
  {
    const double P =
      eta[x > 0.5] * (U(x, 3) / (numbers::PI * numbers::PI) - U(x, 1)) - std::cos(numbers::PI * x) / numbers::PI;
    return P * std::cos(numbers::PI * y);
  }

private:
  // These return the n-th derivatives of e^{πx}, x e^{πx}, e^{-πx}, x e^{-πx}, and of -sin πx / (4 π²).
  static double basis(unsigned int k, double x, unsigned int n)
  {
    const double s = k < 2 ? numbers::PI : -numbers::PI, power = std::pow(s, n);
    return (k % 2 == 0 ? power : x * power + n * power / s) * std::exp(s * x);
  }
  static double particular(double x, unsigned int n)
  {
    return -std::pow(numbers::PI, n) * std::sin(numbers::PI * x + 0.5 * n * numbers::PI) /
           (4. * numbers::PI * numbers::PI);
  }
  double U(double x, unsigned int n) const // the n-th derivative of U
  {
    const unsigned int side = x > 0.5;
    double             sum  = particular(x, n);
    for (unsigned int k = 0; k < 4; ++k)
      sum += coefficients[4 * side + k] * basis(k, x, n);
    return sum / eta[side];
  }

  std::array<double, 2> eta;
  std::array<double, 8> coefficients; // times η of their side
};

template <int dim>
Case<dim> make_case(const ProblemParameters &p)
{
  const double ratio  = p.viscosity_ratio;
  const auto   scalar = [](const auto &f) { return std::make_unique<ScalarFunctionFromFunctionObject<dim>>(f); };
  const auto   force  = [](const auto &f, unsigned int component) {
    return [of_all = VectorFunctionFromScalarFunctionObject<dim>(f, component, dim)](
             unsigned int) -> const Function<dim>    &{ return of_all; };
  };
  if (p.name == "sinker")
    return {[ratio](const Point<dim> &x, unsigned int) { return in_block(x) ? ratio : 1.; },
            force([](const Point<dim> &x) { return in_block(x) ? -1. : 0.; }, 1), nullptr, nullptr};
  if (p.name == "nsinker")
    {
      const unsigned int n    = p.n_sinkers;
      const double       most = std::sqrt(ratio), least = 1. / most;
      return {[=](const Point<dim> &x, unsigned int) { return (most - least) * (1. - outside_sinkers(x, n)) + least; },
              force([n](const Point<dim> &x) { return -10. * (1. - outside_sinkers(x, n)); }, dim - 1), nullptr,
              nullptr};
    }
  if (p.name == "solcx")
    {
      const SolCx exact(ratio);
      const auto  velocity = [exact](unsigned int c) {
        return [exact, c](const Point<dim> &x) { return exact.velocity(x[0], x[1], c); };
      };
      using Components = std::vector<std::function<double(const Point<dim> &)>>;
      return {[ratio](const Point<dim> &x, unsigned int) { return x[0] > 0.5 ? ratio : 1.; },
              force([](const Point<dim> &x) { return std::sin(numbers::PI * x[1]) * std::cos(numbers::PI * x[0]); }, 1),
              std::make_unique<FunctionFromFunctionObjects<dim>>(Components{velocity(0), velocity(1)}),
              scalar([exact](const Point<dim> &x) { return exact.pressure(x[0], x[1]); })};
    }
  const auto given = [](const std::string &key, const std::string &text, unsigned int n_components) {
    return text.empty() ? nullptr : adamant::parse_function<dim>("Problem/" + key, text, n_components);
  };
  const auto viscosity = [f = adamant::CoefficientFunction(p.viscosity)](const Point<dim> &x, unsigned int material) {
    return f(material, x);
  };
  const auto of_materials = [f = adamant::CoefficientFunctions<dim>(p.body_force, dim)](
                              unsigned int material) -> const Function<dim> & { return f.in(material); };
  return {viscosity, of_materials, given("Exact velocity", p.exact_velocity, dim),
          given("Exact pressure", p.exact_pressure, 1)};
}
} // namespace stokes
