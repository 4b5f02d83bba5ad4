#include "base/exceptions.h"
#include "dealii/ranks.h"
#include "dealii/state.h"
#include "dealii/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <typeinfo>
#include <utility>

namespace adamant
{
namespace
{
// The absolute tolerance for a guess with the residual `initial`.
double tolerance_of(const dealii::SolverControl &control, double initial)
{
  if (const auto *reduction = dynamic_cast<const dealii::ReductionControl *>(&control))
    return std::max(control.tolerance(), reduction->reduction() * initial);
  return control.tolerance();
}

// A power of two that brings the largest entry near 2^exponent on all ranks: squares and numbers in float exist then.
double scale_of(const double *v, std::size_t n, const Communicator &ranks, int exponent = 0)
{
  double largest = largest_entry(v, n);
  ranks.max(&largest, 1);
  return std::ldexp(
    1., largest > 0. && std::isfinite(largest) ? std::clamp(exponent - std::ilogb(largest), -1000, 1000) : exponent);
}

double norm(const Array<double> &v, const Communicator &ranks)
{
  const double scale  = scale_of(v.data(), v.size(), ranks);
  double       square = 0.;
  for (const double value : v)
    square += (scale * value) * (scale * value);
  ranks.sum(&square, 1);
  return std::sqrt(square) / scale;
}

// The right-hand side and the solution in the numbers of the finest level. Constrained DoFs have their own values, and
// what these contribute has left the right-hand side. Both come to the solver times `scale`.
struct System
{
  System(const UserDofs &dofs, const Array<char> &constrained, const UserValues &matrix, const double *rhs,
         const double *guess)
    : dofs(dofs)
    , constrained(constrained)
    , b(dofs.number.size())
    , x(dofs.number.size())
    , prescribed(dofs.number.size(), 0.)
  {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < dofs.number.size(); ++k)
      {
        const int i = dofs.number[k];
        b[i]        = constrained[i] != 0 ? 0. : rhs[k];
        x[i]        = constrained[i] != 0 ? 0. : guess[k];
        if (constrained[i] != 0)
          prescribed[i] = matrix.diagonal[i] != 0. ? rhs[k] / matrix.diagonal[i] : rhs[k];
      }
    if (on_any_rank(dofs.ranks, matrix.coupling.n_nonzeros() > 0))
      {
        const auto known = product(matrix.coupling, prescribed);
        for (std::size_t i = 0; i < b.size(); ++i)
          b[i] -= known[i];
      }
  }
  void give(double *solution) const
  {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < dofs.number.size(); ++k)
      {
        const int i = dofs.number[k];
        solution[k] = constrained[i] != 0 ? prescribed[i] : x[i] / scale;
      }
  }
  double residual(const CSRMatrix<double> &A) const
  {
    const bool is_zero = std::all_of(x.begin(), x.end(), [](double value) { return value == 0.; });
    if (!on_any_rank(dofs.ranks, !is_zero))
      return norm(b, dofs.ranks) / scale;
    auto r = product(A, x);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < r.size(); ++i)
      r[i] = constrained[i] != 0 ? 0. : b[i] - r[i];
    return norm(r, dofs.ranks) / scale;
  }
  void scale_by(double factor)
  {
    scale *= factor;
    for (auto *vector : {&b, &x})
      for (double &value : *vector)
        value *= factor;
  }

  const UserDofs    &dofs;
  const Array<char> &constrained;
  Array<double>      b, x, prescribed;
  double             scale = 1.;
};

// Gives the method the present values of the user's matrix. Returns false where the matrix has another pattern.
bool take_values(const MatrixRows &rows, const MatrixLevels &levels, DealiiKrylov &k)
{
  if (k.values == levels.shared_finest())
    {
      bool differs = false;
      if (!levels.matrix().compare(rows, levels.dofs(), levels.finest(), differs))
        return false;
      if (!differs)
        return true;
      k.values = std::make_shared<UserValues>(levels.finest());
      k.solver.reset();
    }
  return levels.matrix().copy_values(rows, levels.dofs(), *k.values);
}

// The method, made for the pattern, with the present values of the user's matrix.
DealiiKrylov &prepare(const Device &device, const MatrixRows &rows, const MatrixLevels &levels,
                      const MultigridOptions &multigrid, const Preconditioner &M, std::unique_ptr<DealiiKrylov> &krylov)
{
  if (!krylov)
    {
      krylov         = std::make_unique<DealiiKrylov>();
      krylov->values = levels.shared_finest();
    }
  auto      &k       = *krylov;
  const bool current = std::exchange(k.current, false); // a copy that throws leaves others
  if (!take_values(rows, levels, k))
    {
      krylov.reset();
      throw RunError(
        "adamant::solve: the matrix has another pattern, or other rows are decoupled, than at the last call "
        "of initialize(); call initialize(matrix)");
    }
  if (k.solver && current && (k.values == levels.shared_finest() || !k.values->changed))
    {
      k.current = true;
      return k;
    }
  const auto &A         = k.values->A;
  const bool  symmetric = multigrid.pre_steps == multigrid.post_steps && is_symmetric(A, levels.dofs().ranks);
  if (!k.solver || k.symmetric != symmetric)
    {
      k.solver.reset();
      k.symmetric = symmetric;
      k.b         = Vector<double>(device, A.n_rows);
      k.x         = Vector<double>(device, A.n_rows);
      LinearSolverOptions options;
      options.type = symmetric ? SolverType::cg : SolverType::gmres;
      LevelData finest;
      finest.values    = SharedMatrix(k.values, &A);
      finest.node_size = levels.node_size();
      if (const auto &level = levels.levels().back(); k.values == levels.shared_finest() && level.changing())
        finest.values = level.values; // on the device already
      k.solver = std::make_unique<LinearSolver>(device, std::vector<LevelData>{finest}, options,
                                                std::make_unique<Borrowed>(M, k.n_applications));
    }
  else
    k.solver->update();
  k.current = true;
  return k;
}
} // namespace

DealiiMultigrid::State &DealiiMultigrid::with_levels() const
{
  auto &s = ready();
  if (!s.levels)
    throw RunError("adamant::solve: the preconditioner has been made of a form; take DealiiSolver");
  return s;
}

bool DealiiMultigrid::takes_whole_solve(const dealii::SolverControl &control)
{
  const auto &kind = typeid(control);
  return kind == typeid(dealii::SolverControl) || kind == typeid(dealii::ReductionControl) ||
         kind == typeid(dealii::IterationNumberControl);
}

bool DealiiMultigrid::symmetric_with(const MatrixRows &rows) const
{
  auto           &s = with_levels();
  const ThreadsOf threads(where);
  const auto     &k        = prepare(where, rows, *s.levels, s.options, *s.cycle, s.krylov);
  const auto     &coupling = k.values->coupling.value; // which makes the whole matrix nonsymmetric
  const bool      couples  = std::any_of(coupling.begin(), coupling.end(), [](double entry) { return entry != 0.; });
  return !on_any_rank(s.ranks, couples) && k.symmetric;
}

void DealiiMultigrid::solve(const MatrixRows &rows, const double *rhs, double *solution,
                            dealii::SolverControl &control) const
{
  auto           &s = with_levels();
  const ThreadsOf threads(where);
  auto           &k = prepare(where, rows, *s.levels, s.options, *s.cycle, s.krylov);
  System          system(s.levels->dofs(), s.constrained, *k.values, rhs, solution);
  const auto     &A       = k.values->A;
  const double    initial = system.residual(A), size = norm(system.b, s.ranks);
  if (const auto first = control.check(0, initial); first == dealii::SolverControl::success)
    return system.give(solution);
  else if (first == dealii::SolverControl::failure)
    throw dealii::SolverControl::NoConvergence(control.last_step(), control.last_value());

  SolverControl own;
  own.name           = "the user's matrix";
  own.max_iterations = static_cast<int>(std::min<unsigned>(control.max_steps(), std::numeric_limits<int>::max()));
  own.tolerance      = size > 0. ? tolerance_of(control, initial) / size : 1.;
  k.n_applications   = 0;
  system.scale_by(scale_of(system.b.data(), system.b.size(), s.ranks, s.exponent / 2));
  k.b.upload(system.b.data());
  k.x.upload(system.x.data());
  try
    {
      const auto result = k.solver->solve(k.b, k.x, own);
      k.x.download(system.x.data());
      system.give(solution);
      const double last = std::min(result.final_residual, own.tolerance) * size;
      if (control.check(result.iterations, last) != dealii::SolverControl::success)
        throw dealii::SolverControl::NoConvergence(control.last_step(), control.last_value());
    }
  catch (const SolverError &)
    {
      k.x.download(system.x.data());
      const double last = system.residual(A);
      if (last < initial)
        system.give(solution);
      // The host has counted the steps; a GPU, which replays them, has made the most that were allowed, or stopped.
      const unsigned int steps =
        where.traits().waits_for_launches ? control.max_steps() : static_cast<unsigned>(k.n_applications);
      if (control.check(std::min(steps, control.max_steps()), last) != dealii::SolverControl::success)
        throw dealii::SolverControl::NoConvergence(control.last_step(), control.last_value());
    }
}
} // namespace adamant
