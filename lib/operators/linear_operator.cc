#include "operators/linear_operator.h"

namespace adamant
{
void LinearOperator::residual(const Vector<double> &x, const Vector<double> &b, Vector<double> &r) const
{
  r.device().copy(b, r);
  multiply(-1., x, 1., r);
}
} // namespace adamant
