#pragma once

#include "multigrid/smoothers/smoother.h"

namespace adamant
{
/// S = D⁻¹, where D is the diagonal of A.
template <typename Number>
class Jacobi : public Smoother<Number>, private FirstStep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// With node_size = m, D has the diagonal blocks of m x m entries for nodes of m rows.
  explicit Jacobi(const DeviceLevel<Number> &level, int node_size = 1);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override;
  /// Needs D diagonal and A stored by rows.
  const FirstStep<Number> *first_step() const override { return node_size == 1 && !level.cells() ? this : nullptr; }

private:
  void vmult_twice(Number beta, const Vector &b, Vector &x) const override;
  void residual(Number beta, const Vector &b, Vector &r) const override;
  void correct(Number beta, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const override;

  DeviceLevel<Number> level;
  int                 node_size;
  Vector              diagonal; // D⁻¹, see inverse_diagonal_blocks
};

/// D has the diagonal blocks of the nodes.
template <typename Number>
class BlockJacobi : public Jacobi<Number>
{
public:
  explicit BlockJacobi(const DeviceLevel<Number> &level)
    : Jacobi<Number>(level, level.node_size)
  {}
};
} // namespace adamant
