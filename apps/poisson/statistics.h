#pragma once

#include "data.h"
#include "levels.h"

#include "fem/forms/integrals.h"
#include "frame/output/output.h"
#include "frame/run_folder.h"
#include "tensor/multi_vector.h"

#include <deal.II/base/function_parser.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace poisson
{
/// Computes mean and standard deviation over the samples, at each unknown, from the columns of one batch at a time.
class SampleStatistics
{
public:
  using Vector = adamant::Vector<double>;

  SampleStatistics(const adamant::Device &device, int n)
    : device(device)
    , x_0(device, n)
    , sums(device, n)
    , squares(device, n)
  {}

  /// Adds n samples from `first` on, the first n of r columns of X, and their rows of statistics.csv. Throws
  /// SolverError where a sample has values that are no numbers.
  void add(unsigned int first, int n, int r, const Vector &X, adamant::Statistics &rows)
  {
    const auto sizes = adamant::ColumnNorms(device, x_0.size(), r).fetch(X);
    for (int s = 0; s < n; ++s)
      {
        if (!std::isfinite(sizes[s]))
          throw adamant::SolverError("the solution of right-hand side " + std::to_string(first + s) +
                                     " has values that are no numbers; some may be too large for Solver/Precision");
        rows.add({{"sample", first + s}, {"root_mean_square", sizes[s] / std::sqrt(x_0.size())}});
      }
    device.for_each(x_0.size(), AddSamples{r, n, first == 0, X.data(), x_0.data(), sums.data(), squares.data()});
    n_samples += n;
  }

  Array<double> first() const { return to_host(x_0); }
  Array<double> mean() const
  {
    auto values = to_host(x_0), sum = to_host(sums);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += sum[i] / n_samples;
    return values;
  }
  Array<double> standard_deviation() const
  {
    auto values = to_host(squares), sum = to_host(sums);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sqrt(std::max(0., values[i] - sum[i] * sum[i] / n_samples) / std::max(1, n_samples - 1));
    return values;
  }

private:
  adamant::Device device;
  Vector          x_0, sums, squares; // sums of x - x_0, and of their squares
  int             n_samples = 0;
};

/// Returns the values at all nodes, hanging ones included, from the unknowns and the prescribed values (empty: zeros).
template <int dim>
Array<double> nodal_values(const Levels &levels, const adamant::LevelSpace<dim> &space, const Array<double> &unknowns,
                           const Array<double> &prescribed)
{
  Array<double> free(levels.mass.n_cols, 0.);
  for (int i = 0; i < levels.n(); ++i)
    free[levels.unknowns[i]] = unknowns[i];
  auto values = product(space.H, free);
  if (!prescribed.empty())
    {
      const auto extension = product(space.B, prescribed);
      std::transform(values.begin(), values.end(), extension.begin(), values.begin(), std::plus<double>());
    }
  return values;
}

/// Returns the largest error in L² of the first n samples, n columns of unknowns; `exact` at time t is sample t's
/// solution.
template <int dim>
double largest_l2_error(const Levels &levels, const adamant::LevelSpace<dim> &space,
                        const dealii::Mapping<dim> &mapping, const Array<double> &prescribed,
                        const Array<double> &columns, int n, adamant::ParsedFunction<dim> &exact)
{
  Array<double> column(levels.n());
  double        largest = 0.;
  for (int s = 0; s < n; ++s)
    {
      for (int i = 0; i < levels.n(); ++i)
        column[i] = columns[std::size_t(i) * n + s];
      exact.set_time(s);
      const auto   nodal = nodal_values(levels, space, column, prescribed);
      const double error = adamant::l2_error(space, mapping, dealii::QGauss<dim>(3), nodal.data(), exact);
      largest            = error <= largest ? largest : error; // also NaN, which ends the run
    }
  return largest;
}

/// Writes a VTU file with mean, standard deviation and the first sample.
template <int dim>
void write(const SampleStatistics &statistics, const Levels &levels, const adamant::LevelSpace<dim> &space,
           const dealii::Mapping<dim> &mapping, const Array<double> &prescribed, const std::string &folder)
{
  const auto                first     = nodal_values(levels, space, statistics.first(), prescribed);
  const auto                mean      = nodal_values(levels, space, statistics.mean(), prescribed);
  const auto                deviation = nodal_values(levels, space, statistics.standard_deviation(), {});
  adamant::FieldOutput<dim> output;
  output.add(space, first.data(), "first_sample");
  output.add(space, mean.data(), "mean");
  output.add(space, deviation.data(), "standard_deviation");
  output.build_patches(mapping, 1);
  adamant::TimeSeries(folder, "solution").write(output, 0.);
}
} // namespace poisson
