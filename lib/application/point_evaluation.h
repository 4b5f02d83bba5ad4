#pragma once

#include "algebra/device.h"
#include "discretization/fields/field.h"

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
  /// Of the first n_components components. `points` have dim coordinates or more each. Throws InputError, naming the
  /// parameter `key` and the point, where one lies outside the mesh.
  template <int dim>
  PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                  const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                  unsigned int n_components);

  /// Component c at point p is entry p n_components + c, on all ranks, which call it together; u has the nodal values.
  std::vector<double> operator()(const Vector<double> &u) const;
  /// The same in two parts: launches it, `place` is 0 or 1.
  void evaluate(const Vector<double> &u, int place) const;
  /// What was evaluated there, when a Mark behind it has been waited for.
  std::vector<double> values(int place) const;

private:
  Device         device;
  Matrix<double> N;
  Scalars        own; // what this rank has, in both places; each point is one rank's
};
} // namespace adamant
