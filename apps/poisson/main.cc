// Poisson's equation for many right-hand sides at once,
//
//   -Δu_s = f_s,   s = 0, ..., r - 1,
//
// u = 0 or ∂u/∂n = 0 on each boundary; Q1 elements. The unknowns of all samples are the columns of matrices, A X = B with
// B = M F, F the values of f_s at the nodes: products with A read it once for all columns. As one vector of n r numbers,
// X is what the library's iterations take: conjugate gradients with a V-cycle, or a direct solver with refinement.

#include "data.h"
#include "levels.h"
#include "parameters.h"

#include "algebra/graph.h"
#include "algebra/multi_vector.h"
#include "application/field_output.h"
#include "application/output.h"
#include "application/program.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/tensor_product.h"
#include "multigrid/column_cycle.h"
#include "solvers/column_solver.h"
#include "solvers/fast_diagonalization.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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
    , r(std::min(parameters.solver.columns, parameters.problem.n_samples))
  {
    require(run.ranks.size() == 1 && !run.distributed_mesh, "poisson runs on one rank, with a serial mesh");
    require_arithmetic("Solver/Precision", parameters.solver.arithmetic(), device);
  }
  void run();

private:
  using Vector = adamant::Vector<double>;

  void setup();
  void setup_solver();
  void setup_constants();
  void find_directions();
  template <typename Number>
  std::unique_ptr<adamant::Preconditioner> make_cycle(int columns);

  void   set_right_hand_sides(unsigned int first, unsigned int n);
  void   remove_constants(const adamant::ColumnMatrix<double> &functional, const Vector &direction, Vector &x);
  double solve(adamant::ColumnResult &result);
  void   compare(unsigned int n);
  void   add_to_statistics(unsigned int first, unsigned int n);
  void   report();
  void   write();

  Vector        first_columns(const Vector &x, int n) const;
  Array<double> nodal_values(const Array<double> &unknowns) const;

  const Parameters                        &parameters;
  const adamant::Device                    device;
  adamant::Run                            &run_info;
  const int                                r; // columns at once
  dealii::Triangulation<dim>               mesh;
  dealii::MappingQ1<dim>                   mapping;
  std::optional<Space<dim>>                space;
  Levels                                   levels;
  std::vector<adamant::Eigenpairs>         directions;      // of a tensor-product mesh
  adamant::ColumnMatrix<double>            A, M, sum, mean; // the last two have one row
  std::unique_ptr<adamant::Preconditioner> approximation;   // of A⁻¹: a direct solver, or a V-cycle
  std::unique_ptr<adamant::ColumnSolver>   solver;
  adamant::Graph                           one_solve;
  adamant::ColumnNorms                     norms;
  Vector                                   B, X, ones, loads, x_0, sums, squares;
  unsigned int                             n_redone = 0;
  double                                   flop = 0., memory = 0.; // of a solve for one column; bytes
  double                                   seconds = 0., error = 0., l2 = 0., residual = 0., solves = 1.;
};

template <int dim>
void Poisson<dim>::run()
{
  setup();
  const unsigned int samples = parameters.problem.n_samples, n_batches = (samples + r - 1) / r;
  run_info.begin_time_loop(0, n_batches);
  for (unsigned int batch = 0; batch < n_batches; ++batch)
    {
      const unsigned int first = batch * r, n = std::min<unsigned int>(r, samples - first);
      set_right_hand_sides(first, n);
      adamant::ColumnResult result;
      seconds += solve(result);
      n_redone += result.n_redone;
      residual = std::max(residual, result.largest_residual);
      solves   = 1. + result.iterations;
      add_to_statistics(first, n);
      if (batch == 0 && parameters.solver.compare)
        compare(std::min(n, 8u));
      run_info.progress(batch + 1, batch + 1., result.iterations, result.final_residual);
    }
  run_info.end_time_loop();
  report();
  if (parameters.output.files)
    write();
}

template <int dim>
void Poisson<dim>::setup()
{
  {
    Section scope(run_info.timer, "init/mesh");
    parameters.mesh.make(mesh);
  }
  {
    Section scope(run_info.timer, "init/matrices");
    space.emplace(mesh, mapping, parameters.problem.natural, parameters.solver.coarsest_cells);
    levels = space->make_levels();
  }
  setup_solver();
  auto &record     = run_info.record;
  record["dofs"]   = levels.n();
  record["cells"]  = levels.n_cells;
  record["levels"] = adamant::RunRecord::array();
  for (const auto &level : levels.free)
    record["levels"].push_back({{"dofs", level.matrix->n_rows}, {"nonzeros", level.matrix->n_nonzeros()}});
  record["precision"] = parameters.solver.precision;
  record["tolerance"] = parameters.solver.tolerance;
  record["solver"]    = parameters.solver.type;
  record["samples"]   = parameters.problem.n_samples;
  record["columns"]   = r;
  std::cout << levels.n_cells << " cells, " << levels.n() << " unknowns, " << parameters.problem.n_samples
            << " right-hand sides, " << r << " at once; " << parameters.solver.type << ", "
            << parameters.solver.precision << std::endl;
}

template <int dim>
void Poisson<dim>::setup_solver()
{
  Section     scope(run_info.timer, "init/solver");
  const auto &options = parameters.solver;
  const int   n       = levels.n();
  for (Vector *vector : {&B, &X})
    *vector = adamant::MultiVector<double>(device, n, r).flat;
  for (Vector *vector : {&x_0, &sums, &squares})
    *vector = Vector(device, n);
  norms = adamant::ColumnNorms(device, n, r);
  A     = {device, *levels.free.back().matrix};
  M     = {device, levels.mass};
  if (options.type == "fast_diagonalization" || options.compare)
    find_directions();
  const auto make_direct = [this](adamant::Arithmetic arithmetic) {
    return std::make_unique<adamant::FastDiagonalization>(device, directions, arithmetic, r);
  };
  adamant::MakePreconditioner fallback;
  if (options.direct())
    {
      auto direct   = make_direct(options.arithmetic());
      flop          = direct->flop();
      memory        = direct->bytes();
      approximation = std::move(direct);
      if (options.arithmetic() >= adamant::Arithmetic::bfloat16)
        fallback = [make_direct] { return make_direct(adamant::Arithmetic::tf32); };
    }
  else
    approximation = options.precision == "float32" ? make_cycle<float>(r) : make_cycle<double>(r);
  using Method = adamant::ColumnSolver::Method;
  solver       = std::make_unique<adamant::ColumnSolver>(
    device, A, r, *approximation, options.direct() ? Method::refinement : Method::conjugate_gradients, fallback);
  setup_constants();
}

// What fast diagonalization takes; without it, only that solver cannot be had.
template <int dim>
void Poisson<dim>::find_directions()
{
  try
    {
      directions = adamant::tensor_product_eigenpairs(space->nodes(), mapping, true);
    }
  catch (const adamant::InputError &)
    {
      if (parameters.solver.direct())
        throw;
    }
}

template <int dim>
template <typename Number>
std::unique_ptr<adamant::Preconditioner> Poisson<dim>::make_cycle(int columns)
{
  const auto &options = parameters.solver;
  auto        cycle   = std::make_unique<adamant::ColumnCycle<Number>>(
    device, levels.free, columns,
    typename adamant::ColumnCycle<Number>::Options{int(options.steps), options.range, levels.singular});
  memory = cycle->bytes() + A.bytes();
  return cycle;
}

// Where no value is prescribed, right-hand sides and solutions lose a constant: b -= (Σ b) m / Σ m with m = M 1, and x
// -= (m . x) / Σ m.
template <int dim>
void Poisson<dim>::setup_constants()
{
  if (!levels.singular)
    return;
  const int           n     = levels.n();
  const Array<double> m     = product(levels.mass, Array<double>(levels.mass.n_cols, 1.));
  const double        total = std::accumulate(m.begin(), m.end(), 0.);
  CSRMatrix<double>   row;
  row.n_rows    = 1;
  row.n_cols    = n;
  row.row_start = {0, n};
  row.column    = all_numbers(n);
  row.value     = m;
  for (double &value : row.value)
    value /= total;
  mean = {device, row};
  row.value.assign(n, 1. / total);
  sum   = {device, row};
  ones  = Vector(device, Array<double>(n, 1.));
  loads = Vector(device, m);
}

template <int dim>
void Poisson<dim>::remove_constants(const adamant::ColumnMatrix<double> &functional, const Vector &direction, Vector &x)
{
  const int columns = x.size() / levels.n();
  Vector    products(device, columns);
  functional.multiply(columns, 1., x, 0., products, products);
  device.for_each(x.size(), SubtractMultiple{columns, products.data(), direction.data(), x.data()});
}

// B = M F, or random numbers; columns behind the last sample are zero.
template <int dim>
void Poisson<dim>::set_right_hand_sides(unsigned int first, unsigned int n)
{
  Section scope(run_info.timer, "rhs");
  if (parameters.problem.random())
    device.for_each(B.size(), RandomColumns{r, int(first), int(parameters.problem.n_samples), B.data()});
  else
    {
      const int     n_nodes = levels.mass.n_cols;
      const auto    points  = adamant::support_points(space->nodes(), mapping);
      const auto    f       = parameters.problem.template source_function<dim>();
      Array<double> values(n_nodes), F(std::size_t(n_nodes) * r, 0.);
      for (unsigned int s = 0; s < n; ++s)
        {
          adamant::evaluate_at_points(*f, first + s, points, values.data());
          for (int i = 0; i < n_nodes; ++i)
            F[std::size_t(i) * r + s] = values[i];
        }
      const Vector F_on_device(device, F);
      M.multiply(r, 1., F_on_device, 0., B, B);
    }
  const auto sizes = norms.fetch(B);
  for (unsigned int s = 0; s < n; ++s)
    {
      require(std::isfinite(sizes[s]), "Problem/Source: right-hand side ", first + s,
              " has values that are no numbers");
      if (sizes[s] == 0.)
        std::cout << "note: right-hand side " << first + s << " is zero, and so is its solution\n";
    }
  if (levels.singular)
    remove_constants(sum, loads, B);
}

// The median of the seconds that the solve takes; the first one, which records graphs, does not count where there are
// several.
template <int dim>
double Poisson<dim>::solve(adamant::ColumnResult &result)
{
  Section     scope(run_info.timer, "solve");
  const auto &options = parameters.solver;
  if (options.tolerance == 0. && !one_solve)
    one_solve = adamant::Graph(device, [this] { approximation->vmult(B, X); });
  std::vector<double> times;
  for (unsigned int i = 0; i < options.repetitions + (options.repetitions > 1 ? 1 : 0); ++i)
    {
      device.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      if (options.tolerance == 0.)
        one_solve.replay();
      else
        result = solver->solve(B, X, {options.tolerance, int(options.max_iterations), "Poisson's equation"});
      device.synchronize();
      if (i > 0 || options.repetitions == 1)
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  if (levels.singular)
    remove_constants(mean, ones, X);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

// The largest error of the first n solutions relative to those of another solver in double, and in L² where the solution
// is known.
template <int dim>
void Poisson<dim>::compare(unsigned int n)
{
  Section                                  scope(run_info.timer, "compare");
  const double                             memory_of_solver = memory;
  std::unique_ptr<adamant::Preconditioner> other;
  if (!directions.empty() && !(parameters.solver.direct() && parameters.solver.precision == "float64"))
    other = std::make_unique<adamant::FastDiagonalization>(device, directions, adamant::Arithmetic::float64, n);
  else
    other = make_cycle<double>(n);
  memory   = memory_of_solver;
  Vector b = first_columns(B, n), x = first_columns(X, n), y(device, x.size());
  adamant::ColumnSolver(device, A, n, *other, adamant::ColumnSolver::Method::conjugate_gradients)
    .solve(b, y, {1e-12, 100, "comparison"});
  if (levels.singular)
    remove_constants(mean, ones, y);
  adamant::ColumnNorms norms_of_first(device, levels.n(), n);
  const auto           sizes = norms_of_first.fetch(y);
  device.axpby(-1., x, 1., y);
  const auto errors = norms_of_first.fetch(y);
  for (unsigned int s = 0; s < n; ++s)
    error = std::max(error, sizes[s] > 0. ? errors[s] / sizes[s] : errors[s]);
  run_info.record["error_against_double"] = error;
  if (parameters.problem.exact.empty())
    return;
  const auto exact  = parameters.problem.template exact_function<dim>();
  const auto values = to_host(x);
  for (unsigned int s = 0; s < n; ++s)
    {
      Array<double> column(levels.n());
      for (int i = 0; i < levels.n(); ++i)
        column[i] = values[std::size_t(i) * n + s];
      exact->set_time(s);
      l2 = std::max(
        l2, adamant::l2_error(space->nodes(), mapping, dealii::QGauss<dim>(3), nodal_values(column).data(), *exact));
    }
  run_info.record["errors"]["l2"] = l2;
}

template <int dim>
auto Poisson<dim>::first_columns(const Vector &x, int n) const -> Vector
{
  Vector first(device, levels.n() * n);
  device.for_each(first.size(), FirstColumns{r, n, x.data(), first.data()});
  return first;
}

// The values at all nodes, hanging ones included, from those of the unknowns.
template <int dim>
Array<double> Poisson<dim>::nodal_values(const Array<double> &unknowns) const
{
  Array<double> free(levels.mass.n_cols, 0.);
  for (int i = 0; i < levels.n(); ++i)
    free[levels.unknowns[i]] = unknowns[i];
  return product(space->nodes().H, free);
}

template <int dim>
void Poisson<dim>::add_to_statistics(unsigned int first, unsigned int n)
{
  Section    scope(run_info.timer, "statistics");
  const auto sizes = norms.fetch(X);
  for (unsigned int s = 0; s < n; ++s)
    {
      if (!std::isfinite(sizes[s]))
        throw adamant::RunError(
          "the solution of right-hand side " + std::to_string(first + s) +
          " has values that are no numbers; its numbers may be too large for Solver/Precision = " +
          parameters.solver.precision);
      run_info.statistics.add({{"sample", first + s}, {"root_mean_square", sizes[s] / std::sqrt(levels.n())}});
    }
  device.for_each(levels.n(), AddSamples{r, int(n), first == 0, X.data(), x_0.data(), sums.data(), squares.data()});
}

template <int dim>
void Poisson<dim>::report()
{
  auto        &record        = run_info.record;
  const double solutions     = double(levels.n()) * parameters.problem.n_samples;
  record["solve_seconds"]    = seconds;
  record["gdofs_per_second"] = 1e-9 * solutions / seconds;
  record["n_redone"]         = n_redone;
  record["solver_bytes"]     = memory;
  record["largest_residual"] = residual;
  std::cout << "solved in " << seconds << " s: " << 1e-9 * solutions / seconds << " GDoF/s";
  if (flop > 0.)
    {
      const double all           = flop * parameters.problem.n_samples * solves;
      record["flop_per_dof"]     = flop / levels.n();
      record["tflop_per_second"] = 1e-12 * all / seconds;
      std::cout << ", " << 1e-12 * all / seconds << " TFLOP/s of products";
    }
  std::cout << "; " << 1e-6 * memory << " MB of the solver";
  if (parameters.solver.compare)
    std::cout << "; error against double " << error;
  if (!parameters.problem.exact.empty() && parameters.solver.compare)
    std::cout << ", L2 error " << l2;
  std::cout << std::endl;
  if (error > 1e-2)
    std::cout << "warning: the error against double is above 1e-2; take Solver/Refinement tolerance = 1e-10, or a "
                 "higher precision\n";
}

// Mean and standard deviation over the samples, and the first one.
template <int dim>
void Poisson<dim>::write()
{
  Section       scope(run_info.timer, "output");
  const double  n     = parameters.problem.n_samples;
  const auto    first = to_host(x_0), sum_of = to_host(sums), squares_of = to_host(squares);
  Array<double> mean_value(levels.n()), deviation(levels.n());
  for (int i = 0; i < levels.n(); ++i)
    {
      mean_value[i] = first[i] + sum_of[i] / n;
      deviation[i]  = n > 1 ? std::sqrt(std::max(0., (squares_of[i] - sum_of[i] * sum_of[i] / n) / (n - 1))) : 0.;
    }
  const auto of_first = nodal_values(first), of_mean = nodal_values(mean_value), of_deviation = nodal_values(deviation);
  adamant::FieldOutput<dim> output;
  output.add_scalar(space->nodes(), of_first.data(), "first_sample");
  output.add_scalar(space->nodes(), of_mean.data(), "mean");
  output.add_scalar(space->nodes(), of_deviation.data(), "standard_deviation");
  output.build_patches(mapping, 1);
  adamant::TimeSeries(run_info.folder(), "solution").write(output, 0.);
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Poisson>(
    argc, argv, "poisson", "Solves Poisson's equation for many right-hand sides at once, by multigrid or directly.");
}
