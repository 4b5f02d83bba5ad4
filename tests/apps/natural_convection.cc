// A temperature in navier_stokes: fluids that it drives, and temperatures that flows carry.
#include "program.h"

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace
{
Settings time_steps(const std::string &end, const std::string &step)
{
  return {"Time stepping/End time=" + end, "Time stepping/Time step=" + step, "Time stepping/Unstable step=shorten"};
}

Settings refinements(int n)
{
  return {"Mesh/Refinements=" + std::to_string(n)};
}

const Settings at_rest = {"Problem/Boundary velocity=", "Output/Interval=0", "Output/Statistics interval=1000000"};

// A square that is heated on the left, in units of the height and of kappa.
Settings cavity(double rayleigh)
{
  return at_rest + Settings{"Problem/Viscosity=0.71",
                            "Problem/Buoyancy=0; " + std::to_string(0.71 * rayleigh),
                            "Temperature/Initial temperature=0.5-x",
                            "Temperature/Boundary values=0: 0.5, 1: -0.5",
                            "Time stepping/Steady tolerance=1e-5",
                            "Output/Statistics interval=50"};
}

class NaturalConvection : public Program
{
protected:
  NaturalConvection()
    : Program(NAVIER_STOKES)
  {}
};

Settings diffusion(const std::string &kind)
{
  return {"Temperature/Diffusion=" + kind, "Temperature/Linear solver/Tolerance=1e-13"};
}

double flux(const nlohmann::json &record, const std::string &id)
{
  return record.at("temperature").at("flux").at(id);
}
} // namespace

// Ra = 1e3 in the square of de Vahl Davis 1983. Q2 elements on graded meshes converge to Nu = 1.11779.
TEST_F(NaturalConvection, TheNusseltNumberIsOfSecondOrder)
{
  double error[2];
  for (const int n : {2, 3})
    {
      const auto record = run(cavity(1e3) + refinements(n) + time_steps("2", "0.01")).record;
      EXPECT_TRUE(record.at("steady").get<bool>());
      EXPECT_NEAR(flux(record, "0") + flux(record, "1"), 0., 1e-4);
      error[n - 2] = flux(record, "0") - 1.11779;
    }
  EXPECT_NEAR(error[0] / error[1], 4., 0.7) << error[0] << ' ' << error[1];
  EXPECT_LT(std::abs(error[1]), 0.004);
}

// The shipped files of problems that take long, on coarser meshes and for some steps.
TEST_F(NaturalConvection, ShippedProblems)
{
  const auto file = [](const std::string &name) {
    return std::vector<std::string>{std::string(NAVIER_STOKES_PRM) + "/" + name + ".prm"};
  };
  const auto slow = run(refinements(4), 1, file("cavity_ra1e3")).record; // on 32 x 32 cells
  EXPECT_TRUE(slow.at("steady").get<bool>());
  EXPECT_NEAR(flux(slow, "0") / 0.0375293313, 1.11779, 1e-3 * 1.11779);
  for (const auto &[name, end, coarse] : {std::tuple("cavity_ra1e7", "0.6", 4), std::tuple("tall_cavity", "1.5", 3)})
    {
      const auto record =
        run(refinements(coarse) + Settings{"Time stepping/End time=" + std::string(end)}, 1, file(name)).record;
      EXPECT_NEAR(flux(record, "0"), -flux(record, "1"), 1e-12) << name << " is symmetric";
      EXPECT_NEAR(record.at("temperature").at("mean"), 0., 1e-12) << name;
      EXPECT_GT(record.at("kinetic_energy"), 1e-3) << name;
    }
}

// Fluid between plates that is heated from below, free at the sides. Disturbances of the wave number pi grow or decay
// as stability theory says, also in a liquid metal, whose diffusion is implicit.
TEST_F(NaturalConvection, DisturbancesGrowAsStabilityTheorySays)
{
  struct Case
  {
    double      prandtl, rayleigh, exact;
    std::string end, step;
  };
  for (const auto &[prandtl, rayleigh, exact, end, step] : {Case{0.71, 1800., 0.6110, "0.36", "0.0004"},
                                                            {0.71, 1600., -0.7367, "0.36", "0.0004"},
                                                            {0.025, 2500., 0.418935, "2", "0.01"}})
    {
      double growth[2];
      for (const int n : {3, 4})
        {
          const auto of =
            statistics(run(at_rest +
                           Settings{"Problem/Viscosity=" + std::to_string(prandtl),
                                    "Problem/Buoyancy=0; " + std::to_string(prandtl * rayleigh),
                                    "Problem/Boundaries=0: free_slip, 1: free_slip, 2: no_slip, 3: no_slip",
                                    "Temperature/Initial temperature=1-y+1e-4*cos(pi*x)*sin(pi*y)",
                                    "Temperature/Boundary values=2: 1, 3: 0", "Output/Statistics interval=100"} +
                           refinements(n) + time_steps(end, step)));
          const auto &energy = of.at("kinetic_energy"), &time = of.at("time");
          const auto  last = energy.size() - 1;
          growth[n - 3]    = 0.5 * std::log(energy[last] / energy[last - 1]) / (time[last] - time[last - 1]);
        }
      EXPECT_NEAR(growth[1], exact, 0.02);
      EXPECT_NEAR(growth[1] + (growth[1] - growth[0]) / 3., exact, 0.004) << "expected second order";
    }
}

// T = x (1 - x) + y - t in a flow u = (1, 0): central differences are exact, and so are explicit and implicit steps.
TEST_F(NaturalConvection, AQuadraticTemperatureThatIsCarriedIsExact)
{
  for (const auto &[custom, viscosity, kind] : {std::array<std::string, 3>{"true", "0.1", "explicit"},
                                                {"false", "0.1", "explicit"},
                                                {"true", "0.1+0.05*x", "explicit"},
                                                {"false", "0.1+0.05*x", "explicit"},
                                                {"true", "0.1", "implicit"},
                                                {"false", "0.1+0.05*x", "implicit"}})
    {
      const auto outcome =
        run(diffusion(kind) +
            Settings{"Problem/Boundary velocity=0: 1; 0, 1: 1; 0, 2: 1; 0, 3: 1; 0", "Problem/Initial velocity=1; 0",
                     "Problem/Viscosity=" + viscosity, "Temperature/Initial temperature=x*(1-x)+y",
                     "Temperature/Boundary values=0: y-t, 1: y-t", "Temperature/Flux=2: -0.2, 3: 0.2",
                     "Temperature/Diffusivity=0.2", "Temperature/Heating=0.4-2*x",
                     "Implementation/Custom kernels=" + custom, "Output/Profiles=0, 0.5, 1, 0.5; 0.25, 0, 0.25, 1",
                     "Output/Profile points=17"} +
            refinements(3) + time_steps("0.05", "0.0025"));
      const auto &profiles = outcome.record.at("profiles");
      EXPECT_NEAR(profiles[0].at("T").at("max").get<double>(), 0.25 + 0.5 - 0.05, 1e-10) << viscosity;
      EXPECT_NEAR(profiles[0].at("T").at("min").get<double>(), 0.5 - 0.05, 1e-10);
      EXPECT_NEAR(profiles[1].at("T").at("max").get<double>(), 0.1875 + 1. - 0.05, 1e-10);
      EXPECT_NEAR(profiles[1].at("T").at("min").get<double>(), 0.1875 - 0.05, 1e-10);
    }
}

// All heat that comes in through boundaries or arises is found in the fluid, in each step. Beside hanging nodes the
// products u T jump a little, as products of velocities do.
TEST_F(NaturalConvection, HeatIsConserved)
{
  for (const auto &[hangs, kind] :
       {std::pair<bool, std::string>{false, "explicit"}, {true, "explicit"}, {false, "implicit"}, {true, "implicit"}})
    {
      const auto of = statistics(
        run(diffusion(kind) +
            Settings{"Problem/Boundary velocity=3: sin(t); 0", "Problem/Viscosity=0.02", "Problem/Buoyancy=0; 1",
                     "Temperature/Initial temperature=x*y", "Temperature/Boundary values=0: y+t, 3: 1+0.1*sin(9*t)*x",
                     "Temperature/Flux=1: 0.3", "Temperature/Heating=1+t", "Temperature/Diffusivity=0.05",
                     "Mesh/Local refinements=" + std::to_string(hangs), "Mesh/Refine where=0.4-x-0.5*y",
                     "Output/Interval=0"} +
            refinements(3) + time_steps("0.02", "0.001")));
      const auto &time = of.at("time"), &mean = of.at("mean_T");
      ASSERT_GE(time.size(), 10);
      for (std::size_t k = 1; k < time.size(); ++k)
        {
          const double in = of.at("heat_flux_0")[k] + of.at("heat_flux_3")[k] + 0.3 + 1. + time[k - 1];
          EXPECT_NEAR((mean[k] - mean[k - 1]) / (time[k] - time[k - 1]), in, hangs ? 1e-5 : 5e-9);
        }
    }
}

// Fluid between plates that slip, T = t also on the plates: u = (t^2 / 2, 0). The force of a step has the mean of both
// temperatures at all nodes.
TEST_F(NaturalConvection, TheForceIsOfSecondOrderWherePrescribedTemperaturesChange)
{
  for (const auto &[custom, kind] : {std::array<std::string, 2>{"true", "explicit"},
                                     {"false", "explicit"},
                                     {"true", "implicit"},
                                     {"false", "implicit"}})
    {
      const auto record =
        run(at_rest + diffusion(kind) +
            Settings{"Problem/Buoyancy=1; 0", "Problem/Boundaries=free_slip", "Mesh/Periodic boundaries=0: 1",
                     "Temperature/Initial temperature=0", "Temperature/Heating=1", "Temperature/Diffusivity=0.1",
                     "Temperature/Boundary values=2: t, 3: t", "Implementation/Custom kernels=" + custom} +
            refinements(2) + time_steps("0.4", "0.01"))
          .record;
      EXPECT_NEAR(record.at("kinetic_energy").get<double>(), 0.5 * 0.08 * 0.08, 1e-10);
    }
}

// An insulated fluid at rest: a step of backward Euler divides the wave by 1 + dt kappa (2 - 2 cos(pi h)) / h^2. So the
// step is of first order, and may be longer than explicit diffusion allows.
TEST_F(NaturalConvection, ImplicitDiffusionIsBackwardEuler)
{
  const auto record = run(at_rest + diffusion("auto") + refinements(2) + time_steps("0.1", "0.02") +
                          Settings{"Temperature/Initial temperature=cos(pi*x)"})
                        .record;
  const double h = 1. / 8., factor = 1. + 0.02 * (2. - 2. * std::cos(M_PI * h)) / (h * h);
  EXPECT_NEAR(record.at("temperature").at("max"), std::pow(factor, -5), 1e-12);
  EXPECT_NEAR(record.at("temperature").at("min"), -std::pow(factor, -5), 1e-12);
  EXPECT_GT(record.at("time_step_limit").get<double>(), 0.02);
}

// The steady state does not depend on how diffusion is done, nor on the tolerance of its solver.
TEST_F(NaturalConvection, ImplicitDiffusionHasTheSteadyStateOfExplicitDiffusion)
{
  std::map<std::string, nlohmann::json> of;
  for (const std::string kind : {"explicit", "implicit"})
    of[kind] = run(cavity(1e3) + refinements(2) + time_steps("4", "0.01") +
                   Settings{"Time stepping/Steady tolerance=1e-7", "Temperature/Diffusion=" + kind,
                            "Temperature/Linear solver/Tolerance=1e-2"})
                 .record;
  for (const auto &[kind, record] : of)
    EXPECT_TRUE(record.at("steady").get<bool>()) << kind;
  EXPECT_NEAR(flux(of["implicit"], "0"), flux(of["explicit"], "0"), 1e-6);
  EXPECT_EQ(of["explicit"].at("temperature").count("iterations"), 0);
  EXPECT_EQ(of["implicit"].at("temperature").count("iterations"), 1);
}

// The start's estimate tells kinds of convection apart; the numbers are speeds in free fall.
TEST_F(NaturalConvection, TheExpectedSpeedDependsOnWhatDrivesTheFluid)
{
  const Settings below = {"Temperature/Initial temperature=0.5-y", "Temperature/Boundary values=2: 0.5, 3: -0.5"};
  const std::pair<Settings, std::string> cases[] = {
    {{"Temperature/Initial temperature=0.5-x", "Temperature/Boundary values=0: 0.5, 1: -0.5"}, "0.35"},
    {{"Temperature/Initial temperature=0", "Temperature/Boundary values=2: 0.5, 3: -0.5"}, "0.9"},
    {below, "0.9"},
    {below + Settings{"Problem/Boundaries=0: free_slip"}, "1.25"},
    {{"Temperature/Initial temperature=0", "Temperature/Boundary values=3: 0", "Temperature/Flux=2: 0.008"}, "0.4"},
    {{"Temperature/Initial temperature=0", "Temperature/Boundary values=3: 0", "Temperature/Heating=0.008*t"}, "0.2"}};
  for (const auto &[settings, speed] : cases)
    {
      const auto outcome = run(at_rest + settings + Settings{"Problem/Buoyancy=0; 1", "Temperature/Diffusivity=0.01"} +
                               refinements(2) + time_steps("0.125", "0.125"));
      EXPECT_NE(outcome.out.find("at speed " + speed + ";"), std::string::npos) << speed << outcome.out;
    }
}

// A force accelerates fluid, of whose speed the data tell nothing. Later the step is too long.
TEST_F(NaturalConvection, TheLimitOfAStepFollowsTheFlow)
{
  const Settings settings =
    at_rest + refinements(2) +
    Settings{"Problem/Body force=2*sin(pi*x)*cos(pi*y); -2*cos(pi*x)*sin(pi*y)", "Problem/Boundaries=free_slip",
             "Time stepping/End time=1.1", "Time stepping/Time step=0.05"};
  const std::string message = "the estimated limit of a stable time step is 0.01",
                    time    = "with the velocity at time 1;";
  const auto refused        = expect_refused(settings, "Time step = 0.05 is unstable from here on: " + message, 1);
  EXPECT_NE(refused.err.find(time), std::string::npos) << refused.err;
  const auto outcome = run(settings + Settings{"Time stepping/Unstable step=shorten"});
  EXPECT_NE(outcome.out.find("note: the time step 0.05 is too long from here on: " + message), std::string::npos)
    << outcome.out;
  EXPECT_LT(outcome.record.at("time_step_limit").get<double>(), 0.02);
}

// Where the velocity or the temperature is zero, or rounding alone, the other one tells when the state is steady.
TEST_F(NaturalConvection, AFieldThatStaysZeroIsSteady)
{
  const Settings steady  = {"Problem/Viscosity=1", "Time stepping/Steady tolerance=1e-4",
                            "Output/Statistics interval=10"};
  const Settings cases[] = {at_rest + Settings{"Temperature/Initial temperature=0.5-x+0.1*sin(2*pi*x)",
                                               "Temperature/Boundary values=0: 0.5, 1: -0.5"},
                            at_rest + Settings{"Temperature/Initial temperature=0.5-y+0.1*sin(2*pi*y)",
                                               "Problem/Buoyancy=0; 1", "Temperature/Boundary values=2: 0.5, 3: -0.5"},
                            {"Temperature/Initial temperature=0"}};
  for (const auto &settings : cases)
    {
      const auto outcome = run(settings + steady + refinements(2) + time_steps("2", "0.003"));
      EXPECT_TRUE(outcome.record.at("steady").get<bool>());
      for (const double change : statistics(outcome).at("change"))
        EXPECT_TRUE(std::isfinite(change));
    }
}

// A temperature that is equal everywhere presses, and moves nothing.
TEST_F(NaturalConvection, AnEqualTemperatureMovesNothing)
{
  const auto record =
    run(at_rest +
        Settings{"Problem/Buoyancy=1; 2", "Problem/Viscosity=0.1", "Temperature/Initial temperature=3",
                 "Mesh/Local refinements=1", "Mesh/Refine where=0.4-x-0.5*y", "Output/Force boundaries=3",
                 "Linear solver/Tolerance=1e-12"} +
        refinements(3) + time_steps("0.02", "0.001"))
      .record;
  EXPECT_LT(record.at("kinetic_energy").get<double>(), 1e-20);
  EXPECT_NEAR(record.at("temperature").at("min").get<double>(), 3., 1e-10);
  EXPECT_NEAR(record.at("temperature").at("max").get<double>(), 3., 1e-10);
}

// Separate products and the product of all terms are the same scheme.
TEST_F(NaturalConvection, AllProductsGiveTheSameFlow)
{
  std::vector<nlohmann::json> records;
  for (const std::string custom : {"true", "false"})
    records.push_back(run(cavity(1e4) +
                          Settings{"Linear solver/Tolerance=1e-11", "Implementation/Custom kernels=" + custom} +
                          refinements(2) + time_steps("0.02", "0.01"))
                        .record);
  const double energy = records[0].at("kinetic_energy");
  EXPECT_NEAR(records[1].at("kinetic_energy"), energy, 1e-9 * energy);
  EXPECT_NEAR(flux(records[1], "0"), flux(records[0], "0"), 1e-9);
}

// Data that are numbers at first, and at the times at which they are tried before the first step.
TEST_F(NaturalConvection, DataThatAreNoNumbersLaterAreNamed)
{
  const Settings hot = at_rest + refinements(2) + time_steps("1", "0.01") +
                       Settings{"Temperature/Initial temperature=1", "Temperature/Diffusivity=0.01"};
  const std::string later = "sqrt((t-0.33)^2-1e-5)";
  for (const auto &[key, setting, buoyancy] : {std::array<std::string, 3>{"Heating", later, "0; 0"},
                                               {"Heating", later, "0; 1"},
                                               {"Flux", "1: " + later, "0; 1"},
                                               {"Boundary values", "1: " + later, "0; 1"}})
    for (const std::string kind : {"explicit", "implicit"})
      expect_refused(hot + Settings{"Temperature/Diffusion=" + kind} +
                       Settings{"Problem/Buoyancy=" + buoyancy, "Output/Statistics interval=1",
                                "Temperature/" + key + "=" + setting},
                     "Temperature/" + key + " at time 0.33 has values that are no numbers", 1);
  expect_refused(hot + Settings{"Temperature/Flux=1: -0.01*sqrt(0.52-t)"},
                 "Temperature/Flux at time 0.55 has values that are no numbers");
}

TEST_F(NaturalConvection, MistakesAreRefused)
{
  const Settings hot = {"Temperature/Initial temperature=1", "Temperature/Diffusivity=0.01"};
  expect_refused({"Problem/Buoyancy=0; 1"}, "Problem/Buoyancy = 0; 1, but there is no temperature");
  expect_refused(hot + Settings{"Problem/Buoyancy=0; x"}, "Problem/Buoyancy = 0; x: it should have numbers");
  expect_refused({"Temperature/Heating=1"}, "Temperature/Initial temperature is empty");
  expect_refused({"Adaptivity/Interval=1", "Adaptivity/Field=temperature"},
                 "Adaptivity/Field = temperature, but there is none");
  expect_refused(hot + Settings{"Temperature/Diffusivity=0"}, "Temperature/Diffusivity = 0: without diffusion");
  expect_refused(hot + Settings{"Temperature/Boundary values=7: 1"},
                 "Temperature/Boundary values: the mesh has no boundary 7");
  expect_refused(hot + Settings{"Temperature/Flux=1: sqrt(-1-x)"}, "Temperature/Flux has values that are no numbers");
  expect_refused({"Temperature/Initial temperature=log(x-2)", "Temperature/Diffusivity=0.01"},
                 "Temperature/Initial temperature has values that are no numbers");
  expect_refused(
    hot + Settings{"Temperature/Diffusivity=100", "Temperature/Diffusion=explicit", "Time stepping/Time step=0.01"},
    "is unstable");
  expect_refused({"Temperature/Diffusion=implicit"}, "Temperature/Initial temperature is empty");
  expect_refused(hot + Settings{"Output/Statistics=mean T"}, "statistics.csv has a column mean_T already");
  expect_refused(hot + Settings{"Output/Statistics=max divergence"}, "has a column max_divergence already");
}
