#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"
#include "operators/patches.h"

namespace adamant
{
/// The interpolation P whose values inside refined cells follow A, on a device: P_i = -A_ii⁻¹ A_ib P_b, where i are the
/// unknowns inside a cell, and b those around it. Sums have a fixed order. Each rank computes its own rows.
class HarmonicInterpolation
{
public:
  HarmonicInterpolation(const Device &device, const HarmonicRows &rows, int node_size); ///< with so many rows a node

  void update(const RowsView &A); ///< computes P and R from the values of A

  CSRMatrix<double> R_pattern;
  CompressedRows    P, R; ///< R: the transpose of this rank's rows of P

private:
  Device            device;
  CompressedRows    around;
  PatchLists        cells;
  List<EntryNumber> place; // R's entry k is entry place[k] of P
  List<double>      inverse;
  bool              apart; // see MultiplyAround
};
} // namespace adamant
