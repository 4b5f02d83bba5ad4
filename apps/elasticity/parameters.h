#pragma once

#include "results.h"

#include "expressions/expressions.h"
#include "application/parameters.h"
#include "application/program.h"
#include "base/exceptions.h"

#include <deal.II/base/function_parser.h>
#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;

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
    if (nodes * p.dimension * (d.formulation == "coupled" ? 2. : 1.) > adamant::most_unknowns())
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
} // namespace elasticity
