#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <string>

namespace adamant
{
namespace
{
void check_node_rows(int node_size)
{
  if (node_size > most_node_rows)
    throw RunError("nodes of " + std::to_string(node_size) + " rows; the blocks of at most " +
                   std::to_string(most_node_rows) + " rows can be inverted");
}

// S = D⁻¹ of A's diagonal blocks of node_size rows. If D is diagonal and A stored by rows, step 1 needs no stored x.
template <typename Number>
class Jacobi : public Smoother<Number>, private FirstStep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  Jacobi(const DeviceLevel<Number> &level, bool by_nodes)
    : level(level)
    , node_size(by_nodes ? level.node_size : 1)
  {
    update();
  }
  void update() final { update_inverse_diagonal(level, node_size, diagonal); }
  void vmult(Number a, const Vector &b, Vector &x, bool) const override
  {
    if (node_size == 1)
      level.device.for_each(x.size(), ScaleByDiagonal<Number>{a, diagonal.data(), b.data(), x.data()});
    else
      level.device.for_each(
        x.size(), ScaleByNodeBlocks<Number>{node_size, x.size() / node_size, a, diagonal.data(), b.data(), x.data()});
  }
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool) const override
  {
    const JacobiUpdate<Number> update{alpha,    beta,         diagonal.data(), b.data(),
                                      x.data(), d_old.data(), d.data(),        y.data()};
    if (node_size == 1)
      level.device.for_each_row(level.A, x, JacobiStep<Number>(update));
    else
      level.device.for_each_row(level.A, x, NodeJacobiStep<Number>(node_size, x.size() / node_size, update));
    return y;
  }
  const FirstStep<Number> *first_step() const override { return node_size == 1 && !level.rowless() ? this : nullptr; }

private:
  FirstJacobiStep<Number> from_zero(Number beta, const Vector &b) const { return {beta, diagonal.data(), b.data()}; }
  void                    vmult_twice(Number beta, const Vector &b, Vector &x) const override
  {
    level.device.for_each_row(level.A, from_zero(beta, b),
                              SecondJacobiStep<Number>(beta, diagonal.data(), b.data(), x.data()));
  }
  void residual(Number beta, const Vector &b, Vector &r) const override
  {
    level.device.for_each_row(level.A, from_zero(beta, b), Residual<Number>(b.data(), r.data()));
  }
  void correct(Number beta, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const override
  {
    level.device.for_each_row(P, e, FirstJacobiStepPlus<Number>(beta, diagonal.data(), b.data(), x.data()));
  }

  DeviceLevel<Number> level;
  int                 node_size;
  Vector              diagonal; // D⁻¹, see inverse_diagonal_blocks
};

// The inverses of inverse_diagonal_blocks as a matrix.
CSRMatrix<double> inverse_diagonal_matrix(const CSRMatrix<double> &matrix, int node_size)
{
  const Array<double> blocks  = inverse_diagonal_blocks(matrix, node_size);
  const int           m       = node_size;
  const std::size_t   n_nodes = matrix.n_rows / m;
  return matrix_of_rows(matrix.n_rows, matrix.n_rows, [&](int i, Row &row) {
    for (int j = 0; j < m; ++j)
      row.emplace_back(i - i % m + j, blocks[(i % m * m + j) * n_nodes + i / m]);
  });
}
} // namespace

Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size)
{
  check_node_rows(node_size);
  const int     bs = node_size, n_nodes = matrix.n_rows / bs;
  Array<double> blocks(static_cast<std::size_t>(matrix.n_rows) * bs);
  int           failed = matrix.n_rows; // the first row of a singular block
#pragma omp parallel for schedule(static) reduction(min : failed)
  for (int node = 0; node < n_nodes; ++node)
    {
      double block[most_node_rows * most_node_rows];
      view_of(matrix).block(node * bs, bs, block);
      if (!invert_small(block, bs))
        failed = std::min(failed, node * bs);
      for (int k = 0; k < bs * bs; ++k)
        blocks[static_cast<std::size_t>(k) * n_nodes + node] = block[k];
    }
  if (failed < matrix.n_rows)
    throw RunError("Jacobi smoother: the diagonal block of row " + std::to_string(failed) +
                   " is singular; is an unknown without an equation, or a coefficient zero, too large or NaN?");
  return blocks;
}

template <typename Number>
void update_inverse_diagonal(const DeviceLevel<Number> &level, int node_size, Vector<Number> &diagonal)
{
  const int n_rows = level.n_rows(), n_nodes = n_rows / node_size;
  if (diagonal.size() == 0)
    diagonal = Vector<Number>(level.device, to_index(std::size_t(n_rows) * node_size, "entries of diagonal blocks"));
  if (!level.changes_on_device())
    return diagonal.upload(inverse_diagonal_blocks(level.matrix(), node_size).data());
  check_node_rows(node_size);
  if (level.rowless())
    level.rowless()->invert_diagonal(node_size, diagonal);
  else
    level.device.for_each(n_nodes,
                          InvertNodeBlocks<Number>{level.changing()->view(), node_size, n_nodes, diagonal.data()});
}

template void update_inverse_diagonal(const DeviceLevel<double> &, int, Vector<double> &);
template void update_inverse_diagonal(const DeviceLevel<float> &, int, Vector<float> &);

SmootherKind jacobi_kind()
{
  const auto S = [](const CSRMatrix<double> &A, int) { return inverse_diagonal_matrix(A, 1); };
  return made_as<Jacobi>({"jacobi", "the inverse of A's diagonal", false, {}, S}, false);
}

SmootherKind block_jacobi_kind()
{
  return made_as<Jacobi>({"block_jacobi", "the inverse of A's node blocks", false, {}, inverse_diagonal_matrix, true},
                         true);
}
} // namespace adamant
