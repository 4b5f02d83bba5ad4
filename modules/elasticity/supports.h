#pragma once

#include "elasticity/springs.h"
#include "fem/spaces/field.h"

#include <deal.II/fe/mapping.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Components of the displacement that are prescribed at nodes where conditions hold, as along a line or at a point. A
/// text such as `x = 0, y = 0, z = 0: xyz; y = 0, z < 5: y` has a support between semicolons. Each has conditions, of
/// which all have to hold, and components. A condition compares two expressions of x, y, z by =, < or >; the latter two
/// include equal values.
class Supports
{
public:
  Supports() = default;
  /// Throws InputError for a text that is none; `key` names the parameter in messages.
  Supports(const std::string &key, const std::string &text);

  bool empty() const { return supports.empty(); }
  /// Throws InputError for supports that say nothing in `dim` dimensions, and for mistakes in expressions.
  void        check(unsigned int dim) const;
  std::string components() const; ///< of all supports, such as "xyzy"

  /// Returns the function for DirichletBoundary::at_point, for an element whose components are vectors of dim
  /// components. It takes values for equal that differ by less than 1e-8 times the largest one of them and `extent`.
  template <int dim>
  std::function<unsigned int(const double *)> at(unsigned int n_components, double extent) const;

  /// Throws InputError on all ranks for a support that meets no node of the space; the message has the nearest one.
  template <int dim>
  void require_nodes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, double extent) const;

private:
  struct Support
  {
    std::string              text, components;
    std::vector<std::string> compared; ///< the two sides of each condition, as `left; right`
    std::string              relation; ///< of each condition, '=', '<' or '>'
  };
  template <int dim>
  static std::function<double(const double *)> defect(const std::string &key, const Support &support, double extent);

  std::string          key;
  std::vector<Support> supports;
};

/// Throws InputError where a rigid motion of the solid is left: neither springs nor the constraints of the field, as
/// prescribed values, normal conditions and periodic sides are, hold it. With several ranks the coarsest level has to
/// hold it, too. With `axial` symmetry only the axis is a direction of rigid motions. All ranks call it together.
template <int dim>
void require_no_rigid_motion(const std::string &key, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                             const Springs<dim> &springs, const std::set<unsigned int> &held_normally, bool axial);
} // namespace adamant
