#pragma once

#include "flow_level.h"

#include <functional>
#include <string>

namespace stationary_navier_stokes
{
/// A FlowLevel that gives each part of Newton's method to a function, part(name, work). The function does the work and
/// may time it. The other arguments of the constructor are FlowLevel's.
template <int dim>
class TimedFlowLevel : public FlowLevel<dim>
{
public:
  using Level = FlowLevel<dim>;
  using Part  = std::function<void(const std::string &name, const std::function<void()> &work)>;
  using typename Level::Vector;

  template <class... Arguments>
  explicit TimedFlowLevel(const Part &part, const Arguments &...arguments)
    : Level(arguments...)
    , part(part)
  {}

  void residual(const Vector &x, Vector &r) override
  {
    part("residual", [&] { Level::residual(x, r); });
  }
  void linearize(const Vector &x, adamant::Linearization kind) override
  {
    const bool has_solver = this->has_solver();
    part(has_solver ? "assembly" : "first assembly", [&] { this->assemble(x, kind); });
    part(has_solver ? "update" : "new solver", [this] { this->update_solver(); });
  }
  adamant::SolverResult solve(const Vector &r, Vector &d, double tolerance) override
  {
    adamant::SolverResult result;
    part("solve", [&] { result = Level::solve(r, d, tolerance); });
    return result;
  }

private:
  const Part part;
};
} // namespace stationary_navier_stokes
