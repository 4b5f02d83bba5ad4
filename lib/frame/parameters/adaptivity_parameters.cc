#include "frame/parameters/adaptivity_parameters.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"

namespace adamant
{
namespace
{
std::string one_of(const std::vector<std::string> &names)
{
  std::string all;
  for (const auto &name : names)
    all += (all.empty() ? "" : "|") + name;
  return all;
}
} // namespace

AdaptivityParameters::AdaptivityParameters(const std::vector<std::string> &fields, bool families)
  : ParameterAcceptor("/Adaptivity")
{
  using namespace dealii::Patterns;
  field          = fields.front();
  this->families = families;
  add_parameter("Interval", interval, "Steps between changes of the mesh; 0: none", prm, Integer(0));
  add_parameter(
    "Growth", growth,
    "The mesh also changes where the indicators of all cells together (the root of the sum of their squares) "
    "are larger by this factor than after the last change; 0: it does not",
    prm, Double(0.));
  add_parameter("Check interval", check_interval, "Steps between evaluations for Growth", prm, Integer(1));
  add_parameter("Field", field, "That the mesh follows", prm, Selection(one_of(fields)));
  add_parameter("Indicator", indicator,
                "Of a cell: kelly, the jumps of the gradient on its faces; or an expression of the gradient u_x, u_y, "
                "u_z and the length h of the longest edge, its largest absolute value in the cell, of all components");
  add_parameter("Strategy", strategy,
                "What the fractions are of: cells, of their number; error, of the sum of the indicators' squares", prm,
                Selection("cells|error"));
  add_parameter("Refine fraction", refine, "The cells of largest indicators are refined", prm, Double(0., 1.));
  add_parameter("Coarsen fraction", coarsen, "Those of smallest indicators are coarsened", prm, Double(0., 1.));
  add_parameter("Cells", n_cells,
                "With Strategy = cells: where positive, as many cells are coarsened as keep about this number, instead "
                "of Coarsen fraction",
                prm, Integer(0));
  add_parameter("Smallest level", smallest_level, "Cells of n refinements of a coarse cell are not coarsened", prm,
                Integer(0, 20));
  add_parameter("Largest level", largest_level, "Nor those of so many refined; 0: the largest of the first mesh", prm,
                Integer(0, 20));
  add_parameter("First mesh cycles", first_cycles, "Changes of the first mesh for the initial values", prm,
                Integer(0, 20));
}

void AdaptivityParameters::check(unsigned int dim) const
{
  if (!on())
    return;
  require(refine + coarsen <= 1., "Adaptivity/Refine fraction = ", refine,
          " and Adaptivity/Coarsen fraction = ", coarsen, " are more than 1 together");
  require(refine + coarsen > 0., "Adaptivity/Refine fraction and Adaptivity/Coarsen fraction are both 0, so the mesh "
                                 "cannot change");
  require(growth == 0. || growth > 1., "Adaptivity/Growth = ", growth, " has to be larger than 1, or 0");
  require(n_cells == 0 || strategy == "cells", "Adaptivity/Cells = ", n_cells, " needs Adaptivity/Strategy = cells");
  require(largest_level == 0 || smallest_level <= largest_level, "Adaptivity/Smallest level = ", smallest_level,
          " is above Adaptivity/Largest level = ", largest_level);
  if (indicator == kelly)
    return;
  if (dim == 2)
    parse_function_of_gradient<2>("Adaptivity/Indicator", indicator);
  else
    parse_function_of_gradient<3>("Adaptivity/Indicator", indicator);
}
} // namespace adamant
