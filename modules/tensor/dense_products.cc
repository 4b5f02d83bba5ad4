#include "tensor/dense_products.h"

#include "base/exceptions.h"
#include "tensor/host_products.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <unistd.h>

namespace adamant
{
namespace
{
const std::array<std::string, 5> names = {"float64", "float32", "tf32", "bfloat16", "float16"};
}

Arithmetic arithmetic(const std::string &name)
{
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<Arithmetic>(i);
  throw InputError("'" + name + "' should be float64, float32, tf32, bfloat16 or float16");
}

const std::string &to_text(Arithmetic arithmetic)
{
  return names[static_cast<std::size_t>(arithmetic)];
}

void require_arithmetic(const std::string &key, Arithmetic arithmetic, const Device &device)
{
  if (arithmetic != Arithmetic::float64 && arithmetic != Arithmetic::float32 && !device.asynchronous())
    throw InputError(key + " = " + to_text(arithmetic) + " needs --backend cuda; the host has float64 and float32");
}

DenseProducts::DenseProducts(const Device &device, Arithmetic arithmetic)
{
#if ADAMANT_WITH_CUDA
  if (device.asynchronous())
    {
      products = cuda::make_dense_products(device.interface(), arithmetic);
      return;
    }
#endif
  products = host::make_dense_products(device.interface().n_threads(), arithmetic);
}

double free_bytes(const Device &device)
{
#if ADAMANT_WITH_CUDA
  if (device.asynchronous())
    return cuda::free_bytes();
#else
  (void)device;
#endif
  return double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

void DenseProducts::invert(const Device &device, double *a, int n, int row) const
{
  constexpr int     block = 512;
  const int         most  = std::min(n, block);
  const std::size_t width = row;
  Vector<double>    P(device, most * most); // the inverse of the pivots' block
  Buffer<double>    rows(device, most * width), columns(device, std::size_t(n) * most);
  const auto        copy = [&](int n_rows, int n_columns, const double *from, std::size_t from_row, double *to,
                        std::size_t to_row) {
    device.for_each(n_rows * n_columns, CopyBlock{n_columns, from, from_row, to, to_row});
  };
  for (int k0 = 0; k0 < n; k0 += block)
    {
      const int m   = std::min(block, n - k0);
      double   *a_K = a + k0 * width, *a_to_K = a + k0;
      copy(m, m, a_K + k0, width, P.data(), m);
      device.invert(P, m);
      // The pivots' rows are P A_K:, but P in their own columns; their columns are set aside, zero in their own rows.
      multiply({m, n, m, false, false, m, row, row}, 1., P.data(), a_K, 0., rows.data());
      copy(m, m, P.data(), m, rows.data() + k0, width);
      copy(n, m, a_to_K, width, columns.data(), m);
      copy(m, m, nullptr, 0, columns.data() + std::size_t(k0) * m, m);
      // A_ij -= A_iK P A_Kj, and A_iK = -A_iK P.
      copy(n, m, nullptr, 0, a_to_K, width);
      multiply({n, n, m, false, false, m, row, row}, -1., columns.data(), rows.data(), 1., a);
      copy(m, n, rows.data(), width, a_K, width);
    }
}
} // namespace adamant
