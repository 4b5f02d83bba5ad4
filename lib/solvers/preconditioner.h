#pragma once

#include "algebra/device.h"

namespace adamant
{
/// z = M v, M an approximate inverse of an operator: what Krylov methods take.
class Preconditioner
{
public:
  virtual ~Preconditioner() = default;

  virtual void vmult(const Vector<double> &v, Vector<double> &z) const = 0; ///< z is not read
  /// Takes over the values that the matrices which it was made of have now; patterns stay. Whoever changes a matrix
  /// calls it: every preconditioner has it, so that none goes stale silently.
  virtual void update() = 0;
  /// Whether vmult can be recorded in a graph: it neither waits nor makes vectors. One that cannot, such as an inner
  /// Krylov method, runs between graphs.
  virtual bool recordable() const { return true; }
};
} // namespace adamant
