// Linear elasticity on adaptive meshes in two (plane strain) or three dimensions (Liebchen et al., Section 5.2):
//
//   d_t u - v = 0,   rho d_t v - div sigma(u) = f,   sigma = lambda tr(epsilon) I + 2 mu epsilon,
//
// u prescribed on Dirichlet boundaries (constant in time), sigma n = g elsewhere; backward Euler. With the matrices of mass M
// and stiffness K and the load F, one step of either formulation is A x = E w + F' - C g (g: the prescribed values):
//
//   condensed:  (M + dt² K) u = M (u1 + dt v1) + dt² F,  v = (u - u1) / dt   (the first equation eliminates v)
//   coupled:    [ sM  -sM ] [  u ]   [ sM u1           ]
//               [ dt²K  M ] [dt v] = [ M dt v1 + dt² F ]   (as in the paper, six components a node)
//   stationary: K u = F
//
// where u1, v1 belong to the last step. The factor s makes the residuals of both equations comparable.

#include "elasticity_mesh.h"
#include "elasticity_results.h"

#include "application/expressions.h"
#include "application/output.h"
#include "application/parameters.h"
#include "application/program.h"
#include "discretization/hierarchy.h"
#include "discretization/load.h"
#include "discretization/points.h"
#include "discretization/trilinos_amg.h"
#include "solver/extrapolation.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_refinement.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>

using namespace dealii;
using namespace elasticity;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int dimension = 3;
  double       lambda = 8e4, mu = 2e4, young = 0., poisson = 0., density = 1.;
  std::string  body_force = "0; -1; 0", load_factor = "1", boundary_displacement = "0; 0; 0";
  std::string  initial_displacement = "0; 0; 0", initial_velocity = "0; 0; 0", exact_displacement;
  std::map<unsigned int, std::string> dirichlet = {{0, "xyz"}, {1, "xyz"}, {2, "xyz"},
                                                   {3, "xyz"}, {4, "xyz"}, {5, "xyz"}};
  std::string                         tractions;

  std::map<unsigned int, std::string> traction; // by id, once read

  ProblemParameters()
    : ParameterAcceptor("/Problem")
  {
    add_parameter("Dimension", dimension, "2 (plane strain) or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Lame lambda", lambda, "First Lame parameter");
    add_parameter("Lame mu", mu, "Second Lame parameter, the shear modulus");
    add_parameter("Young modulus", young, "E; where it is not 0, E and nu replace the Lame parameters", prm,
                  Patterns::Double(0));
    add_parameter("Poisson ratio", poisson, "nu, used with E only; below 0.5");
    add_parameter("Density", density, "rho", prm, Patterns::Double(0));
    add_parameter("Body force", body_force, "f per volume: expressions of x, y, z separated by semicolons");
    parse_parameters_call_back.connect(
      [this] { traction = adamant::split_by_boundary("Problem/Traction", tractions); });
    add_parameter("Traction", tractions,
                  "g per area, by boundary id: 'id: g_x; g_y; g_z, id: ...', expressions of x, y, z");
    add_parameter("Load factor", load_factor, "Expression of t that multiplies body force and traction");
    add_parameter(
      "Dirichlet boundaries", dirichlet,
      "The boundary ids where the displacement is prescribed, with its components: 'id: xyz, id: y, ...'. The sides "
      "of the box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z)");
    add_parameter("Boundary displacement", boundary_displacement, "There: expressions of x, y, z");
    add_parameter("Initial displacement", initial_displacement, "Expressions of x, y, z");
    add_parameter("Initial velocity", initial_velocity, "Expressions of x, y, z");
    add_parameter(
      "Exact displacement", exact_displacement,
      "Expressions of x, y, z, t; where given, run.json has the L2 error of the displacement at the end time");
  }

  Material material() const
  {
    return young > 0. ? Material{young * poisson / ((1. + poisson) * (1. - 2. * poisson)),
                                 young / (2. * (1. + poisson)), density} :
                        Material{lambda, mu, density};
  }
};

// The functions that ProblemParameters describes; a mistake in an expression is an InputError.
template <int dim>
struct ProblemFunctions
{
  using Expression = std::unique_ptr<FunctionParser<dim>>;
  Expression                               body_force, boundary_displacement, initial_displacement, initial_velocity;
  Expression                               exact_displacement; // null where none is given
  std::map<types::boundary_id, Expression> traction;
  std::function<double(double)>            load_factor;

  explicit ProblemFunctions(const ProblemParameters &p)
    : body_force(parse("Body force", p.body_force))
    , boundary_displacement(parse("Boundary displacement", p.boundary_displacement))
    , initial_displacement(parse("Initial displacement", p.initial_displacement))
    , initial_velocity(parse("Initial velocity", p.initial_velocity))
    , exact_displacement(p.exact_displacement.empty() ? nullptr : parse("Exact displacement", p.exact_displacement))
    , load_factor(adamant::parse_function_of_time("Problem/Load factor", p.load_factor))
  {
    for (const auto &[id, text] : p.traction)
      traction[id] = parse("Traction", text);
  }

private:
  static Expression parse(const std::string &key, const std::string &text)
  {
    if (adamant::depends_on_time(text) && key != "Exact displacement")
      throw adamant::InputError("Problem/" + key + " = " + text +
                                " contains t, but only Problem/Load factor depends on the time");
    return adamant::parse_function<dim>("Problem/" + key, text, dim);
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  std::string               formulation = "condensed", refinement = "edge";
  std::vector<double>       lengths      = {1., 1., 1.};
  std::vector<unsigned int> coarse_cells = {1, 1, 1};
  unsigned int              degree = 1, uniform_refinements = 3, steps = 2;
  double                    refine_fraction = 0.1;

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    using namespace Patterns;
    add_parameter("Formulation", formulation, "condensed: the displacement alone; coupled: displacement and velocity",
                  prm, Selection("condensed|coupled"));
    add_parameter(
      "Degree", degree,
      "Of the finite elements FE_Q: 1 or 2. With 2, Linear solver/Coarsest level cells counts cells of half the size",
      prm, Integer(1, 2));
    add_parameter("Lengths", lengths, "Of the box (0,Lx) x (0,Ly) x (0,Lz)");
    add_parameter("Coarse cells", coarse_cells, "Of the box in each direction, before refinement");
    add_parameter("Uniform refinements", uniform_refinements, "Of these cells", prm, Integer(0, 10));
    add_parameter(
      "Refinement", refinement,
      "Then step l = 1, 2, ... refines all cells (uniform), those whose centre has its first 1 (face), 2 (edge) or 3 "
      "(vertex) coordinates below 2^-l times the length, or those where a stationary solution has the largest "
      "errors after Kelly's estimator (kelly)",
      prm, Selection("uniform|face|edge|vertex|kelly"));
    add_parameter("Refinement steps", steps, "Number of these steps", prm, Integer(0, 20));
    add_parameter("Refine fraction", refine_fraction, "Of the cells, in each step of kelly", prm, Double(0., 1.));
  }
};

struct TimeParameters : ParameterAcceptor
{
  bool         stationary = false;
  double       end = 2.5, step = 0.025;
  unsigned int extrapolation_order = 1;

  TimeParameters()
    : ParameterAcceptor("/Time stepping")
  {
    using namespace Patterns;
    add_parameter("Stationary", stationary,
                  "Solve the stationary problem, with the load at the end time, instead of time steps");
    add_parameter("End time", end, "T", prm, Double(0.));
    add_parameter("Time step", step, "dt; T has to be a multiple of it", prm, Double(1e-300));
    add_parameter("Extrapolation order", extrapolation_order,
                  "Earlier steps that the solver's initial guess is extrapolated from; 0: a zero guess", prm,
                  Integer(0, 4));
  }
  unsigned int n_steps() const { return stationary ? 1 : static_cast<unsigned int>(std::lround(end / step)); }
};

struct OutputParameters : ParameterAcceptor
{
  unsigned int                     interval = 10, energy_interval = 1;
  std::vector<std::vector<double>> points = {{0.5, 0.5, 0.5}};

  OutputParameters()
    : ParameterAcceptor("/Output")
  {
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Patterns::Integer(0));
    add_parameter("Energy interval", energy_interval,
                  "Steps between evaluations of the energies, on the host; other steps have nan. 0: at the end only",
                  prm, Patterns::Integer(0));
    add_parameter("Points", points, "Where the displacement is recorded in each step: 'x, y, z; x, y, z; ...'");
  }
};

struct Parameters
{
  ProblemParameters               problem;
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  OutputParameters                output;
  adamant::LinearSolverParameters linear_solver{default_options(), 400};

  // Where a checkpoint is continued.
  std::vector<std::string> may_change() const
  {
    std::vector<std::string> keys = {"Output/Interval", "Output/Energy interval", "Checkpoint"};
    if (!time.stationary && discretization.refinement != "kelly") // which take the load at the end time
      keys.push_back("Time stepping/End time");
    return keys;
  }

  // Chebyshev smoothing by node blocks inside conjugate gradients: what suits the condensed formulation.
  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.type                         = adamant::SolverType::cg;
    options.multigrid.smoother.type      = adamant::SmootherType::block_jacobi;
    options.multigrid.smoother.chebyshev = true;
    options.multigrid.smoother.range     = 20.;
    options.multigrid.smoother.damping   = 0.5; // without Chebyshev: 0.6 already diverges on these matrices
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // What no single parameter's pattern can tell.
  void check() const
  {
    const auto refuse = [](const std::string &message) { throw adamant::InputError(message); };
    const auto number = [](double value) {
      std::ostringstream text;
      text << value;
      return text.str();
    };
    const auto &p = problem;
    const auto &d = discretization;
    if (p.young > 0. && !(p.poisson > -1. && p.poisson < 0.5))
      refuse("Problem/Poisson ratio = " + number(p.poisson) +
             ": it has to lie above -1 and below 0.5 (an incompressible material, "
             "nu = 0.5, needs a mixed formulation with a pressure, which this program does not have)");
    if (p.young == 0. && !(p.mu > 0. && 3. * p.lambda + 2. * p.mu > 0.))
      refuse("Problem/Lame lambda = " + number(p.lambda) + ", Lame mu = " + number(p.mu) +
             ": a stable material has mu > 0 and lambda > -2/3 mu");
    if (!time.stationary && !(p.density > 0.))
      refuse("Problem/Density has to be positive where time steps are taken");
    if (time.stationary && d.formulation == "coupled")
      refuse("Time stepping/Stationary needs Discretization/Formulation = condensed");
    const auto solver = linear_solver.options("");
    if (d.formulation == "coupled" && solver.type == adamant::SolverType::cg)
      refuse("Discretization/Formulation = coupled has a matrix that is not symmetric: Linear solver/Solver has to be "
             "gmres, not cg");
    if (d.formulation == "coupled" && linear_solver.preconditioner != "multigrid")
      refuse("Linear solver/Preconditioner = " + linear_solver.preconditioner +
             " converges for Discretization/Formulation = condensed only");
    if (d.formulation == "coupled" && solver.multigrid.smoother.type != adamant::SmootherType::block_jacobi)
      refuse("Discretization/Formulation = coupled needs Linear solver/Smoother = block_jacobi, which solves for all "
             "unknowns of a node at once");
    if (d.lengths.size() < p.dimension || d.coarse_cells.size() < p.dimension)
      refuse("Discretization/Lengths and Coarse cells need a value for each dimension");
    double nodes = 1.;
    for (unsigned int i = 0; i < p.dimension; ++i)
      {
        if (!(d.lengths[i] > 0.) || d.coarse_cells[i] == 0)
          refuse("Discretization/Lengths and Coarse cells have to be positive");
        nodes *= d.degree * d.coarse_cells[i] *
                   std::pow(2., d.uniform_refinements + (d.refinement == "uniform" ? d.steps : 0)) +
                 1.;
      }
    if (nodes * p.dimension * (d.formulation == "coupled" ? 2. : 1.) > std::numeric_limits<int>::max())
      refuse("Discretization: these refinements give more unknowns than 32-bit indices can count");
    for (const auto *boundaries : {&p.dirichlet, &p.traction})
      for (const auto &[id, text] : *boundaries)
        if (id >= 6)
          refuse("Problem: the box has no boundary " + std::to_string(id) + "; its sides are 0 to 5");
    const std::string axes = std::string("xyz").substr(0, p.dimension);
    for (const auto &[id, components] : p.dirichlet)
      if (components.empty() || components.find_first_not_of("xyz") != std::string::npos)
        refuse("Problem/Dirichlet boundaries: '" + components + "' of boundary " + std::to_string(id) +
               " should name components, as xyz");
    const auto prescribed = [&](unsigned int id, char axis) {
      const auto found = p.dirichlet.find(id);
      return id < 2 * p.dimension && found != p.dirichlet.end() && found->second.find(axis) != std::string::npos;
    };
    for (const auto &[id, text] : p.traction)
      if (id >= 2 * p.dimension ||
          std::all_of(axes.begin(), axes.end(), [&, id = id](char axis) { return prescribed(id, axis); }))
        refuse("Problem/Traction: on boundary " + std::to_string(id) +
               (id >= 2 * p.dimension ? ", which only a cube has" :
                                        ", where Problem/Dirichlet boundaries prescribes all components"));
    for (const char axis : axes)
      if (bool held = false; time.stationary || d.refinement == "kelly")
        {
          for (unsigned int id = 0; id < 2 * p.dimension; ++id)
            held = held || prescribed(id, axis);
          if (!held)
            refuse(std::string("Problem/Dirichlet boundaries: a stationary solution needs the component ") + axis +
                   " prescribed somewhere");
        }
    if (p.dimension == 2)
      ProblemFunctions<2>{p};
    else
      ProblemFunctions<3>{p};
    for (const auto &point : output.points)
      for (unsigned int i = 0; i < p.dimension; ++i)
        if (point.size() < p.dimension || !(point[i] >= 0. && point[i] <= d.lengths[i]))
          refuse("Output/Points: a point lies outside the box or has fewer than " + std::to_string(p.dimension) +
                 " coordinates");
    if (!time.stationary && time.end == 0.)
      refuse("Time stepping/End time has to be positive where time steps are taken");
    if (std::abs(time.n_steps() * time.step - time.end) > 1e-8 * time.end && !time.stationary)
      refuse("Time stepping/End time = " + number(time.end) +
             " is not a multiple of Time stepping/Time step = " + number(time.step));
  }
};

template <int dim, class Backend>
class Elasticity
{
public:
  Elasticity(const Parameters &parameters, const Backend &backend, adamant::Run &run);
  void run();

private:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  void make_mesh();
  void setup_system(bool with_velocity);
  void assemble(bool stationary);
  void set_initial_values();
  void compute_rhs();
  void solve();
  void refine();
  void record_step();
  void output_results();
  void report();

  // The state after a step; a checkpoint holds it beside the mesh.
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &step &time &energy[0] & energy[1] & work_of_load &displacement_at_points &series;
    adamant::serialize_vector(archive, backend, u);
    if (!coupled)
      adamant::serialize_vector(archive, backend, v);
    adamant::serialize_history(archive, backend, guess, u.size());
  }

  void                   local_matrices(const FEValues<dim> &fe_values, std::vector<FullMatrix<double>> &local) const;
  adamant::Array<double> values_at(const Function<dim> &function, const adamant::Array<int> &dofs,
                                   unsigned int first) const;
  void                   set_load(const adamant::CSRMatrix<double> &C);
  adamant::Preconditioner<Backend> external_preconditioner();
  Vector                           upload(const adamant::Array<double> &values) const;
  dealii::Vector<double>           download(const Vector &values);

  const Parameters           &parameters;
  Backend                     backend;
  adamant::Run               &run_info;
  const Material              material;
  adamant::DirichletBoundary  dirichlet;
  const ProblemFunctions<dim> functions;

  Triangulation<dim>                     mesh;
  MappingQ1<dim>                         mapping;
  QGauss<dim>                            quadrature;
  bool                                   coupled = false; // dim displacements a node, and with it dt times the velocity
  std::unique_ptr<FESystem<dim>>         fe;
  std::vector<std::vector<unsigned int>> local_dof; // of a cell: [component][node]
  std::unique_ptr<adamant::Hierarchy<dim>>        hierarchy;
  std::unique_ptr<adamant::TrilinosAMG>           amg;
  std::unique_ptr<adamant::LinearSolver<Backend>> solver;

  double mass_weight = 0., stiffness_weight = 1., coupling_scale = 1.; // 1, dt², s; stationary: 0, 1, 1
  Matrix H, B, E, at_points;
  Vector u, u_old, v, w, x, rhs, boundary_values, point_values; // coupled: u holds dt v too, and v is empty
  Vector load, lift, work;                                      // Hᵀ F, -C g, F for the work F . u
  adamant::Extrapolation<Backend> guess;

  double                time = 0.;
  unsigned int          step = 0;
  adamant::SolverResult result;
  std::array<double, 2> energy{}; // strain, kinetic
  double                work_of_load = 0.;
  std::vector<double>   displacement_at_points;
  adamant::TimeSeries   series;
};

template <int dim, class Backend>
Elasticity<dim, Backend>::Elasticity(const Parameters &parameters, const Backend &backend, adamant::Run &run)
  : parameters(parameters)
  , backend(backend)
  , run_info(run)
  , material(parameters.problem.material())
  , functions(parameters.problem)
  , quadrature(parameters.discretization.degree + 1)
  , guess(backend, parameters.time.extrapolation_order)
  , series(run.folder(), "solution")
{}

template <int dim, class Backend>
void Elasticity<dim, Backend>::make_mesh()
{
  adamant::Section scope(run_info.timer, "init/mesh");
  const auto      &p = parameters.discretization;
  Point<dim>       far_corner;
  std::copy_n(p.lengths.begin(), dim, &far_corner[0]);
  GridGenerator::subdivided_hyper_rectangle(
    mesh, std::vector<unsigned int>(p.coarse_cells.begin(), p.coarse_cells.begin() + dim), Point<dim>(), far_corner,
    true);
  mesh.refine_global(p.uniform_refinements);
  const unsigned int n_near = p.refinement == "face"   ? 1 :
                              p.refinement == "edge"   ? 2 :
                              p.refinement == "vertex" ? dim :
                                                         0;
  if (p.refinement != "kelly")
    refine_towards_origin(mesh, p.lengths, n_near, p.steps);
}

// All data that do not depend on the equation's coefficients: levels, constraints, vectors.
template <int dim, class Backend>
void Elasticity<dim, Backend>::setup_system(bool with_velocity)
{
  adamant::Section scope(run_info.timer, "init/hierarchy");
  coupled = with_velocity;
  fe      = std::make_unique<FESystem<dim>>(FE_Q<dim>(parameters.discretization.degree), coupled ? 2 * dim : dim);
  local_dof.assign(fe->n_components(), std::vector<unsigned int>(fe->base_element(0).n_dofs_per_cell()));
  for (unsigned int c = 0; c < fe->n_components(); ++c)
    for (unsigned int a = 0; a < local_dof[c].size(); ++a)
      local_dof[c][a] = fe->component_to_system_index(c, a);

  dirichlet.clear();
  for (const auto &[id, components] : parameters.problem.dirichlet)
    {
      ComponentMask mask(fe->n_components(), false);
      for (unsigned int c = 0; c < fe->n_components(); ++c)
        mask.set(c, components.find("xyz"[c % dim]) != std::string::npos);
      if (mask.n_selected_components() > 0)
        dirichlet[id] = mask;
    }

  // The limit counts cells of linear elements: others have more unknowns.
  const bool         levels = parameters.linear_solver.preconditioner == "multigrid";
  const unsigned int limit =
    parameters.linear_solver.coarsest_cells / static_cast<unsigned int>(std::pow(fe->degree, dim));
  solver.reset();
  hierarchy         = std::make_unique<adamant::Hierarchy<dim>>(mesh, *fe, dirichlet,
                                                        levels ? std::max(limit, 1u) : mesh.n_active_cells());
  const auto &space = hierarchy->finest();
  H                 = backend.create_matrix(space.H);
  B                 = backend.create_matrix(space.B);
  std::vector<Point<dim>> points;
  for (const auto &point : parameters.output.points)
    std::copy_n(point.begin(), dim, &points.emplace_back()[0]);
  at_points       = backend.create_matrix(adamant::evaluation_matrix(space, mapping, points, dim));
  boundary_values = backend.create_vector(space.B.n_cols);
  point_values    = backend.create_vector(at_points.n_rows);
  for (Vector *vector : {&u, &u_old, &w, &x, &rhs})
    *vector = backend.create_vector(space.n_dofs());
  v = backend.create_vector(coupled ? 0 : space.n_dofs());
}

// Of one cell: local[0] the system matrix and, on the finest level, local[1] = E and local[2] = C, with
//   M_ab = ∫ rho φ_a φ_b,   K_(a,c)(b,d) = ∫ sigma(φ_b e_d) : epsilon(φ_a e_c) = lambda G_cd + mu (G_dc + delta_cd tr G),
// G = ∫ grad φ_a (x) grad φ_b, for nodes a, b and components c, d.
template <int dim, class Backend>
void Elasticity<dim, Backend>::local_matrices(const FEValues<dim>             &fe_values,
                                              std::vector<FullMatrix<double>> &local) const
{
  const unsigned int n_nodes = local_dof[0].size(), second = coupled ? dim : 0; // where the rows of Newton's law begin
  for (unsigned int a = 0; a < n_nodes; ++a)
    for (unsigned int b = 0; b < n_nodes; ++b)
      {
        double         mass = 0;
        Tensor<2, dim> G;
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            const unsigned int i = local_dof[0][a], j = local_dof[0][b];
            mass += fe_values.shape_value(i, q) * fe_values.shape_value(j, q) * fe_values.JxW(q);
            G += outer_product(fe_values.shape_grad(i, q) * fe_values.JxW(q), fe_values.shape_grad(j, q));
          }
        mass *= material.density * mass_weight;
        for (unsigned int c = 0; c < dim; ++c)
          {
            const unsigned int row = local_dof[c + second][a];
            for (unsigned int d = 0; d < dim; ++d)
              local[0](row, local_dof[d][b]) +=
                stiffness_weight * (material.lambda * G[c][d] + material.mu * (G[d][c] + (c == d ? trace(G) : 0.)));
            local[0](row, local_dof[c + second][b]) += mass;
            if (coupled)
              {
                local[0](local_dof[c][a], local_dof[c][b]) += coupling_scale * mass;
                local[0](local_dof[c][a], local_dof[c + dim][b]) -= coupling_scale * mass;
              }
            if (local.size() > 1)
              {
                local[1](row, local_dof[c + second][b]) += mass;
                if (coupled)
                  local[1](local_dof[c][a], local_dof[c][b]) += coupling_scale * mass;
              }
          }
      }
  if (local.size() > 1)
    local[2] = local[0];
}

// The system matrices of all levels, and on the finest one those of the right-hand side.
template <int dim, class Backend>
void Elasticity<dim, Backend>::assemble(bool stationary)
{
  using adamant::Columns;
  const double dt  = parameters.time.step;
  mass_weight      = stationary ? 0. : 1.;
  stiffness_weight = stationary ? 1. : dt * dt;
  // s: the lowest eigenvalue of dt² K / M on a box as long as this one, about what K contributes to the residual.
  const double length =
    *std::max_element(parameters.discretization.lengths.begin(), parameters.discretization.lengths.begin() + dim);
  coupling_scale =
    1. + stiffness_weight * (material.lambda + 2. * material.mu) / material.density * std::pow(numbers::PI / length, 2);
  std::vector<adamant::CSRMatrix<double>> rhs_matrices;
  {
    adamant::Section scope(run_info.timer, "init/assembly");
    rhs_matrices = hierarchy->assemble(
      mapping, quadrature, update_values | update_gradients | update_JxW_values,
      [this](const auto &, const auto &fe_values, auto &local) { local_matrices(fe_values, local); },
      {Columns::component_dofs, Columns::prescribed});
    E = backend.create_matrix(rhs_matrices[0]);
    set_load(rhs_matrices[1]);
  }
  adamant::Section scope(run_info.timer, "init/solver");
  const auto       external = external_preconditioner();
  solver                    = std::make_unique<adamant::LinearSolver<Backend>>(
    backend, hierarchy->data(), parameters.linear_solver.options(stationary ? "stationary problem" : "time step"),
    external);
}

// The function's components at the nodes of the given DoFs, where these belong to components first, first + 1, ...; else 0.
template <int dim, class Backend>
adamant::Array<double> Elasticity<dim, Backend>::values_at(const Function<dim>       &function,
                                                           const adamant::Array<int> &dofs, unsigned int first) const
{
  const auto            &space  = hierarchy->finest();
  const auto             points = adamant::support_points(space, mapping, dofs);
  adamant::Array<int>    component(space.n_dofs());
  adamant::Array<double> values(dofs.size());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      component[space.cell_dofs(cell)[i]] = static_cast<int>(fe->system_to_component_index(i).first);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = points[d * dofs.size() + k];
      const unsigned int c = component[dofs[k]];
      values[k]            = c >= first && c < first + dim ? function.value(point, c - first) : 0.;
    }
  return values;
}

// The load, and what the prescribed displacements add to the right-hand side.
template <int dim, class Backend>
void Elasticity<dim, Backend>::set_load(const adamant::CSRMatrix<double> &C)
{
  const auto                                         &space = hierarchy->finest();
  std::map<types::boundary_id, const Function<dim> *> g;
  for (const auto &[id, function] : functions.traction)
    g[id] = function.get();
  const auto F = adamant::load_vector(space, mapping, quadrature, QGauss<dim - 1>(parameters.discretization.degree + 1),
                                      *functions.body_force, g);
  work         = upload(F);
  auto rhs_of_load = F;
  if (coupled) // F belongs to the rows of the velocity, which follow those of the displacement in each node
    {
      std::rotate(rhs_of_load.begin(), rhs_of_load.end() - dim, rhs_of_load.end());
    }
  load = upload(adamant::transposed_product(space.H, rhs_of_load));

  auto g_values   = values_at(*functions.boundary_displacement, space.prescribed, 0);
  boundary_values = upload(g_values);
  for (double &value : g_values)
    value = -value;
  lift = upload(adamant::product(C, g_values));
}

template <int dim, class Backend>
adamant::Preconditioner<Backend> Elasticity<dim, Backend>::external_preconditioner()
{
  const auto &p = parameters.linear_solver;
  if (p.preconditioner != "trilinos_amg")
    return nullptr;
  if constexpr (std::is_same_v<Backend, adamant::HostBackend<double>>)
    {
      // ML gets the rigid-body modes: translations and rotations of the nodes.
      const auto         &space = hierarchy->finest();
      adamant::Array<int> all(space.n_dofs());
      std::iota(all.begin(), all.end(), 0);
      adamant::TrilinosAMGOptions options{
        p.amg_elliptic, p.amg_smoother, p.amg_sweeps, p.amg_threshold, {}, static_cast<int>(fe->n_components())};
      const std::vector<std::string> modes =
        dim == 2 ? std::vector<std::string>{"1; 0", "0; 1", "-y; x"} :
                   std::vector<std::string>{"1; 0; 0", "0; 1; 0", "0; 0; 1", "-y; x; 0", "0; -z; y", "z; 0; -x"};
      for (const auto &mode : modes)
        options.near_null_space.push_back(values_at(*adamant::parse_function<dim>("mode", mode, dim), all, 0));
      amg = std::make_unique<adamant::TrilinosAMG>(hierarchy->data().back().matrix, options);
      return [this](const Vector &from, Vector &to) { amg->vmult(from, to); };
    }
  else
    throw adamant::InputError("Linear solver/Preconditioner = trilinos_amg needs --backend host");
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::set_initial_values()
{
  adamant::Section    scope(run_info.timer, "init/initial values");
  const auto         &space = hierarchy->finest();
  adamant::Array<int> all(space.n_dofs());
  std::iota(all.begin(), all.end(), 0);
  auto       displacement = values_at(*functions.initial_displacement, all, 0);
  auto       velocity     = values_at(*functions.initial_velocity, all, coupled ? dim : 0);
  const auto set          = [&](const adamant::Array<double> &nodal, double weight, Vector &target) {
    // Continuous at hanging nodes; prescribed values follow from the boundary condition.
    Vector values = upload(nodal);
    backend.spmv(weight, H, values, 1., target);
  };
  backend.set_zero(u);
  set(displacement, 1., u);
  set(velocity, coupled ? parameters.time.step : 1., coupled ? u : v);
  backend.spmv(1., B, boundary_values, 1., u);
}

// rhs = E w + dt² F - C g at the new time; stationary: F - C g.
template <int dim, class Backend>
void Elasticity<dim, Backend>::compute_rhs()
{
  adamant::Section scope(run_info.timer, "rhs");
  if (mass_weight > 0. && coupled)
    backend.spmv(1., E, u, 0., rhs);
  else if (mass_weight > 0.)
    {
      backend.copy(u, w);
      backend.axpby(parameters.time.step, v, 1., w);
      backend.spmv(1., E, w, 0., rhs);
    }
  else
    backend.set_zero(rhs);
  backend.axpby(stiffness_weight * functions.load_factor(time), load, 1., rhs);
  backend.axpby(1., lift, 1., rhs);
  backend.synchronize();
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::solve()
{
  adamant::Section scope(run_info.timer, "solve");
  guess.predict(x);
  result = solver->solve(rhs, x);
  std::swap(u, u_old);
  backend.spmv(1., H, x, 0., u);
  backend.spmv(1., B, boundary_values, 1., u);
  if (!coupled && mass_weight > 0.)
    {
      backend.copy(u, v);
      backend.axpby(-1. / parameters.time.step, u_old, 1. / parameters.time.step, v);
    }
  guess.keep(x);
  backend.synchronize();
}

// One cycle of error-driven refinement: solve the stationary problem, refine where Kelly's estimator is largest.
template <int dim, class Backend>
void Elasticity<dim, Backend>::refine()
{
  setup_system(false);
  assemble(true);
  time = parameters.time.end;
  compute_rhs();
  solve();
  const auto            values = download(u);
  adamant::Section      scope(run_info.timer, "init/mesh");
  dealii::Vector<float> indicators(mesh.n_active_cells());
  KellyErrorEstimator<dim>::estimate(mapping, hierarchy->finest().dof_handler(),
                                     QGauss<dim - 1>(parameters.discretization.degree + 1), {}, values, indicators);
  solver.reset();
  hierarchy.reset(); // it refers to the mesh as it was
  guess = adamant::Extrapolation<Backend>(backend, parameters.time.extrapolation_order);
  GridRefinement::refine_and_coarsen_fixed_number(mesh, indicators, parameters.discretization.refine_fraction, 0.);
  mesh.execute_coarsening_and_refinement();
}

// The row of statistics.csv: what the solver did, F . u, displacements at points, energies.
template <int dim, class Backend>
void Elasticity<dim, Backend>::record_step()
{
  const unsigned int n_steps = parameters.time.n_steps(), interval = parameters.output.energy_interval;
  {
    adamant::Section scope(run_info.timer, "statistics");
    work_of_load = functions.load_factor(time) * backend.dot(work, u);
    backend.spmv(1., at_points, u, 0., point_values);
    displacement_at_points.resize(point_values.size());
    backend.download(point_values, displacement_at_points.data());
  }
  energy.fill(std::numeric_limits<double>::quiet_NaN());
  if (step == n_steps || (interval > 0 && step % interval == 0))
    {
      auto             values   = download(u);
      auto             velocity = coupled ? values : download(v);
      adamant::Section scope(run_info.timer, "statistics");
      if (coupled)
        velocity /= parameters.time.step;
      energy = energies(hierarchy->finest(), mapping, quadrature, material, values, velocity, coupled ? dim : 0);
    }
  std::vector<std::pair<std::string, double>> row{{"step", step},
                                                  {"time", time},
                                                  {"iterations", result.iterations},
                                                  {"initial_residual", result.initial_residual},
                                                  {"residual", result.final_residual},
                                                  {"work_of_load", work_of_load},
                                                  {"strain_energy", energy[0]},
                                                  {"kinetic_energy", energy[1]}};
  for (std::size_t k = 0; k < displacement_at_points.size(); ++k)
    row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacement_at_points[k]);
  run_info.statistics(row);
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::output_results()
{
  const unsigned int interval = parameters.output.interval;
  if (interval == 0 || (step % interval != 0 && step != parameters.time.n_steps()))
    return;
  auto             values = download(u), velocity = coupled ? dealii::Vector<double>() : download(v);
  adamant::Section scope(run_info.timer, "output");
  using namespace DataComponentInterpretation;
  std::vector<std::string>                                              names(dim, "displacement");
  std::vector<DataComponentInterpretation::DataComponentInterpretation> vectors(fe->n_components(),
                                                                                component_is_part_of_vector);
  const StressPostprocessor<dim>                                        stress(material);
  DataOut<dim>                                                          data;
  data.attach_dof_handler(hierarchy->finest().dof_handler());
  if (coupled)
    {
      for (unsigned int i = 0; i < values.size(); ++i)
        if (i % (2 * dim) >= dim)
          values[i] /= parameters.time.step;
      names.resize(2 * dim, "velocity");
      data.add_data_vector(values, names, DataOut<dim>::type_dof_data, vectors);
    }
  else
    {
      data.add_data_vector(values, names, DataOut<dim>::type_dof_data, vectors);
      data.add_data_vector(velocity, std::vector<std::string>(dim, "velocity"), DataOut<dim>::type_dof_data, vectors);
    }
  data.add_data_vector(values, stress);
  data.build_patches(mapping, fe->degree);
  series.write(data, time);
}

// The facts of the run; the error where the solution is known.
template <int dim, class Backend>
void Elasticity<dim, Backend>::report()
{
  std::cout << "strain energy " << energy[0] << ", work of the load " << work_of_load << std::endl;
  auto       &record      = run_info.record;
  const auto &space       = hierarchy->finest();
  record["nodes"]         = space.n_dofs() / fe->n_components();
  record["hanging_nodes"] = space.hanging_nodes.n_constraints() / fe->n_components();
  record["formulation"]   = parameters.discretization.formulation;
  run_info.measure(*solver);
  record["strain_energy"]  = energy[0];
  record["kinetic_energy"] = energy[1];
  record["work_of_load"]   = work_of_load;
  if (functions.exact_displacement)
    {
      functions.exact_displacement->set_time(parameters.time.end);
      const double l2 =
        displacement_error(space, mapping, QGauss<dim>(fe->degree + 2), download(u), *functions.exact_displacement);
      std::cout << "L2 error of the displacement " << l2 << std::endl;
      record["errors"]["l2"] = l2;
    }
  for (std::size_t p = 0; p < parameters.output.points.size(); ++p)
    record["displacements"].push_back(
      std::vector<double>(displacement_at_points.begin() + p * dim, displacement_at_points.begin() + (p + 1) * dim));
}

template <int dim, class Backend>
auto Elasticity<dim, Backend>::upload(const adamant::Array<double> &values) const -> Vector
{
  Vector vector = backend.create_vector(static_cast<int>(values.size()));
  backend.upload(values.data(), vector);
  return vector;
}

template <int dim, class Backend>
dealii::Vector<double> Elasticity<dim, Backend>::download(const Vector &vector)
{
  adamant::Section       scope(run_info.timer, "copy");
  dealii::Vector<double> values(vector.size());
  backend.download(vector, values.begin());
  return values;
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::run()
{
  const bool stationary = parameters.time.stationary;
  if (run_info.continues())
    run_info.load(mesh);
  else
    {
      make_mesh();
      if (parameters.discretization.refinement == "kelly")
        for (unsigned int cycle = 0; cycle < parameters.discretization.steps; ++cycle)
          refine();
    }
  setup_system(parameters.discretization.formulation == "coupled");
  assemble(stationary);
  time = 0.;
  if (run_info.continues())
    run_info.load(*this);
  else
    set_initial_values();
  std::cout << mesh.n_active_cells() << " cells, " << u.size() << " unknowns, " << hierarchy->n_levels() << " levels\n"
            << *solver;
  run_info.describe(u.size(), mesh.n_active_cells(), hierarchy->data(), parameters.linear_solver,
                    parameters.time.extrapolation_order);
  if (!stationary && run_info.writes_initial_values())
    output_results();

  run_info.begin_time_loop(step, parameters.time.n_steps());
  while (step < parameters.time.n_steps())
    {
      ++step;
      time = stationary ? parameters.time.end : step * parameters.time.step;
      compute_rhs();
      solve();
      record_step();
      run_info.progress(step, time, result.iterations, result.final_residual);
      output_results();
      run_info.checkpoint(step, time, mesh, *this);
    }
  run_info.end_time_loop();
  report();
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters>(
    argc, argv, "elasticity",
    "Solves linear elasticity on adaptive meshes with multigrid (Liebchen et al., Section 5.2).",
    [](const Parameters &parameters, const auto &backend, adamant::Run &run) {
      using Backend = std::decay_t<decltype(backend)>;
      if (parameters.problem.dimension == 2)
        Elasticity<2, Backend>(parameters, backend, run).run();
      else
        Elasticity<3, Backend>(parameters, backend, run).run();
    });
}
