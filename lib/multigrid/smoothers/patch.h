#pragma once

#include "multigrid/smoothers/patch_functors.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = Σ_c R_cᵀ W_c (R_c A R_cᵀ)⁻¹ W_c R_c, R_c the unknowns of the nodes of cell c and of those that its hanging nodes
/// are interpolated from, W_c² one over the number of cells that have an unknown: the additive Vanka smoother (Vanka
/// 1986) of cells, for systems whose fields share their nodes. S has the pattern of A, so that a step is two sparse
/// products. It asks for neither symmetry nor positive definiteness, but for damping below 1, such as 0.7.
template <typename Number>
class CellPatches : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws InputError where the level has no patches, and RunError where one has more than 64 unknowns.
  explicit CellPatches(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in x

private:
  void take(const Patches &patches);
  template <int n_unknowns>
  void        invert(const RowsView &A);
  PatchesView view() const { return {m, most, start.data(), node.data()}; }

  SmootherLevel<Number>           level;
  int                             m, most = 0;         // rows of a node, unknowns of the largest patch
  List<int>                       start, node;         // of the patches
  List<int>                       first, patch, place; // of each node, see SumPatches
  std::unique_ptr<CompressedRows> S_rows;
  Matrix<Number>                  S;
  std::shared_ptr<Number>         inverse; // of the patches, see PatchesView
  mutable Vector                  r, own_d;
};
} // namespace adamant
