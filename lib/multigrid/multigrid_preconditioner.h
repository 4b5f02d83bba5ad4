#pragma once

#include "multigrid/v_cycle.h"
#include "solvers/preconditioner.h"

#include <ostream>
#include <vector>

namespace adamant
{
/// A V-cycle in either precision as a preconditioner. In float it converts v on entry and z on exit.
template <typename Number>
class MultigridPreconditioner : public Preconditioner
{
public:
  MultigridPreconditioner(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  void                          vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override;
  bool                          in_float() const override { return sizeof(Number) == sizeof(float); }
  const adamant::Vector<float> &vmult_in_float(const adamant::Vector<float> &v) const override;
  adamant::Vector<float>        input_in_float() const override;
  void                          update() override { cycle.update(); }
  bool                          recordable() const override { return true; }
  void                          print(std::ostream &out) const override { cycle.print(out); }

  VCycle<Number> cycle;

private:
  Device                          device;
  mutable adamant::Vector<Number> b; // empty in double precision
};
} // namespace adamant
