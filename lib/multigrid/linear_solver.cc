#include "multigrid/linear_solver.h"

#include "algebra/graph.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/multigrid_preconditioner.h"
#include "operators/device_level.h"
#include "operators/linear_operator.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "solvers/krylov.h"
#include "solvers/richardson.h"

namespace adamant
{
namespace
{
std::unique_ptr<KrylovMethod> make_method(const LinearSolverOptions &options, const Device &device,
                                          const LinearOperator &A, const Preconditioner &M)
{
  switch (options.type)
    {
      case SolverType::cg: return std::make_unique<CG>(device, A, M);
      case SolverType::bicgstab: return std::make_unique<BiCGStab>(device, A, M);
      case SolverType::multigrid: return std::make_unique<Richardson>(device, A, M, M.name());
      case SolverType::gmres: return std::make_unique<GMRES>(device, A, M, options.restart);
    }
  throw RunError("there is no Krylov method of type " + std::to_string(static_cast<int>(options.type)));
}

// A V-cycle in double precision has the finest level's matrix.
std::unique_ptr<DeviceLevel<double>> finest_level(const Device &device, const LevelData &data,
                                                  const Preconditioner *with_matrix)
{
  if (with_matrix == nullptr)
    return std::make_unique<DeviceLevel<double>>(device, data);
  auto level = std::make_unique<DeviceLevel<double>>();
  level->A   = dynamic_cast<const MultigridPreconditioner<double> &>(*with_matrix).cycle.matrix();
  return level;
}
} // namespace

std::unique_ptr<Preconditioner> make_multigrid(const Device &device, const std::vector<LevelData> &levels,
                                               Precision precision, const MultigridOptions &options)
{
  try
    {
      if (precision == Precision::float32)
        return std::make_unique<MultigridPreconditioner<float>>(device, levels, options);
      MultigridOptions in_double   = options;
      in_double.smoothing_in_float = precision == Precision::mixed;
      return std::make_unique<MultigridPreconditioner<double>>(device, levels, in_double);
    }
  catch (const SingularMatrix &)
    {
      // Several ranks would have to agree, as one has the matrix. The dense inverse of many rows takes too long.
      const bool any_size = options.coarse_solver == CoarseSolverType::automatic;
      if (levels.size() == 1 || device.communicator().size() > 1 || !levels[1].has_rows() ||
          (levels[1].n_rows() > 1000 && !any_size))
        throw;
    }
  std::vector<LevelData> finer(levels.begin() + 1, levels.end());
  finer[0].prolongation = finer[0].restriction = nullptr;
  return make_multigrid(device, finer, precision, options);
}

LinearSolver::LinearSolver(const Device &device, const std::vector<LevelData> &levels,
                           const LinearSolverOptions &options, std::unique_ptr<Preconditioner> external)
  : where(device)
  , options(options)
  , shares_matrix(!external && options.precision != Precision::float32)
  , M(external ? std::move(external) : make_multigrid(device, levels, options.precision, options.multigrid))
  , finest(finest_level(device, levels.back(), shares_matrix ? M.get() : nullptr))
  , A_operator(std::make_unique<MatrixOperator>(finest->A, device))
  , method(make_method(options, device, *A_operator, *M))
{}

LinearSolver::~LinearSolver() = default;

SolverResult LinearSolver::solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
{
  return method->solve(b, x, control);
}

const Matrix<double> &LinearSolver::matrix() const
{
  return finest->A;
}

PendingResult LinearSolver::launch(const Vector<double> &b, Vector<double> &x, const std::function<void()> &follow)
{
  return method->launch(b, x, options.control, follow);
}

void LinearSolver::update(bool anew)
{
  *options.multigrid.smoother.beginning += anew;
  if (!shares_matrix)
    finest->update();
  M->update();
  method->update();
}

LinearSolver::Cost LinearSolver::measure_preconditioner() const
{
  Vector<double> v(where, finest->A.n_rows()), z(where, finest->A.n_rows());
  const Graph    graph(where, [&] { M->vmult(v, z); });
  constexpr int  repeat = 10;
  const Graph    several(where, [&] {
    for (int i = 0; i < repeat; ++i)
      M->vmult(v, z);
  });
  return {several.seconds() / repeat, graph.n_operations()};
}
} // namespace adamant
