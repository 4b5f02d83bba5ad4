#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "fem/functions/points.h"
#include "frame/device_field.h"

#include <deal.II/fe/mapping.h>

#include <array>
#include <string>

namespace adamant
{
/// A displacement that is prescribed as expressions of x, y, z and t. All ranks call all functions together.
template <int dim>
class PrescribedMotion
{
public:
  /// `key` names the parameter in messages; `field` and `mapping` have to outlive the object.
  PrescribedMotion(const Device &device, const DeviceField<dim> &field, const dealii::Mapping<dim> &mapping,
                   const std::string &key, const std::string &text)
    : device(device)
    , field(field)
    , mapping(mapping)
    , key(key)
    , text(text)
    , points(support_points(field.space(), mapping, field.space().prescribed))
  {}

  /// Returns the values at prescribed nodes. Throws InputError where they are no numbers.
  Vector<double> at(double t) const;
  Array<double>  on(const LevelSpace<dim> &space, double t) const; ///< for a level, in host memory
  /// Returns the values and their first and second derivatives to t there, by differences of steps h after t.
  std::array<Vector<double>, 3> with_rates(double t, double h) const;
  /// Returns the values of expressions of x, y, z at all nodes; `key` names them.
  Vector<double> initial(const std::string &key, const std::string &text) const;
  /// Returns a note where these initial values, at all nodes, differ from the prescribed ones. Else it is empty.
  std::string note_on(const std::string &initial_key, const Vector<double> &initial,
                      const Vector<double> &prescribed) const;

private:
  const Device                device;
  const DeviceField<dim>     &field;
  const dealii::Mapping<dim> &mapping;
  const std::string           key, text;
  const Array<double>         points; // where u is prescribed: each load step needs values there
};
} // namespace adamant
