#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"
#include "multigrid/smoothers/sweep.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Gauss-Seidel by patches in the direction of the flow, for matrices in which transport dominates (Bey & Wittum 1997
/// number nodes in this way). A patch p has all nodes of the cells around a vertex (PatchKind::stars). For one patch
/// after the other, a sweep sets
///   x <- x + R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x).
/// Stabilised transport does not give an M-matrix. A sweep over single cells amplifies errors that the flow carries
/// across some hundreds of cells in a time step. The solutions on patches decay, as a patch reaches one cell further
/// downstream. Where there is no flow, any order will do. Patches come stage by stage, all patches of a stage at once,
/// which gives bitwise the result of one patch at a time. Each update finds the order anew from the matrix. Sweeps go
/// downstream before and after the coarse correction. For a symmetric matrix, however, transposed sweeps go upstream,
/// so that the V-cycle is symmetric.
template <typename Number>
class DownstreamPatches : public Sweep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws InputError where the level has no patches, RunError where a patch has more than most_unknowns_in_sweeps.
  explicit DownstreamPatches(const DeviceLevel<Number> &level);

  void update() override;

private:
  void        take(const Patches &cells, const Patches &patches);
  void        sweep(const Vector &b, Vector &x, bool transposed) const override;
  PatchesView view() const { return {m, elements(start), elements(node), elements(first_entry)}; }

  const CompressedRows &A() const { return level.changing() ? *level.changing() : *own_A; }

  DeviceLevel<Number>             level;
  int                             m;      // rows of a node
  std::vector<int>                stages; // the first patch of each stage, and the number of patches
  List<int>                       start, node;
  List<EntryNumber>               first_entry; // see PatchesView
  bool                            symmetric_A = false;
  std::size_t                     n_entries   = 0; // of the inverses of all patches
  std::shared_ptr<CompressedRows> own_A;           // a copy of A, where its values do not change on the device
  std::shared_ptr<Number>         inverse;
};

/// Returns the stage 0, 1, ... of each patch, so that stages follow each other downstream and patches of one stage do
/// not couple. The order comes from the cells. Let 1_p be the vector of ones on cell p. For cells p and q that share a
/// node, `f_pq = 1_qᵀ A 1_p - 1_pᵀ A 1_q` is twice the flow from q to p. Cell q is upstream of p where f_pq is more
/// than a twentieth of the largest |f_pr| of p. The depth of a cell is one more than the largest depth of the cells
/// upstream of it. Patches come in the order of the mean depth over their nodes. In a ring of cells, the first cell
/// begins.
std::vector<int> downstream_stages(const CSRMatrix<double> &A, int node_size, const Patches &cells,
                                   const Patches &patches);
} // namespace adamant
