#include "multigrid/smoothers/jacobi.h"

#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"

namespace adamant
{
template <typename Number>
Jacobi<Number>::Jacobi(const DeviceLevel<Number> &level, int node_size)
  : level(level)
  , node_size(node_size)
{
  update();
}

template <typename Number>
void Jacobi<Number>::update()
{
  update_inverse_diagonal(level, node_size, diagonal);
}

template <typename Number>
void Jacobi<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  if (node_size == 1)
    level.device.for_each(x.size(), ScaleByDiagonal<Number>{a, diagonal.data(), b.data(), x.data()});
  else
    level.device.for_each(
      x.size(), ScaleByNodeBlocks<Number>{node_size, x.size() / node_size, a, diagonal.data(), b.data(), x.data()});
}

template <typename Number>
auto Jacobi<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d,
                          Vector &y, bool) const -> Vector &
{
  const JacobiUpdate<Number> update(alpha, beta, diagonal.data(), b.data(), x.data(), d_old.data(), d.data(), y.data());
  if (node_size == 1)
    level.device.for_each_row(level.A, x, JacobiStep<Number>(update));
  else
    level.device.for_each_row(level.A, x, NodeJacobiStep<Number>(node_size, x.size() / node_size, update));
  return y;
}

template <typename Number>
void Jacobi<Number>::vmult_twice(Number beta, const Vector &b, Vector &x) const
{
  level.device.for_each_row(level.A, FirstJacobiStep<Number>{beta, diagonal.data(), b.data()},
                            SecondJacobiStep<Number>(beta, diagonal.data(), b.data(), x.data()));
}

template <typename Number>
void Jacobi<Number>::residual(Number beta, const Vector &b, Vector &r) const
{
  level.device.for_each_row(level.A, FirstJacobiStep<Number>{beta, diagonal.data(), b.data()},
                            Residual<Number>(b.data(), r.data()));
}

template <typename Number>
void Jacobi<Number>::correct(Number beta, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const
{
  level.device.for_each_row(P, e, FirstJacobiStepPlus<Number>(beta, diagonal.data(), b.data(), x.data()));
}

template class Jacobi<double>;
template class Jacobi<float>;
} // namespace adamant
