#pragma once

#include "multigrid/smoothers/smoother.h"

namespace adamant
{
/// S = GᵀG, the factorised sparse approximate inverse of fsai_factor, G on the pattern of A's lower triangle.
template <typename Number>
class FSAI : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit FSAI(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in x

private:
  SmootherLevel<Number> level;
  Matrix<Number>        factor, factor_transposed; // G, Gᵀ
  mutable Vector        r, s, own_d;
};
} // namespace adamant
