// The host as a device: OpenMP over rows and entries.

#include "algebra/device_interface.h"
#include "algebra/functors/vector_functors.h"
#include "algebra/host/for_each_row.h"
#include "algebra/host/invert.h"
#include "algebra/host/sparse_matrix.h"
#include "algebra/host/sums.h"

#include <cmath>
#include <cstring>
#include <fstream>

namespace adamant
{
namespace host
{
namespace
{
// x . y. Pointers, not vectors: else the loop is not vectorised.
template <typename Number>
Number dot(int n, const Number *x, const Number *y)
{
  Number sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

// y -= sum_i a[i] x_i, i < k, for entries of a block.
void subtract(const double *a, const double *const *x, int k, double *y, int begin, int end)
{
  for (int i = 0; i < k; ++i)
    {
      const double  factor = -a[i];
      const double *x_i    = x[i];
#pragma omp simd
      for (int j = begin; j < end; ++j)
        y[j] += factor * x_i[j];
    }
}

template <typename Number>
class DenseMatrix : public MatrixStorage<Number>
{
public:
  DenseMatrix(const Array<double> &row_major, int n, int n_threads)
    : n_threads(n < 64 ? 1 : n_threads)
    , value(row_major.begin(), row_major.end())
  {
    this->n_rows = this->n_cols = n;
  }

  void multiply(Number a, const Number *x, Number b, Number *y) const override
  {
    const int n = this->n_rows;
#pragma omp parallel for num_threads(n_threads) schedule(static)
    for (int i = 0; i < n; ++i)
      {
        const Number sum = a * dot(n, value.data() + static_cast<std::size_t>(i) * n, x);
        y[i]             = b == Number(0) ? sum : sum + b * y[i];
      }
  }
  void update_dense(const Array<double> &row_major) override
  {
    value.assign(row_major.begin(), row_major.end());
  }
  void update_dense_values(const double *row_major) override
  {
    std::copy_n(row_major, value.size(), value.begin());
  }
  std::size_t bytes() const override
  {
    return value.size() * sizeof(Number);
  }
  std::string format() const override
  {
    return "dense, " + std::to_string(this->n_rows) + " rows";
  }

private:
  int           n_threads;
  Array<Number> value;
};

template <typename Number>
class HostOperations : public Operations<Number>
{
public:
  explicit HostOperations(int n_threads)
    : n_threads(n_threads)
  {}

  std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                       const RowsView *changing) const override
  {
    return std::make_shared<SparseMatrix<Number>>(source, node_size, n_threads, changing);
  }
  std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const override
  {
    return std::make_shared<DenseMatrix<Number>>(row_major, n, n_threads);
  }

private:
  int n_threads;
};

class HostLoop : public LoopStorage
{
public:
  HostLoop(DeviceInterface::Asking first, DeviceInterface::Asking step)
    : first(std::move(first))
    , step(std::move(step))
  {}
  void run() override
  {
    for (bool goes_on = first({}); goes_on;)
      goes_on = step({});
  }

private:
  DeviceInterface::Asking first, step;
};

class HostGraph : public GraphStorage
{
public:
  explicit HostGraph(std::function<void()> operations)
    : operations(std::move(operations))
  {}
  void   replay() override { operations(); }
  int    n_operations() const override { return 0; }
  double seconds(int) override { throw RunError("a graph of the host has no time of its own"); }

private:
  std::function<void()> operations;
};

class HostSnapshot : public SnapshotStorage
{
public:
  explicit HostSnapshot(int n)
    : copies(n)
  {}
  double       *on_device() override { return copies.data(); }
  void          send() override {}
  const double *values() const override { return copies.data(); }

private:
  Array<double> copies;
};

class HostDevice : public DeviceInterface
{
public:
  HostDevice(int n_threads, const Communicator &ranks)
    : threads(n_threads)
    , ranks(ranks)
    , in_double(n_threads)
    , in_float(n_threads)
  {
    if (n_threads < 1)
      throw InputError("the number of threads must be positive, not " + std::to_string(n_threads));
  }

  const DeviceTraits &traits() const override { return traits_of_host; }
  int                 n_threads() const override { return threads; }
  const Communicator &communicator() const override { return ranks; }
  std::string         exchange() const override { return ""; }
  double              copy_bandwidth() override { throw RunError("the host's copy bandwidth is not measured"); }
  std::size_t         peak_memory() const override { return 0; } // of a device: the host is none
  std::map<std::string, std::size_t> memory() const override { return {}; }

  std::string name() const override
  {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
      if (line.rfind("model name", 0) == 0)
        return line.substr(line.find(':') + 2);
    return "CPU";
  }

  std::shared_ptr<void> allocate(std::size_t bytes, const char *) override
  {
    const auto memory = std::make_shared<Array<char>>(bytes);
    clear(memory->data(), bytes);
    return {memory, memory->data()};
  }
  void clear(void *memory, std::size_t bytes) override
  {
    for_each_page(bytes, [=](std::size_t begin, std::size_t length) {
      std::memset(static_cast<char *>(memory) + begin, 0, length);
    });
  }
  void upload(void *to, const void *from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void *to, const void *from, std::size_t bytes) const override { copy(to, from, bytes); }
  void synchronize() const override {}

  ScalarStorage create_scalars(int n) override
  {
    const auto values = std::make_shared<std::vector<double>>(n, 0.);
    return {n, values->data(), values->data(), values};
  }
  std::shared_ptr<SnapshotStorage> create_snapshot(int n) override { return std::make_shared<HostSnapshot>(n); }
  std::shared_ptr<MarkStorage>     create_mark() override { return std::make_shared<MarkStorage>(); }
  std::shared_ptr<GraphStorage>    record(const std::function<void()> &operations) override
  {
    return std::make_shared<HostGraph>(operations);
  }

  std::shared_ptr<LoopStorage> create_loop(const Asking &first, const Asking &step, const Cycles &, bool) override
  {
    return std::make_shared<HostLoop>(first, step);
  }

  void invert(double *a, int n) override { host::invert(a, n, threads); }

  void arnoldi(const ArnoldiVectors &a) const override
  {
    const int k = *a.k;
    if (a.z_in_float != nullptr)
      host::for_each(threads, a.n, Convert<float, float>{a.z_in_float, a.directions_in_float[k]});
    else if (a.z != a.directions[k])
      host::for_each(threads, a.n, Convert<double, double>{a.z, a.directions[k]});
    orthonormalize(a.n, a.basis, k + 1, a.w, a.h);
    for (double *to : {a.v, a.basis[k + 1]})
      if (to != nullptr && to != a.w)
        host::for_each(threads, a.n, Convert<double, double>{a.w, to});
    if (a.v_in_float != nullptr)
      host::for_each(threads, a.n, Convert<double, float>{a.w, a.v_in_float});
  }

  const Operations<double> &operations(double) const override { return in_double; }
  const Operations<float>  &operations(float) const override { return in_float; }

private:
  // Orthonormalises w against k vectors: h[0..k-1] become the coefficients and h[k] the norm before scaling.
  void orthonormalize(int n, const double *const *basis, int k, double *w, double *h) const
  {
    const int  n_threads = threads_for(threads, n);
    const auto products  = [=](int begin, int end, double *sum) {
      for (int i = 0; i < k; ++i)
        sum[i] = dot(end - begin, basis[i] + begin, w + begin);
    };
    blocked_sums(n, n_threads, k, h, products);
    ranks.sum(h, k);
    // The second inner products are taken on each block while its update is still in cache.
    std::vector<double> correction(k + 1);
    blocked_sums(n, n_threads, k + 1, correction.data(), [=](int begin, int end, double *sum) {
      subtract(h, basis, k, w, begin, end);
      products(begin, end, sum);
      sum[k] = dot(end - begin, w + begin, w + begin);
    });
    ranks.sum(correction.data(), k + 1);
    // The norm follows from that before the correction by Pythagoras, as the corrections are of rounding size.
    const double of_corrections = dot(k, correction.data(), correction.data());
    const bool   corrected      = orthogonality_is_lost(of_corrections, correction[k]);
    const double square         = correction[k] - (corrected ? of_corrections : 0.);
    for (int i = 0; corrected && i < k; ++i)
      h[i] += correction[i];
    h[k]                = std::sqrt(square < 0 ? 0. : square); // NaN stays
    const double factor = h[k] > 0 ? 1. / h[k] : 1.;
#pragma omp parallel for num_threads(n_threads) schedule(static)
    for (int begin = 0; begin < n; begin += block_length)
      {
        const int end = std::min(n, begin + block_length);
        if (corrected)
          subtract(correction.data(), basis, k, w, begin, end);
#pragma omp simd
        for (int i = begin; i < end; ++i)
          w[i] *= factor;
      }
  }

  // f(begin, length) for parts of so many bytes, by the threads that use them: that places their pages.
  template <typename Action>
  void for_each_page(std::size_t bytes, const Action &f) const
  {
    constexpr std::size_t page = 4096;
    for_each(threads, to_index((bytes + page - 1) / page, "pages of a vector"),
             [=](int i) { f(i * page, std::min(bytes - i * page, page)); });
  }
  void copy(void *to, const void *from, std::size_t bytes) const
  {
    for_each_page(bytes, [=](std::size_t begin, std::size_t length) {
      std::memcpy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin, length);
    });
  }

  int                    threads;
  Communicator           ranks;
  HostOperations<double> in_double;
  HostOperations<float>  in_float;
};
} // namespace
} // namespace host

std::shared_ptr<DeviceInterface> make_host_device(int n_threads, const Communicator &ranks)
{
  return std::make_shared<host::HostDevice>(n_threads, ranks);
}
} // namespace adamant
