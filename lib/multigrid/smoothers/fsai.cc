#include "multigrid/smoothers/fsai.h"

#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"

namespace adamant
{
template <typename Number>
FSAI<Number>::FSAI(const SmootherLevel<Number> &level)
  : level(level)
  , r(level.device, level.matrix->n_rows)
  , s(level.device, level.matrix->n_rows)
{
  update();
}

template <typename Number>
void FSAI<Number>::update()
{
  const CSRMatrix<double> G = fsai_factor(*level.matrix);
  if (factor.n_rows() > 0)
    {
      factor.update(G);
      factor_transposed.update(transpose(G));
      return;
    }
  factor            = Matrix<Number>(level.device, G);
  factor_transposed = Matrix<Number>(level.device, transpose(G));
}

template <typename Number>
void FSAI<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  level.device.multiply(Number(1), factor, b, Number(0), s);
  level.device.multiply(a, factor_transposed, s, Number(0), x);
}

template <typename Number>
auto FSAI<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &,
                        bool) const -> Vector &
{
  if (d.size() == 0 && own_d.size() == 0)
    own_d = Vector(level.device, x.size());
  Vector &direction = d.size() > 0 ? d : own_d;
  level.device.residual(level.A, x, b, r);
  level.device.multiply(Number(1), factor, r, Number(0), s);
  level.device.for_each_row(factor_transposed, s,
                            Update<Number>(alpha, beta, d_old.data(), direction.data(), x.data()));
  return x;
}

template class FSAI<double>;
template class FSAI<float>;
} // namespace adamant
