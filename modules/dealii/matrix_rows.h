#pragma once

#include <deal.II/base/index_set.h>
#include <deal.II/base/mpi.h>
#include <deal.II/lac/sparse_matrix.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace dealii
{
namespace TrilinosWrappers
{
class SparseMatrix;
}
namespace PETScWrappers
{
class MatrixBase;
}
} // namespace dealii

namespace adamant
{
/// Sets rank[k] to the number of keys below key[k]; all keys are different. For short rows this takes less time than
/// sorting, as vector units count. `rank` may get longer than `key`.
void rank_keys(const std::vector<int> &key, std::vector<int> &rank);

/// A row of a user's matrix: global columns in the order in which the matrix stores them, and their values.
struct MatrixRow
{
  std::vector<dealii::types::global_dof_index> columns;
  std::vector<double>                          values;
};

/// The rows of a user's square matrix that this rank has, whatever class stores them. The object refers to the matrix.
struct MatrixRows
{
  dealii::IndexSet owned;             ///< the global numbers of the rows; its size is that of the matrix
  bool             by_threads = true; ///< whether several threads may read rows at once
  std::function<void(std::size_t k, MatrixRow &row)> read; ///< makes `row` a copy of the k-th of the owned rows
  std::function<bool(std::size_t k)> couples; ///< whether the k-th row has an entry that is not zero off the diagonal
};

/// Returns the rows of a matrix. A SparseMatrix of deal.II, such as a block of a BlockSparseMatrix, has all rows on
/// this rank. The matrices of Trilinos and PETSc, blocks included, have their rows on any ranks. Throws RunError where
/// the matrix is not square, or is not filled.
/// @{
MatrixRows matrix_rows(const dealii::TrilinosWrappers::SparseMatrix &matrix);
MatrixRows matrix_rows(const dealii::PETScWrappers::MatrixBase &matrix);
void       check_square(std::size_t m, std::size_t n);
template <typename Number>
MatrixRows matrix_rows(const dealii::SparseMatrix<Number> &matrix)
{
  if (matrix.empty())
    check_square(0, 0);
  check_square(matrix.m(), matrix.n());
  return {dealii::complete_index_set(matrix.m()), true,
          [&matrix](std::size_t k, MatrixRow &row) {
            const std::size_t n = matrix.get_row_length(k);
            row.columns.resize(n);
            row.values.resize(n);
            auto *column = row.columns.data();
            auto *value  = row.values.data();
            for (auto entry = matrix.begin(k); column != row.columns.data() + n; ++entry)
              {
                *column++ = entry->column();
                *value++  = static_cast<double>(entry->value());
              }
          },
          [&matrix](std::size_t k) {
            return std::any_of(matrix.begin(k), matrix.end(k),
                               [k](const auto &entry) { return entry.column() != k && entry.value() != Number(); });
          }};
}
/// @}
} // namespace adamant
