#include "multigrid/smoothers/patch.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/functors.h"

#include <algorithm>
#include <string>

namespace adamant
{
template <typename Number>
CellPatches<Number>::CellPatches(const SmootherLevel<Number> &level)
  : level(level)
  , m(level.A.node_size())
  , r(level.device, level.matrix->n_rows)
{
  if (!level.patches)
    throw InputError("smoother cell_patches: this linear system has no patches of cells; take block_jacobi");
  take(level.patches());
  S_rows = std::make_unique<CompressedRows>(level.device, *level.matrix);
  update();
}

// Their lists on the device, by patches and by nodes.
template <typename Number>
void CellPatches<Number>::take(const Patches &patches)
{
  const int  n_nodes = level.matrix->n_rows / m, n_places = static_cast<int>(patches.node.size());
  Array<int> first_of_node(n_nodes + 1, 0), patch_of_node(n_places), place_of_node(n_places);
  for (const int n : patches.node)
    ++first_of_node[n + 1];
  for (int n = 0; n < n_nodes; ++n)
    first_of_node[n + 1] += first_of_node[n];
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
  for (int p = 0; p < patches.size(); ++p)
    most = std::max(most, (patches.start[p + 1] - patches.start[p]) * m);
  const std::size_t n_entries = std::size_t((patches.size() + 31) / 32 * 32) * most * most;
  inverse = std::static_pointer_cast<Number>(level.device.interface().allocate(n_entries * sizeof(Number), "vectors"));
}

template <typename Number>
void CellPatches<Number>::update()
{
  std::shared_ptr<const CompressedRows> A = level.changing;
  if (!A)
    {
      const auto copy = std::make_shared<CompressedRows>(level.device, *level.matrix);
      copy->values.upload(level.matrix->value.data());
      A = copy;
    }
  if (most <= 12)
    invert<12>(A->view());
  else if (most <= 32)
    invert<32>(A->view());
  else if (most <= 64)
    invert<64>(A->view());
  else
    throw RunError("smoother cell_patches: a patch has " + std::to_string(most) +
                   " unknowns, at most 64 can be; take block_jacobi");
  level.device.for_each(level.matrix->n_rows, SumPatches<Number>{view(), inverse.get(), first.data(), patch.data(),
                                                                 place.data(), S_rows->view(), S_rows->values.data()});
  if (S.n_rows() > 0)
    S.update(*S_rows);
  else
    S = Matrix<Number>(level.device, *level.matrix, *S_rows, m);
  level.device.synchronize(); // the copy of A goes
}

template <typename Number>
template <int n_unknowns>
void CellPatches<Number>::invert(const RowsView &A)
{
  level.device.for_each(start.size() - 1, InvertPatches<Number, n_unknowns>{A, view(), inverse.get()});
}

template <typename Number>
void CellPatches<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  level.device.multiply(a, S, b, Number(0), x);
}

template <typename Number>
auto CellPatches<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d,
                               Vector &, bool) const -> Vector &
{
  if (d.size() == 0 && own_d.size() == 0)
    own_d = Vector(level.device, x.size());
  Vector &direction = d.size() > 0 ? d : own_d;
  level.device.residual(level.A, x, b, r);
  level.device.for_each_row(S, r, Update<Number>(alpha, beta, d_old.data(), direction.data(), x.data()));
  return x;
}

template class CellPatches<double>;
template class CellPatches<float>;
} // namespace adamant
