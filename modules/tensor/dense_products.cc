#include "tensor/dense_products.h"

#include "base/exceptions.h"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace adamant
{
namespace
{
const std::array<std::string, 5> names = {"float64", "float32", "tf32", "bfloat16", "float16"};

constexpr int tile_rows = 6, tile_columns = 16, rows_at_once = 96;

// Makes C (m x n) = a A B + b C for the rows begin, ..., end - 1 and the columns first, ..., first + tile_columns - 1.
// Entry (i, p) of A is A[i di + p dp], and entry (p, j) of B is B[p ep + j ej].
template <typename Number>
void multiply_panel(const ProductShape &s, Number a, const Number *A, const Number *B, Number b, Number *C, int first,
                    int begin, int end, Array<Number> &panel)
{
  const std::size_t di = s.transposed_A ? 1 : s.row_A, dp = s.transposed_A ? s.row_A : 1;
  const std::size_t ep = s.transposed_B ? 1 : s.row_B, ej = s.transposed_B ? s.row_B : 1;
  const int         n = std::min(tile_columns, s.n - first);
  panel.resize(std::size_t(s.k) * tile_columns);
  for (int p = 0; p < s.k; ++p)
    for (int j = 0; j < tile_columns; ++j)
      panel[std::size_t(p) * tile_columns + j] = j < n ? B[p * ep + (first + j) * ej] : Number(0);
  for (int i0 = begin; i0 < end; i0 += tile_rows)
    {
      Number        sum[tile_rows][tile_columns] = {};
      const Number *row[tile_rows];
      for (int i = 0; i < tile_rows; ++i)
        row[i] = A + std::min(i0 + i, end - 1) * di;
      for (int p = 0; p < s.k; ++p)
        for (int i = 0; i < tile_rows; ++i)
          {
            const Number factor = row[i][p * dp];
#pragma omp simd
            for (int j = 0; j < tile_columns; ++j)
              sum[i][j] += factor * panel[std::size_t(p) * tile_columns + j];
          }
      for (int i = 0; i < tile_rows && i0 + i < end; ++i)
        for (int j = 0; j < n; ++j)
          {
            Number &c = C[std::size_t(i0 + i) * s.row_C + first + j];
            c         = b == Number(0) ? a * sum[i][j] : a * sum[i][j] + b * c;
          }
    }
}

template <typename Number>
void multiply_blocks(const ProductShape &s, int n_threads, Number a, const Number *A, const Number *B, Number b,
                     Number *C)
{
  const int panels = (s.n + tile_columns - 1) / tile_columns, chunks = (s.m + rows_at_once - 1) / rows_at_once;
#pragma omp parallel num_threads(s.flop() < 1e5 ? 1 : n_threads)
  {
    Array<Number> panel;
#pragma omp for collapse(3) schedule(static)
    for (int i = 0; i < s.count; ++i)
      for (int j = 0; j < panels; ++j)
        for (int chunk = 0; chunk < chunks; ++chunk)
          multiply_panel(s, a, A + i * s.distance_A, B + i * s.distance_B, b, C + i * s.distance_C, j * tile_columns,
                         chunk * rows_at_once, std::min(s.m, (chunk + 1) * rows_at_once), panel);
  }
}

// Copies of matrices in float, what lies between their rows included.
template <typename T>
Array<float> as_floats(const T *A, std::size_t n, bool tf32)
{
  Array<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = tf32 ? round_mantissa(static_cast<float>(A[i]), 10) : static_cast<float>(A[i]);
  return values;
}

class HostProducts : public DenseProductsInterface
{
public:
  HostProducts(int n_threads, Arithmetic arithmetic)
    : n_threads(n_threads)
    , arithmetic(arithmetic)
  {}

  void multiply(const ProductShape &s, double a, const void *A, const void *B, double b, void *C,
                bool to_float) const override
  {
    switch (arithmetic)
      {
        case Arithmetic::float64:
          return multiply_blocks(s, n_threads, a, static_cast<const double *>(A), static_cast<const double *>(B), b,
                                 static_cast<double *>(C));
        case Arithmetic::float32:
          return multiply_blocks(s, n_threads, float(a), static_cast<const float *>(A), static_cast<const float *>(B),
                                 float(b), static_cast<float *>(C));
        case Arithmetic::tf32: return imitate<float, float>(s, a, A, B, b, C);
        case Arithmetic::bfloat16:
          return to_float ? imitate<BFloat16, float>(s, a, A, B, b, C) : imitate<BFloat16, BFloat16>(s, a, A, B, b, C);
        default:
          return to_float ? imitate<Float16, float>(s, a, A, B, b, C) : imitate<Float16, Float16>(s, a, A, B, b, C);
      }
  }

private:
  template <typename T, typename R>
  void imitate(const ProductShape &s, double a, const void *A, const void *B, double b, void *C) const
  {
    const auto size = [&](int rows, int columns, int row, std::size_t distance) {
      return (s.count - 1) * distance + std::size_t(rows - 1) * row + columns;
    };
    const bool tf32   = arithmetic == Arithmetic::tf32;
    const int  rows_A = s.transposed_A ? s.k : s.m, rows_B = s.transposed_B ? s.n : s.k;
    const auto A_floats =
      as_floats(static_cast<const T *>(A), size(rows_A, s.m + s.k - rows_A, s.row_A, s.distance_A), tf32);
    const auto B_floats =
      as_floats(static_cast<const T *>(B), size(rows_B, s.n + s.k - rows_B, s.row_B, s.distance_B), tf32);
    R           *target   = static_cast<R *>(C);
    Array<float> C_floats = as_floats(target, b == 0. ? 0 : size(s.m, s.n, s.row_C, s.distance_C), false);
    C_floats.resize(size(s.m, s.n, s.row_C, s.distance_C), 0.f);
    multiply_blocks(s, n_threads, float(a), A_floats.data(), B_floats.data(), float(b), C_floats.data());
    for (int i = 0; i < s.count; ++i)
      for (int row = 0; row < s.m; ++row)
        for (int j = 0; j < s.n; ++j)
          {
            const std::size_t at = i * s.distance_C + std::size_t(row) * s.row_C + j;
            target[at]           = R(C_floats[at]);
          }
  }

  int        n_threads;
  Arithmetic arithmetic;
};
} // namespace

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
  if (arithmetic != Arithmetic::float64 && arithmetic != Arithmetic::float32 && !device.traits().kernels)
    throw InputError(key + " = " + to_text(arithmetic) + " needs --backend cuda; the host has float64 and float32");
}

DenseProducts::DenseProducts(const Device &device, Arithmetic arithmetic)
  : arithmetic(arithmetic)
{
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      {
        products = cuda::make_dense_products(device.interface(), arithmetic);
        return;
      }
  products = std::make_shared<HostProducts>(device.interface().n_threads(), arithmetic);
}

double free_bytes(const Device &device)
{
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::free_bytes();
  return double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

void DenseProducts::invert(const Device &device, double *a, int n, int row) const
{
  constexpr int     block = 512;
  const int         most  = std::min(n, block);
  const std::size_t width = row;
  Vector<double>    P(device, most * most); // the inverse of the pivots' block
  List<double>      rows(device, most * width), columns(device, std::size_t(n) * most);
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
