#include "multigrid/smoothers/jacobi.h"

#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"

namespace adamant
{
template <typename Number>
void JacobiBase<Number>::update()
{
  update_inverse_diagonal(level, node_size, diagonal);
}

template <typename Number>
void JacobiBase<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  if (node_size == 1)
    level.device.for_each(x.size(), ScaleByDiagonal<Number>{a, diagonal.data(), b.data(), x.data()});
  else
    level.device.for_each(
      x.size(), ScaleByNodeBlocks<Number>{node_size, x.size() / node_size, a, diagonal.data(), b.data(), x.data()});
}

template <typename Number>
auto JacobiBase<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d,
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
bool JacobiBase<Number>::vmult_twice(Number beta, const Vector &b, Vector &x) const
{
  if (!takes_first_step())
    return false;
  level.device.for_each_row(level.A, FirstJacobiStep<Number>{beta, diagonal.data(), b.data()},
                            SecondJacobiStep<Number>(beta, diagonal.data(), b.data(), x.data()));
  return true;
}

template <typename Number>
bool JacobiBase<Number>::residual_of_vmult(Number beta, const Vector &b, Vector &r) const
{
  if (!takes_first_step())
    return false;
  level.device.for_each_row(level.A, FirstJacobiStep<Number>{beta, diagonal.data(), b.data()},
                            Residual<Number>(b.data(), r.data()));
  return true;
}

template <typename Number>
void JacobiBase<Number>::correct_vmult(Number beta, const Vector &b, const Matrix<Number> &P, const Vector &e,
                                       Vector &y) const
{
  level.device.for_each_row(P, e, FirstJacobiStepPlus<Number>(beta, diagonal.data(), b.data(), y.data()));
}

template <typename Number>
CSRMatrix<double> JacobiBase<Number>::matrix() const
{
  const Array<double> blocks  = inverse_diagonal_blocks(*level.matrix, node_size);
  const int           m       = node_size;
  const std::size_t   n_nodes = level.matrix->n_rows / m;
  CSRMatrix<double>   S;
  S.n_rows = S.n_cols = level.matrix->n_rows;
  S.row_start.assign(S.n_rows + 1, m);
  S.row_start[0] = 0;
  finish_row_starts(S);
  for (int row = 0; row < S.n_rows; ++row)
    for (int j = 0; j < m; ++j)
      {
        S.column[S.row_start[row] + j] = row - row % m + j;
        S.value[S.row_start[row] + j]  = blocks[(row % m * m + j) * n_nodes + row / m];
      }
  return S;
}

template class JacobiBase<double>;
template class JacobiBase<float>;
} // namespace adamant
