#pragma once

#include <deal.II/base/parameter_acceptor.h>

#include <string>
#include <vector>

namespace adamant
{
/// Section "Adaptivity": when the mesh of a time-dependent problem changes, and where. By default it never does.
struct AdaptivityParameters : dealii::ParameterAcceptor
{
  /// The names of the program's fields; the first one is looked at by default.
  explicit AdaptivityParameters(const std::vector<std::string> &fields);

  unsigned int interval = 0, check_interval = 1, first_cycles = 0, n_cells = 0;
  unsigned int smallest_level = 0, largest_level = 0;
  double       growth = 0., refine = 0.3, coarsen = 0.3;
  std::string  field, indicator = kelly, strategy = "cells";

  static constexpr const char *kelly = "kelly";

  bool on() const { return changes() || first_cycles > 0; }
  bool changes() const { return interval > 0 || growth > 0.; } ///< after the first step

  /// Throws InputError where the parameters do not fit together.
  void check(unsigned int dim) const;
};
} // namespace adamant
