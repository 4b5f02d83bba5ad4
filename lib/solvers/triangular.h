#pragma once

#include "operators/block_operator.h"
#include "solvers/preconditioner.h"

#include <vector>

namespace adamant
{
/// A block triangular preconditioner of a square block operator A, with an approximate inverse M_i of each diagonal
/// block (or of a Schur complement). The parts are:
///
///   upper:      `z_i = M_i (v_i - Σ_{j>i} A_ij z_j)`, beginning with the last block.
///   lower:      `z_i = M_i (v_i - Σ_{j<i} A_ij z_j)`, beginning with the first block.
///   symmetric:  The lower sweep, then `z_i -= M_i Σ_{j>i} A_ij z_j`, beginning with the last block but one.
///               This is `(D + U)⁻¹ D (D + L)⁻¹` with `D⁻¹ = diag(M_i)`; L and U are the blocks below and above the
///               diagonal of A. With symmetric A and M_i it is symmetric, and positive definite where all M_i are.
///   none:       `z_i = M_i v_i`.
class TriangularPreconditioner : public Preconditioner
{
public:
  enum class Part
  {
    upper,
    lower,
    symmetric,
    none
  };

  /// `A` and the preconditioners M_i in `diagonal` have to outlive the object. Throws RunError unless A has as many
  /// block rows and block columns as there are preconditioners, or where a diagonal block is not square.
  TriangularPreconditioner(const Device &device, const BlockOperator &A, std::vector<Preconditioner *> diagonal,
                           Part part);

  void vmult(const Vector<double> &v, Vector<double> &z) const override;
  void update() override;
  bool recordable() const override;

private:
  bool subtract(int i, int first, int last, const Vector<double> *v, const Vector<double> &z) const;

  Device                        device;
  const BlockOperator          &A;
  std::vector<Preconditioner *> diagonal;
  Part                          part;
  mutable Vector<double>        rest, change; // v_i - Σ A_ij z_j; what symmetric sweeps add to z
};
} // namespace adamant
