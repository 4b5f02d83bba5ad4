#pragma once

#include "base/run_record.h"
#include "evaluation/evaluation_parameters.h"

#include <deal.II/base/point.h>

#include <cstddef>
#include <string>
#include <vector>

namespace adamant
{
/// Points of a line or a plane where the last state is sampled.
template <int dim>
struct SamplePlace
{
  std::string                      key, kind;   ///< the parameter, and "profile" or "plane"
  std::size_t                      number;      ///< of the place among all of its kind
  std::vector<std::vector<double>> along;       ///< of a plane: each point's distances from the corner along the edges
  std::vector<dealii::Point<dim>>  points = {}; ///< of a plane: those along the first edge follow each other
};

/// Returns the lines and planes of the parameters.
template <int dim>
std::vector<SamplePlace<dim>> sample_places(const EvaluationParameters &parameters);

/// A function's values at the points of a place.
struct SampleColumn
{
  std::string         name;
  std::vector<double> values;
};

/// Writes coordinates and columns as `folder`/KIND_NUMBER.csv, a plane's after the distances s and t along its edges.
/// Puts the extremes and their places into record["KINDs"][NUMBER][column]. All ranks pass equal values; one of them
/// passes `writes` = true.
template <int dim>
void write_samples(const SamplePlace<dim> &place, const std::vector<SampleColumn> &columns, const std::string &folder,
                   bool writes, RunRecord &record);

/// Returns the places where a piecewise linear function on a boundary in two dimensions changes its sign, in ascending
/// order. `ends` has x, y and the value at the first and the second end of each face. Where faces meet, the mean of
/// their values counts. The ends of the boundary are none, as the function may vanish there for reasons of its own.
std::vector<std::vector<double>> zeros_between(const std::vector<double> &ends);
} // namespace adamant
