#pragma once

#include "algebra/device.h"
#include "fem/spaces/field.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>

#include <string>
#include <vector>

namespace adamant
{
/// Evaluates functions of a field at points: one sparse product on the device.
class PointEvaluation
{
public:
  PointEvaluation() = default;
  /// Prepares the evaluation of the first n_components components. `points` have dim coordinates or more each. Throws
  /// InputError, naming the parameter `key` and the point, where a point lies outside the mesh.
  template <int dim>
  PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                  const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                  unsigned int n_components);

  /// Returns the values of the function with nodal values u: entry p n_components + c is component c at point p. All
  /// ranks call it together and get all values.
  std::vector<double> operator()(const Vector<double> &u) const;
  /// Launches the evaluation for `place` 0 or 1; values() returns its result later.
  void evaluate(const Vector<double> &u, int place) const;
  /// Returns the result of evaluate() with this place; first wait for a Mark that was set after that call.
  std::vector<double> values(int place) const;

private:
  Device         device;
  Matrix<double> N;
  Scalars        own; // this rank's values, in both places; each point belongs to one rank
};
} // namespace adamant
