#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/array.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/mapping.h>

#include <set>

namespace adamant
{
/// Finds boundaries through which a flow enters, from u · n at those nodes of a boundary that lie on no other one. All
/// ranks call all functions together.
template <int dim>
class Inflow
{
public:
  Inflow() = default;
  /// `velocity` has dim components in each node.
  Inflow(const Device &device, const LevelSpace<dim> &velocity, const dealii::Mapping<dim> &mapping,
         const std::set<unsigned int> &ids);

  /// Returns the boundaries where u · n < -`part` max |u_d| somewhere; `u` has the values at the own nodes.
  std::set<unsigned int> boundaries(const Vector<double> &u, double part) const;

private:
  Device                 device;
  std::set<unsigned int> ids;
  Matrix<double>         normals;  // of u to u . n
  Array<unsigned int>    boundary; // of each row
};
} // namespace adamant
