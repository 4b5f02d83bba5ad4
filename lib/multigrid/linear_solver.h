#pragma once

#include "multigrid/level_data.h"
#include "multigrid/options.h"
#include "solvers/control.h"
#include "solvers/krylov.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace adamant
{
enum class SolverType
{
  gmres,
  cg, ///< for symmetric positive definite matrices
  bicgstab,
  multigrid ///< the preconditioner alone: x <- x + M (b - A x)
};

enum class Precision
{
  float32,
  float64,
  mixed ///< smoothing in float, of residuals in double
};

struct LinearSolverOptions
{
  SolverType       type      = SolverType::gmres;
  int              restart   = 30;                 ///< of GMRES
  Precision        precision = Precision::float32; ///< of the V-cycle; everything else is double
  SolverControl    control   = {};
  MultigridOptions multigrid = {};
};

/// The solver of A x = b on the finest of `levels`: a Krylov method in double precision around a V-cycle in the chosen
/// precision, all on one device.
class LinearSolver
{
public:
  /// The matrices of the levels are shared: `update` reads them again. An `external` preconditioner replaces multigrid.
  LinearSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
               std::unique_ptr<Preconditioner> external = nullptr);
  ~LinearSolver();

  /// Solves A x = b from the guess x. Throws SolverError where the tolerance is not reached.
  SolverResult solve(const Vector<double> &b, Vector<double> &x) { return solve(b, x, options.control); }
  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control);
  /// As solve and then `follow`, but the host may go on before the end, see KrylovMethod::launch.
  PendingResult launch(
    const Vector<double> &b, Vector<double> &x, const std::function<void()> &follow = [] {});

  /// z = M v: one application of the preconditioner.
  void vmult(const Vector<double> &v, Vector<double> &z) const { M->vmult(v, z); }

  /// Takes over the values that the levels' matrices have now; patterns and transfer stay.
  void update();

  /// On a GPU: the seconds of one application of the preconditioner as a graph, without the
  /// host's launch, and the launches it replaces.
  struct Cost
  {
    double seconds;
    int    launches;
  };
  Cost measure_preconditioner() const;

  const Device         &device() const { return where; }
  const Matrix<double> &matrix() const { return A; } ///< of the finest level, in double precision
  const Preconditioner &preconditioner() const { return *M; }
  Preconditioner       &preconditioner() { return *M; }

  friend std::ostream &operator<<(std::ostream &out, const LinearSolver &solver);

private:
  Device                          where;
  LinearSolverOptions             options;
  LevelData                       finest;
  std::unique_ptr<Preconditioner> M; // before A: levels may come from the coarsest upwards
  Matrix<double>                  A;
  MatrixOperator                  A_operator;
  std::unique_ptr<KrylovMethod>   method;
};

/// The V-cycle as a preconditioner in the chosen precision.
std::unique_ptr<Preconditioner> make_multigrid(const Device &device, const std::vector<LevelData> &levels,
                                               Precision precision, const MultigridOptions &options);
} // namespace adamant
