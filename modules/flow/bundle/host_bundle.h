#pragma once

#include "algebra/host/ghosts.h"
#include "flow/bundle/bundle_storage.h"
#include "flow/bundle/packed_matrices.h"

#include <array>
#include <memory>
#include <vector>

// Products with a bundle on the host.

namespace adamant
{
namespace host
{
class Bundle : public BundleStorage
{
public:
  static constexpr int lanes = 8; ///< doubles of one AVX-512 register

  Bundle(const std::vector<const CSRMatrix<double> *> &matrices, int n_values);

  std::size_t bytes() const override { return owned.bytes(); }

  PackedMatrices                         owned;
  PackedGhosts                           ghosts;
  std::unique_ptr<GhostExchange<double>> exchange; ///< null on one rank
};

// Adds up the entries of a slice: `value` points to their values, column(e, lane) is a column, value_at(k, j) value k
// of column j.
template <typename Functor, typename Columns, typename Values, int lanes>
void add_entries(const Functor &f, int width, const double *value, const Columns &column, const Values &value_at,
                 double (&sums)[Functor::n_sums][lanes])
{
  for (int e = 0; e < width; ++e, value += Functor::n_matrices * lanes)
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane)
      {
        double    a[Functor::n_matrices], v[Functor::n_values], part[Functor::n_sums] = {};
        const int j = column(e, lane);
        for (int m = 0; m < Functor::n_matrices; ++m)
          a[m] = value[m * lanes + lane];
        for (int k = 0; k < Functor::n_values; ++k)
          v[k] = value_at(k, j);
        f.add(a, v, part);
        for (int c = 0; c < Functor::n_sums; ++c)
          sums[c][lane] += part[c];
      }
}

/// Calls finish(i, sums of row i) for all rows.
template <typename Functor, typename Values, typename Finish>
void for_each_packed_row(const PackedMatrices &A, int n_threads, const Functor &f, const Values &value_at,
                         const Finish &finish)
{
  constexpr int lanes = Bundle::lanes, n_sums = Functor::n_sums;
  const int     n_slices = static_cast<int>(A.slices.size());
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int s = 0; s < n_slices; ++s)
    {
      alignas(64) double sums[n_sums][lanes] = {};
      const auto        &slice               = A.slices[s];
      const double      *value               = A.value.data() + slice.value * Functor::n_matrices * lanes;
      if (slice.diagonal)
        {
          const auto column = [first = s * lanes, offset = A.offset.data() + slice.column](int e, int lane) {
            return first + offset[e] + lane;
          };
          add_entries(f, slice.width, value, column, value_at, sums);
        }
      else
        {
          const auto column = [columns = A.column.data() + static_cast<long>(slice.column) * lanes](int e, int lane) {
            return columns[static_cast<long>(e) * lanes + lane];
          };
          add_entries(f, slice.width, value, column, value_at, sums);
        }
      for (int lane = 0, i = s * lanes; lane < lanes && i < A.n_rows; ++lane, ++i)
        {
          double sum[n_sums];
          for (int c = 0; c < n_sums; ++c)
            sum[c] = sums[c][lane];
          finish(i, sum);
        }
    }
}

template <typename Functor>
void for_each_row(int n_threads, const BundleStorage &storage, const Functor &f)
{
  constexpr int                        n_values = Functor::n_values;
  const auto                          &A        = dynamic_cast<const Bundle &>(storage);
  std::array<const double *, n_values> x;
  for (int k = 0; k < n_values; ++k)
    x[k] = f.values(k);
  if (A.exchange)
    A.exchange->start(x.data());
  // Small products are not worth waking threads for.
  for_each_packed_row(
    A.owned, A.owned.value.size() < (1 << 17) ? 1 : n_threads, f, [x](int k, int j) { return x[k][j]; }, f);
  if (!A.exchange)
    return;
  const double *ghosts = A.exchange->finish();
  for_each_packed_row(
    A.ghosts.entries, 1, f, [ghosts](int k, int j) { return ghosts[static_cast<long>(j) * n_values + k]; },
    [f, row = A.ghosts.row.data()](int k, const auto &sum) { f.add_ghosts(row[k], sum); });
}
} // namespace host
} // namespace adamant
