#pragma once

#include "base/host_device.h"

// Functors for for_each_row of a MatrixBundle, for host and GPU. The product reads n_values numbers in the node of a
// column j and forms n_sums sums over the entries of a row, which need not be linear in them. A functor has
//
//   static constexpr int n_matrices, n_values, n_sums;
//   const double *values(int k) const                  the vector of value k, an entry for each column
//   void add(const double (&a)[n_matrices], const double (&v)[n_values], double (&sum)[n_sums]) const
//                                                      what an entry adds: its coefficients a, the column's values v
//   void operator()(int i, const double (&sum)[n_sums]) const
//                                                      what is done with the sums of row i
//
// On several ranks the entries in columns that other ranks own, the ghosts' part, come second, when the messages have
// arrived. As all results are affine in the sums, a functor says how they change when the sums grow by these:
//
//   void add_ghosts(int i, const double (&sum)[n_sums]) const
//
// `parts`: how many threads of a GPU share a row; more than one where rows are few and long.

namespace adamant
{
/// Functors inherit what they do not have.
struct BundleFunctor
{
  static constexpr int parts = 1;
};
} // namespace adamant
