#pragma once

#include "multigrid/multigrid_preconditioner.h"
#include "solvers/krylov.h"
#include "support/devices.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace adamant::test
{
/// A preconditioner written as a function.
class FunctionPreconditioner : public Preconditioner
{
public:
  using Function = std::function<void(const Vector<double> &, Vector<double> &)>;

  /// `on_device`: the function works on the device alone, so that it can be recorded.
  explicit FunctionPreconditioner(Function function, bool on_device = false)
    : function(std::move(function))
    , on_device(on_device)
  {}
  void vmult(const Vector<double> &v, Vector<double> &z) const override { function(v, z); }
  void update() override { ++n_updates; }
  bool recordable() const override { return on_device; }

  int n_updates = 0;

private:
  Function function;
  bool     on_device;
};

inline FunctionPreconditioner identity(const Device &device)
{
  return FunctionPreconditioner([device](const auto &v, auto &z) { device.copy(v, z); }, true);
}

/// z = D⁻¹ v with a dense D, exactly.
class ExactPreconditioner : public Preconditioner
{
public:
  ExactPreconditioner(const Device &device, const CSRMatrix<double> &D)
    : device(device)
    , inverse(Matrix<double>::dense(device, dense_inverse(device, D), D.n_rows))
  {}
  void vmult(const Vector<double> &v, Vector<double> &z) const override { device.multiply(1., inverse, v, 0., z); }
  void update() override {}
  bool recordable() const override { return true; }

private:
  Device         device;
  Matrix<double> inverse;
};

/// The matrix and the V-cycle of levels, on a device.
struct System
{
  System(const Device &device, const Levels &levels, const MultigridOptions &options = {})
    : A(Matrix<double>(device, levels.finest(), levels.data.back().node_size), device)
    , M(device, levels.data, options)
  {}
  MatrixOperator                  A;
  MultigridPreconditioner<double> M;
};

struct Outcome
{
  SolverResult result;
  Values       x;
};

/// Solves from host memory to host memory.
inline Outcome solve(const Device &device, KrylovMethod &method, const Values &b, const Values &guess,
                     const SolverControl &control = {})
{
  auto       x      = to_device(device, guess);
  const auto result = method.solve(to_device(device, b), x, control);
  return {result, values_of(x)};
}

inline SolverControl control(double tolerance, int max_iterations, const std::string &name = "linear system")
{
  return {tolerance, max_iterations, name};
}

inline MatrixOperator matrix_operator(const Device &device, const CSRMatrix<double> &A)
{
  return MatrixOperator(Matrix<double>(device, A), device);
}

/// 40 rotated blocks of two rows with eigenvalues from 1 to 2, but 1e12 in three of them: A x is no better than 1e-4.
inline CSRMatrix<double> three_stiff_blocks()
{
  const Values        numbers = random_values(120, 4);
  std::vector<Values> rows(80, Values(80, 0.));
  for (int i = 0; i < 40; ++i)
    {
      const double c = std::cos(3 * numbers[i]), s = std::sin(3 * numbers[i]);
      const double one = 1.5 + 0.5 * numbers[40 + i], other = i < 3 ? 1e12 : 1.5 + 0.5 * numbers[80 + i];
      rows[2 * i][2 * i]         = c * c * one + s * s * other;
      rows[2 * i + 1][2 * i + 1] = s * s * one + c * c * other;
      rows[2 * i][2 * i + 1] = rows[2 * i + 1][2 * i] = c * s * (one - other);
    }
  return to_csr(rows);
}
} // namespace adamant::test
