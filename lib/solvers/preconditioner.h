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
  /// The same where it works in single precision (`in_float`), without conversions: z, a vector of its own, holds the
  /// result until the next call. `input_in_float` is a vector that it takes quickest.
  /// @{
  virtual bool                 in_float() const { return false; }
  virtual const Vector<float> &vmult_in_float(const Vector<float> &) const
  {
    throw RunError("a preconditioner that works in double precision is given a vector in float");
  }
  virtual Vector<float> input_in_float() const { return {}; }
  /// @}
  /// Takes over the values that the matrices which it was made of have now; patterns stay. Whoever changes a matrix
  /// calls it: every preconditioner has it, so that none goes stale silently.
  virtual void update() = 0;
  /// Whether vmult can be recorded in a graph: it works on the device alone, neither waits nor makes vectors. One that
  /// cannot, such as an inner Krylov method, runs between graphs; so does one that does not say.
  virtual bool recordable() const { return false; }
};
} // namespace adamant
