#pragma once

#include "solvers/preconditioner.h"

namespace adamant
{
/// A direct solver for several right-hand sides (see MultiVector). It takes norms that are known and adds to x, which
/// saves refinement two passes.
class ColumnInverse : public Preconditioner
{
public:
  /// Computes x = M b or, with `add`, x += M b, for all columns. `squares` are the squared norms of b's columns, in
  /// device memory, where the caller has them, or null. Without `add`, x may be b.
  virtual void apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) const = 0;
  /// Applies M to right-hand sides in float, for solutions in float: it moves half of the bytes, for products in low
  /// precision.
  virtual void apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x) const = 0;

  void vmult(const Vector<double> &b, Vector<double> &x) const override { apply(b, nullptr, false, x); }
  bool recordable() const override { return true; }
};
} // namespace adamant
