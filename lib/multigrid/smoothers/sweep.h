#pragma once

#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/smoother.h"

namespace adamant
{
/// A smoother whose steps x <- x + S (b - A x) are sweeps that change x in place.
template <typename Number>
class Sweep : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  void vmult(Number a, const Vector &b, Vector &x, bool transposed) const override
  {
    x.set_zero(); // and so it stays at unknowns that no sweep reaches, the constrained ones
    sweep(b, x, transposed);
    if (a != Number(1))
      x.device().scale(a, x);
  }
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override ///< returns y
  {
    x.device().copy(x, y);
    sweep(b, y, transposed); // S (b - A x) = y - x
    if (alpha != Number(0) || beta != Number(1) || d.size() > 0)
      x.device().for_each(x.size(), CorrectBySweep<Number>{alpha, beta, x.data(), d_old.data(), d.data(), y.data()});
    return y;
  }
  bool symmetric() const override { return false; }

private:
  virtual void sweep(const Vector &b, Vector &x, bool transposed) const = 0;
};
} // namespace adamant
