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
      const int      i   = part == Part::upper ? n - 1 - k : k;
      Vector<double> v_i = blocks.of(v, i), z_i = blocks.of(z, i), rest_i = blocks.of(rest, i);
      bool           coupled = false;
      for (int done = 0; done < k && part != Part::none; ++done)
        {
          const int j = part == Part::upper ? n - 1 - done : done;
          if (A.block(i, j) == nullptr)
            continue;
          if (!coupled)
            device.copy(v_i, rest_i);
          coupled = true;
          A.block(i, j)->multiply(-1., blocks.of(z, j), 1., rest_i);
        }
      diagonal[i]->vmult(coupled ? rest_i : v_i, z_i);
    }
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
