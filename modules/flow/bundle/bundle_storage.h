#pragma once

#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"

#include <cstddef>
#include <string>

namespace adamant
{
/// Matrices on one pattern, packed for products that need all of them at once.
class BundleStorage
{
public:
  BundleStorage(const CSRMatrix<double> &first, int n_matrices, int n_values)
    : n_rows(first.n_rows)
    , n_cols(first.ghosts ? first.ghosts->n_owned : first.n_cols)
    , n_matrices(n_matrices)
    , n_values(n_values)
  {}
  virtual ~BundleStorage() = default;

  virtual std::size_t bytes() const = 0; ///< device memory that a product reads, without vectors

  /// Throws RunError unless a functor has the bundle's numbers of matrices and values.
  void check(int matrices, int values) const
  {
    if (matrices != n_matrices || values != n_values)
      throw RunError("a bundle of " + std::to_string(n_matrices) + " matrices and " + std::to_string(n_values) +
                     " values is multiplied as one of " + std::to_string(matrices) + " and " + std::to_string(values));
  }

  const int n_rows, n_cols; ///< of this rank
  const int n_matrices;
  const int n_values; ///< numbers that products read at the node of a column
};
} // namespace adamant
