#include "multigrid/harmonic_interpolation.h"

#include "multigrid/harmonic_functors.h"
#include "multigrid/smoothers/update_functors.h"

#include <numeric>

namespace adamant
{
namespace
{
// The transpose with the places of its entries in P as values.
CSRMatrix<double> transposed_places(CSRMatrix<double> P)
{
  std::iota(P.value.begin(), P.value.end(), 0.);
  return transpose(P);
}

bool components_stay_apart(const CSRMatrix<double> &P, int m)
{
  for (int i = 0; i < P.n_rows; ++i)
    for (EntryNumber k = P.row_start[i]; k < P.row_start[i + 1]; ++k)
      if (P.column[k] % m != i % m)
        return false;
  return true;
}
} // namespace

HarmonicInterpolation::HarmonicInterpolation(const Device &device, const HarmonicRows &rows, int node_size)
  : R_pattern(transposed_places(rows.P))
  , P(device, rows.P)
  , R(device, R_pattern)
  , device(device)
  , around(device, rows.around)
  , cells(device, rows.inside.start, rows.inside.node, node_size)
  , place(device, Array<EntryNumber>(R_pattern.value.begin(), R_pattern.value.end()))
  , inverse(device, cells.n_entries)
  , apart(components_stay_apart(rows.around, node_size))
{
  P.values.upload(rows.P.value.data());
  around.values.upload(rows.around.value.data());
}

void HarmonicInterpolation::update(const RowsView &A)
{
  const int n = cells.start.size() - 1, most = cells.most;
  invert_patches(device, A, cells, inverse.data(), 1e-12);
  // R has room for as many values as P.
  device.for_each_by_lanes(n * most / cells.m, MultiplyAround{A, P.view(), around.view(), cells.view(), most / cells.m,
                                                              apart, R.values.data()});
  device.for_each_by_lanes(n * ((most + SolveInside::rows - 1) / SolveInside::rows),
                           SolveInside{P.view(), cells.view(), most, inverse.data(), R.values.data(), P.values.data()});
  device.for_each(R.values.size(), Permute{place.data(), P.values.data(), R.values.data()});
}
} // namespace adamant
