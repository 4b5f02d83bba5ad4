#pragma once

#include "algebra/device.h"
#include "base/exceptions.h"
#include "tensor/small_floats.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace adamant
{
/// How numbers of dense products are stored and multiplied. Sums are in float, for float64 in double. tf32 stores
/// floats, of which products take 10 bits of the mantissa.
enum class Arithmetic
{
  float64,
  float32,
  tf32,
  bfloat16,
  float16
};

/// Returns the arithmetic with this name in parameter files, one of the names above; throws InputError for other names.
Arithmetic         arithmetic(const std::string &name);
const std::string &to_text(Arithmetic arithmetic);

/// Throws InputError where the device has no such arithmetic: `key` names the parameter. The host has float64 and
/// float32. It imitates the other ones by rounding, far too slowly for anything but tests.
void require_arithmetic(const std::string &key, Arithmetic arithmetic, const Device &device);

/// Returns f(T()) for the type T in which this arithmetic stores numbers.
template <class F>
auto with_storage_type(Arithmetic arithmetic, const F &f)
{
  switch (arithmetic)
    {
      case Arithmetic::float64: return f(double());
      case Arithmetic::bfloat16: return f(BFloat16());
      case Arithmetic::float16: return f(Float16());
      default: return f(float());
    }
}

/// Returns `source`, which is in host memory, rounded to T in the memory of a device.
template <typename T>
List<T> to_list(const Device &device, const Array<double> &source)
{
  return List<T>(device, Array<T>(source.begin(), source.end()), "dense matrices");
}

/// The product C_i = a op(A_i) op(B_i) + b C_i for i < count, where op is the transpose or nothing. The matrices op(A),
/// m x k, op(B), k x n, and C, m x n, are row-major. Row r of a matrix begins at r times its distance of rows, matrix i
/// at i times its distance of matrices. The distance 0 means one matrix for all i.
struct ProductShape
{
  int         m, n, k;
  bool        transposed_A = false, transposed_B = false;
  int         row_A, row_B, row_C; ///< distances of rows
  int         count      = 1;
  std::size_t distance_A = 0, distance_B = 0, distance_C = 0;

  double flop() const { return 2. * m * n * k * count; }
};

/// Copies entry (i, j) of a block of a row-major matrix, or zero where `from` ends before it; the index is i n_columns
/// + j.
struct CopyBlock
{
  int           n_columns;
  const double *from;
  std::size_t   from_row;
  double       *to;
  std::size_t   to_row;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / n_columns, j = index % n_columns;
    to[i * to_row + j] = from == nullptr ? 0. : from[i * from_row + j];
  }
};

/// Interface of the implementations of DenseProducts: A and B are stored in the type of the arithmetic, C as well or, with
/// `to_float`, in float.
class DenseProductsInterface
{
public:
  virtual ~DenseProductsInterface()          = default;
  virtual void multiply(const ProductShape &shape, double a, const void *A, const void *B, double b, void *C,
                        bool to_float) const = 0;
};

/// Returns the bytes of memory that are free on the GPU, or available on the host.
double free_bytes(const Device &device);

/// Products of dense matrices in one arithmetic. A GPU runs cuBLAS, whose kernels graphs can record. The host runs own
/// loops over blocks, with all threads. There each entry is summed in the order of k for any m, n and count: a column
/// does not change a bit with the width of the product.
class DenseProducts
{
public:
  DenseProducts() = default;
  /// Throws RunError where there is a GPU, but no cuBLAS.
  DenseProducts(const Device &device, Arithmetic arithmetic);

  /// Computes a product. T is the storage type of the arithmetic; any other one throws RunError. R is T or, for 16
  /// bits, float. With b = 0 it does not read C.
  template <typename T, typename R>
  void multiply(const ProductShape &shape, double a, const T *A, const T *B, double b, R *C) const
  {
    static_assert(std::is_same_v<R, T> || (sizeof(T) == 2 && std::is_same_v<R, float>),
                  "C is stored as A, or in float");
    if (!with_storage_type(arithmetic, [](auto number) { return std::is_same_v<decltype(number), T>; }))
      throw RunError("products of dense matrices in " + to_text(arithmetic) + " of numbers of another type");
    products->multiply(shape, a, A, B, b, C, std::is_same_v<R, float>);
  }
  /// Inverts in place a symmetric positive definite matrix of n rows; `row` is the distance of rows. It does block
  /// Gauss-Jordan elimination without exchanges, nearly all of it products, in float64 only. A singular matrix gives
  /// values that are no numbers.
  void invert(const Device &device, double *a, int n, int row) const;

private:
  Arithmetic                              arithmetic = Arithmetic::float64;
  std::shared_ptr<DenseProductsInterface> products;
};

/// Returns n rounded up, so that rows of matrices and vectors begin at multiples of 16 bytes, as Tensor Cores need for
/// speed.
template <typename T>
int padded(int n)
{
  constexpr int multiple = sizeof(T) == sizeof(double) ? 1 : 16 / sizeof(T);
  return (n + multiple - 1) / multiple * multiple;
}

namespace cuda
{
std::shared_ptr<DenseProductsInterface> make_dense_products(DeviceInterface &device, Arithmetic arithmetic);
double                                  free_bytes();
} // namespace cuda
} // namespace adamant
