// A temperature in navier_stokes: fluids that it drives, and temperatures that flows carry.
#include "program.h"

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

  /// The columns of statistics.csv by name.
  std::map<std::string, std::vector<double>> statistics(const Outcome &outcome) const
  {
    std::ifstream                              in(outcome.folder + "/statistics.csv");
    std::string                                line, entry;
    std::vector<std::string>                   names;
    std::map<std::string, std::vector<double>> columns;
    std::getline(in, line);
    for (std::istringstream head(line); std::getline(head, entry, ',');)
      names.push_back(entry);
    while (std::getline(in, line))
      {
        std::istringstream row(line);
        for (std::size_t k = 0; std::getline(row, entry, ','); ++k)
          columns[names.at(k)].push_back(entry.empty() ? std::nan("") : std::stod(entry));
      }
    return columns;
  }
};

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

// Fluid between plates that is heated from below, free at the sides. Disturbances of the wave number pi grow by
// exp(0.6110 t) at Ra = 1800 and decay by exp(-0.7367 t) at 1600 (stability theory, Pr = 0.71).
TEST_F(NaturalConvection, DisturbancesGrowAsStabilityTheorySays)
{
  for (const auto &[rayleigh, exact] : {std::pair<double, double>{1800., 0.6110}, {1600., -0.7367}})
    {
      double growth[2];
      for (const int n : {3, 4})
        {
          const auto of =
            statistics(run(at_rest +
                           Settings{"Problem/Viscosity=0.71", "Problem/Buoyancy=0; " + std::to_string(0.71 * rayleigh),
                                    "Problem/Boundaries=0: free_slip, 1: free_slip, 2: no_slip, 3: no_slip",
                                    "Temperature/Initial temperature=1-y+1e-4*cos(pi*x)*sin(pi*y)",
                                    "Temperature/Boundary values=2: 1, 3: 0", "Output/Statistics interval=100"} +
                           refinements(n) + time_steps("0.36", "0.0004")));
          const auto &energy = of.at("kinetic_energy"), &time = of.at("time");
          const auto  last = energy.size() - 1;
          growth[n - 3]    = 0.5 * std::log(energy[last] / energy[last - 1]) / (time[last] - time[last - 1]);
        }
      EXPECT_NEAR(growth[1], exact, 0.02);
      EXPECT_NEAR(growth[1] + (growth[1] - growth[0]) / 3., exact, 0.004) << "expected second order";
    }
}

// T = x (1 - x) + y - t in a flow u = (1, 0): central differences are exact, and so are the steps.
TEST_F(NaturalConvection, AQuadraticTemperatureThatIsCarriedIsExact)
{
  for (const std::string custom : {"true", "false"})
    for (const std::string viscosity : {"0.1", "0.1+0.05*x"})
      {
        const auto outcome =
          run(Settings{"Problem/Boundary velocity=0: 1; 0, 1: 1; 0, 2: 1; 0, 3: 1; 0", "Problem/Initial velocity=1; 0",
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
  for (const bool hangs : {false, true})
    {
      const auto of = statistics(
        run(Settings{"Problem/Boundary velocity=3: sin(t); 0", "Problem/Viscosity=0.02", "Problem/Buoyancy=0; 1",
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
  expect_refused(hot + Settings{"Temperature/Diffusivity=100", "Time stepping/Time step=0.01"}, "is unstable");
}
