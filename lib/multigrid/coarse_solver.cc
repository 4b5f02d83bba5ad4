#include "multigrid/coarse_solver.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "multigrid/smoothers/update_functors.h"
#include "multigrid/v_cycle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The largest sum of the absolute values of a row of a dense matrix, or NaN where there is one.
double largest_row_sum(int n, const Array<double> &a)
{
  double largest = 0;
  for (int i = 0; i < n; ++i)
    {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += std::abs(a[std::size_t(i) * n + j]);
      if (std::isnan(sum))
        return sum;
      largest = std::max(largest, sum);
    }
  return largest;
}

// Powers of two s with which the diagonal of S a S, or where it is zero the largest entry of its row, is between 1/2
// and 4. So whether a matrix counts as singular does not depend on the units of its rows, and scaling rounds nothing.
std::vector<double> scaling(int n, const Array<double> &a)
{
  std::vector<double> s(n, 1.);
  const auto          balance = [](double size, double root) {
    return size > 0 && std::isfinite(size) ? std::exp2(-std::floor(std::ilogb(size) / root)) : 1.;
  };
  for (int i = 0; i < n; ++i)
    s[i] = balance(std::abs(a[std::size_t(i) * n + i]), 2);
  const std::vector<double> by_diagonal = s;
  for (int i = 0; i < n; ++i)
    if (a[std::size_t(i) * n + i] == 0)
      {
        double largest = 0;
        for (int j = 0; j < n; ++j)
          largest = std::max(largest, std::abs(a[std::size_t(i) * n + j]) * by_diagonal[j]);
        s[i] = balance(largest, 1);
      }
  return s;
}

// a <- S a S
void scale(int n, const std::vector<double> &s, Array<double> &a)
{
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[std::size_t(i) * n + j] *= s[i] * s[j];
}

template <typename Number>
class DenseInverse : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  DenseInverse(const DeviceLevel<Number> &level, const ConstantKernel &kernel, const MultigridOptions &options)
    : level(level)
    , kernel(kernel)
    , guard(options.guard_inversion)
    , inverse(Matrix<Number>::dense(level.device, inverse_on_host(), level.n_rows()))
  {}
  void update() override
  {
    if (!level.changing())
      return inverse.update_dense(inverse_on_host());
    const int n = level.n_rows();
    if (dense.size() == 0)
      dense = adamant::Vector<double>(level.device, to_index(std::size_t(n) * n, "entries of a dense matrix"));
    dense.set_zero();
    level.device.for_each(n, MakeDense{level.changing()->view(), kernel, dense.data()});
    level.device.invert(dense, n);
    inverse.update_dense(dense);
  }
  void        solve(const Vector &b, Vector &x) override { level.device.multiply(Number(1), inverse, b, Number(0), x); }
  std::string description() const override { return "dense inverse"; }

private:
  Array<double> inverse_on_host() const
  {
    Array<double> values;
    guard([&] { values = dense_inverse(level.device, matrix_on_host(level), kernel); });
    return values;
  }

  DeviceLevel<Number>                               level;
  const ConstantKernel                              kernel;
  const decltype(MultigridOptions::guard_inversion) guard;
  Matrix<Number>                                    inverse;
  adamant::Vector<double>                           dense; // while values change
};

template <typename Number>
ConstantKernel kernel_of(const DeviceLevel<Number> &level, const MultigridOptions &options)
{
  if (options.singular_component < 0)
    return {options.singular, 1, 0};
  return {options.singular, level.A.node_size(), options.singular_component};
}

template <typename Number>
class Smoothing : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  Smoothing(const DeviceLevel<Number> &level, const MultigridOptions &options)
    : device(level.device)
    , smoother(level, options.smoother)
    , n_steps(options.coarse_steps)
    , chebyshev(options.smoother.chebyshev)
    , y(level.device, level.n_rows())
  {}
  void update() override { smoother.update(); }
  void solve(const Vector &b, Vector &x) override
  {
    if (const Vector &result = smooth(b, x); &result != &x)
      device.copy(result, x);
  }
  std::string description() const override
  {
    std::ostringstream text("smoothing", std::ios::ate);
    if (chebyshev)
      text << ", largest eigenvalue " << smoother.eigenvalue();
    return text.str();
  }

private:
  const Vector &smooth(const Vector &b, Vector &x) // the result is in x or y
  {
    if (smoother.symmetric())
      return smoother.vmult(n_steps, b, x, y);
    // Half of the steps with S and half of them with Sᵀ, so that a V-cycle stays symmetric.
    const int half   = (n_steps + 1) / 2;
    Vector   &middle = smoother.vmult(half, b, x, y);
    return smoother.step(half, b, middle, &middle == &x ? y : x);
  }

  Device                     device;
  PolynomialSmoother<Number> smoother;
  int                        n_steps;
  bool                       chebyshev;
  Vector                     y;
};

// A on the host. With one diagonal entry doubled, A x = b has its solution with x_k = 0. Row k is one of the kernel's
// and has neighbours: rows of constrained unknowns have none.
template <typename Number>
CSRMatrix<double> regular_matrix(const DeviceLevel<Number> &level, const ConstantKernel &kernel)
{
  CSRMatrix<double> A = matrix_on_host(level);
  int               k = 0;
  while (kernel.exists && k < A.n_rows && (!kernel.has(k) || A.row_start[k + 1] - A.row_start[k] < 2))
    ++k;
  if (kernel.exists && k < A.n_rows)
    for (auto entry = A.row_start[k]; entry < A.row_start[k + 1]; ++entry)
      A.value[entry] *= A.column[entry] == k ? 2. : 1.;
  return A;
}

template <typename Number>
class External : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  External(const DeviceLevel<Number> &level, const ConstantKernel &kernel, const MultigridOptions &options)
    : level(level)
    , kernel(kernel)
    , alone(options.coarse_solver == CoarseSolverType::automatic)
    , make(options.make_coarse_solver)
    , b_on_host(level.n_rows())
    , x_on_host(level.n_rows())
  {
    External::update();
  }
  void update() override
  {
    CSRMatrix<double> A = regular_matrix(level, kernel);
    if (alone) // no other rank takes part
      A.ghosts = nullptr;
    solver = make(A);
  }
  bool exists() const { return solver.solve != nullptr; }
  void solve(const Vector &b, Vector &x) override
  {
    b.download(b_on_host.data());
    solver.solve(b_on_host, x_on_host);
    x.upload(x_on_host.data());
  }
  std::string description() const override { return solver.name; }

private:
  DeviceLevel<Number>  level;
  const ConstantKernel kernel;
  const bool           alone;
  MakeExternalSolver   make;
  ExternalSolver       solver;
  Array<double>        b_on_host, x_on_host;
};

// Of D⁻¹ A, about, by the power method on the host.
double largest_eigenvalue(const CSRMatrix<double> &A)
{
  const auto    D = diagonal(A);
  Array<double> x(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    x[i] = std::sin(1. + i);
  double largest = 0;
  for (int step = 0; step < 20; ++step)
    {
      const double size = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.));
      for (double &value : x)
        value /= size;
      const auto y = adamant::product(A, x);
      for (int i = 0; i < A.n_rows; ++i)
        x[i] = y[i] / D[i];
      largest = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.));
    }
  return largest;
}

// V-cycles on levels below the coarsest one. New values keep the matrices P of the first ones.
template <typename Number>
class AlgebraicCycles : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  AlgebraicCycles(const DeviceLevel<Number> &level, const ConstantKernel &kernel, const MultigridOptions &options)
    : level(level)
    , kernel(kernel)
    , A(std::make_shared<CSRMatrix<double>>(regular_matrix(level, kernel)))
  {
    A->ghosts          = nullptr; // no other rank takes part
    SharedMatrix finer = A;
    for (const auto &P : options.make_prolongations(*A))
      {
        const SharedMatrix R       = std::make_shared<const CSRMatrix<double>>(transpose(*P));
        auto               AP      = local_product(*finer, *P);
        const auto         coarser = std::make_shared<CSRMatrix<double>>(local_product(*R, AP));
        data.insert(data.begin(), {finer, P, R});
        products.insert(products.begin(), {std::move(AP), coarser});
        finer = coarser;
      }
    data.insert(data.begin(), {finer, nullptr, nullptr});
    make_cycles();
  }
  void update() override
  {
    A->value = regular_matrix(level, kernel).value;
    for (std::size_t l = data.size() - 1; l > 0; --l)
      {
        auto &[AP, coarser] = products[l - 1];
        local_product(data[l].matrix(), *data[l].prolongation, AP);
        local_product(*data[l].restriction, AP, *coarser);
      }
    if (level.device.communicator().size() == 1)
      return cycles->update();
    make_cycles(); // with other eigenvalues
    level.device.outdate_graphs();
  }
  void        solve(const Vector &b, Vector &x) override { level.device.copy(cycles->vmult(b), x); }
  std::string description() const override
  {
    return "V-cycles on " + std::to_string(cycles->n_levels()) + " algebraic levels";
  }

private:
  void make_cycles()
  {
    MultigridOptions own;
    own.smoother = {"jacobi", true, 0.8, 8.};
    own.cycles   = 3; // the outer iterations are then as many as with an exact solver, or hardly more
    if (level.device.communicator().size() > 1) // the power method of all ranks would wait for the others
      for (const auto &each : data)
        own.smoother.largest = std::max(own.smoother.largest, largest_eigenvalue(each.matrix()));
    cycles.emplace(level.device, data, own);
  }

  using SharedValues = std::shared_ptr<CSRMatrix<double>>;

  DeviceLevel<Number>                                     level;
  const ConstantKernel                                    kernel;
  SharedValues                                            A;        // of the finest of these levels
  std::vector<LevelData>                                  data;     // the coarsest first
  std::vector<std::pair<CSRMatrix<double>, SharedValues>> products; // A P and R A P of each level but the coarsest
  std::optional<VCycle<Number>>                           cycles;
};

constexpr int most_rows        = 16384; // of a dense inverse: 2 GiB; on a GPU a second, else minutes
constexpr int most_rows_on_cpu = 1000;  // above that its inverse takes longer than a sparse direct solver

// Of these options for this matrix, with what `automatic` means.
template <typename Number>
CoarseSolverType type_for(const DeviceLevel<Number> &level, const MultigridOptions &options)
{
  if (options.coarse_solver != CoarseSolverType::automatic)
    return options.coarse_solver;
  const int  most  = level.device.traits().separate_memory ? most_rows : most_rows_on_cpu;
  const bool other = options.make_coarse_solver || options.make_prolongations;
  return level.n_rows() <= most || !other ? CoarseSolverType::dense_inverse : CoarseSolverType::external;
}
} // namespace

void fail_singular(const std::string &how, const std::string &cause)
{
  throw SingularMatrix("coarsest level: its matrix cannot be inverted (" + how + "); " + cause);
}

Array<double> dense_inverse(const Device &device, const CSRMatrix<double> &matrix, const ConstantKernel &kernel)
{
  const int n = matrix.n_rows;
  if (matrix.n_cols != n)
    throw RunError("coarsest level: its unknowns are spread over several ranks, but its inverse needs them on one");
  if (n > most_rows)
    throw InputError("the coarsest level has " + std::to_string(n) + " unknowns, and its dense inverse at most " +
                     std::to_string(most_rows) + ": the mesh needs fewer coarse cells, a smaller Linear solver/" +
                     "Coarsest level cells, or Coarse solver = smoothing");
  Array<double> a(std::size_t(n) * n, 0.);
  for (int i = 0; i < n; ++i)
    for (auto k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      a[std::size_t(i) * n + matrix.column[k]] = matrix.value[k];
  if (kernel.exists)
    {
      const auto diagonal = adamant::diagonal(matrix);
      double     trace = 0, n_ones = 0;
      for (int i = 0; i < n; ++i)
        if (kernel.has(i))
          {
            trace += diagonal[i];
            ++n_ones;
          }
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (kernel.has(i) && kernel.has(j))
            a[std::size_t(i) * n + j] += trace / n_ones / n_ones;
    }
  const std::vector<double> s = scaling(n, a);
  scale(n, s, a);
  const double norm = largest_row_sum(n, a);
  if (!std::isfinite(norm))
    fail_singular("it has values that are no numbers", "is a coefficient too large, or not defined somewhere?");

  Vector<double> on_device(device, a);
  device.invert(on_device, n);
  a                      = to_host(on_device);
  const double condition = norm * largest_row_sum(n, a);
  if (std::isnan(condition))
    fail_singular("it is singular");
  if (!(condition < 1e14))
    {
      std::ostringstream text;
      text << "its condition number is about " << condition;
      fail_singular(text.str());
    }
  scale(n, s, a);
  return a;
}

template <typename Number>
std::unique_ptr<CoarseSolver<Number>> make_coarse_solver(const DeviceLevel<Number> &level,
                                                         const MultigridOptions    &options)
{
  switch (type_for(level, options))
    {
      case CoarseSolverType::smoothing: return std::make_unique<Smoothing<Number>>(level, options);
      case CoarseSolverType::external:
        if (options.make_coarse_solver && !level.device.traits().separate_memory)
          {
            auto external = std::make_unique<External<Number>>(level, kernel_of(level, options), options);
            if (external->exists())
              return external;
          }
        if (options.make_prolongations)
          return std::make_unique<AlgebraicCycles<Number>>(level, kernel_of(level, options), options);
        throw InputError("the coarsest level has " + std::to_string(level.n_rows()) +
                         " unknowns, and Linear solver/Coarse solver = trilinos_amg and sparse_direct need --backend " +
                         "host; auto needs it above " + std::to_string(most_rows) + " unknowns of this program");
      default: return std::make_unique<DenseInverse<Number>>(level, kernel_of(level, options), options);
    }
}

template std::unique_ptr<CoarseSolver<double>> make_coarse_solver(const DeviceLevel<double> &,
                                                                  const MultigridOptions &);
template std::unique_ptr<CoarseSolver<float>>  make_coarse_solver(const DeviceLevel<float> &, const MultigridOptions &);
} // namespace adamant
