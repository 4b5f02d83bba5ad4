#pragma once

#include "data.h"
#include "levels.h"

#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "fem/forms/integrals.h"
#include "frame/output/output.h"
#include "frame/run_folder.h"
#include "tensor/multi_vector.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace poisson
{
/// Returns column s of n.
inline Array<double> column_of(const Array<double> &columns, std::size_t n, std::size_t s)
{
  Array<double> column(columns.size() / n);
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] = columns[i * n + s];
  return column;
}

/// Returns the quantities of field k: the flux -∇u, with its components and on boundaries, and the gradient.
template <int dim>
std::vector<adamant::Quantity<dim>> quantities(std::size_t k)
{
  using State                             = adamant::PointState<dim>;
  std::vector<adamant::Quantity<dim>> all = {
    {"flux", [k](const State &state) { return -(state.gradient[k] * state.normal); }, true}};
  for (int d = 0; d < dim; ++d)
    {
      const std::string axis(1, "xyz"[d]);
      all.push_back({"flux_" + axis, [k, d](const State &state) { return -state.gradient[k][d]; }});
      all.push_back({"gradient_" + axis, [k, d](const State &state) { return state.gradient[k][d]; }});
    }
  return all;
}

/// Mean and standard deviation over the samples, at each unknown, from the columns of one batch at a time, and what the
/// section "Output" asks for of them.
template <int dim>
class SampleStatistics
{
public:
  using Vector = adamant::Vector<double>;

  /// Triangles have no space. All arguments have to outlive the object.
  SampleStatistics(const adamant::Device &device, const Levels &levels, const std::optional<Space<dim>> &space,
                   const OutputParameters &parameters)
    : device(device)
    , levels(levels)
    , space(space)
    , parameters(parameters)
    , x_0(device, levels.n())
    , sums(device, levels.n())
    , squares(device, levels.n())
    , derived(parameters, quantities<dim>(0))
  {
    if (!space)
      return;
    using Fields     = std::vector<adamant::EvaluatedField<dim>>;
    const auto *mesh = &space->nodes();
    of_sample.emplace(parameters, space->mapping, Fields{{mesh, {"u"}}}, quantities<dim>(0));
    auto of_mean = quantities<dim>(1);
    of_mean.push_back({"u", [](const auto &state) { return state.value[1]; }});
    of_all.emplace(parameters, space->mapping, Fields{{mesh, {names[0]}}, {mesh, {names[1]}}, {mesh, {names[2]}}},
                   of_mean);
  }

  /// Adds n samples from `first` on, the first n of r columns of X, and their rows of statistics.csv. Throws
  /// SolverError where a sample has values that are no numbers.
  void add(unsigned int first, int n, int r, const Vector &X, adamant::Statistics &rows)
  {
    const auto sizes   = adamant::ColumnNorms(device, x_0.size(), r).fetch(X);
    const auto columns = of_sample && parameters.any() ? to_host(X) : Array<double>();
    for (int s = 0; s < n; ++s)
      {
        if (!std::isfinite(sizes[s]))
          throw adamant::SolverError("the solution of right-hand side " + std::to_string(first + s) +
                                     " has values that are no numbers; some may be too large or too small for "
                                     "Solver/Precision and Solver/Vectors");
        adamant::Statistics::Row row{{"sample", first + s}, {"root_mean_square", sizes[s] / std::sqrt(x_0.size())}};
        if (!columns.empty())
          of_sample->add_to(row, {space->nodal_values(column_of(columns, r, s), levels.g).data()});
        rows.add(row);
      }
    device.for_each(x_0.size(), AddSamples{r, n, first == 0, X.data(), x_0.data(), sums.data(), squares.data()});
    n_samples += n;
  }

  /// Writes the first sample, the mean and the standard deviation: a VTU file, files of lines and planes. The record
  /// gets their values at points and the statistics of the mean. A dry run, without a folder, prepares the VTU file.
  void write(const std::string &folder, adamant::RunRecord &record) const
  {
    const auto first = to_host(x_0), sum = to_host(sums);
    auto       mean = first, deviation = to_host(squares);
    for (std::size_t i = 0; i < first.size(); ++i)
      {
        mean[i] += sum[i] / n_samples;
        deviation[i] = std::sqrt(std::max(0., deviation[i] - sum[i] * sum[i] / n_samples) / std::max(1, n_samples - 1));
      }
    const std::vector<Array<double>> nodal = {space->nodal_values(first, levels.g), space->nodal_values(mean, levels.g),
                                              space->nodal_values(deviation, {})};
    if (!folder.empty())
      of_all->add_to(record, adamant::pointers(nodal), folder);
    if (!parameters.files)
      return;
    adamant::FieldOutput<dim> output;
    for (std::size_t k = 0; k < nodal.size(); ++k)
      output.add(space->nodes(), nodal[k].data(), std::string(names[k]));
    if (!derived.empty())
      output.add(space->nodes(), nodal[1].data(), derived);
    output.build_patches(space->mapping, 1);
    adamant::TimeSeries(folder, "solution").write(output, 0.);
  }

private:
  static constexpr const char *names[] = {"first_sample", "mean", "standard_deviation"};

  adamant::Device                         device;
  const Levels                           &levels;
  const std::optional<Space<dim>>        &space;
  const OutputParameters                 &parameters;
  Vector                                  x_0, sums, squares; // sums of x - x_0, and of their squares
  const adamant::DerivedFields<dim>       derived;            // of the mean
  std::optional<adamant::Evaluation<dim>> of_sample, of_all;
  int                                     n_samples = 0;
};

/// Returns the largest error in L² of the first n samples, n columns of unknowns; `exact` at time t is sample t's
/// solution.
template <int dim>
double largest_l2_error(const Levels &levels, const Space<dim> &space, const Array<double> &columns, int n,
                        adamant::ParsedFunction<dim> &exact)
{
  double largest = 0.;
  for (int s = 0; s < n; ++s)
    {
      exact.set_time(s);
      const auto   nodal = space.nodal_values(column_of(columns, n, s), levels.g);
      const double error = adamant::l2_error(space.nodes(), space.mapping, dealii::QGauss<dim>(3), nodal.data(), exact);
      if (!(error <= largest) && !std::isnan(largest)) // NaN stays, and ends the run
        largest = error;
    }
  return largest;
}
} // namespace poisson
