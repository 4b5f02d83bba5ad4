#pragma once

#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "coefficients/expression_text.h"
#include "elasticity/elasticity_parameters.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "meshes/mesh_parameters.h"
#include "solid/equilibrium.h"
#include "solid/follower_pressure.h"
#include "solid/motion/dynamics.h"
#include "solid/newton/load_steps.h"
#include "solid/solid_materials.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace solid
{
using namespace adamant;
using dealii::ParameterAcceptor;
namespace Patterns = dealii::Patterns;

/// Keys that only one kind of run reads.
class KeysOfOneKind
{
public:
  /// Adds a parameter that has its default.
  template <typename Value>
  void add(const std::string &key, const Value &value)
  {
    keys.push_back([key, usual = value, &value](const std::string &kind) {
      require(value == usual, key, " = ", value, " counts for nothing with ", kind);
    });
  }
  /// Throws InputError where one has been set, although the run is of another kind.
  void refuse_with(const std::string &kind) const
  {
    for (const auto &refuse : keys)
      refuse(kind);
  }

private:
  std::vector<std::function<void(const std::string &)>> keys;
};

struct ProblemParameters : ParameterAcceptor
{
  unsigned int     dimension   = 3;
  std::string      load_factor = "t", displacement = "0; 0; 0";
  InitialMotion    initial;
  SolidBoundaries  boundaries;
  Coefficient      material, body_force, density; // once the parameters are read
  FollowerPressure follower_pressure;             // likewise
  KeysOfOneKind    of_motion;

  explicit ProblemParameters(const MeshParameters &mesh)
    : ParameterAcceptor("/Problem")
    , boundaries(mesh, false)
  {
    add_parameter("Dimension", dimension, "2 (plane strain) or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Material", materials,
                  "The stored energy, or a list by material: 'id: KIND; ..., id: KIND; ...'. KIND and its constants: "
                  "neo_hooke; mu; K, mooney_rivlin; c1; c2; K, yeoh; c1; c2; c3; K, neo_hooke_compressible; mu; K, "
                  "st_venant_kirchhoff; mu; K. Instead of mu and K, E and nu; the last two take mu and lambda, too. "
                  "Of one's own: expression; W = ...; U = ...; constants, with W of I1, I2, J and U of J; "
                  "split_expression, where I1 and I2 in W belong to F / J^(1/3)");
    add_parameter("Load factor", load_factor,
                  "Expression of t, which goes from 0 to 1 unless time steps are taken: it multiplies body force, "
                  "traction and follower pressure");
    add_parameter("Body force", force,
                  "f by reference volume: expressions of x, y, z separated by semicolons, or a list by material");
    add_parameter("Follower pressure", pressures,
                  "p against the deformed boundary, by area of it: 'id: p, id: p, ...', expressions of t");
    add_parameter("Boundary displacement", displacement, "On Dirichlet boundaries: expressions of x, y, z, t");
    add_parameter("Density", densities, "rho by reference volume, for time steps: a number, or a list by material");
    add_parameter("Initial displacement", initial.displacement, "For time steps: expressions of x, y, z");
    add_parameter("Initial velocity", initial.velocity, "For time steps: expressions of x, y, z");
    of_motion.add("Problem/Density", densities);
    of_motion.add("Problem/Initial displacement", initial.displacement);
    of_motion.add("Problem/Initial velocity", initial.velocity);
    parse_parameters_call_back.connect([this, &mesh] {
      material = {"Problem/Material", materials, mesh.materials("Problem/Material"), Coefficient::Components::several};
      follower_pressure = {"Problem/Follower pressure", pressures, mesh.boundaries("Problem/Follower pressure")};
      density           = {"Problem/Density", densities, mesh.materials("Problem/Density")};
      body_force = {"Problem/Body force", force, mesh.materials("Problem/Body force"), Coefficient::Components::vector};
    });
  }

  /// Throws InputError on all ranks where a material has no energy, or no density.
  template <int dim>
  void check_materials(const LevelSpace<dim> &space) const
  {
    for (const auto *list : {&material, &density})
      list->check_materials(space.communicator(), materials_of(space));
  }

  OfEntries<double> densities_of_materials() const
  {
    return {density, [this](const std::string &text) { return constant_values(density.key(), text, 1)[0]; }};
  }

  OfEntries<SolidEnergy> energies() const
  {
    return {material, [this](const std::string &text) { return parse_energy(material.key(), text); }};
  }

  // Returns the load factor, which throws InputError at times where it is no number.
  std::function<double(double)> load_factor_of_time() const
  {
    return [f = parse_function_of_time("Problem/Load factor", load_factor)](double t) {
      const double factor = f(t);
      require(std::isfinite(factor), "Problem/Load factor is ", factor, " at t = ", t);
      return factor;
    };
  }

  void check() const
  {
    (void)energies();
    const auto check_load = [this](const std::string &key, const std::string &text) {
      require(!depends_on_time(text), key, " = ", text,
              " contains t, but only Problem/Load factor and Boundary displacement depend on the time");
      check_expression(key, text, dimension, dimension);
    };
    body_force.check([&](const std::string &text) { check_load("Problem/Body force", text); });
    for (const auto &[id, text] : boundaries.traction)
      check_load("Problem/Traction", text);
    check_expression("Problem/Boundary displacement", displacement, dimension, dimension);
    for (const auto &[key, text] :
         {std::pair("Initial displacement", initial.displacement), std::pair("Initial velocity", initial.velocity)})
      {
        require(!depends_on_time(text), "Problem/", key, " = ", text, " contains t");
        check_expression(std::string("Problem/") + key, text, dimension, dimension);
      }
    density.check([this](const std::string &text) {
      require(is_constant(text), density.key(), " = ", text, " is no number");
      const double value = constant_values(density.key(), text, 1)[0];
      require(value > 0. && std::isfinite(value), density.key(), " = ", text, " is not positive");
    });
  }

private:
  std::string materials = "neo_hooke; E = 10; nu = 0.3", force = "0; -1; 0", pressures, densities = "1";
};

struct NewtonParameters : ParameterAcceptor, EquilibriumOptions
{
  std::string globalisation = "full";
  bool        nested        = false;

  NewtonParameters()
    : ParameterAcceptor("/Newton")
  {
    add_parameter("Tolerance", tolerance,
                  "‖r‖ at the end of a load step, over the larger of its first value and the norm of the reactions",
                  prm, Patterns::Double(1e-15, 0.1));
    add_parameter("Steps", steps, "Most steps of Newton's method in a load step", prm, Patterns::Integer(1));
    add_parameter("Growth", growth,
                  "With Volumetric strain = mean_dilatation: the largest ‖r‖ after a step, over the larger of the one "
                  "before and the first; beyond it the step is halved",
                  prm, Patterns::Double(1.));
    add_parameter("Globalisation", globalisation,
                  "full: whole steps; trust_region: steps that lead to a least value of the energy, also past buckling",
                  prm, Patterns::Selection("full|trust_region"));
    add_parameter("Nested", nested,
                  "Solve a load step from rest on the coarser meshes first, from the coarsest on, for a guess");
    add_parameter("Least linear tolerance", least_tolerance,
                  "Of the linear systems, which are solved as accurately as the last step was good", prm,
                  Patterns::Double(1e-14, 0.9));
    add_parameter("Largest linear tolerance", most_tolerance, "Of the linear systems, and of the first one", prm,
                  Patterns::Double(1e-14, 0.9));
  }

  bool trust_region() const { return globalisation == "trust_region"; }

  // Returns the options for these energies in a body of this extent, and a V-cycle of this precision. Inaccurate steps
  // leave wrong pressures where K / μ is large.
  EquilibriumOptions options(const OfEntries<SolidEnergy> &energies, const std::vector<double> &extent,
                             Precision precision) const
  {
    EquilibriumOptions result = *this;
    const double       shear  = -largest(energies, [](const StoredEnergy &energy) { return -energy.shear(); }),
                 size         = *std::max_element(extent.begin(), extent.end());
    if (trust_region()) // a small part of the stiffness of slender bodies
      result.first_shift = 1e-4 * shear / (size * size);
    if (largest(energies, bulk_over_shear) > 50.)
      result.least_tolerance = result.most_tolerance = std::min(1e-3, most_tolerance);
    result.rounding = hint_on_rounding(energies, precision == Precision::float64);
    return result;
  }
};

struct OutputParameters : EvaluationParameters
{
  unsigned int interval = 1;

  explicit OutputParameters(const MeshParameters &mesh)
    : EvaluationParameters(
        mesh,
        "u_x, u_y, u_z (u: each of them), displacement, J, energy, mean_stress, von_mises or the Cauchy stress "
        "stress_xx, ...",
        "the displacement is recorded in each step", "displacement and stresses of the last state are",
        {"J", "energy", "stress", "von_mises"}, {"J", "energy", "stress", "von_mises"})
  {
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Patterns::Integer(0));
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  unsigned int degree            = 1;
  std::string  volumetric_strain = "standard";

  bool projected() const { return volumetric_strain == "mean_dilatation"; }

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    add_parameter("Degree", degree, "Degree of the finite elements FE_Q: 1 or 2", prm, Patterns::Integer(1, 2));
    add_parameter(
      "Volumetric strain", volumetric_strain,
      "standard; mean_dilatation: the volumetric energy takes J's projection to constants (degree 1) or linear "
      "functions (degree 2) in each cell, so that nearly incompressible materials do not lock",
      prm, Patterns::Selection("standard|mean_dilatation"));
  }
};

struct TimeParameters : adamant::TimeParameters
{
  bool         stationary = true;
  unsigned int load_steps = 1;
  std::string  scheme     = "generalized_alpha";
  double       radius     = 0.8;

  KeysOfOneKind of_motion, of_load_steps, of_generalized_alpha;

  TimeParameters()
    : adamant::TimeParameters(1., 0.01)
  {
    add_parameter("Stationary", stationary,
                  "Find the equilibrium in load steps, t from 0 to 1, instead of the motion in time steps");
    add_parameter(
      "Load steps", load_steps,
      "Equal steps of t from 0 to 1. One in which Newton's method fails is taken again with half its length", prm,
      Patterns::Integer(1));
    add_parameter(
      "Scheme", scheme,
      "Of time steps: newmark (the trapezoidal rule); generalized_alpha; energy_momentum: the midpoint rule "
      "with stresses that conserve energy, which bodies that turn freely need",
      prm, Patterns::Selection("newmark|generalized_alpha|energy_momentum"));
    add_parameter("Spectral radius", radius, "Of generalized_alpha at high frequencies: 0 damps most, 1 nothing", prm,
                  Patterns::Double(0., 1.));
    of_load_steps.add("Time stepping/Load steps", load_steps);
    of_motion.add("Time stepping/End time", end);
    of_motion.add("Time stepping/Time step", step);
    of_motion.add("Time stepping/Scheme", scheme);
    of_generalized_alpha.add("Time stepping/Spectral radius", radius);
  }

  /// Refuses keys that this kind of run does not read.
  void check_kind() const
  {
    (stationary ? of_motion : of_load_steps)
      .refuse_with(std::string("Time stepping/Stationary = ") + (stationary ? "true" : "false"));
    if (stationary || scheme != "generalized_alpha")
      of_generalized_alpha.refuse_with("Time stepping/" +
                                       (stationary ? std::string("Stationary = true") : "Scheme = " + scheme));
  }

  /// Calls f for the times from `begin` on at which loads act if no step is halved. They are the ends of steps, and in
  /// motion the beginning and the balances of forces. Of more than so many steps it takes a part.
  void for_times_of_loads(double begin, const std::function<void(double)> &f, double most = 1e6) const
  {
    if (!stationary)
      f(begin);
    const double n = stationary ? load_steps : std::round(end / step), stride = std::ceil(n / most);
    for (double k = std::floor(begin / length() + 1e-6) + 1.; k <= n; k = k < n ? std::min(n, k + stride) : n + 1.)
      {
        const double t = k < n || !stationary ? LoadSteps::multiple(k, length()) : 1.;
        if (!stationary && time_scheme().alpha_f > 0.)
          f(std::max(begin, t - time_scheme().alpha_f * length()));
        f(t);
      }
  }

  // A motion ends at the very number that the end of this step has in a longer one.
  double    length() const { return stationary ? 1. / load_steps : step; }
  LoadSteps steps() const
  {
    return {length(), stationary ? 1. : LoadSteps::multiple(std::round(end / step), step),
            stationary ? "load step" : "time step"};
  }
  bool conserves() const { return !stationary && scheme == "energy_momentum"; }

  TimeScheme time_scheme() const
  {
    return scheme == "newmark"         ? TimeScheme::newmark() :
           scheme == "energy_momentum" ? TimeScheme::energy_momentum() :
                                         TimeScheme::generalized_alpha(radius);
  }
};

struct Parameters
{
  MeshParameters           mesh;
  ProblemParameters        problem{mesh};
  DiscretizationParameters discretization;
  TimeParameters           time;
  NewtonParameters         newton;
  OutputParameters         output{mesh};
  LinearSolverParameters   linear_solver{default_options(), 64};
  AdaptivityParameters     adaptivity{{"displacement"}};

  unsigned int dim() const { return problem.dimension; }

  // Steps that are halved add to their number.
  Schedule schedule() const
  {
    Schedule schedule        = time.stationary ? Schedule{time.length(), time.load_steps} : time.schedule();
    schedule.output_interval = output.interval;
    return schedule;
  }

  // A continued run may change loads and lengths of steps. In a motion the boundary has a velocity, which stays.
  RestartKeys restart_keys() const
  {
    RestartKeys keys = output.of_columns();
    keys.must_stay.emplace_back("Newton/Steps");
    keys.may_change = {"Problem/Load factor",       "Problem/Body force",       "Problem/Traction",
                       "Problem/Follower pressure", "Time stepping/Load steps", "Time stepping/Time step"};
    if (time.stationary)
      keys.may_change.emplace_back("Problem/Boundary displacement");
    return keys;
  }

  // Returns Chebyshev smoothing by node blocks inside conjugate gradients.
  static LinearSolverOptions default_options()
  {
    LinearSolverOptions options;
    options.type                = SolverType::cg;
    options.multigrid.smoother  = {"block_jacobi", true, 0.5, 20.};
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    mesh.check(dim(), discretization.degree - 1);
    problem.check();
    problem.follower_pressure.check(mesh, problem.boundaries, dim());
    problem.boundaries.check(dim(), time.stationary, !mesh.given(), false);
    time.check_kind();
    if (time.stationary)
      problem.of_motion.refuse_with("Time stepping/Stationary = true");
    require(newton.least_tolerance <= newton.most_tolerance, "Newton/Least linear tolerance = ", newton.least_tolerance,
            " is above Newton/Largest linear tolerance = ", newton.most_tolerance);
    if (!time.stationary)
      time.check();
    require(!time.conserves() || !discretization.projected(),
            "Time stepping/Scheme = energy_momentum is for Discretization/Volumetric strain = standard; take "
            "generalized_alpha");
    problem.energies().for_each([this](const StoredEnergy &energy) {
      require(!energy.is_expression() || !time.conserves(),
              "Time stepping/Scheme = energy_momentum takes no energy that is an expression; take generalized_alpha");
      require(energy.is_split() || !discretization.projected(),
              "Discretization/Volumetric strain = mean_dilatation needs energies whose volumetric part stands alone: "
              "neo_hooke, mooney_rivlin, yeoh or split_expression");
    });
    require(!newton.trust_region() || (problem.follower_pressure.empty() && !discretization.projected()),
            "Newton/Globalisation = trust_region needs an energy, of dead loads and Volumetric strain = standard; "
            "without it dynamics, an imperfection or a prescribed displacement may lead past a load that buckles");
    require(time.stationary || !(newton.trust_region() || newton.nested),
            "Newton/Globalisation = trust_region and Newton/Nested = true need Time stepping/Stationary = true");
    linear_solver.require_multigrid();
    adaptivity.check(dim());
    require(!adaptivity.on() || !time.stationary || time.load_steps > 1,
            "Adaptivity: a mesh changes before the next load step, but Time stepping/Load steps = 1");
    require(adaptivity.first_cycles == 0 || !time.stationary,
            "Adaptivity/First mesh cycles = ", adaptivity.first_cycles,
            ", but the body is at rest on the first mesh; Mesh/Local refinements refines that");
    output.check(dim());
  }

  // Throws InputError where a load that is yet to act is no number.
  void check_loads(double begin) const
  {
    time.for_times_of_loads(begin, [this, factor = problem.load_factor_of_time()](double t) {
      (void)problem.follower_pressure.at(t, factor(t));
    });
  }

  // The limit counts cells of linear elements: others have more unknowns.
  unsigned int coarsest_cells() const
  {
    return std::max(linear_solver.coarsest_cells >> (dim() * (discretization.degree - 1)), 1u);
  }

  template <int dim>
  void make(dealii::Triangulation<dim> &made) const
  {
    mesh.make(made);
    problem.boundaries.check(made, !mesh.given());
    for (const unsigned int id : problem.follower_pressure.boundaries())
      check_boundaries("Problem/Follower pressure", {id}, made);
  }
};
} // namespace solid
