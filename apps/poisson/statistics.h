#pragma once

#include "data.h"
#include "levels.h"

#include "fem/forms/integrals.h"
#include "frame/output/output.h"
#include "frame/run_folder.h"
#include "tensor/multi_vector.h"

#include <algorithm>
#include <cmath>
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
                                     " has values that are no numbers; some may be too large or too small for "
                                     "Solver/Precision and Solver/Vectors");
        rows.add({{"sample", first + s}, {"root_mean_square", sizes[s] / std::sqrt(x_0.size())}});
      }
    device.for_each(x_0.size(), AddSamples{r, n, first == 0, X.data(), x_0.data(), sums.data(), squares.data()});
    n_samples += n;
  }

  /// Writes a VTU file with mean, standard deviation and the first sample.
  template <int dim>
  void write(const Levels &levels, const Space<dim> &space, const std::string &folder) const
  {
    const auto first = to_host(x_0), sum = to_host(sums);
    auto       mean = first, deviation = to_host(squares);
    for (std::size_t i = 0; i < first.size(); ++i)
      {
        mean[i] += sum[i] / n_samples;
        deviation[i] = std::sqrt(std::max(0., deviation[i] - sum[i] * sum[i] / n_samples) / std::max(1, n_samples - 1));
      }
    adamant::FieldOutput<dim> output;
    output.add(space.nodes(), space.nodal_values(first, levels.g).data(), "first_sample");
    output.add(space.nodes(), space.nodal_values(mean, levels.g).data(), "mean");
    output.add(space.nodes(), space.nodal_values(deviation, {}).data(), "standard_deviation");
    output.build_patches(space.mapping, 1);
    adamant::TimeSeries(folder, "solution").write(output, 0.);
  }

private:
  adamant::Device device;
  Vector          x_0, sums, squares; // sums of x - x_0, and of their squares
  int             n_samples = 0;
};

/// Returns the largest error in L² of the first n samples, n columns of unknowns; `exact` at time t is sample t's
/// solution.
template <int dim>
double largest_l2_error(const Levels &levels, const Space<dim> &space, const Array<double> &columns, int n,
                        adamant::ParsedFunction<dim> &exact)
{
  Array<double> column(levels.n());
  double        largest = 0.;
  for (int s = 0; s < n; ++s)
    {
      for (int i = 0; i < levels.n(); ++i)
        column[i] = columns[std::size_t(i) * n + s];
      exact.set_time(s);
      const auto   nodal = space.nodal_values(column, levels.g);
      const double error = adamant::l2_error(space.nodes(), space.mapping, dealii::QGauss<dim>(3), nodal.data(), exact);
      if (!(error <= largest) && !std::isnan(largest)) // NaN stays, and ends the run
        largest = error;
    }
  return largest;
}
} // namespace poisson
