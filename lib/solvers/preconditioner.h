#pragma once

#include "algebra/device.h"

#include <ostream>
#include <string>

namespace adamant
{
/// The preconditioner of a Krylov method: z = M v with an approximate inverse M of an operator.
class Preconditioner
{
public:
  virtual ~Preconditioner() = default;

  virtual void vmult(const Vector<double> &v, Vector<double> &z) const = 0; ///< sets z = M v; z is not read
  /// vmult_in_float returns M v without conversions, where M works in single precision (`in_float`). The result is a
  /// vector of M's own, which holds it until the next call. `input_in_float` is a vector that M takes without a copy.
  /// @{
  virtual bool                 in_float() const { return false; }
  virtual const Vector<float> &vmult_in_float(const Vector<float> &) const
  {
    throw RunError("a preconditioner that works in double precision is given a vector in float");
  }
  virtual Vector<float> input_in_float() const { return {}; }
  /// @}
  /// Takes over the present values of the matrices that the preconditioner was made of; their patterns stay. Whoever
  /// changes a matrix calls it. It is pure virtual, so that no preconditioner goes stale silently.
  virtual void update() = 0;
  /// Returns whether vmult can be recorded in a graph: it works on the device alone, and neither waits nor makes
  /// vectors. A preconditioner that cannot be recorded, such as an inner Krylov method, runs between graphs.
  virtual bool        recordable() const { return false; }
  virtual const char *name() const { return "Multigrid"; } ///< in messages of Richardson's iteration
  virtual std::string coarse_solver() const { return ""; } ///< what a V-cycle has on its coarsest level
  virtual void        print(std::ostream &) const {} ///< prints lines that tell what the preconditioner is made of
};
} // namespace adamant
