#pragma once

#include <deal.II/base/parameter_acceptor.h>

#include <string>
#include <vector>

namespace adamant
{
/// When the mesh of a time-dependent problem changes, and where; by default it never does.
struct AdaptivityOptions
{
  unsigned int interval = 0, check_interval = 1, first_cycles = 0, n_cells = 0;
  unsigned int smallest_level = 0, largest_level = 0;
  double       growth = 0., refine = 0.3, coarsen = 0.3;
  std::string  field, indicator = kelly, strategy = "cells";
  bool         families = false; ///< no parameter: the last refinement of the mesh is global and stays global, see
                                 ///< flag_families

  static constexpr const char *kelly = "kelly";

  bool changes() const { return interval > 0 || growth > 0.; } ///< whether the mesh changes after the first step
  bool on() const { return changes() || first_cycles > 0; }
};

/// Section "Adaptivity"; its descriptions say what the options mean.
struct AdaptivityParameters : dealii::ParameterAcceptor, AdaptivityOptions
{
  /// `fields` are the names of the program's fields; the mesh follows the first one by default.
  explicit AdaptivityParameters(const std::vector<std::string> &fields, bool families = false);

  /// Throws InputError where the parameters do not fit together.
  void check(unsigned int dim) const;
};
} // namespace adamant
