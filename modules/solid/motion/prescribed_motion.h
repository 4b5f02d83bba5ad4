#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "expressions/expressions.h"
#include "frame/device_field.h"

#include <deal.II/fe/mapping.h>

#include <array>
#include <memory>
#include <optional>
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
                   const std::string &key, const std::string &text);

  bool   moves() const { return depends_on_t; } ///< whether the text depends on t
  double n_nodes() const;                       ///< the most that a rank has
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

  const std::unique_ptr<ParsedFunction<dim>> f;
  const bool                                 depends_on_t;
  const Array<double>                        points; // at prescribed nodes, as the two that follow
  Array<unsigned int>                        component;
  mutable std::optional<Vector<double>>      constant; // of a text without t, once at() has been called
};
} // namespace adamant
