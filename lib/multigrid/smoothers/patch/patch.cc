#include "base/exceptions.h"
#include "multigrid/smoothers/patch/patch_functors.h"
#include "multigrid/smoothers/setup.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace adamant
{
namespace
{
// The pattern of a matrix that couples the nodes of each patch with each other, and each node with itself; m rows a
// node. `first` and `patch` list the patches of each node.
CSRMatrix<double> pattern_of(const Patches &patches, const Array<int> &first, const Array<int> &patch, int m)
{
  const int         n_nodes = static_cast<int>(first.size()) - 1;
  CSRMatrix<double> S;
  S.n_rows = S.n_cols = n_nodes * m;
  S.row_start.resize(S.n_rows + 1);
  S.row_start[0]       = 0;
  const auto others_of = [&](int node) {
    std::vector<int> others = {node};
    for (int k = first[node]; k < first[node + 1]; ++k)
      others.insert(others.end(), patches.node.begin() + patches.start[patch[k]],
                    patches.node.begin() + patches.start[patch[k] + 1]);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return others;
  };
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    std::fill_n(S.row_start.begin() + node * m + 1, m, others_of(node).size() * m);
  finish_row_starts(S);
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    {
      const std::vector<int> others = others_of(node);
      for (int i = node * m; i < (node + 1) * m; ++i)
        for (std::size_t k = 0; k < others.size() * m; ++k)
          S.column[S.row_start[i] + k] = others[k / m] * m + static_cast<int>(k % m);
    }
  return S;
}
// S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, summed over patches p of nodes: additive Schwarz with small dense problems.
// R_p takes the unknowns of a patch, and W_p is a diagonal of weights.
template <typename Number>
class PatchSmoother : public StoredSmoother<Number>
{
public:
  // `name` is the smoother's name in the registry.
  PatchSmoother(const DeviceLevel<Number> &level, PatchKind kind, const char *name)
    : StoredSmoother<Number>(level)
    , kind(kind)
  {
    if (!level.patches)
      throw InputError(std::string("smoother ") + name + ": this linear system has no such patches; take block_jacobi");
    take(level.patches(kind));
    update();
  }
  void update() final
  {
    const auto &level = this->level;
    const auto  A     = rows_on(level.device, level);
    if (kind == PatchKind::cells)
      compute<Number>(A->view());
    else // of patches that nearly do not allow any motion
      compute<double>(A->view());
    take_rows(level.device, this->S.n_rows() > 0, S_pattern, S_rows.get(), lists.m, this->S);
    S_pattern = CSRMatrix<double>();
    level.device.synchronize(); // the copy of A goes
    if (!level.changing())
      inverse = List<char>();
  }

private:
  // Their lists on the device, by patches and by nodes, and the pattern of S.
  void take(const Patches &patches)
  {
    const auto &level = this->level;
    const int   m = level.A.node_size(), n_nodes = level.n_rows() / m, n_places = static_cast<int>(patches.node.size());
    Array<int>  first_of_node(n_nodes + 1, 0), patch_of_node(n_places), place_of_node(n_places);
    for (const int n : patches.node)
      ++first_of_node[n + 1];
    if (kind != PatchKind::cells)
      weight = 1. / std::max(1, *std::max_element(first_of_node.begin(), first_of_node.end()));
    std::partial_sum(first_of_node.begin(), first_of_node.end(), first_of_node.begin());
    Array<int> next(first_of_node.begin(), first_of_node.end() - 1);
    for (int p = 0; p < patches.size(); ++p)
      for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
        {
          const int at      = next[patches.node[k]]++;
          patch_of_node[at] = p;
          place_of_node[at] = k - patches.start[p];
        }
    lists     = PatchLists(level.device, patches.start, patches.node, m);
    first     = List<int>(level.device, first_of_node);
    patch     = List<int>(level.device, patch_of_node);
    place     = List<int>(level.device, place_of_node);
    S_pattern = kind == PatchKind::cells ? level.matrix() : pattern_of(patches, first_of_node, patch_of_node, m);
    S_rows    = std::make_unique<CompressedRows>(level.device, S_pattern);
  }

  // The inverses in the precision of Entry, and the values of S.
  template <typename Entry>
  void compute(const RowsView &A)
  {
    const Device &device = this->level.device;
    if (inverse.data() == nullptr)
      inverse = List<char>(device, lists.n_entries * sizeof(Entry));
    auto *const matrices = reinterpret_cast<Entry *>(inverse.data());
    invert_patches(device, A, lists, matrices, Entry(1e-5));
    const SumPatches<Entry> sum{lists.view(), weight,       matrices,       first.data(),
                                patch.data(), place.data(), S_rows->view(), S_rows->values.data()};
    for_each_by_teams(device, first.size() - 1, std::clamp((lists.most + 31) / 32 * 32, 32, sum.largest_team), sum);
  }

  PatchKind                       kind;
  double                          weight = 0.; // see SumPatches
  PatchLists                      lists;
  List<int>                       first, patch, place; // the patches of each node, see SumPatches
  CSRMatrix<double>               S_pattern;           // the pattern of S, until S is made
  std::unique_ptr<CompressedRows> S_rows;
  List<char>                      inverse; // the inverses of the patches, see PatchesView
};
} // namespace

// The additive Vanka smoother (Vanka 1986) by cells, for systems whose fields share their nodes. The patch of a cell c
// has the nodes of the cell and the nodes from which its hanging nodes are interpolated. W_c² is one over the number of
// cells that have an unknown. S has the pattern of A. A need be neither symmetric nor positive definite, but damping
// has to be below 1, such as 0.7.
SmootherKind cell_patches_kind()
{
  return made_as<PatchSmoother>(
    {"cell_patches", "the sum of the inverses of A's parts on single cells (damping 0.7 is usual)", true},
    PatchKind::cells, "cell_patches");
}

// Additive Schwarz by vertices, for elements of degree 2 or more; with degree 1 a patch is little more than a node. The
// patch of a vertex v has the nodes that act on no other cells than those around v. W_v² is one over the largest number
// of patches that a node has. So S is symmetric positive definite where A is, and the eigenvalues of S A are at most 1.
// Oscillating functions of little divergence are sums of such functions on patches (Arnold, Falk & Winther 2000;
// Schoeberl 1999). With harmonic interpolation (make_harmonic), multigrid for nearly incompressible materials then
// needs no more steps than for other materials.
SmootherKind vertex_patches_kind()
{
  return made_as<PatchSmoother>(
    {"vertex_patches", "the sum of the inverses of A's parts around single vertices (degree 2, with Chebyshev)", true},
    PatchKind::vertices, "vertex_patches");
}
} // namespace adamant
