#pragma once

#include "algebra/device.h"

#include <deal.II/base/function.h>
#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/fe.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

#include <array>
#include <string>
#include <vector>

namespace adamant
{
template <int dim>
class LevelSpace;

/// When the mesh of a time-dependent problem changes, and where; by default it never does.
struct AdaptivityOptions
{
  unsigned int interval = 0, check_interval = 1, first_cycles = 0, n_cells = 0;
  unsigned int smallest_level = 0, largest_level = 0;
  double       growth = 0., refine = 0.3, coarsen = 0.3;
  std::string  field, indicator = kelly, strategy = "cells";
  bool         families = false; ///< Not a parameter. True where the last refinement is global and has to stay so,
                                 ///< see flag_families.

  static constexpr const char *kelly = "kelly";

  bool on() const { return interval > 0 || growth > 0. || first_cycles > 0; } ///< whether the mesh may change
};

/// Section "Adaptivity"; its descriptions say what the options mean.
struct AdaptivityParameters : dealii::ParameterAcceptor, AdaptivityOptions
{
  /// `fields` are the names of the program's fields; the mesh follows the first one by default.
  explicit AdaptivityParameters(const std::vector<std::string> &fields, bool families = false);

  /// Throws InputError where the parameters do not fit together.
  void check(unsigned int dim) const;
};

/// Refines the mesh where the interpolation of a function is least resolved. Kelly's estimator of the jumps of the
/// interpolation's gradients chooses the cells: in each cycle the fractions `refine` and `coarsen` of them. All ranks
/// call it together.
template <int dim>
void refine_for(const dealii::Function<dim> &function, dealii::Triangulation<dim> &mesh,
                const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element, unsigned int cycles,
                double refine, double coarsen = 0.);

/// The field by which a mesh is adapted: components of nodal values of a space, on the device. Where there are several
/// parts, `values` holds them one after the other, each with the nodal values of the space.
template <int dim>
struct FollowedField
{
  const LevelSpace<dim> *space;
  const Vector<double>  *values;
  dealii::ComponentMask  components = {}; ///< by default all
  int                    n_parts    = 1;
};

/// Where and when a mesh changes, as the section "Adaptivity" says. All ranks call its functions together.
template <int dim>
class Adaptivity
{
public:
  /// The mapping has to outlive the object.
  Adaptivity(const AdaptivityOptions &options, const dealii::Mapping<dim> &mapping)
    : options(options)
    , mapping(mapping)
  {}

  const AdaptivityOptions options;

  /// Remembers the largest level of the first mesh; throws InputError where it is above "Largest level".
  void begin(const dealii::Triangulation<dim> &first_mesh);

  /// Returns the level beyond which no cell is refined; 0 where the mesh never changes.
  int largest_level() const
  {
    return !options.on() ? 0 : options.largest_level > 0 ? static_cast<int>(options.largest_level) : first_level;
  }

  /// Returns whether the indicators are wanted after this step, and have not been asked, as before a checkpoint.
  bool due(unsigned int step) const;

  /// Returns one indicator for each active cell, 0 on cells of other ranks.
  dealii::Vector<float> indicators(const FollowedField<dim> &field) const;

  /// Returns whether these indicators ask for a change of the mesh after this step.
  bool wants_change(unsigned int step, const dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators);

  /// Flags the cells, or families of them, that are to be refined or coarsened.
  void flag(dealii::Triangulation<dim> &mesh, dealii::Vector<float> indicators) const;

  /// Returns ∫ u and ∫ |u| of the sum u of the components followed, by a Gauss rule of degree + 1 points in each
  /// direction.
  std::array<double, 2> mass(const FollowedField<dim> &field) const;

  /// Counts a change of the mesh; `before` and `after` are the results of mass() on both sides of it.
  void count_change(const std::array<double, 2> &before, const std::array<double, 2> &after);

  unsigned int n_changes   = 0;  ///< so far
  double       mass_change = 0.; ///< the largest |∫u after - ∫u before| / ∫|u| before of these changes

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &n_changes &mass_change &after_change &first_level &last_asked;
  }

private:
  const dealii::Mapping<dim> &mapping;
  int                         first_level  = 0;  // the largest level of the first mesh
  unsigned int                last_asked   = 0;  // the last step after which indicators have been
  double                      after_change = 0.; // norm of all indicators after the last change; 0: not known yet
};
} // namespace adamant
