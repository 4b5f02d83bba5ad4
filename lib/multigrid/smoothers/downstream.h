#pragma once

#include "multigrid/smoothers/patch_functors.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Gauss-Seidel by cells in the direction of the flow: for the patch p of one cell after the other, the nodes of each
/// as in CellPatches,
///   x <- x + R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x),
/// for matrices in which transport rules (Bey & Wittum 1997 number nodes so; cells take what couples across the flow
/// along). Where nothing is upstream of anything any order will do. Cells are taken stage by stage, all cells of a stage
/// at once, with the same result to the bit as one by one. The order is found from the matrix, anew by each
/// update. Sweeps go
/// downstream before and after the coarse correction, but for symmetric matrices, whose transposed sweeps go the other
/// way, so that the V-cycle is symmetric.
template <typename Number>
class DownstreamPatches : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws InputError where the level has no patches, RunError where one has more than 64 unknowns.
  explicit DownstreamPatches(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in y
  bool    symmetric() const override { return false; }

private:
  void        take(const Patches &patches);
  void        sweep(const Vector &b, Vector &x, bool backwards) const;
  PatchesView view() const { return {m, start.data(), node.data(), first_entry.data()}; }

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
/// of ones on patch p, q is upstream of p where they share a node and 1_pᵀ A 1_q - 1_qᵀ A 1_p, minus twice what flows
/// through the face of two cells, is negative, more than a twentieth of the largest such number of p. Of a ring, the
/// first patch begins; where none of two is upstream of the other, the first comes first.
std::vector<int> downstream_stages(const CSRMatrix<double> &A, int node_size, const Patches &patches);
} // namespace adamant
