// Bandwidth of the host's operations against a STREAM-like copy in the same run.
//
// gb_per_s counts the least that an operation must move: matrix and vectors read once, results written once. The rate
// over the rate of a copy is of_copy. The copy has the same number of threads and as many bytes in all, and runs just
// before. A copy of another size would tell about the caches instead. A matrix counts as it is stored; of_copy_csr
// counts it as compressed rows with 32-bit columns, to compare with codes that store it so. "constant" matrices have
// the same coefficients everywhere, so that their format shares values; the coefficients of "variable" matrices all
// differ.
//
//   benchmark_host --benchmark_format=csv [--benchmark_filter=threads:1/]

#include "algebra/device.h"
#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "tests/support/q1_grid.h"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace adamant;

namespace
{
double seconds_of(const std::function<void()> &action)
{
  const auto begin = std::chrono::steady_clock::now();
  action();
  benchmark::ClobberMemory();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the bytes per second of y = x with `bytes` in x and y together, the best of many passes. It counts the bytes
/// read and written, but no bytes that a store may read first.
double copy_rate(int n_threads, double bytes)
{
  const Device   device = Device::host(n_threads);
  const int      n      = static_cast<int>(bytes / 2 / sizeof(double));
  Vector<double> x(device, n), y(device, n);
  double         best = 1e300, total = 0;
  for (int pass = 0; pass < 10 || total < 0.2; ++pass)
    {
      const double seconds = seconds_of([&] { device.copy(x, y); });
      best                 = std::min(best, seconds);
      total += seconds;
    }
  return 2. * n * sizeof(double) / best;
}

/// One level matrix and all that the operations need with it.
template <typename Number>
struct Data
{
  Data(int dim, int cells, bool variable, int n_threads)
    : device(Device::host(n_threads))
  {
    const test::Grid grid{dim, cells};
    {
      auto matrix = test::q1_matrix(grid, {1, 1e-4, {}});
      if (variable)
        scale_symmetrically(matrix);
      nonzeros = matrix.n_nonzeros();
      A        = Matrix<Number>(device, matrix);
      D        = Vector<Number>(device, inverse_diagonal_blocks(matrix, 1));
    }
    const auto prolongation = test::q1_prolongation(grid);
    transfer_nonzeros       = prolongation.n_nonzeros();
    P                       = Matrix<Number>(device, prolongation);
    R                       = Matrix<Number>(device, transpose(prolongation));
    n                       = A.n_rows();
    n_coarse                = R.n_rows();
    for (auto *v : {&b, &x, &y, &d})
      *v = random_vector(n);
    coarse = random_vector(n_coarse);
    scalars = Scalars(device, 2);
  }

  /// A <- S A S with a random diagonal matrix S.
  static void scale_symmetrically(CSRMatrix<double> &A)
  {
    const auto s = start_vector(A.n_rows);
    for (int i = 0; i < A.n_rows; ++i)
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        A.value[k] *= (2 + s[i]) * (2 + s[A.column[k]]);
  }

  Vector<Number> random_vector(int size) const { return Vector<Number>(device, start_vector(size)); }

  /// Bytes of a matrix as stored and in compressed rows.
  struct Bytes
  {
    double stored, csr;
    Bytes  operator+(double more) const { return {stored + more, csr + more}; }
    Bytes  operator+(const Bytes &more) const { return {stored + more.stored, csr + more.csr}; }
  };
  static Bytes bytes(const Matrix<Number> &matrix, double nonzeros)
  {
    return {double(matrix.bytes()), (sizeof(Number) + 4.) * nonzeros + 4. * (matrix.n_rows() + 1)};
  }
  Bytes  matrix_bytes() const { return bytes(A, nonzeros); }
  Bytes  prolongation_bytes() const { return bytes(P, transfer_nonzeros); }
  Bytes  restriction_bytes() const { return bytes(R, transfer_nonzeros); }
  double vector_bytes(double count) const { return count * n * sizeof(Number); }
  double coarse_bytes(double count) const { return count * n_coarse * sizeof(Number); }

  // d = alpha d + beta D (b - A x), y = x + d; d is left alone where it is null.
  void jacobi_step(double alpha, double beta, Number *direction)
  {
    device.for_each_row(
      A, x,
      JacobiStep<Number>({Number(alpha), Number(beta), D.data(), b.data(), x.data(), direction, direction, y.data()}));
  }

  Device         device;
  Matrix<Number> A, P, R;
  Vector<Number> D, b, x, y, d, coarse;
  Scalars        scalars;
  int            n = 0, n_coarse = 0;
  double         nonzeros = 0, transfer_nonzeros = 0;
};

/// The data of the last case, kept while its operations run; only one at a time, for memory.
template <typename Number>
Data<Number> &data(int dim, int cells, bool variable, int n_threads)
{
  using Key                                = std::array<int, 4>;
  static Key                           key = {};
  static std::unique_ptr<Data<Number>> current;
  if (const Key wanted = {dim, cells, variable, n_threads}; wanted != key)
    {
      current.reset();
      current = std::make_unique<Data<Number>>(dim, cells, variable, n_threads);
      key     = wanted;
    }
  return *current;
}

template <typename Number>
struct Operation
{
  using Bytes = typename Data<Number>::Bytes;
  std::string                          name;
  std::function<Bytes(Data<Number> &)> bytes;
  std::function<void(Data<Number> &)>  run;
  bool                                 has_matrix;
};

template <typename Number>
std::vector<Operation<Number>> operations()
{
  using D          = Data<Number>;
  const auto plain = [](double bytes) { return typename D::Bytes{bytes, bytes}; };
  return {
    {"copy", [=](D &s) { return plain(s.vector_bytes(2)); }, [](D &s) { s.device.copy(s.x, s.y); }, false},
    {"multiply", [](D &s) { return s.matrix_bytes() + s.vector_bytes(2); },
     [](D &s) { s.device.multiply(Number(1), s.A, s.x, Number(0), s.y); }, true},
    {"residual", [](D &s) { return s.matrix_bytes() + s.vector_bytes(3); },
     [](D &s) { s.device.residual(s.A, s.x, s.b, s.y); }, true},
    {"jacobi_step", [](D &s) { return s.matrix_bytes() + s.vector_bytes(4); },
     [](D &s) { s.jacobi_step(0, 0.8, nullptr); }, true},
    {"chebyshev_step", [](D &s) { return s.matrix_bytes() + s.vector_bytes(6); },
     [](D &s) { s.jacobi_step(0.1, 0.8, s.d.data()); }, true},
    // At best r stays in cache, and only the coarse vector is written.
    {"residual_restrict",
     [](D &s) { return s.matrix_bytes() + s.restriction_bytes() + s.vector_bytes(2) + s.coarse_bytes(1); },
     [](D &s) {
       s.device.residual(s.A, s.x, s.b, s.y);
       s.device.multiply(Number(1), s.R, s.y, Number(0), s.coarse);
     },
     true},
    {"prolongation", [](D &s) { return s.prolongation_bytes() + s.coarse_bytes(1) + s.vector_bytes(2); },
     [](D &s) { s.device.multiply(Number(1), s.P, s.coarse, Number(1), s.y); }, true},
    {"norms", [=](D &s) { return plain(s.vector_bytes(2)); }, [](D &s) { s.device.norms(s.x, s.y, s.scalars); },
     false}};
}

template <typename Number>
void measure(benchmark::State &state, const Operation<Number> &operation, Data<Number> &s)
{
  const auto   bytes     = operation.bytes(s);
  const double footprint = std::min(bytes.stored, operation.has_matrix ? bytes.stored : s.vector_bytes(2));
  const double copy      = copy_rate(s.device.interface().n_threads(), footprint);
  operation.run(s);
  double best = 1e300; // of all iterations, as STREAM has it: others may use the machine
  for (auto _ : state)
    {
      const double seconds = seconds_of([&] { operation.run(s); });
      best                 = std::min(best, seconds);
      state.SetIterationTime(seconds);
    }
  state.counters["best_us"]       = 1e6 * best;
  state.counters["gb_per_s"]      = 1e-9 * bytes.stored / best;
  state.counters["copy_gb_per_s"] = 1e-9 * copy;
  state.counters["of_copy"]       = bytes.stored / best / copy;
  state.counters["of_copy_csr"]   = bytes.csr / best / copy;
}

template <typename Number>
void register_case(const std::string &shape, int dim, int cells, bool variable, int n_threads)
{
  const std::string name = shape + (variable ? "/variable" : "/constant") +
                           (sizeof(Number) == 8 ? "/double" : "/float") + "/threads:" + std::to_string(n_threads) + "/";
  for (const auto &operation : operations<Number>())
    if (operation.has_matrix || !variable)
      benchmark::RegisterBenchmark(
        (name + operation.name).c_str(),
        [=](benchmark::State &state) { measure(state, operation, data<Number>(dim, cells, variable, n_threads)); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.3);
}
} // namespace

int main(int argc, char **argv)
{
  const std::set<int> thread_counts = {1, 2, omp_get_max_threads()};
  for (const int n_threads : thread_counts)
    for (const bool variable : {false, true})
      {
        register_case<double>("q1_2d_1025x1025", 2, 1024, variable, n_threads);
        register_case<float>("q1_2d_1025x1025", 2, 1024, variable, n_threads);
        register_case<double>("q1_3d_97x97x97", 3, 96, variable, n_threads);
        register_case<float>("q1_3d_97x97x97", 3, 96, variable, n_threads);
      }
  benchmark::AddCustomContext("device", Device::host(1).name());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
