#pragma once

#include "algebra/device.h"
#include "flow/bundle/bundle_functors.h"
#include "flow/bundle/host_bundle.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
#if ADAMANT_WITH_CUDA
namespace cuda
{
// Defined in flow/bundle/bundle.cuh: a .cu file instantiates it for each functor, see flow/bundle/bundle_functors.cuh.
template <typename Functor>
void for_each_row(const DeviceInterface &device, const BundleStorage &A, const Functor &f);

// See MatrixBundle.
std::shared_ptr<BundleStorage> make_bundle(DeviceInterface                              &device,
                                           const std::vector<const CSRMatrix<double> *> &matrices, int n_values);
} // namespace cuda
#endif

/// This rank's rows of sparse matrices on one pattern on a device, packed for products that need all matrices at once.
/// A product is one pass over one stream of values and reads each index once. The format is always the device's own.
/// The class is a handle: copies share one bundle.
class MatrixBundle
{
public:
  MatrixBundle() = default;
  /// `matrices` in host memory have one pattern; they are copied. Products read `n_values` numbers at the node of a
  /// column; where ranks share the matrices, these travel in one message. All ranks call it together.
  MatrixBundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
    : bundle(make(device, matrices, n_values))
  {}

  explicit    operator bool() const { return bundle != nullptr; }
  int         n_rows() const { return bundle->n_rows; }
  int         n_cols() const { return bundle->n_cols; }
  std::size_t bytes() const { return bundle->bytes(); } ///< device memory that a product reads, without vectors

  const BundleStorage &storage() const { return *bundle; }

private:
  static std::shared_ptr<BundleStorage> make(const Device                                 &device,
                                             const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
  {
#if ADAMANT_WITH_CUDA
    if (device.asynchronous())
      return cuda::make_bundle(device.interface(), matrices, n_values);
#endif
    (void)device;
    return std::make_shared<host::Bundle>(matrices, n_values);
  }

  std::shared_ptr<BundleStorage> bundle;
};

/// Calls f(i, sums) for all rows i of a bundle with the sums over its entries; bundle_functors.h describes functors.
/// Throws RunError where the bundle was made for another number of matrices or values. All ranks call it together.
template <typename Functor>
void for_each_row(const Device &device, const MatrixBundle &A, const Functor &f)
{
  A.storage().check(Functor::n_matrices, Functor::n_values);
#if ADAMANT_WITH_CUDA
  if (device.asynchronous())
    return cuda::for_each_row(device.interface(), A.storage(), f);
#endif
  host::for_each_row(device.interface().n_threads(), A.storage(), f);
}
} // namespace adamant
