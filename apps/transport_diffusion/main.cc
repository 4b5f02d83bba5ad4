// Transport-diffusion on adaptive meshes in two or three dimensions (Liebchen et al., Section 5.1):
//
//   d_t theta - lambda Laplace theta + (b . grad) theta = f   in (0,1)^dim x (0,T],   theta = theta_b on the boundary,
//
// with data made from an exact solution unless the parameters give others. Nodal values are u = H x + B g: x the free unknowns, g(t) the boundary values.
// A time step solves A x = E w + S f - C g, all of them sparse products (equation data: transport_diffusion_data.h):
//
//   backward Euler:  A = M + dt K,       E = M,            w = u1
//   Crank-Nicolson:  A = M + dt/2 K,     E = M - dt/2 K,   w = u1
//   BDF2:            A = M + 2/3 dt K,   E = M,            w = 4/3 u1 - 1/3 u2
//
// where u1, u2 are the last two solutions, M the mass matrix, K that of diffusion and transport, and C = A acting on g.

#include "data.h"

#include "application/output.h"
#include "application/parameters.h"
#include "expressions/point_function.h"
#include "application/program.h"
#include "base/host_copies.h"
#include "discretization/forms/hierarchy.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/points.h"
#include "discretization/trilinos_amg.h"
#include "solvers/extrapolation.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>

using namespace dealii;
using namespace transport_diffusion;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int        dimension = 2;
  double              diffusion = 0.01;
  std::vector<double> transport = {0., -1., 0.};
  std::string         source = built_in, boundary_values = built_in, initial_values = built_in, exact = built_in;

  static constexpr const char *built_in = "manufactured";

  ProblemParameters()
    : ParameterAcceptor("/Problem")
  {
    add_parameter("Dimension", dimension, "Of the unit square or cube: 2 or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Diffusion", diffusion, "lambda", prm, Patterns::Double(0.));
    add_parameter("Transport", transport, "b, a component for each dimension; further ones are ignored");
    add_parameter(
      "Source", source,
      "f, an expression of x, y, z, t; manufactured: made from exp(-|x - c(t)|^2 / 4) with all components of "
      "c(t) equal to 1/2 + cos(pi t / 2) / 4");
    add_parameter("Boundary values", boundary_values, "theta_b, an expression of x, y, z, t; or manufactured");
    add_parameter("Initial values", initial_values, "An expression of x, y, z; or manufactured");
    add_parameter(
      "Exact solution", exact,
      "Where it is known, an expression of x, y, z, t for the L2 error in run.json; manufactured counts where "
      "the three above have it");
  }

  // A mistake in an expression is an InputError.
  void check_expressions() const
  {
    for (const auto &[key, text] : std::map<std::string, std::string>{{"Source", source},
                                                                      {"Boundary values", boundary_values},
                                                                      {"Initial values", initial_values},
                                                                      {"Exact solution", exact}})
      if (text != built_in && !(text.empty() && key == "Exact solution"))
        adamant::check_expression("Problem/" + key, text, 1, dimension);
  }

  bool has_exact_solution() const
  {
    return !exact.empty() &&
           (exact != built_in || (source == built_in && boundary_values == built_in && initial_values == built_in));
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  unsigned int degree = 1, quadrature = 0, coarse_cells = 1, refinements = 5, adaptive_cycles = 2;
  double       refine_fraction = 0.15, coarsen_fraction = 0.03;
  bool         supg = false;

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    using namespace Patterns;
    add_parameter("Degree", degree, "Of the finite elements FE_Q: 1 or 2", prm, Integer(1, 2));
    add_parameter("Quadrature points", quadrature, "Gauss points in each direction; 0 takes degree + 1", prm,
                  Integer(0, 20));
    add_parameter("SUPG", supg, "Streamline upwind stabilisation, for transport-dominated problems");
    add_parameter("Coarse cells", coarse_cells, "Of the unit box in each direction, before refinement", prm,
                  Integer(1, 1000));
    add_parameter("Refinements", refinements, "n uniform ones: h = 2^-n with one coarse cell", prm, Integer(0));
    add_parameter("Adaptive cycles", adaptive_cycles,
                  "Further refinements where the Kelly estimator finds the initial values least resolved", prm,
                  Integer(0, 20));
    add_parameter("Refine fraction", refine_fraction, "Of the cells, in each adaptive cycle", prm, Double(0., 1.));
    add_parameter("Coarsen fraction", coarsen_fraction, "Of the cells, in each adaptive cycle", prm, Double(0., 1.));
  }
};

struct TimeParameters : ParameterAcceptor
{
  double       end = 2., step = 0.02;
  std::string  scheme              = "backward_euler";
  unsigned int extrapolation_order = 2, output_interval = 10;

  TimeParameters()
    : ParameterAcceptor("/Time stepping")
  {
    using namespace Patterns;
    add_parameter("End time", end, "T", prm, Double(0.));
    add_parameter("Time step", step, "dt; T has to be a multiple of it", prm, Double(1e-300));
    add_parameter("Scheme", scheme, "BDF2 begins with one step of backward Euler", prm,
                  Selection("backward_euler|crank_nicolson|bdf2"));
    add_parameter("Extrapolation order", extrapolation_order,
                  "Earlier steps that the solver's initial guess is extrapolated from; 0: a zero guess", prm,
                  Integer(0, 4));
    add_parameter("Output interval", output_interval, "Steps between VTU files; 0: none", prm, Integer(0));
  }
  unsigned int n_steps() const { return static_cast<unsigned int>(std::lround(end / step)); }
};

struct Parameters
{
  // Where a checkpoint is continued.
  static std::vector<std::string> may_change()
  {
    return {"Time stepping/End time", "Time stepping/Output interval", "Checkpoint"};
  }

  ProblemParameters               problem;
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  adamant::LinearSolverParameters linear_solver;

  // What no single parameter's pattern can tell.
  void check() const
  {
    if (problem.transport.size() < problem.dimension)
      throw adamant::InputError("Problem/Transport has " + std::to_string(problem.transport.size()) +
                                " components, but Problem/Dimension is " + std::to_string(problem.dimension));
    const double per_axis = std::pow(adamant::most_unknowns(), 1. / problem.dimension);
    const auto   most =
      static_cast<unsigned int>(std::log2((per_axis - 1.) / (discretization.coarse_cells * discretization.degree)));
    if (discretization.refinements > most)
      throw adamant::InputError("Discretization/Refinements = " + std::to_string(discretization.refinements) +
                                " gives more unknowns than 32-bit indices can count; at most " + std::to_string(most) +
                                " here");
    if (std::abs(time.n_steps() * time.step - time.end) > 1e-8 * time.end)
      throw adamant::InputError("Time stepping/End time = " + std::to_string(time.end) +
                                " is not a multiple of Time stepping/Time step = " + std::to_string(time.step));
    problem.check_expressions();
    if (linear_solver.preconditioner != "multigrid" && linear_solver.preconditioner != "trilinos_amg")
      throw adamant::InputError("Linear solver/Preconditioner = " + linear_solver.preconditioner + " is unknown");
  }
};

// The exact solution for deal.II's own functions.
template <int dim>
class ExactFunction : public Function<dim>
{
public:
  explicit ExactFunction(double time)
    : solution(time)
  {}
  double value(const Point<dim> &p, unsigned int = 0) const override { return solution.value(&p[0], 1, 0); }

private:
  ExactSolution<dim> solution;
};

// The function that a parameter gives.
template <int dim>
std::unique_ptr<Function<dim>> make_function(const std::string &key, const std::string &text, double time)
{
  if (text == ProblemParameters::built_in)
    return std::make_unique<ExactFunction<dim>>(time);
  auto function = adamant::parse_function<dim>("Problem/" + key, text, 1);
  function->set_time(time);
  return function;
}

template <int dim, class Backend>
class TransportDiffusion
{
public:
  TransportDiffusion(const Parameters &parameters, const Backend &backend, adamant::Run &run);
  void run();

private:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  void make_mesh();
  void setup_system();
  void choose_scheme(const std::string &scheme);
  void assemble();
  void set_initial_values();
  void compute_sources();
  void compute_rhs();
  void solve();
  void output_results();
  void wait_for_output();
  void report();

  // The state after a step; a checkpoint holds it beside the mesh.
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &step &time &series;
    adamant::serialize_vector(archive, backend, u, order);
    adamant::serialize_vector(archive, backend, u_old, order);
    adamant::serialize_history(archive, backend, guess, u.size(), order);
  }

  adamant::PointFunction<Backend> values_at(const std::string &key, const std::string &text,
                                            const adamant::Array<double> &points) const;

  void local_matrices(const typename DoFHandler<dim>::active_cell_iterator &cell, const FEValues<dim> &fe_values,
                      FullMatrix<double> *A, FullMatrix<double> *E, FullMatrix<double> *S) const;

  const Parameters &parameters;
  Backend           backend;
  adamant::Run     &run_info;
  Coefficients<dim> coefficients;

  std::unique_ptr<Triangulation<dim>>             mesh;
  FE_Q<dim>                                       fe;
  MappingQ1<dim>                                  mapping;
  QGauss<dim>                                     quadrature;
  std::unique_ptr<adamant::Hierarchy<dim>>        hierarchy;
  std::unique_ptr<adamant::TrilinosAMG>           amg;
  std::unique_ptr<adamant::LinearSolver<Backend>> solver;

  Matrix                          H, B, E, S, C;
  Vector                          u, u_old, w, x, rhs, boundary_values, source_values, old_source_values;
  Vector                          source_points;    // of the built-in source
  adamant::PointFunction<Backend> source, boundary; // the source where it is an expression
  adamant::Extrapolation<Backend> guess;

  std::string                scheme;
  double                     implicit_weight = 1.; // dt times this multiplies K in A
  double                     time            = 0.;
  unsigned int               step            = 0;
  adamant::StorageOrder      order; // of nodal values in checkpoints
  adamant::SolverResult      result;
  typename Backend::Snapshot snapshot; // of u, for output
  adamant::TimeSeries        series;   // last: its end waits for what it writes
};

template <int dim, class Backend>
TransportDiffusion<dim, Backend>::TransportDiffusion(const Parameters &parameters, const Backend &backend,
                                                     adamant::Run &run)
  : parameters(parameters)
  , backend(backend)
  , run_info(run)
  , mesh(run.create_mesh<dim>())
  , fe(parameters.discretization.degree)
  , quadrature(parameters.discretization.quadrature > 0 ? parameters.discretization.quadrature :
                                                          parameters.discretization.degree + 1)
  , guess(backend, parameters.time.extrapolation_order)
  , series(run.folder(), "solution", run.ranks)
{
  coefficients.diffusion = parameters.problem.diffusion;
  std::copy_n(parameters.problem.transport.begin(), dim, coefficients.transport);
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::make_mesh()
{
  adamant::Section scope(run_info.timer, "init/mesh");
  const auto      &p = parameters.discretization;
  GridGenerator::subdivided_hyper_cube(*mesh, p.coarse_cells);
  adamant::refine_global(*mesh, p.refinements);
  const auto error_of_initial_values = [&] {
    DoFHandler<dim> dofs(*mesh);
    dofs.distribute_dofs(fe);
    const auto initial =
      adamant::interpolate(mapping, dofs, *make_function<dim>("Initial values", parameters.problem.initial_values, 0.));
    dealii::Vector<float> indicators(mesh->n_active_cells());
    KellyErrorEstimator<dim>::estimate(mapping, dofs, QGauss<dim - 1>(p.degree + 1), {}, initial, indicators);
    return indicators;
  };
  for (unsigned int cycle = 0; cycle < p.adaptive_cycles; ++cycle)
    adamant::refine_and_coarsen(*mesh, error_of_initial_values(), p.refine_fraction, p.coarsen_fraction);
}

// What a parameter gives at these points: an expression, or the exact solution.
template <int dim, class Backend>
adamant::PointFunction<Backend> TransportDiffusion<dim, Backend>::values_at(const std::string            &key,
                                                                            const std::string            &text,
                                                                            const adamant::Array<double> &points) const
{
  if (text != ProblemParameters::built_in)
    return adamant::function_at_points<dim>(backend, "Problem/" + key, text, 1, points);
  const auto at = std::make_shared<Vector>(adamant::to_backend(backend, points));
  return [backend = backend, at](double t, Vector &values) {
    backend.for_each(values.size(), ExactValues<dim>{ExactSolution<dim>(t), at->data(), values.size(), values.data()});
  };
}

// All data that do not depend on the time step: levels, constraints, positions, vectors.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::setup_system()
{
  adamant::Section scope(run_info.timer, "init/hierarchy");
  const bool       levels = parameters.linear_solver.preconditioner == "multigrid";
  hierarchy               = std::make_unique<adamant::Hierarchy<dim>>(
    *mesh, fe, adamant::DirichletBoundary{{0, ComponentMask()}},
    levels ? parameters.linear_solver.coarsest_cells : adamant::finest_level_only,
    run_info.cells_per_rank(fe.n_dofs_per_cell()), parameters.linear_solver.coarsest_on_one_rank());

  const auto &space = hierarchy->finest();
  const int   n     = space.n_owned();
  H                 = backend.create_matrix(space.owned_H());
  B                 = backend.create_matrix(space.owned_B());

  const auto at_sources = adamant::quadrature_points(space, mapping, quadrature);
  boundary              = values_at("Boundary values", parameters.problem.boundary_values,
                                    adamant::support_points(space, mapping, space.prescribed));
  if (const auto &text = parameters.problem.source; text != ProblemParameters::built_in)
    source = adamant::function_at_points<dim>(backend, "Problem/Source", text, 1, at_sources);
  else
    source_points = adamant::to_backend(backend, at_sources);
  boundary_values = backend.create_vector(static_cast<int>(space.prescribed.size()));
  source_values   = backend.create_vector(static_cast<int>(at_sources.size() / dim));
  order           = space.storage_order();
  for (Vector *vector : {&u, &u_old, &w, &x, &rhs})
    *vector = backend.create_vector(n);
  if (parameters.time.output_interval > 0)
    snapshot = backend.create_snapshot(n);
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::choose_scheme(const std::string &name)
{
  scheme          = name;
  implicit_weight = scheme == "crank_nicolson" ? 0.5 : scheme == "bdf2" ? 2. / 3. : 1.;
  assemble();
}

// The local matrices of one cell; with SUPG the test function is phi + tau b . grad phi.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::local_matrices(const typename DoFHandler<dim>::active_cell_iterator &cell,
                                                      const FEValues<dim> &fe_values, FullMatrix<double> *A,
                                                      FullMatrix<double> *E, FullMatrix<double> *S) const
{
  const double   dt = parameters.time.step, lambda = coefficients.diffusion;
  const double   explicit_weight = scheme == "crank_nicolson" ? implicit_weight - 1. : 0.;
  Tensor<1, dim> b;
  for (unsigned int d = 0; d < dim; ++d)
    b[d] = coefficients.transport[d];
  double tau = 0;
  if (parameters.discretization.supg && b.norm() > 0)
    {
      // Brooks & Hughes 1982: tau = h / (2 |b|) (coth Pe - 1 / Pe), Pe = |b| h / (2 lambda); h the length of an edge.
      const double h      = cell->diameter() / (std::sqrt(dim) * fe.degree),
                   peclet = 0.5 * b.norm() * h / std::max(lambda, 1e-300);
      tau                 = 0.5 * h / b.norm() * (peclet < 1e-2 ? peclet / 3. : 1. / std::tanh(peclet) - 1. / peclet);
    }
  for (const unsigned int q : fe_values.quadrature_point_indices())
    for (const unsigned int i : fe_values.dof_indices())
      {
        const auto  &grad_i = fe_values.shape_grad(i, q);
        const double test   = (fe_values.shape_value(i, q) + tau * (b * grad_i)) * fe_values.JxW(q);
        if (S != nullptr)
          (*S)(i, q) += test;
        for (const unsigned int j : fe_values.dof_indices())
          {
            const auto  &grad_j = fe_values.shape_grad(j, q);
            const double mass   = fe_values.shape_value(j, q) * test;
            double       K      = lambda * (grad_i * grad_j) * fe_values.JxW(q) + (b * grad_j) * test;
            if (tau > 0 && fe.degree > 1) // the strong residual's second derivatives
              K -= lambda * trace(fe_values.shape_hessian(j, q)) * tau * (b * grad_i) * fe_values.JxW(q);
            (*A)(i, j) += mass + dt * implicit_weight * K;
            if (E != nullptr)
              (*E)(i, j) += mass + dt * explicit_weight * K;
          }
      }
}

// The system matrices of all levels, and on the finest one those of the right-hand side.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::assemble()
{
  using adamant::Columns;
  UpdateFlags flags = update_values | update_gradients | update_JxW_values;
  if (parameters.discretization.supg && fe.degree > 1)
    flags |= update_hessians;
  {
    adamant::Section scope(run_info.timer, "init/assembly");
    auto             rhs_matrices =
      hierarchy->assemble(mapping, quadrature, flags,
                          [this](const auto &cell, const auto &fe_values, auto &local) {
                            if (local.size() > 1) // the finest level; C is A acting on the boundary values
                              {
                                local_matrices(cell, fe_values, &local[0], &local[1], &local[2]);
                                local[3] = local[0];
                              }
                            else
                              local_matrices(cell, fe_values, &local[0], nullptr, nullptr);
                          },
                          {Columns::dofs, Columns::quadrature_points, Columns::prescribed});
    E = backend.create_matrix(rhs_matrices[0]);
    S = backend.create_matrix(rhs_matrices[1]);
    C = backend.create_matrix(rhs_matrices[2]);
  }

  adamant::Section scope(run_info.timer, "init/solver");
  if (solver && !amg)
    return solver->update(hierarchy->data());
  adamant::Preconditioner<Backend> external;
  if constexpr (std::is_same_v<Backend, adamant::HostBackend<double>>)
    if (parameters.linear_solver.preconditioner == "trilinos_amg")
      {
        amg      = std::make_unique<adamant::TrilinosAMG>(hierarchy->data().back().matrix,
                                                     parameters.linear_solver.amg_options());
        external = [this](const Vector &v, Vector &z) { amg->vmult(v, z); };
      }
  if (parameters.linear_solver.preconditioner == "trilinos_amg" && !external)
    throw adamant::InputError("Linear solver/Preconditioner = trilinos_amg needs --backend host");
  solver = std::make_unique<adamant::LinearSolver<Backend>>(backend, hierarchy->data(),
                                                            parameters.linear_solver.options("time step"), external);
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::set_initial_values()
{
  adamant::Section    scope(run_info.timer, "init/initial values");
  const auto         &space = hierarchy->finest();
  adamant::Array<int> all(space.n_owned());
  std::iota(all.begin(), all.end(), 0);
  values_at("Initial values", parameters.problem.initial_values, adamant::support_points(space, mapping, all))(0., x);
  boundary(0., boundary_values);
  // Nodal interpolation, continuous at hanging nodes.
  backend.spmv(1., H, x, 0., u);
  backend.spmv(1., B, boundary_values, 1., u);
}

// source_values = dt f, or what Crank-Nicolson takes of the two times.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::compute_sources()
{
  const double dt = parameters.time.step, new_weight = dt * implicit_weight,
               old_weight = scheme == "crank_nicolson" ? 0.5 * dt : 0.;
  if (!source)
    return backend.for_each(source_values.size(),
                            SourceValues<dim>{ExactSolution<dim>(time), ExactSolution<dim>(time - dt), new_weight,
                                              old_weight, coefficients, source_points.data(), source_values.size(),
                                              source_values.data()});
  source(time, source_values);
  if (old_weight == 0.)
    return backend.scale(new_weight, source_values);
  if (old_source_values.size() == 0)
    old_source_values = backend.create_vector(source_values.size());
  source(time - dt, old_source_values);
  backend.axpby(old_weight, old_source_values, new_weight, source_values);
}

// rhs = E w + S f - C g at the new time.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::compute_rhs()
{
  adamant::Section scope(run_info.timer, "rhs");
  compute_sources();
  boundary(time, boundary_values);
  if (scheme == "bdf2")
    {
      backend.copy(u, w);
      backend.axpby(-1. / 3., u_old, 4. / 3., w);
    }
  backend.spmv(1., E, scheme == "bdf2" ? w : u, 0., rhs);
  backend.spmv(1., S, source_values, 1., rhs);
  backend.spmv(-1., C, boundary_values, 1., rhs);
  backend.synchronize();
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::solve()
{
  adamant::Section scope(run_info.timer, "solve");
  guess.predict(x);
  result = solver->solve(rhs, x);
  std::swap(u, u_old);
  backend.spmv(1., H, x, 0., u);
  backend.spmv(1., B, boundary_values, 1., u);
  guess.keep(x);
  backend.synchronize();
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::output_results()
{
  const unsigned int interval = parameters.time.output_interval;
  if (interval == 0 || (step % interval != 0 && step != parameters.time.n_steps()))
    return;
  wait_for_output();
  {
    adamant::Section scope(run_info.timer, "copy");
    backend.take(u, snapshot);
  }
  adamant::Section scope(run_info.timer, "output");
  series.start(
    [this, t = time] {
      const auto   theta = adamant::nodal_vector(hierarchy->finest(), snapshot.values());
      DataOut<dim> data;
      data.attach_dof_handler(hierarchy->finest().dof_handler());
      data.add_data_vector(theta, "theta");
      data.build_patches(mapping, fe.degree);
      series.write(data, t);
    },
    Backend::asynchronous);
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::wait_for_output()
{
  adamant::Section scope(run_info.timer, "output");
  series.wait();
}

// The error against the exact solution and the facts of the run.
template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::report()
{
  if (const auto &problem = parameters.problem; problem.has_exact_solution())
    {
      adamant::Array<double> values(u.size());
      {
        adamant::Section scope(run_info.timer, "copy");
        backend.download(u, values.data());
      }
      adamant::Section scope(run_info.timer, "output");
      const auto       exact = make_function<dim>("Exact solution", problem.exact, time);
      const double     l2 =
        adamant::l2_error(hierarchy->finest(), mapping, QGauss<dim>(fe.degree + 2), values.data(), *exact);
      std::cout << "L2 error at t = " << time << ": " << l2 << std::endl;
      run_info.record["errors"]["l2"] = l2;
    }
  run_info.measure(*solver);
  if (Backend::asynchronous)
    run_info.record["timings"]["output beside"] = series.seconds_beside();
}

template <int dim, class Backend>
void TransportDiffusion<dim, Backend>::run()
{
  if (run_info.continues())
    run_info.load_mesh(*mesh);
  else
    make_mesh();
  setup_system();
  choose_scheme(parameters.time.scheme == "bdf2" ? "backward_euler" : parameters.time.scheme);
  if (run_info.continues())
    run_info.load(*this);
  else
    set_initial_values();
  const auto n_cells = mesh->n_global_active_cells(), n_unknowns = hierarchy->finest().dof_handler().n_dofs();
  std::cout << n_cells << " cells, " << n_unknowns << " unknowns, " << hierarchy->n_levels() << " levels\n" << *solver;
  run_info.describe(n_unknowns, n_cells, hierarchy->data(), parameters.linear_solver,
                    parameters.time.extrapolation_order);
  if (run_info.writes_initial_values())
    output_results();

  run_info.begin_time_loop(step, parameters.time.n_steps());
  while (step < parameters.time.n_steps())
    {
      ++step;
      if (step > 1 && scheme != parameters.time.scheme)
        choose_scheme(parameters.time.scheme);
      time = step * parameters.time.step;
      compute_rhs();
      solve();
      run_info.statistics({{"step", step},
                           {"time", time},
                           {"iterations", result.iterations},
                           {"initial_residual", result.initial_residual},
                           {"residual", result.final_residual}});
      run_info.progress(step, time, result.iterations, result.final_residual);
      output_results();
      run_info.checkpoint(step, time, adamant::StoredMesh<dim>(*mesh), *this);
    }
  wait_for_output();
  run_info.end_time_loop();
  report();
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters>(
    argc, argv, "transport_diffusion",
    "Solves a transport-diffusion equation on adaptive meshes with multigrid (Liebchen et al., Section 5.1).",
    [](const Parameters &parameters, const auto &backend, adamant::Run &run) {
      using Backend = std::decay_t<decltype(backend)>;
      if (parameters.problem.dimension == 2)
        TransportDiffusion<2, Backend>(parameters, backend, run).run();
      else
        TransportDiffusion<3, Backend>(parameters, backend, run).run();
    });
}
