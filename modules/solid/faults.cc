// What a FiniteDeformation tells of points where a state cannot be, or hardly.

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "fem/functions/points.h"
#include "solid/finite_deformation.h"

#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace adamant
{
// All of them, each over so many numbers; the host waits once.
template <int dim>
template <class Counter>
double FiniteDeformation<dim>::count(const std::vector<std::pair<int, Counter>> &counters)
{
  const int n = static_cast<int>(counters.size());
  for (int k = 0; k + 1 < n; ++k)
    device.sums(counters[k].first, counters[k].second, counted, k);
  if (n == 0)
    return 0.;
  const auto &[size, last] = counters.back();
  device.sums(size, last, counted, n - 1, ToHost{n, false, counted.data(), counted.on_host()}, {});
  const double *sums = counted.fetch();
  return std::accumulate(sums, sums + n, 0.);
}

template <int dim>
double FiniteDeformation<dim>::n_inverted()
{
  const auto                                 level = levels.back().stretch_view();
  const auto                                 n     = static_cast<int>(level.at.n);
  std::vector<std::pair<int, CountInverted>> counters{{n, {&level.j(0)}}};
  if (projected())
    counters.push_back({n, {theta_at_points.data()}});
  return count(counters);
}

template <int dim>
std::string FiniteDeformation<dim>::least_stretch()
{
  const auto &ranks = unknown.space().communicator();
  const int   n     = levels.back().shapes.n_points();
  const auto  value = [](double j) { return std::isfinite(j) ? j : -HUGE_VAL; };
  for (bool of_theta = false;; of_theta = true)
    {
      const Array<double> j =
        to_host(of_theta ? theta_at_points.part(0, n) : levels.back().stretch.part(dim * dim * n, n));
      const auto least  = std::min_element(j.begin(), j.end(), [&](double a, double b) { return value(a) < value(b); });
      double     of_all = n > 0 ? -value(*least) : -HUGE_VAL;
      ranks.max(&of_all, 1);
      if (!of_theta && projected() && of_all < 1.) // det F > 0 at all points
        continue;
      std::ostringstream text;
      if (n > 0 && -value(*least) == of_all)
        text << (of_theta ? "theta = " : "det F = ") << 1. + *least << at_point(static_cast<int>(least - j.begin()));
      return ranks.first_text(text.str());
    }
}

template <int dim>
double FiniteDeformation<dim>::least_principal_stretch(const std::function<bool(unsigned int material)> &counts)
{
  Array<double>    stretch = to_host(levels.back().stretch);
  StretchView<dim> view{{stretch.data(), levels.back().shapes.n_points()}};
  const auto       n_q   = static_cast<int>(quadrature.size());
  double           least = HUGE_VAL;
  for (int cell = 0; cell < unknown.space().n_cells(); ++cell)
    for (int q = 0; q < n_q && counts(unknown.space().active_cells()[cell]->material_id()); ++q)
      {
        const auto                      at = view(cell * n_q + q);
        dealii::SymmetricTensor<2, dim> C;
        for (int c = 0; c < dim; ++c)
          for (int d = c; d < dim; ++d)
            C[c][d] = at.G[c][d] + (c == d ? 1. : 0.);
        const auto by_size = eigenvectors(C, dealii::SymmetricTensorEigenvectorMethod::jacobi);
        least              = std::min({least, 1. + at.j, std::sqrt(by_size[dim - 1].first)});
      }
  double of_all = -least;
  unknown.space().communicator().max(&of_all, 1);
  return -of_all;
}

template <int dim>
double FiniteDeformation<dim>::n_no_numbers()
{
  std::vector<std::pair<int, CountNoNumbers>> counters;
  if (has_expressions > 0.)
    for (const auto &values : levels.back().energies.values())
      counters.push_back({values.size(), {values.data()}});
  return count(counters);
}

template <int dim>
std::string FiniteDeformation<dim>::no_number()
{
  std::ostringstream text;
  if (const int point = levels.back().energies.first_fault(); point >= 0)
    {
      Array<double> stretch = to_host(levels.back().stretch);
      const auto    at      = StretchView<dim>{{stretch.data(), levels.back().shapes.n_points()}}(point).invariants();
      text << "I1 = " << at.I1() << ", I2 = " << at.I2() << ", J = " << 1. + at.j;
      if (energies.has_split_expressions())
        text << "; without volume I1 = " << at.I1() * std::pow(1. + at.j, -2. / 3.)
             << ", I2 = " << at.I2() * std::pow(1. + at.j, -4. / 3.);
      if (projected())
        text << ", theta = " << 1. + to_host(theta_at_points)[point];
      text << at_point(point);
    }
  return unknown.space().communicator().first_text(text.str());
}

template <int dim>
std::string FiniteDeformation<dim>::at_point(int number) const
{
  const auto        &space  = unknown.space();
  const auto         points = quadrature_points(space, mapping, quadrature);
  std::ostringstream text;
  for (int d = 0; d < dim; ++d)
    text << (d > 0 ? ", " : " at (") << points[std::size_t(d) * levels.back().shapes.n_points() + number];
  text << "), material " << space.active_cells()[number / static_cast<int>(quadrature.size())]->material_id();
  return text.str();
}

template <int dim>
void FiniteDeformation<dim>::count_inverted_on_coarser()
{
  std::vector<std::pair<int, CountInverted>> counters;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    counters.push_back({levels[l].shapes.n_points(), {&levels[l].stretch_view().j(0)}});
  n_replaced = count(counters);
}

template double      FiniteDeformation<2>::n_inverted();
template double      FiniteDeformation<3>::n_inverted();
template std::string FiniteDeformation<2>::least_stretch();
template std::string FiniteDeformation<3>::least_stretch();
template double      FiniteDeformation<2>::least_principal_stretch(const std::function<bool(unsigned int)> &);
template double      FiniteDeformation<3>::least_principal_stretch(const std::function<bool(unsigned int)> &);
template double      FiniteDeformation<2>::n_no_numbers();
template double      FiniteDeformation<3>::n_no_numbers();
template std::string FiniteDeformation<2>::no_number();
template std::string FiniteDeformation<3>::no_number();
template void        FiniteDeformation<2>::count_inverted_on_coarser();
template void        FiniteDeformation<3>::count_inverted_on_coarser();
} // namespace adamant
