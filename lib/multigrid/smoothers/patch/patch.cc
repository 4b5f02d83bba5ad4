#include "multigrid/smoothers/patch/patch.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/functors.h"

#include <algorithm>
#include <optional>
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
  S.row_start[0]         = 0;
  const auto find_others = [&](int node, std::vector<int> &others) {
    others = {node};
    for (int k = first[node]; k < first[node + 1]; ++k)
      others.insert(others.end(), patches.node.begin() + patches.start[patch[k]],
                    patches.node.begin() + patches.start[patch[k] + 1]);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
  };
#pragma omp parallel
  {
    std::vector<int> others;
#pragma omp for schedule(static)
    for (int node = 0; node < n_nodes; ++node)
      {
        find_others(node, others);
        std::fill_n(S.row_start.begin() + node * m + 1, m, others.size() * m);
      }
  }
  finish_row_starts(S);
#pragma omp parallel
  {
    std::vector<int> others;
#pragma omp for schedule(static)
    for (int node = 0; node < n_nodes; ++node)
      {
        find_others(node, others);
        for (int i = node * m; i < (node + 1) * m; ++i)
          for (std::size_t k = 0; k < others.size() * m; ++k)
            S.column[S.row_start[i] + k] = others[k / m] * m + static_cast<int>(k % m);
      }
  }
  return S;
}
} // namespace

template <typename Number>
PatchSmoother<Number>::PatchSmoother(const DeviceLevel<Number> &level, PatchKind kind, const char *name)
  : level(level)
  , kind(kind)
  , m(level.A.node_size())
  , r(level.device, level.n_rows())
{
  if (!level.patches)
    throw InputError(std::string("smoother ") + name + ": this linear system has no such patches; take block_jacobi");
  take(level.patches(kind));
  PatchSmoother::update();
}

// Their lists on the device, by patches and by nodes, and the pattern of S.
template <typename Number>
void PatchSmoother<Number>::take(const Patches &patches)
{
  const int  n_nodes = level.n_rows() / m, n_places = static_cast<int>(patches.node.size());
  Array<int> first_of_node(n_nodes + 1, 0), patch_of_node(n_places), place_of_node(n_places);
  for (const int n : patches.node)
    ++first_of_node[n + 1];
  for (int n = 0; n < n_nodes; ++n)
    {
      weight = std::max(weight, static_cast<double>(first_of_node[n + 1]));
      first_of_node[n + 1] += first_of_node[n];
    }
  weight = kind == PatchKind::cells ? 0. : 1. / std::max(weight, 1.);
  Array<int> next(first_of_node.begin(), first_of_node.end() - 1);
  for (int p = 0; p < patches.size(); ++p)
    for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
      {
        const int at      = next[patches.node[k]]++;
        patch_of_node[at] = p;
        place_of_node[at] = k - patches.start[p];
      }
  start = List<int>(level.device, patches.start);
  node  = List<int>(level.device, patches.node);
  first = List<int>(level.device, first_of_node);
  patch = List<int>(level.device, patch_of_node);
  place = List<int>(level.device, place_of_node);

  Array<EntryNumber> first_of_patch = {0};
  for (int p = 0; p < patches.size(); ++p)
    {
      const int k = (patches.start[p + 1] - patches.start[p]) * m;
      most        = std::max(most, k);
      first_of_patch.push_back(first_of_patch.back() + EntryNumber(k) * k);
    }
  first_entry = List<EntryNumber>(level.device, first_of_patch);
  n_entries   = first_of_patch.back();

  const bool of_A = kind == PatchKind::cells;
  S_pattern       = of_A ? *level.matrix() : pattern_of(patches, first_of_node, patch_of_node, m);
  S_rows          = std::make_unique<CompressedRows>(level.device, S_pattern);
}

template <typename Number>
void PatchSmoother<Number>::update()
{
  std::optional<CompressedRows> copy;
  if (!level.changing())
    copy.emplace(level.device, *level.matrix()).values.upload(level.matrix()->value.data());
  const CompressedRows *A = copy ? &*copy : level.changing();
  if (kind == PatchKind::cells)
    compute<Number>(A->view());
  else // of patches that nearly do not allow any motion
    compute<double>(A->view());
  if (S.n_rows() > 0)
    S.update(*S_rows);
  else
    {
      S         = Matrix<Number>(level.device, S_pattern, *S_rows, m);
      S_pattern = CSRMatrix<double>();
    }
  level.device.synchronize(); // the copy of A goes
  if (!level.changing())
    inverse.reset();
}

// The inverses in the precision of Entry, and the values of S.
template <typename Number>
template <typename Entry>
void PatchSmoother<Number>::compute(const RowsView &A)
{
  if (!inverse)
    inverse = level.device.interface().allocate(n_entries * sizeof(Entry), "vectors");
  auto *const matrices = static_cast<Entry *>(inverse.get());
  const int   n        = start.size() - 1;
  if (most <= 12)
    level.device.for_each_by_lanes(n, InvertPatches<Entry, 12>{A, view(), matrices});
  else if (most <= 32)
    level.device.for_each_by_lanes(n, InvertPatches<Entry, 32>{A, view(), matrices});
  else
    level.device.for_each_by_lanes(n, InvertPatches<Entry, 0>{A, view(), matrices});
  level.device.for_each_by_lanes(first.size() - 1,
                                 SumPatches<Entry>{view(), weight, matrices, first.data(), patch.data(), place.data(),
                                                   S_rows->view(), S_rows->values.data()});
}

template <typename Number>
void PatchSmoother<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  level.device.multiply(a, S, b, Number(0), x);
}

template <typename Number>
auto PatchSmoother<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d,
                                 Vector &, bool) const -> Vector &
{
  if (d.size() == 0 && own_d.size() == 0)
    own_d = Vector(level.device, x.size());
  Vector &direction = d.size() > 0 ? d : own_d;
  level.device.residual(level.A, x, b, r);
  level.device.for_each_row(S, r, Update<Number>(alpha, beta, d_old.data(), direction.data(), x.data()));
  return x;
}

template class PatchSmoother<double>;
template class PatchSmoother<float>;
} // namespace adamant
