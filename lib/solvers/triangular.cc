#include "solvers/triangular.h"

#include "base/exceptions.h"

#include <algorithm>
#include <string>

namespace adamant
{
TriangularPreconditioner::TriangularPreconditioner(const Device &device, const BlockOperator &A,
                                                   std::vector<Preconditioner *> diagonal_, Part part)
  : device(device)
  , A(A)
  , diagonal(std::move(diagonal_))
  , part(part)
  , rest(device, A.n_rows())
{
  if (part == Part::symmetric)
    change = Vector<double>(device, A.n_rows());
  const int n = A.blocks_of_rows().n();
  if (static_cast<int>(diagonal.size()) != n || A.blocks_of_columns().n() != n)
    throw RunError("block triangular preconditioner: the operator has " + std::to_string(n) + " x " +
                   std::to_string(A.blocks_of_columns().n()) + " blocks, but " + std::to_string(diagonal.size()) +
                   " preconditioners are given");
  for (int i = 0; i < n; ++i)
    if (const int rows = A.blocks_of_rows().size(i), columns = A.blocks_of_columns().size(i); rows != columns)
      throw RunError("block triangular preconditioner: diagonal block " + std::to_string(i) + " is " +
                     std::to_string(rows) + " x " + std::to_string(columns) + ", not square");
}

void TriangularPreconditioner::vmult(const Vector<double> &v, Vector<double> &z) const
{
  const Blocks &blocks = A.blocks_of_rows();
  const int     n      = blocks.n();
  for (int k = 0; k < n; ++k)
    {
      const int  i       = part == Part::upper ? n - 1 - k : k;
      const int  first   = part == Part::upper ? i + 1 : 0;
      const int  last    = part == Part::upper ? n : part == Part::none ? 0 : i;
      const bool coupled = subtract(i, first, last, &v, z);

      Vector<double> z_i = blocks.of(z, i);
      diagonal[i]->vmult(blocks.of(coupled ? rest : v, i), z_i);
    }
  for (int i = n - 2; i >= 0 && part == Part::symmetric; --i)
    if (subtract(i, i + 1, n, nullptr, z))
      {
        Vector<double> z_i = blocks.of(z, i), change_i = blocks.of(change, i);
        diagonal[i]->vmult(blocks.of(rest, i), change_i);
        device.axpby(1., change_i, 1., z_i);
      }
}

// rest_i = v_i - Σ_j A_ij z_j, first <= j < last, v = 0 where it is null; whether there is such a block.
bool TriangularPreconditioner::subtract(int i, int first, int last, const Vector<double> *v,
                                        const Vector<double> &z) const
{
  const Blocks  &blocks  = A.blocks_of_rows();
  Vector<double> rest_i  = blocks.of(rest, i);
  bool           coupled = false;
  for (int j = first; j < last; ++j)
    if (A.block(i, j) != nullptr)
      {
        if (!coupled && v != nullptr)
          device.copy(blocks.of(*v, i), rest_i);
        A.block(i, j)->multiply(-1., blocks.of(z, j), coupled || v != nullptr ? 1. : 0., rest_i);
        coupled = true;
      }
  return coupled;
}

void TriangularPreconditioner::update()
{
  for (auto *preconditioner : diagonal)
    preconditioner->update();
}

bool TriangularPreconditioner::recordable() const
{
  return A.recordable() && std::all_of(diagonal.begin(), diagonal.end(), [](const auto *M) { return M->recordable(); });
}
} // namespace adamant
