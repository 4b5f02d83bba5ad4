#pragma once

#include "multigrid/v_cycle.h"
#include "solvers/preconditioner.h"

#include <ostream>
#include <type_traits>
#include <vector>

namespace adamant
{
/// A V-cycle in either precision as a preconditioner. In float it converts v on entry and z on exit.
template <typename Number>
class MultigridPreconditioner : public Preconditioner
{
public:
  MultigridPreconditioner(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options)
    : cycle(device, data, options)
    , device(device)
    , b(in_double ? adamant::Vector<Number>() : cycle.input())
  {}

  void vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override
  {
    if constexpr (in_double)
      return device.copy(cycle.vmult(v), z);
    device.copy(v, b);
    device.copy(cycle.vmult(b), z);
  }
  bool                          in_float() const override { return !in_double; }
  const adamant::Vector<float> &vmult_in_float(const adamant::Vector<float> &v) const override
  {
    if constexpr (in_double)
      return Preconditioner::vmult_in_float(v);
    else
      return cycle.vmult(v);
  }
  adamant::Vector<float> input_in_float() const override
  {
    if constexpr (in_double)
      return Preconditioner::input_in_float();
    else
      return b.part(0, b.size());
  }
  void        update() override { cycle.update(); }
  bool        recordable() const override { return true; }
  std::string coarse_solver() const override { return cycle.coarse_solver(); }
  void        print(std::ostream &out) const override { cycle.print(out); }

  VCycle<Number> cycle;

private:
  static constexpr bool in_double = std::is_same_v<Number, double>;

  Device                          device;
  mutable adamant::Vector<Number> b; // empty in double precision
};
} // namespace adamant
