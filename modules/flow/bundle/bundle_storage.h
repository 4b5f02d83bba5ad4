#pragma once

#include "algebra/device.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "base/host_device.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// Functors for for_each_row of a MatrixBundle, for host and GPU. The product reads n_values numbers at the node of a
// column j. It forms n_sums sums over the entries of a row, which need not be linear in these numbers. A functor has
//
//   `static constexpr int n_matrices, n_values, n_sums, parts`.
//   `const double *values(int k) const` returns the vector of value k, an entry for each column.
//   `void add(const double (&a)[n_matrices], const double (&v)[n_values], double (&sum)[n_sums]) const` adds an entry's
//     part: it has the coefficients a, and its column the values v.
//   `void operator()(int i, const double (&sum)[n_sums]) const` uses the sums of row i.
//
// On several ranks the ghosts' part, entries in columns that other ranks own, comes second, when the messages have
// arrived. All results are affine in the sums: a functor says how they change when the sums grow by this part:
//
//   void add_ghosts(int i, const double (&sum)[n_sums]) const
//
// `parts` is the number of a GPU's threads that share a row: 1, or more where rows are few and long.

namespace adamant
{
/// Sparse matrices on one pattern, packed for products that need all of them at once, in device memory. `lanes`
/// consecutive rows form a slice. Entry e of its rows has the values value[((slice.value + e) n_matrices + m) lanes +
/// row]: one stream, no index twice. Rows of a slice may have equal offsets column - row, as where nodes are numbered
/// along the lines of a mesh. The slice then stores these offsets, and zeros for neighbours that a row lacks. Any other
/// slice stores a column for every entry.
struct PackedMatrices
{
  struct Slice
  {
    long value;    ///< first entry, in units of n_matrices * lanes values
    int  column;   ///< first of its columns or offsets, in units of lanes where columns are stored for every row
    int  width;    ///< entries a row
    int  diagonal; ///< 1: it stores offsets of all rows, 0: columns of every row
  };

  int          n_rows = 0;
  List<Slice>  slices;
  List<int>    offset; ///< for diagonal slices
  List<int>    column; ///< for all other slices
  List<double> value;

  std::size_t bytes() const { return slices.bytes() + offset.bytes() + column.bytes() + value.bytes(); }
};

/// The entries in the columns of other ranks; there are none on one rank.
struct PackedGhosts
{
  std::shared_ptr<const ExchangePlan> plan;    ///< null on one rank
  List<int>                           row;     ///< the rows with ghosts, ascending
  PackedMatrices                      entries; ///< row k is the ghosts' part of row[k]; columns are numbers of ghosts
};

/// Matrices on one pattern, packed for products that need all of them at once.
class BundleStorage
{
public:
  /// Packs matrices in host memory. The result does not depend on the number of threads. Either all ranks have ghosts,
  /// or none.
  BundleStorage(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices, int lanes, int n_values);
  virtual ~BundleStorage() = default;

  std::size_t bytes() const { return owned.bytes(); } ///< device memory that a product reads, without vectors

  /// Throws RunError unless a functor has the bundle's numbers of matrices and values.
  void check(int matrices, int values) const
  {
    if (matrices != n_matrices || values != n_values)
      throw RunError("a bundle of " + std::to_string(n_matrices) + " matrices and " + std::to_string(n_values) +
                     " values is multiplied as one of " + std::to_string(matrices) + " and " + std::to_string(values));
  }

  const int n_rows; ///< of this rank
  const int n_matrices;
  const int n_values; ///< numbers that products read at the node of a column

  const PackedMatrices owned; ///< the entries in this rank's columns
  const PackedGhosts   ghosts;
};
} // namespace adamant
