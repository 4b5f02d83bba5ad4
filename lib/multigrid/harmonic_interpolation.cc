#include "multigrid/harmonic_interpolation.h"

#include "multigrid/harmonic_functors.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace adamant
{
namespace
{
// Pᵀ with the places of its entries in P as values.
CSRMatrix<double> transposed_places(const CSRMatrix<double> &P)
{
  CSRMatrix<double> places = P;
  std::iota(places.value.begin(), places.value.end(), 0.);
  return transpose(places);
}
} // namespace

HarmonicInterpolation::HarmonicInterpolation(const Device &device, const HarmonicRows &rows, int node_size,
                                             std::size_t most_entries)
  : R_pattern(transposed_places(rows.P))
  , P(device, rows.P)
  , R(device, R_pattern)
  , device(device)
  , around(device, rows.around)
  , place(device, Array<EntryNumber>(R_pattern.value.begin(), R_pattern.value.end()))
{
  if (node_size > most_node_rows)
    throw RunError("harmonic interpolation: a node has " + std::to_string(node_size) + " unknowns, at most " +
                   std::to_string(most_node_rows) + " can be");
  P.values.upload(rows.P.value.data());
  around.values.upload(rows.around.value.data());
  std::size_t most_inverse = 0, most_right = 0;
  for (int begin = 0, end = 0; begin < rows.inside.size(); begin = end)
    {
      Array<int>         start     = {0}, cell;
      Array<EntryNumber> first     = {0};
      std::size_t        n_inverse = 0;
      for (; end < rows.inside.size() && (end == begin || n_inverse + first.back() <= most_entries); ++end)
        {
          const int n_nodes = rows.inside.start[end + 1] - rows.inside.start[end];
          start.push_back(start.back() + n_nodes);
          cell.insert(cell.end(), n_nodes, end - begin);
          first.push_back(first.back() + EntryNumber(n_nodes) * node_size * (rows.first[end + 1] - rows.first[end]));
          n_inverse += std::size_t(n_nodes) * n_nodes * node_size * node_size;
        }
      const auto node = rows.inside.node.begin() + rows.inside.start[begin];
      parts.push_back({PatchLists(device, start, Array<int>(node, node + start.back()), node_size),
                       List<int>(device, cell),
                       List<int>(device, Array<int>(rows.first.begin() + begin, rows.first.begin() + end + 1)),
                       List<EntryNumber>(device, first)});
      most_inverse = std::max(most_inverse, n_inverse);
      most_right   = std::max<std::size_t>(most_right, first.back());
    }
  inverse = Vector<double>(device, static_cast<int>(most_inverse));
  right   = Vector<double>(device, static_cast<int>(most_right));
}

void HarmonicInterpolation::update(const RowsView &A)
{
  for (const Cells &part : parts)
    {
      const InsideView inside{part.nodes.view(),    elements(part.cell), elements(part.first_column),
                              elements(part.first), around.view(),       right.data()};
      invert_patches(device, A, part.nodes, inverse.data(), 0.);
      device.for_each_by_lanes(part.cell.size(), MultiplyAround{A, inside});
      device.for_each_by_lanes(part.cell.size(), SolveInside{inside, inverse.data(), P.view(), P.values.data()});
    }
  device.for_each(R.values.size(), Permute{place.data(), P.values.data(), R.values.data()});
}
} // namespace adamant
