#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, summed over patches p of nodes: additive Schwarz with small dense problems.
/// R_p takes the unknowns of a patch, and W_p is a diagonal of weights. S is stored, so that a step is two sparse
/// products.
template <typename Number>
class PatchSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< returns x

protected:
  /// `name` is the smoother's name in the registry. Throws InputError where the level has no patches.
  PatchSmoother(const DeviceLevel<Number> &level, PatchKind kind, const char *name);

private:
  void take(const Patches &patches);
  template <typename Entry>
  void        compute(const RowsView &A);
  PatchesView view() const { return {m, elements(start), elements(node), elements(first_entry)}; }

  DeviceLevel<Number>             level;
  PatchKind                       kind;
  int                             m, most = 0;         // rows of a node; unknowns of the largest patch
  double                          weight = 0.;         // see SumPatches
  List<int>                       start, node;         // the patches, see PatchesView
  List<EntryNumber>               first_entry;         // see PatchesView
  std::size_t                     n_entries = 0;       // of the inverses of all patches
  List<int>                       first, patch, place; // the patches of each node, see SumPatches
  CSRMatrix<double>               S_pattern;           // the pattern of S, until S is made
  std::unique_ptr<CompressedRows> S_rows;
  Matrix<Number>                  S;
  std::shared_ptr<void>           inverse; // the inverses of the patches, see PatchesView
  mutable Vector                  r, own_d;
};

/// The additive Vanka smoother (Vanka 1986) by cells, for systems whose fields share their nodes. The patch of a cell c
/// has the nodes of the cell and the nodes from which its hanging nodes are interpolated. W_c² is one over the number
/// of cells that have an unknown. S has the pattern of A. A need be neither symmetric nor positive definite, but
/// damping has to be below 1, such as 0.7.
template <typename Number>
class CellPatches : public PatchSmoother<Number>
{
public:
  explicit CellPatches(const DeviceLevel<Number> &level)
    : PatchSmoother<Number>(level, PatchKind::cells, "cell_patches")
  {}
};

/// Additive Schwarz by vertices, for elements of degree 2 or more; with degree 1 a patch is little more than a node.
/// The patch of a vertex v has the nodes that act on no other cells than those around v. W_v² is one over the largest
/// number of patches that a node has. So S is symmetric positive definite where A is, and the eigenvalues of S A are at
/// most 1. Oscillating functions of little divergence are sums of such functions on patches (Arnold, Falk & Winther
/// 2000; Schoeberl 1999). With harmonic interpolation (make_harmonic), multigrid for nearly incompressible materials
/// then needs no more steps than for other materials.
template <typename Number>
class VertexPatches : public PatchSmoother<Number>
{
public:
  explicit VertexPatches(const DeviceLevel<Number> &level)
    : PatchSmoother<Number>(level, PatchKind::vertices, "vertex_patches")
  {}
};
} // namespace adamant
