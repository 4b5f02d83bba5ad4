#include "dealii/matrix_rows.h"

#include "base/exceptions.h"
#include "fem/dealii_trilinos.h"

#ifdef ADAMANT_DEALII_HAS_EPETRA
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <Epetra_CrsMatrix.h>
#endif
#ifdef DEAL_II_WITH_PETSC
#include <deal.II/lac/petsc_matrix_base.h>
#endif

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace adamant
{
void rank_keys(const std::vector<int> &key, std::vector<int> &rank)
{
  constexpr int lanes = 16;
  typedef int   Lanes __attribute__((vector_size(lanes * sizeof(int))));
  const int     n = static_cast<int>(key.size());
  rank.resize((n + lanes - 1) / lanes * lanes);
  if (n <= 512)
    for (int k = 0; k < n; k += lanes)
      {
        Lanes mine{}, below{};
        std::copy(key.begin() + k, key.begin() + std::min(n, k + lanes), reinterpret_cast<int *>(&mine));
        for (const int other : key)
          below -= other < mine; // true is -1
        std::memcpy(rank.data() + k, &below, sizeof(below));
      }
  else
    {
      std::vector<int> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&key](int k, int l) { return key[k] < key[l]; });
      for (int r = 0; r < n; ++r)
        rank[order[r]] = r;
    }
}

void check_square(std::size_t m, std::size_t n)
{
  if (m == 0 || m != n)
    throw RunError("multigrid of a matrix: expected a square matrix with rows, not one of " + std::to_string(m) +
                   " x " + std::to_string(n));
}

#ifdef ADAMANT_DEALII_HAS_EPETRA
MatrixRows matrix_rows(const dealii::TrilinosWrappers::SparseMatrix &matrix)
{
  check_square(matrix.m(), matrix.n());
  const Epetra_CrsMatrix *epetra = &matrix.trilinos_matrix();
  if (!epetra->Filled())
    throw RunError("multigrid of a matrix: compress() has not been called for it");
  // Calls action(columns by local numbers, values, their number).
  const auto with_row = [epetra](std::size_t k, const auto &action) {
    int     n      = 0;
    int    *column = nullptr;
    double *value  = nullptr;
    if (const int error = epetra->ExtractMyRowView(static_cast<int>(k), n, value, column))
      throw RunError("multigrid of a matrix: Trilinos' ExtractMyRowView failed with error " + std::to_string(error));
    return action(column, value, n);
  };
  return {matrix.locally_owned_range_indices(), true,
          [epetra, with_row](std::size_t k, MatrixRow &row) {
            with_row(k, [&](const int *column, const double *value, int n) {
              row.values.assign(value, value + n);
              row.columns.resize(n);
              for (int i = 0; i < n; ++i)
                row.columns[i] = static_cast<dealii::types::global_dof_index>(epetra->GCID64(column[i]));
            });
          },
          [epetra, with_row](std::size_t k) {
            return with_row(k, [&](const int *column, const double *value, int n) {
              for (int i = 0; i < n; ++i)
                if (value[i] != 0. && epetra->GCID64(column[i]) != epetra->GRID64(static_cast<int>(k)))
                  return true;
              return false;
            });
          }};
}
#endif

#ifdef DEAL_II_WITH_PETSC
MatrixRows matrix_rows(const dealii::PETScWrappers::MatrixBase &matrix)
{
  check_square(matrix.m(), matrix.n());
  const auto [first, end] = matrix.local_range();
  dealii::IndexSet owned(matrix.m());
  owned.add_range(first, end);
  const Mat petsc =
    static_cast<Mat>(const_cast<dealii::PETScWrappers::MatrixBase &>(matrix)); // MatGetRow takes no const
  const auto read = [petsc, first = first](std::size_t k, MatrixRow &row) {
    const auto         number  = static_cast<PetscInt>(first + k);
    PetscInt           n       = 0;
    const PetscInt    *columns = nullptr;
    const PetscScalar *values  = nullptr;
    if (MatGetRow(petsc, number, &n, &columns, &values) != 0)
      throw RunError("multigrid of a matrix: PETSc's MatGetRow failed; has compress() been called?");
    row.columns.assign(columns, columns + n);
    row.values.resize(n);
    for (PetscInt i = 0; i < n; ++i)
      row.values[i] = PetscRealPart(values[i]);
    MatRestoreRow(petsc, number, &n, &columns, &values);
  };
  return {owned, false, read, [read, first = first](std::size_t k) {
            MatrixRow row;
            read(k, row);
            for (std::size_t i = 0; i < row.columns.size(); ++i)
              if (row.values[i] != 0. && row.columns[i] != first + k)
                return true;
            return false;
          }};
}
#endif
} // namespace adamant
