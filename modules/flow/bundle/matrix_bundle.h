#pragma once

#include "algebra/device.h"
#include "algebra/host/row_products.h"
#include "flow/bundle/bundle_storage.h"

#include <array>
#include <memory>
#include <vector>

namespace adamant
{
namespace host
{
/// Products with a bundle on the host.
class Bundle : public BundleStorage
{
public:
  static constexpr int lanes = 8; ///< doubles of one AVX-512 register

  Bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
    : BundleStorage(device, matrices, lanes, n_values)
    , exchange(ghosts.plan ? std::make_unique<GhostExchange<double>>(*ghosts.plan, n_values) : nullptr)
  {}

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
  const int     n_slices = A.slices.size();
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int s = 0; s < n_slices; ++s)
    {
      alignas(64) double sums[n_sums][lanes] = {};
      const auto        &slice               = A.slices.data()[s];
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
    A.owned, A.owned.value.bytes() < (1 << 20) ? 1 : n_threads, f, [x](int k, int j) { return x[k][j]; }, f);
  if (!A.exchange)
    return;
  const double *ghosts = A.exchange->finish();
  for_each_packed_row(
    A.ghosts.entries, 1, f, [ghosts](int k, int j) { return ghosts[static_cast<long>(j) * n_values + k]; },
    [f, row = A.ghosts.row.data()](int k, const auto &sum) { f.add_ghosts(row[k], sum); });
}
} // namespace host

namespace cuda
{
// Defined in flow/bundle/bundle.cuh, which a .cu file includes to instantiate it for each functor.
template <typename Functor>
void for_each_row(const DeviceInterface &device, const BundleStorage &A, const Functor &f);

// See make_bundle below.
std::shared_ptr<BundleStorage> make_bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices,
                                           int n_values);
} // namespace cuda

/// This rank's rows of sparse matrices on one pattern on a device, packed for products that need all matrices at once.
/// A product is one pass over one stream of values and reads each index once. The format is always the device's own.
using MatrixBundle = std::shared_ptr<const BundleStorage>;

/// Returns a bundle. `matrices` in host memory have one pattern; they are copied. Products read `n_values` numbers at
/// the node of a column; where ranks share the matrices, these travel in one message. All ranks call it together.
inline MatrixBundle make_bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices,
                                int n_values)
{
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::make_bundle(device, matrices, n_values);
  return std::make_shared<const host::Bundle>(device, matrices, n_values);
}

/// Calls f(i, sums) for all rows i of a bundle with the sums over its entries; bundle_storage.h describes functors.
/// Throws RunError where the bundle was made for another number of matrices or values. All ranks call it together.
template <typename Functor>
void for_each_row(const Device &device, const MatrixBundle &A, const Functor &f)
{
  A->check(Functor::n_matrices, Functor::n_values);
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::for_each_row(device.interface(), *A, f);
  host::for_each_row(device.interface().n_threads(), *A, f);
}
} // namespace adamant
