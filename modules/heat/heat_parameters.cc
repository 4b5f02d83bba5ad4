#include "heat/heat_parameters.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"

namespace adamant
{
namespace
{
LinearSolverOptions default_options()
{
  LinearSolverOptions options;
  options.control.tolerance   = 1e-8;
  options.multigrid.smoother  = {"jacobi", false, 0.7, 8.};
  options.multigrid.pre_steps = options.multigrid.post_steps = 2;
  return options;
}

LinearSolverOptions symmetric_options()
{
  auto options = default_options();
  options.type = SolverType::cg;
  return options;
}
} // namespace

TemperatureParameters::TemperatureParameters(const MeshFileParameters &mesh_file)
  : ParameterAcceptor("/Temperature")
  , boundaries(mesh_file, "", "Temperature", false, false)
{
  add_parameter("Initial temperature", initial, "T at time 0: expression of x, y, z; empty: there is no temperature");
  add_parameter("Diffusivity", diffusivity, "kappa; it is 1 in units of the height and of its diffusion time", prm,
                dealii::Patterns::Double(0.));
  add_parameter("Heating", heating, "Q, the heat that arises in the fluid: expression of x, y, z, t");
}

SplitHeatParameters::SplitHeatParameters(const MeshFileParameters &mesh_file)
  : TemperatureParameters(mesh_file)
  , linear_solver(symmetric_options(), 256, "/Temperature/Linear solver")
{
  add_parameter(
    "Diffusion", diffusion,
    "explicit, which bounds the time step by h^2 / (2 kappa); implicit; or auto: implicit where kappa is more "
    "than twice the viscosity, so that it would bound the step",
    prm, dealii::Patterns::Selection("explicit|implicit|auto"));
}

bool SplitHeatParameters::is_implicit(double viscosity) const
{
  return on() && (diffusion == "auto" ? diffusivity > 2. * viscosity : diffusion == "implicit");
}

HeatParameters::HeatParameters(const MeshFileParameters &mesh_file)
  : TemperatureParameters(mesh_file)
  , linear_solver(default_options(), 256, "/Temperature/Linear solver")
{
  using namespace dealii::Patterns;
  add_parameter("Element", element,
                "q1: bilinear on the velocity's mesh; q2: biquadratic on the pressure's mesh, with the same nodes, for "
                "smooth temperatures",
                prm, Selection("q1|q2"));
  add_parameter("Advection", advection,
                "supg: with streamline upwinding on every level; galerkin; or limited: explicit steps with limited "
                "fluxes between two half steps of diffusion, so that T keeps its bounds",
                prm, Selection("supg|galerkin|limited"));
  add_parameter("Time scheme", scheme, "bdf2, whose first step is that of bdf1; or bdf1", prm, Selection("bdf2|bdf1"));
  add_parameter("Courant number", courant, "The time step times the velocity over the length of a cell", prm,
                Double(1e-3, 1000.));
  add_parameter("Largest growth of a step", growth, "A time step over the last one is at most this", prm,
                Double(1., 2.));
}

void TemperatureParameters::check(unsigned int dim) const
{
  if (!on())
    {
      require(
        boundaries.values.empty() && boundaries.flux.empty() && heating == "0" && diffusivity == 1.,
        "the section Temperature has data, but Temperature/Initial temperature is empty: there is no temperature");
      return;
    }
  check_expression("Temperature/Initial temperature", initial, 1, dim);
  require(!depends_on_time(initial), "Temperature/Initial temperature = ", initial,
          ": it is an expression of x, y, z; the time t is 0");
  check_expression("Temperature/Heating", heating, 1, dim);
  boundaries.check(dim);
}

void SplitHeatParameters::check(unsigned int dim) const
{
  TemperatureParameters::check(dim);
  require(on() || diffusion == "auto", "Temperature/Diffusion = ", diffusion,
          ", but Temperature/Initial temperature is empty: there is no temperature");
}

void HeatParameters::check(unsigned int dim) const
{
  TemperatureParameters::check(dim);
  require(
    on() || (element == "q1" && advection == "supg" && scheme == "bdf2"),
    "Temperature/Element, Advection or Time scheme is given, but Temperature/Initial temperature is empty: there is "
    "no temperature");
  require(!on() || is_limited() || linear_solver.options("temperature").type != SolverType::cg,
          "Temperature/Linear solver/Solver = cg is for symmetric matrices; take gmres or bicgstab");
  require(!is_limited() || scheme == "bdf2",
          "Temperature/Time scheme = bdf1 is for implicit advection; Advection = limited has a splitting of order 2");
  require(!is_limited() || !is_q2(),
          "Temperature/Element = q2 does not go with Advection = limited, whose bounds are those of bilinear elements");
}
} // namespace adamant
