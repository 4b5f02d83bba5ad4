#pragma once

#include "algebra/device.h"
#include "multigrid/options.h"
#include "solvers/control.h"
#include "solvers/preconditioner.h"

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

namespace adamant
{
template <typename Number>
struct DeviceLevel;
class KrylovMethod;
struct LevelData;
class MatrixOperator;

enum class SolverType
{
  gmres,
  cg, ///< for symmetric positive definite matrices
  bicgstab,
  multigrid ///< iterates with the preconditioner alone: x <- x + M (b - A x)
};

enum class Precision
{
  float32,
  float64,
  mixed ///< double, but smoothing steps in float for residuals in double
};

struct LinearSolverOptions
{
  SolverType       type      = SolverType::gmres;
  int              restart   = 30;                 ///< largest dimension of GMRES's Krylov space
  Precision        precision = Precision::float32; ///< of the V-cycle; all other computations are in double
  SolverControl    control   = {};
  MultigridOptions multigrid = {};
};

/// Solves A x = b on the finest level by a Krylov method in double precision. The preconditioner is a V-cycle in the
/// chosen precision. All vectors are on one device.
class LinearSolver
{
public:
  /// The solver shares the matrices of `levels`, the coarsest first, and `update` reads them again. A preconditioner
  /// `external`, unless null, replaces the V-cycle.
  LinearSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
               std::unique_ptr<Preconditioner> external = nullptr);
  ~LinearSolver();

  /// Solves A x = b from the guess x. Throws SolverError where the tolerance is not reached.
  SolverResult solve(const Vector<double> &b, Vector<double> &x) { return solve(b, x, options.control); }
  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control);
  /// Launches a solve and then `follow`. The host may go on before the end of the solve, see KrylovMethod::launch.
  PendingResult launch(
    const Vector<double> &b, Vector<double> &x, const std::function<void()> &follow = [] {});

  /// Sets z = M v by one application of the preconditioner.
  void vmult(const Vector<double> &v, Vector<double> &z) const { M->vmult(v, z); }

  /// Takes over the values that the levels' matrices have now; patterns and transfers stay. What smoothers know of
  /// earlier values shortens the update, and enters their eigenvalues. With `anew` nothing of it does.
  void update(bool anew = false);

  /// The cost of one application of the preconditioner on a GPU, run as a graph.
  struct Cost
  {
    double seconds;  ///< without the launch by the host
    int    launches; ///< of single operations, which the launch of the graph replaces
  };
  Cost measure_preconditioner() const;

  const Device         &device() const { return where; }
  const Matrix<double> &matrix() const; ///< of the finest level, in double precision
  const Preconditioner &preconditioner() const { return *M; }
  Preconditioner       &preconditioner() { return *M; }

  friend std::ostream &operator<<(std::ostream &out, const LinearSolver &solver) { return solver.M->print(out), out; }

private:
  Device                               where;
  LinearSolverOptions                  options;
  bool                                 shares_matrix; // whether the finest matrix is the V-cycle's
  std::unique_ptr<Preconditioner>      M; // made before `finest`, as levels may be made from the coarsest upwards
  std::unique_ptr<DeviceLevel<double>> finest;
  std::unique_ptr<MatrixOperator>      A_operator;
  std::unique_ptr<KrylovMethod>        method;
};

/// Makes the V-cycle on `levels`, the coarsest first, as a preconditioner in the chosen precision. Where the coarsest
/// matrix is singular, the V-cycle on one rank begins on the first finer level whose matrix is not. Without
/// CoarseSolverType::automatic that level has at most 1000 rows.
std::unique_ptr<Preconditioner> make_multigrid(const Device &device, const std::vector<LevelData> &levels,
                                               Precision precision, const MultigridOptions &options);
} // namespace adamant
