// Poisson's equation for many right-hand sides at once,
//
//   -Δu_s = f_s,   s = 0, ..., r - 1,
//
// u = g or ∂u/∂n = 0 on each boundary, by elements of first order. The unknowns of all samples are the columns of
// matrices,
//
//   A X = B,   B = M F - C g,
//
// F the values of f_s at the nodes, C the part of A that acts on prescribed values: a product with A reads it once for
// all columns. As one vector of n r numbers X is what the library's iterations take: conjugate gradients around a
// V-cycle, or refinement in double around a direct solver in low precision. The matrices are made in levels.h and
// triangles.h, the approximate inverses in solvers.h.

#include "right_hand_sides.h"
#include "solvers.h"
#include "statistics.h"
#include "triangles.h"

#include "coefficients/values_at_points.h"
#include "frame/program.h"
#include "frame/run.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

using namespace poisson;

template <int dim>
class Poisson
{
public:
  Poisson(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : parameters(parameters)
    , device(device)
    , run_(run)
    , record(run.record)
    , r(std::min<int>(parameters.solver.columns, parameters.problem.n_samples))
  {
    require(!run.distributed_mesh, "poisson has a serial mesh; leave Ranks/Distributed mesh = false");
  }

  void run()
  {
    setup();
    if (parameters.schur.conditions && !run_.is_dry())
      return;
    if (!parameters.schur.conditions && run_.is_dry())
      try_batch();
    const int n_batches = (parameters.problem.n_samples + r - 1) / r;
    run_.begin_time_loop(0, n_batches);
    for (int batch = 0; batch < n_batches; ++batch)
      {
        const auto result = solve_batch(batch);
        run_.progress(batch + 1, n_batches, batch + 1., result.iterations, result.largest_residual);
      }
    run_.end_time_loop();
    report();
    write_output();
  }

private:
  using Vector = adamant::Vector<double>;

  void setup()
  {
    const bool triangles = parameters.problem.triangles();
    run_.timed("init/mesh", [&] {
      if (!triangles)
        parameters.mesh.make(mesh);
    });
    if (!triangles && run_.is_dry())
      std::cout << parameters.mesh.parts(mesh, dealii::MappingQ1<dim>(), run_.mesh_file);
    run_.timed("init/matrices", [&] {
      if (!triangles)
        space.emplace(mesh, parameters.problem, parameters.coarsest_cells());
      levels =
        triangles ? flow_around_square(parameters.mesh.refinements) : space->make_levels(parameters.solver.schur());
      adamant::require_numbers(device.communicator(), "Problem/Boundary values", levels.g);
      A = {device, levels.free.back().matrix()};
      right_hand_sides.emplace(device, parameters.problem, levels, r);
    });
    run_.timed("init/solver", [&] { setup_solver(); });
    describe();
  }

  void setup_solver()
  {
    for (Vector *vector : {&B, &X})
      *vector = Vector(device, adamant::to_index(std::size_t(levels.n()) * r, "entries of right-hand sides"));
    statistics.emplace(device, levels, space, parameters.output);
    solvers.emplace(device, parameters, levels,
                    space ? space->directions(parameters.solver) : std::vector<adamant::Eigenpairs>());
    if (parameters.schur.conditions && !run_.is_dry())
      {
        record["conditions"] = solvers->conditions();
        std::cout << record["conditions"].dump(1) << std::endl;
      }
    if (parameters.schur.conditions)
      return solvers->prepare_schur();
    approximation = solvers->chosen(r);
    approximation.inverse->vmult(B, X); // loads what a recorded graph must not load
    using Method      = adamant::ColumnSolver::Method;
    const auto method = parameters.solver.refines() ? Method::refinement : Method::conjugate_gradients;
    if (parameters.solver.tolerance > 0.)
      solver.emplace(device, A, r, *approximation.inverse, method, solvers->fallback());
    device.synchronize();
  }

  // Solves a batch in a dry run, because columns take more memory than the set-up.
  void try_batch()
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

  // Solves for the next r samples; the last batch may have fewer.
  adamant::ColumnResult solve_batch(int batch)
  {
    const int             first = batch * r, n = std::min(r, int(parameters.problem.n_samples) - first);
    adamant::ColumnResult result;
    run_.timed("rhs", [&] { right_hand_sides->set(first, n, B); });
    run_.timed("solve", [&] { result = solve(); });
    run_.timed("statistics", [&] { statistics->add(first, n, r, X, run_.statistics); });
    if (batch == 0 && (parameters.solver.compare || !parameters.problem.exact.empty()))
      run_.timed("compare", [&] { compare(std::min(n, 8)); });
    return result;
  }

  // Solves by the iteration, else by one application of the approximate inverse. Counts the median of the seconds.
  adamant::ColumnResult solve()
  {
    const auto           &options     = parameters.solver;
    const auto            repetitions = run_.is_dry() ? 1 : options.repetitions;
    adamant::ColumnResult result;
    if (!solver && !one_solve)
      one_solve.emplace(device, *approximation.inverse, options.in_float(), right_hand_sides->squares(), B, X);
    if (one_solve)
      seconds += one_solve->solve(repetitions);
    else
      seconds += adamant::median_seconds(device, repetitions, [&] {
        result = solver->solve(B, X, {options.tolerance, int(options.max_iterations), "Poisson's equation"});
      });
    if (r == 1)
      transfer_seconds += adamant::median_seconds(device, repetitions, [&, b = to_host(B), x = to_host(X)]() mutable {
        B.upload(b.data());
        X.download(x.data());
      });
    right_hand_sides->remove_constant(X);
    n_redone += options.direct() ? result.n_redone : 0;
    n_approximations = 1 + result.iterations;
    residual         = std::max(residual, result.largest_residual);
    return result;
  }

  Vector first_columns(int n, const Vector &of) const
  {
    Vector columns(device, levels.n() * n);
    device.for_each(columns.size(), FirstColumns{r, n, of.data(), columns.data()});
    return columns;
  }

  // Records the largest error of the first n solutions, against another solver's in double and against known ones.
  void compare(int n)
  {
    const Vector          x = first_columns(n, X);
    std::optional<double> error;
    if (parameters.solver.compare)
      error = solvers->error_against_double(A, *right_hand_sides, n, first_columns(n, B), x);
    if (error)
      record["error_against_double"] = *error;
    if (error && *error > 1e-2)
      std::cout << "warning: errors against double reach " << *error
                << "; Solver/Refinement tolerance = 1e-10 or a higher precision helps\n";
    if (const auto &text = parameters.problem.exact; !text.empty())
      record["errors"]["l2"] =
        largest_l2_error(levels, *space, to_host(x), n,
                         *adamant::parse_function<dim>("Problem/Exact solution", with_sample_number(text), 1));
  }

  void write_output()
  {
    if (space)
      run_.timed("output", [&] { statistics->write(run_.folder(), record); });
  }

  // Records and prints the problem's size and the solver.
  void describe()
  {
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

  // Records times and residuals.
  void report()
  {
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

  const Parameters                    &parameters;
  const adamant::Device                device;
  adamant::Run                        &run_;
  adamant::RunRecord                  &record;
  const int                            r; // columns at once
  dealii::Triangulation<dim>           mesh;
  std::optional<Space<dim>>            space; // none for triangles
  Levels                               levels;
  std::optional<RightHandSides<dim>>   right_hand_sides;
  std::optional<Solvers>               solvers;
  Approximation                        approximation;
  adamant::ColumnMatrix<double>        A;
  std::optional<adamant::ColumnSolver> solver;
  std::optional<adamant::OneSolve>     one_solve; // else
  std::optional<SampleStatistics<dim>> statistics;
  Vector                               B, X;

  double seconds = 0., transfer_seconds = 0., residual = 0.; // seconds of all solves
  int    n_redone = 0, n_approximations = 0;                 // columns; solves by the approximate inverse
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Poisson>(
    argc, argv, "poisson", "Solves Poisson's equation for many right-hand sides at once, by multigrid or directly.");
}
