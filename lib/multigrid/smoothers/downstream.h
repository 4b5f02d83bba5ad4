#pragma once

#include "multigrid/smoothers/patch_functors.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Gauss-Seidel in the direction of the flow, for matrices in which transport rules (Bey & Wittum 1997 number nodes so):
/// one after the other, for the patch p of all nodes of the cells around a vertex (PatchKind::stars),
///   x <- x + R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x).
/// Stabilised transport is no M-matrix: by single cells a sweep amplifies what goes across some hundreds of cells in a
/// time step; what lies one more cell downstream makes the patches' solutions decay. Where nothing is upstream of
/// anything any order will do. Patches are taken stage by stage, all of a stage at once, with the same result to the bit
/// as one by one. The order is found from the matrix, anew by each update. Sweeps go downstream before and after the
/// coarse correction, but for symmetric matrices, whose transposed sweeps go the other way, so that the V-cycle is
/// symmetric.
template <typename Number>
class DownstreamPatches : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws InputError where the level has no patches, RunError where one has more than most_unknowns_in_sweeps.
  explicit DownstreamPatches(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in y
  bool    symmetric() const override { return false; }

private:
  void        take(const Patches &cells, const Patches &patches);
  void        sweep(const Vector &b, Vector &x, bool backwards) const;
  PatchesView view() const { return {m, elements(start), elements(node), elements(first_entry)}; }

  const CompressedRows &A() const { return level.changing ? *level.changing : *own_A; }

  SmootherLevel<Number>           level;
  int                             m;      // rows of a node
  std::vector<int>                stages; // where the patches of each begin
  List<int>                       start, node;
  List<EntryNumber>               first_entry; // see PatchesView
  bool                            symmetric_A = false;
  std::size_t                     n_entries   = 0; // of all inverses
  std::shared_ptr<CompressedRows> own_A;           // where the level's values do not change on the device
  std::shared_ptr<Number>         inverse;
};

/// An order of patches downstream, as stages 0, 1, ... of each: patches of one stage do not couple. With 1_p the vector
/// of ones on cell p, cell q is upstream of p where they share a node and 1_pᵀ A 1_q - 1_qᵀ A 1_p, minus twice what
/// flows through their face, is negative, more than a twentieth of the largest such number of p; so each cell is some
/// steps downstream, and patches follow each other by the mean over their nodes. Of a ring, the first cell begins.
std::vector<int> downstream_stages(const CSRMatrix<double> &A, int node_size, const Patches &cells,
                                   const Patches &patches);
} // namespace adamant
