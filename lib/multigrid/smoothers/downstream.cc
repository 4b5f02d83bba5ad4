#include "base/exceptions.h"
#include "multigrid/smoothers/patch/patch_functors.h"
#include "multigrid/smoothers/setup.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace adamant
{
namespace
{
struct Coupling
{
  int    other; // a patch
  bool   share; // whether they have a node in common
  double sum;

  bool operator<(const Coupling &c) const { return other < c.other; }
};
using Couplings = std::vector<std::vector<Coupling>>; // of each patch, ascending

// 1_pᵀ A 1_q for all patches that couple.
Couplings sums_between(const CSRMatrix<double> &A, int m, const Patches &patches)
{
  const int                     n_nodes = A.n_rows / m;
  std::vector<std::vector<int>> patches_of(n_nodes);
  for (int p = 0; p < patches.size(); ++p)
    for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
      patches_of[patches.node[k]].push_back(p);
  Couplings sums(patches.size());
#pragma omp parallel for schedule(static)
  for (int p = 0; p < patches.size(); ++p)
    {
      auto &row = sums[p];
      for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
        for (int i = patches.node[k] * m; i < (patches.node[k] + 1) * m; ++i)
          for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
            for (const int q : patches_of[A.column[e] / m])
              row.push_back({q, A.column[e] / m == patches.node[k], A.value[e]});
      std::stable_sort(row.begin(), row.end());
      std::size_t kept = 0;
      for (std::size_t k = 0; k < row.size(); ++k)
        if (kept > 0 && row[kept - 1].other == row[k].other)
          {
            row[kept - 1].sum += row[k].sum;
            row[kept - 1].share |= row[k].share;
          }
        else
          row[kept++] = row[k];
      row.resize(kept);
      row.shrink_to_fit();
    }
  return sums;
}

// How far downstream each patch is: one more than the furthest patch upstream of it.
std::vector<int> depths(const Couplings &sums)
{
  const int  n      = static_cast<int>(sums.size());
  const auto inflow = [&](int p, const Coupling &c) { // from the other one
    const auto &row   = sums[c.other];
    const auto  found = std::lower_bound(row.begin(), row.end(), Coupling{p, false, 0.});
    return !c.share ? 0. : (found != row.end() && found->other == p ? found->sum : 0.) - c.sum;
  };
  std::vector<std::vector<int>> downstream(n);
  std::vector<int>              n_upstream(n, 0), depth(n, 0), ready;
  for (int p = 0; p < n; ++p)
    {
      double most = 0;
      for (const auto &entry : sums[p]) // beside rounding, which symmetric matrices have there
        most = std::max({most, std::abs(inflow(p, entry)), 1e-6 * std::abs(entry.sum)});
      for (const auto &entry : sums[p])
        if (entry.other != p && inflow(p, entry) > 0.05 * most)
          {
            downstream[entry.other].push_back(p);
            ++n_upstream[p];
          }
    }
  std::vector<char> done(n, 0);
  for (int first = 0, taken = 0; taken < n;)
    {
      if (ready.empty()) // to begin with, and where only rings are left
        {
          for (int p = 0; p < n && taken == 0; ++p)
            if (n_upstream[p] == 0)
              ready.push_back(p);
          while (ready.empty() && done[first] != 0)
            ++first;
          if (ready.empty())
            ready.push_back(first);
        }
      const int p = ready.back();
      ready.pop_back();
      if (done[p] != 0)
        continue;
      done[p] = 1;
      ++taken;
      for (const int q : downstream[p])
        if (done[q] == 0)
          {
            depth[q] = std::max(depth[q], depth[p] + 1);
            if (--n_upstream[q] == 0)
              ready.push_back(q);
          }
    }
  return depth;
}
// Of each patch the mean over its nodes of how far downstream their cells are in the mean.
std::vector<double> mean_depths(const Patches &patches, const Patches &cells, const std::vector<int> &depth,
                                int n_nodes)
{
  std::vector<double> of_node(n_nodes, 0.), mean(patches.size(), 0.);
  std::vector<int>    n_cells(n_nodes, 0);
  for (int cell = 0; cell < cells.size(); ++cell)
    for (int k = cells.start[cell]; k < cells.start[cell + 1]; ++k)
      {
        of_node[cells.node[k]] += depth[cell];
        ++n_cells[cells.node[k]];
      }
  for (int p = 0; p < patches.size(); ++p)
    for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
      if (const int node = patches.node[k]; n_cells[node] > 0)
        mean[p] += of_node[node] / n_cells[node] / (patches.start[p + 1] - patches.start[p]);
  return mean;
}

// Whether A is symmetric but for rounding.
bool is_symmetric(const CSRMatrix<double> &A)
{
  bool symmetric = true;
#pragma omp parallel for schedule(static) reduction(&& : symmetric)
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      symmetric = symmetric && std::abs(A.value[k] - entry(A, A.column[k], i)) <= 1e-8 * std::abs(entry(A, i, i));
  return symmetric;
}
// Gauss-Seidel by patches in the direction of the flow, for matrices in which transport dominates (Bey & Wittum 1997
// number nodes in this way). A patch p has all nodes of the cells around a vertex (PatchKind::stars). For one patch
// after the other, a sweep sets
//   x <- x + R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x).
// Stabilised transport does not give an M-matrix. A sweep over single cells amplifies errors that the flow carries
// across some hundreds of cells in a time step. The solutions on patches decay, as a patch reaches one cell further
// downstream. Where there is no flow, any order will do. Patches come stage by stage, all patches of a stage at once,
// which gives bitwise the result of one patch at a time. Each update finds the order anew from the matrix. Sweeps go
// downstream before and after the coarse correction. For a symmetric matrix, however, transposed sweeps go upstream, so
// that the V-cycle is symmetric.
template <typename Number>
class DownstreamPatches : public Sweep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit DownstreamPatches(const DeviceLevel<Number> &level)
    : level(level)
  {
    if (!level.patches)
      throw InputError("smoother downstream_patches: this linear system has no patches of cells; take block_jacobi");
    update();
  }
  void update() final
  {
    take(level.patches(PatchKind::cells), level.patches(PatchKind::stars)); // the flow may be another one
    A       = rows_on(level.device, level);
    inverse = List<Number>(level.device, lists.n_entries);
    invert_patches(level.device, A->view(), lists, inverse.data(), Number(1e-5));
    level.device.outdate_graphs(); // which hold the places of all this
  }

private:
  // Takes the patches in the order of their stages.
  void take(const Patches &cells, const Patches &patches)
  {
    const int  m           = level.A.node_size();
    const auto matrix      = matrix_on_host(level);
    symmetric_A            = is_symmetric(matrix);
    const auto       stage = downstream_stages(matrix, m, cells, patches);
    std::vector<int> order(patches.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return stage[p] < stage[q]; });
    stages.clear();
    Patches sorted;
    for (int k = 0; k < patches.size(); ++k)
      {
        const int p = order[k];
        if (k == 0 || stage[p] != stage[order[k - 1]])
          stages.push_back(k);
        sorted.node.insert(sorted.node.end(), patches.node.begin() + patches.start[p],
                           patches.node.begin() + patches.start[p + 1]);
        sorted.start.push_back(static_cast<int>(sorted.node.size()));
      }
    stages.push_back(patches.size());
    lists = PatchLists(level.device, sorted.start, sorted.node, m);
    if (lists.most > most_unknowns_in_sweeps)
      throw InputError("Linear solver/Smoother = downstream_patches: a patch has " + std::to_string(lists.most) +
                       " unknowns, at most " + std::to_string(most_unknowns_in_sweeps) + " can be; take block_jacobi");
  }

  void sweep(const Vector &b, Vector &x, bool transposed) const override
  {
    const std::size_t n = stages.size() - 1;
    for (std::size_t k = 0; k < n; ++k)
      {
        const std::size_t s = transposed && symmetric_A ? n - 1 - k : k;
        level.device.for_each(stages[s + 1] - stages[s], SolvePatches<Number>{A->view(), lists.view(), inverse.data(),
                                                                              stages[s], b.data(), x.data()});
      }
  }

  DeviceLevel<Number>                   level;
  std::vector<int>                      stages; // the first patch of each stage, and the number of patches
  PatchLists                            lists;
  bool                                  symmetric_A = false;
  std::shared_ptr<const CompressedRows> A;
  List<Number>                          inverse;
};
} // namespace

std::vector<int> downstream_stages(const CSRMatrix<double> &A, int node_size, const Patches &cells,
                                   const Patches &patches)
{
  const int        n_nodes = A.n_rows / node_size;
  const auto       depth   = mean_depths(patches, cells, depths(sums_between(A, node_size, cells)), n_nodes);
  std::vector<int> order(patches.size()), stage(patches.size(), 0), last(n_nodes, -1); // stage that touches a node
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return depth[p] < depth[q]; });
  for (const int p : order)
    {
      for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
        for (int i = patches.node[k] * node_size; i < (patches.node[k] + 1) * node_size; ++i)
          for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
            stage[p] = std::max(stage[p], last[A.column[e] / node_size] + 1);
      for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
        last[patches.node[k]] = stage[p];
    }
  return stage;
}

SmootherKind downstream_patches_kind()
{
  return made_as<DownstreamPatches>(
    {"downstream_patches", "a sweep over the stars of vertices in the direction of the flow (gmres, damping 1)", true});
}
} // namespace adamant
