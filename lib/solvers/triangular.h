#pragma once

#include "operators/block_operator.h"
#include "solvers/preconditioner.h"

#include <vector>

namespace adamant
{
/// A block triangular preconditioner of a square block operator A, with an approximate inverse M_i of each diagonal
/// block (or of a Schur complement):
///
///   upper:  z_i = M_i (v_i - Σ_{j>i} A_ij z_j), the last block first
///   lower:  z_i = M_i (v_i - Σ_{j<i} A_ij z_j), the first block first
///   none:   z_i = M_i v_i
class TriangularPreconditioner : public Preconditioner
{
public:
  enum class Part
  {
    upper,
    lower,
    none
  };

  /// `A` and the preconditioners have to outlive the object. Throws RunError where their numbers differ, or a diagonal
  /// block is not square.
  TriangularPreconditioner(const Device &device, const BlockOperator &A, std::vector<Preconditioner *> diagonal,
                           Part part);

  void vmult(const Vector<double> &v, Vector<double> &z) const override;
  void update() override;
  bool recordable() const override;

private:
  Device                        device;
  const BlockOperator          &A;
  std::vector<Preconditioner *> diagonal;
  Part                          part;
  mutable Vector<double>        rest; // v_i - Σ A_ij z_j
};
} // namespace adamant
