// Poisson's equation for many right-hand sides at once,
//
//   -Δu_s = f_s,   s = 0, ..., r - 1,
//
// u = g or ∂u/∂n = 0 on each boundary, by elements of first order. The unknowns of all samples are the columns of
// matrices,
//
//   A X = B,   B = M F - C g,
//
// F the values of f_s at the nodes, C the part of A that acts on prescribed values: a product with A reads it once for all columns. As one vector of n r numbers X is
// what the library's iterations take: conjugate gradients around a V-cycle, or refinement in double around a direct
// solver in low precision. The matrices are made in levels.h and triangles.h, the approximate inverses in solvers.h.

#include "right_hand_sides.h"
#include "solvers.h"
#include "statistics.h"
#include "timing.h"
#include "triangles.h"

#include "fem/functions/points.h"
#include "frame/program.h"
#include "tensor/tensor_product.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

using namespace poisson;
using adamant::Section;

template <int dim>
class Poisson
{
public:
  Poisson(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : parameters(parameters)
    , device(device)
    , run_info(run)
    , r(std::min<int>(parameters.solver.columns, parameters.problem.n_samples))
  {
    require(!run.distributed_mesh, "poisson has a serial mesh; leave Ranks/Distributed mesh = false");
  }
  void run();

private:
  using Vector = adamant::Vector<double>;

  void                             setup();
  std::vector<adamant::Eigenpairs> find_directions() const;
  void                             setup_solver();
  double                           solve(adamant::ColumnResult &result);
  void                             compare(int n);
  void                             add_errors(int n);
  void                             describe();
  adamant::ColumnResult            solve_batch(int batch);
  void                             report();
  void                             try_batch();
  void                             write_output();

  const Parameters                      &parameters;
  const adamant::Device                  device;
  adamant::Run                          &run_info;
  const int                              r; // columns at once
  dealii::Triangulation<dim>             mesh;
  dealii::MappingQ1<dim>                 mapping;
  std::optional<Space<dim>>              space; // none for triangles
  Levels                                 levels;
  Array<double>                          prescribed; // values of u; none where they are zero
  std::optional<RightHandSides<dim>>     right_hand_sides;
  std::optional<Solvers>                 solvers;
  Approximation                          approximation;
  adamant::ColumnMatrix<double>          A;
  std::unique_ptr<adamant::ColumnSolver> solver;
  std::optional<OneSolve>                one_solve; // else
  std::optional<SampleStatistics>        statistics;
  Vector                                 B, X;

  double seconds = 0., transfer_seconds = 0., residual = 0.; // seconds of all solves
  int    n_redone = 0, n_approximations = 0;                 // columns; solves by the approximate inverse
};

template <int dim>
void Poisson<dim>::run()
{
  setup();
  const bool only_conditions = parameters.schur.conditions;
  if (only_conditions && !run_info.is_dry())
    return;
  if (!only_conditions && run_info.is_dry())
    try_batch();
  const int n_batches = (parameters.problem.n_samples + r - 1) / r;
  run_info.begin_time_loop(0, n_batches);
  for (int batch = 0; batch < n_batches; ++batch)
    {
      const auto result = solve_batch(batch);
      run_info.progress(batch + 1, batch + 1., result.iterations, result.largest_residual);
    }
  run_info.end_time_loop();
  report();
  write_output();
}

// In a dry run: columns take more memory than the set-up.
template <int dim>
void Poisson<dim>::try_batch()
{
  try
    {
      solve_batch(0);
      write_output();
    }
  catch (const adamant::SolverError &error)
    {
      std::cout << "note: the first solve fails. " << error.what() << '\n';
    }
}

// The next r samples, of which the last batch may have fewer.
template <int dim>
adamant::ColumnResult Poisson<dim>::solve_batch(int batch)
{
  const int first = batch * r, n = std::min(r, int(parameters.problem.n_samples) - first);
  {
    Section scope(run_info.timer, "rhs");
    right_hand_sides->set(first, n, r, B);
  }
  adamant::ColumnResult result;
  seconds += solve(result);
  {
    Section scope(run_info.timer, "statistics");
    statistics->add(first, n, r, X, run_info.statistics);
  }
  if (batch == 0 && parameters.solver.compare)
    compare(std::min(n, 8));
  if (batch == 0 && !parameters.problem.exact.empty())
    add_errors(std::min(n, 8));
  return result;
}

template <int dim>
void Poisson<dim>::write_output()
{
  if (!parameters.output.files || !space)
    return;
  Section scope(run_info.timer, "output");
  write(*statistics, levels, space->nodes(), mapping, prescribed, run_info.folder());
}

template <int dim>
void Poisson<dim>::setup()
{
  {
    Section scope(run_info.timer, "init/mesh");
    if (!parameters.problem.triangles())
      parameters.mesh.make(mesh);
  }
  {
    Section scope(run_info.timer, "init/matrices");
    if (parameters.problem.triangles())
      levels = flow_around_square(parameters.mesh.refinements);
    else
      {
        space.emplace(mesh, mapping, parameters.problem.natural, parameters.coarsest_cells());
        levels = space->make_levels(parameters.solver.schur());
      }
    A = {device, *levels.free.back().matrix()};
    if (space && !parameters.problem.homogeneous())
      prescribed = adamant::nodal_values(space->nodes(), mapping, *parameters.problem.template boundary_function<dim>(),
                                         space->nodes().prescribed);
    right_hand_sides.emplace(device, parameters.problem, levels, prescribed);
  }
  setup_solver();
  describe();
}

// What fast diagonalization takes; for other solvers it is a comparison, where the mesh is of that kind.
template <int dim>
std::vector<adamant::Eigenpairs> Poisson<dim>::find_directions() const
{
  const bool needed = parameters.solver.type == "fast_diagonalization";
  if (!space || !(needed || parameters.solver.compare))
    return {};
  try
    {
      return adamant::tensor_product_eigenpairs(space->nodes(), mapping, true);
    }
  catch (const adamant::InputError &)
    {
      if (needed)
        throw;
    }
  return {};
}

template <int dim>
void Poisson<dim>::setup_solver()
{
  Section scope(run_info.timer, "init/solver");
  for (Vector *vector : {&B, &X})
    *vector = adamant::MultiVector<double>(device, levels.n(), r).flat;
  statistics.emplace(device, levels.n());
  solvers.emplace(device, parameters, levels, find_directions());
  const bool only_conditions = parameters.schur.conditions;
  if (only_conditions && !run_info.is_dry())
    {
      run_info.record["conditions"] = solvers->conditions();
      std::cout << run_info.record["conditions"].dump(1) << std::endl;
    }
  if (only_conditions)
    return;
  approximation = solvers->chosen(r);
  approximation.inverse->vmult(B, X); // loads what a recorded graph must not load
  using Method = adamant::ColumnSolver::Method;
  if (parameters.solver.tolerance > 0.)
    solver = std::make_unique<adamant::ColumnSolver>(
      device, A, r, *approximation.inverse,
      parameters.solver.refines() ? Method::refinement : Method::conjugate_gradients, solvers->fallback());
  device.synchronize();
}

// The median of the seconds that a solve takes.
template <int dim>
double Poisson<dim>::solve(adamant::ColumnResult &result)
{
  Section     scope(run_info.timer, "solve");
  const auto &options = parameters.solver;
  if (!solver && !one_solve)
    one_solve.emplace(device, *approximation.inverse, options.in_float(), right_hand_sides->squares(), B, X);
  if (one_solve)
    one_solve->begin(B);
  const auto   repetitions = run_info.is_dry() ? 1 : options.repetitions;
  const double median      = median_seconds(device, repetitions, [&] {
    if (solver)
      result = solver->solve(B, X, {options.tolerance, int(options.max_iterations), "Poisson's equation"});
    else
      one_solve->replay();
  });
  if (one_solve)
    one_solve->end(X);
  if (r == 1)
    transfer_seconds += seconds_of_transfer(device, repetitions, B, X);
  right_hand_sides->remove_constant(X);
  n_redone += options.direct() ? result.n_redone : 0;
  n_approximations = 1 + result.iterations;
  residual         = std::max(residual, result.largest_residual);
  return median;
}

// The largest error of the first n solutions relative to those of another solver in double.
template <int dim>
void Poisson<dim>::compare(int n)
{
  Section scope(run_info.timer, "compare");
  Vector  b(device, levels.n() * n), x(device, b.size()), y(device, b.size());
  device.for_each(b.size(), FirstColumns{r, n, B.data(), b.data()});
  device.for_each(x.size(), FirstColumns{r, n, X.data(), x.data()});
  const auto   other     = solvers->in_double(n);
  const double tolerance = std::max(1e-12, 1e-15 * levels.n()); // rounding costs the more, the finer the mesh is
  adamant::ColumnSolver(device, A, n, *other.inverse, adamant::ColumnSolver::Method::conjugate_gradients)
    .solve(b, y, {tolerance, 100, "Poisson's equation, for comparison"});
  right_hand_sides->remove_constant(y);
  adamant::ColumnNorms norms(device, levels.n(), n);
  const auto           sizes = norms.fetch(y);
  device.axpby(-1., x, 1., y);
  const auto errors = norms.fetch(y);
  double     error  = 0.;
  for (int s = 0; s < n; ++s)
    error = std::max(error, sizes[s] > 0. ? errors[s] / sizes[s] : errors[s]); // statistics have refused NaN
  run_info.record["error_against_double"] = error;
  if (error > 1e-2)
    std::cout << "warning: errors against double reach " << error
              << "; Solver/Refinement tolerance = 1e-10 or a higher precision helps\n";
}

// The largest error in L² of the first n solutions.
template <int dim>
void Poisson<dim>::add_errors(int n)
{
  Section scope(run_info.timer, "compare");
  Vector  x(device, levels.n() * n);
  device.for_each(x.size(), FirstColumns{r, n, X.data(), x.data()});
  run_info.record["errors"]["l2"] = largest_l2_error(levels, space->nodes(), mapping, prescribed, to_host(x), n,
                                                     *parameters.problem.template exact_function<dim>());
}

// What the run is.
template <int dim>
void Poisson<dim>::describe()
{
  auto       &record  = run_info.record;
  const auto &options = parameters.solver;
  record["precision"] = options.precision;
  record["vectors"]   = options.vectors;
  levels.add_to(record);
  record["solver"]    = options.type;
  record["tolerance"] = options.tolerance;
  record["samples"]   = parameters.problem.n_samples;
  record["columns"]   = r;
  std::cout << levels.n_cells << " cells, " << levels.n() << " unknowns, " << parameters.problem.n_samples
            << " right-hand sides, " << r << " at once; " << options.type << ", " << options.precision << std::endl;
}

// How fast it was.
template <int dim>
void Poisson<dim>::report()
{
  auto        &record     = run_info.record;
  const double columns    = parameters.problem.n_samples;
  record["solve_seconds"] = seconds;
  if (r == 1)
    record["transfer_seconds"] = transfer_seconds;
  record["gdofs_per_second"] = 1e-9 * levels.n() * columns / seconds;
  if (solver) // which alone knows it
    record["residual"] = residual;
  record["applications"] = n_approximations;
  record["redone"]       = n_redone;
  std::cout << "solved in " << seconds << " s, " << record["gdofs_per_second"] << " GDoF/s";
  approximation.add_to(record, levels.n(), r, n_approximations * columns / seconds);
  if (record.contains("tflop_per_second"))
    std::cout << ", " << record["tflop_per_second"] << " TFLOP/s of products";
  if (record.contains("error_against_double"))
    std::cout << "; error against double " << record["error_against_double"];
  if (record.contains("errors"))
    std::cout << ", in L2 " << record["errors"]["l2"];
  if (approximation.bytes > 0.)
    std::cout << "; the solver takes " << 1e-6 * approximation.bytes << " MB";
  std::cout << std::endl;
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Poisson>(
    argc, argv, "poisson", "Solves Poisson's equation for many right-hand sides at once, by multigrid or directly.");
}
