#pragma once

#include "multigrid/smoothers/patch_functors.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p over patches p of nodes, R_p their unknowns: additive Schwarz with small
/// dense problems. S is stored, so that a step is two sparse products.
template <typename Number>
class PatchSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in x

protected:
  /// `name` is that of the registry. Throws InputError where the level has no patches.
  PatchSmoother(const SmootherLevel<Number> &level, PatchKind kind, const char *name);

private:
  void take(const Patches &patches);
  template <typename Entry>
  void        compute(const RowsView &A);
  PatchesView view() const { return {m, elements(start), elements(node), elements(first_entry)}; }

  SmootherLevel<Number>           level;
  PatchKind                       kind;
  int                             m, most = 0;         // rows of a node; unknowns of the largest patch
  double                          weight = 0.;         // see SumPatches
  List<int>                       start, node;         // of the patches
  List<EntryNumber>               first_entry;         // see PatchesView
  std::size_t                     n_entries = 0;       // of all inverses
  List<int>                       first, patch, place; // of each node, see SumPatches
  CSRMatrix<double>               S_pattern;           // until S is made
  std::unique_ptr<CompressedRows> S_rows;
  Matrix<Number>                  S;
  std::shared_ptr<void>           inverse; // of the patches, see PatchesView
  mutable Vector                  r, own_d;
};

/// R_c the unknowns of the nodes of cell c and of those that its hanging nodes are interpolated from, W_c² one over the
/// number of cells that have an unknown: the additive Vanka smoother (Vanka 1986) of cells, for systems whose fields
/// share their nodes. S has the pattern of A. It asks for neither symmetry nor positive definiteness, but for damping
/// below 1, such as 0.7.
template <typename Number>
class CellPatches : public PatchSmoother<Number>
{
public:
  explicit CellPatches(const SmootherLevel<Number> &level)
    : PatchSmoother<Number>(level, PatchKind::cells, "cell_patches")
  {}
};

/// R_v the unknowns of the nodes that act on none but the cells around vertex v, W_v² one over the most patches that a
/// node has: then S is symmetric positive definite where A is, and the eigenvalues of S A are at most 1. For elements
/// of degree 2 or more; of degree 1 a patch is little more than a node. The functions of little divergence that are no sums of smoother
/// ones are sums of some on patches (Arnold, Falk & Winther 2000; Schoeberl 1999), so that together with harmonic
/// interpolation (make_harmonic) multigrid for nearly incompressible materials needs no more steps than for others.
template <typename Number>
class VertexPatches : public PatchSmoother<Number>
{
public:
  explicit VertexPatches(const SmootherLevel<Number> &level)
    : PatchSmoother<Number>(level, PatchKind::vertices, "vertex_patches")
  {}
};
} // namespace adamant
