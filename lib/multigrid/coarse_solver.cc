#include "multigrid/coarse_solver.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/update_functors.h"

#include <functional>
#include <sstream>
#include <string>

namespace adamant
{
namespace
{
template <typename Number>
class DenseInverse : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  DenseInverse(const DeviceLevel<Number> &level, const ConstantKernel &kernel)
    : level(level)
    , kernel(kernel)
  {
    inverse =
      Matrix<Number>::dense(level.device, dense_inverse(level.device, matrix_on_host(level), kernel), level.n_rows());
  }
  void update() override
  {
    if (!level.changing())
      return inverse.update_dense(dense_inverse(level.device, matrix_on_host(level), kernel));
    const int n = level.n_rows();
    if (dense.size() == 0)
      dense = adamant::Vector<double>(level.device, to_index(std::size_t(n) * n, "entries of a dense matrix"));
    level.device.for_each(n, MakeDense{level.changing()->view(), kernel, dense.data()});
    level.device.invert(dense, n);
    inverse.update_dense(dense);
  }
  void        solve(const Vector &b, Vector &x) override { level.device.multiply(Number(1), inverse, b, Number(0), x); }
  std::string description() const override { return ", dense inverse"; }

private:
  DeviceLevel<Number>     level;
  const ConstantKernel    kernel;
  Matrix<Number>          inverse;
  adamant::Vector<double> dense; // while values change
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
    std::ostringstream text;
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

template <typename Number>
class External : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  External(const DeviceLevel<Number> &level, const MultigridOptions &options)
    : level(level)
    , make(options.make_coarse_solver)
    , solver(make(matrix_on_host(level)))
    , b_on_host(level.n_rows())
    , x_on_host(level.n_rows())
  {}
  void update() override { solver = make(matrix_on_host(level)); }
  void solve(const Vector &b, Vector &x) override
  {
    b.download(b_on_host.data());
    solver(b_on_host, x_on_host);
    x.upload(x_on_host.data());
  }
  std::string description() const override { return ", external solver"; }

private:
  DeviceLevel<Number>                                      level;
  std::function<ExternalSolver(const CSRMatrix<double> &)> make;
  ExternalSolver                                           solver;
  Array<double>                                            b_on_host, x_on_host;
};
} // namespace

template <typename Number>
std::unique_ptr<CoarseSolver<Number>> make_coarse_solver(const DeviceLevel<Number> &level,
                                                         const MultigridOptions    &options)
{
  switch (options.coarse_solver)
    {
      case CoarseSolverType::smoothing: return std::make_unique<Smoothing<Number>>(level, options);
      case CoarseSolverType::external:
        if (level.device.asynchronous())
          throw InputError("Linear solver/Coarse solver = trilinos_amg needs --backend host");
        return std::make_unique<External<Number>>(level, options);
      default: return std::make_unique<DenseInverse<Number>>(level, kernel_of(level, options));
    }
}

template std::unique_ptr<CoarseSolver<double>> make_coarse_solver(const DeviceLevel<double> &,
                                                                  const MultigridOptions &);
template std::unique_ptr<CoarseSolver<float>>  make_coarse_solver(const DeviceLevel<float> &, const MultigridOptions &);
} // namespace adamant
