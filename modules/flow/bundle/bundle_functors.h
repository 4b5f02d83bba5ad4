#pragma once

#include "base/host_device.h"

// Functors for for_each_row of a MatrixBundle, for host and GPU. The product reads n_values numbers at the node of a
// column j. It forms n_sums sums over the entries of a row, which need not be linear in these numbers. A functor has
//
//   `static constexpr int n_matrices, n_values, n_sums`.
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
// `parts` is the number of a GPU's threads that share a row: more than one where rows are few and long.

namespace adamant
{
/// Defaults that functors inherit.
struct BundleFunctor
{
  static constexpr int parts = 1;
};
} // namespace adamant
