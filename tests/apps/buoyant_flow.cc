// The program of flow that a composition drives: against published growth, against the stationary program, and against
// itself.
#include "restart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
class BuoyantFlow : public RestartedProgram
{
protected:
  BuoyantFlow()
    : RestartedProgram(BUOYANT_FLOW)
  {}

  // A file of prm/buoyant_flow with these settings.
  Outcome run_file(const std::string &file, const Settings &settings)
  {
    Settings arguments = {std::string(BUOYANT_FLOW_PRM) + "/" + file, "--backend", "host", "--threads", "2"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    auto outcome = start(arguments);
    if (outcome.code != 0 || outcome.record.is_null())
      throw std::runtime_error("the program did not run: " + outcome.err); // ends this test
    return outcome;
  }

  static double change_of_mass(const Outcome &outcome)
  {
    const auto  &c     = outcome.record.at("composition");
    const double first = c.at("first_mass");
    return (c.at("mass").get<double>() - first) / first;
  }
  static double nusselt(const nlohmann::json &record, const char *boundary)
  {
    return record.at("temperature").at("flux").at(boundary);
  }
  static void expect_bounds(const Outcome &outcome)
  {
    EXPECT_GE(outcome.record.at("composition").at("min"), -1e-12);
    EXPECT_LE(outcome.record.at("composition").at("max"), 1. + 1e-12);
  }
};

// The end time is reached before the last step that the run may take.
TEST_F(BuoyantFlow, ARunThatEndsEarlyEndsWithACheckpoint)
{
  const Outcome outcome =
    start_in("run", {"Mesh/Refinements=2", "Time stepping/End time=20", "Time stepping/Steps=1000",
                     "Time stepping/Output interval=0", "Checkpoint/Steps=1000"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const int steps = outcome.record.at("steps");
  ASSERT_LT(steps, 1000);
  ASSERT_EQ(checkpoints("run").size(), 1u);
  EXPECT_EQ(std::stoi(checkpoints("run")[0].substr(11)), steps);
}

// van Keken et al. 1997: 0.01107 for one viscosity.
TEST_F(BuoyantFlow, LayersGrowAsPublished)
{
  const auto outcome =
    run_file("rayleigh_taylor.prm", {"Time stepping/End time=20", "Time stepping/Output interval=0"});
  const auto  values = statistics(outcome);
  const auto &t = values.at("time"), &speed = values.at("speed");
  EXPECT_DOUBLE_EQ(t.back(), 20.);
  EXPECT_NEAR(std::log(speed.back() / speed.front()) / (t.back() - t.front()), 0.01107, 0.02 * 0.01107);
  EXPECT_LT(std::abs(change_of_mass(outcome)), 1e-8);
}

// The flow of the first moment is that of the program without composition.
TEST_F(BuoyantFlow, FirstFlowIsThatOfStokes)
{
  const std::string blob = "(1-tanh((sqrt((x-0.5)^2+(y-0.6)^2)-0.2)/0.1))/2";
  const auto        flow =
    run({"Problem/Initial composition=" + blob, "Problem/Viscosity=10^(3*c)*exp(depth)", "Time stepping/Steps=1",
         "Time stepping/Longest time step=1e-6", "Time stepping/Output interval=0", "Mesh/Refinements=5"});
  Program::Outcome  stokes;
  const std::string command =
    std::string("'") + STOKES + "' --backend host --threads 1 --set Problem/Case=expressions" +
    " --set 'Problem/Viscosity=10^(3*" + blob + ")*exp(1-y)' --set 'Problem/Body force=0;-" + blob +
    "' --set Problem/Boundaries=free_slip --set Mesh/Refinements=5 --set 'Mesh/Cells=1,1'" +
    " --set Output/Files=false --output '" + (folder / "stokes").string() + "' > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream in((folder / "stokes/run.json").string());
  const double  expected = nlohmann::json::parse(in).at("dissipation");
  EXPECT_NEAR(flow.record.at("dissipation"), expected, 5e-3 * expected);
}

// The stiffer the block, the less its speed depends on how stiff it is (Gerya 2010): from 10³ on it moves as a rigid
// body.
TEST_F(BuoyantFlow, StiffBlocksSinkAsRigidOnes)
{
  const auto speed = [&](int decades) {
    const auto values =
      statistics(run({"Problem/Viscosity=1/(1-c+c*10^(-" + std::to_string(decades) + "))", "Time stepping/Steps=4",
                      "Time stepping/Output interval=0", "Mesh/Refinements=5"}));
    const auto &t = values.at("time"), &height = values.at("height");
    return (height.front() - height.back()) / (t.back() - t.front());
  };
  const double same = speed(0), stiff = speed(3), stiffer = speed(6);
  EXPECT_GT(same, 1.1 * stiffer);
  EXPECT_NEAR(stiff, stiffer, 0.02 * stiffer);
}

TEST_F(BuoyantFlow, BoundsAndMassStay)
{
  const auto plane = run({"Time stepping/Courant number=2.5"}),
             space = run_file("sinking_block.prm", {"Mesh/Refinements=3", "Time stepping/Steps=5"});
  for (const auto &outcome : {plane, space})
    {
      expect_bounds(outcome);
      EXPECT_LT(std::abs(change_of_mass(outcome)), 1e-7);
    }
  EXPECT_LT(plane.record.at("composition").at("height"), 0.15) << "at the bottom";
  EXPECT_TRUE(std::filesystem::exists(plane.folder + "/solution.pvd"));
}

// Against the exact profile, whose root mean square is 0.843274.
TEST_F(BuoyantFlow, PowerLawInAChannel)
{
  const auto error = [&](int refinements) {
    const auto record = run_file("power_law_channel.prm",
                                 {"Mesh/Refinements=" + std::to_string(refinements), "Time stepping/Output interval=0"})
                          .record;
    EXPECT_LE(record.at("nonlinear_steps"), 12);
    return std::abs(record.at("speed").get<double>() - std::sqrt(1. - 2. / 5. + 1. / 9.));
  };
  const double coarse = error(3), fine = error(4);
  EXPECT_LT(fine, 2.3e-3); // 2.294e-3 by quadrature; a norm of nodal values hid a part
  EXPECT_NEAR(std::log2(coarse / fine), 2., 0.02);
}

// Newton's and Picard's method find one flow, in which the load does the work that the viscosity takes.
TEST_F(BuoyantFlow, YieldingFluids)
{
  Settings   settings = {"Problem/Viscosity=2/(10^(-3*c)+1/(0.05+0.005/strain))",
                         "Time stepping/Steps=2",
                         "Viscosity/Nonlinear tolerance=1e-7",
                         "Viscosity/Nonlinear steps=100",
                         "Time stepping/Output interval=0",
                         "Mesh/Refinements=3"};
  const auto newton   = run(settings).record;
  settings.push_back("Viscosity/Newton=false");
  const auto picard = run(settings).record;
  EXPECT_LT(newton.at("nonlinear_steps"), picard.at("nonlinear_steps"));
  for (const char *key : {"dissipation", "speed"})
    EXPECT_NEAR(newton.at(key), picard.at(key), 1e-4 * picard.at(key).get<double>()) << key;
}

// With arithmetic averages the residual has a least value, 9e-5, that is not zero. Picard's steps lead past it.
TEST_F(BuoyantFlow, PicardsStepsRescueNewtons)
{
  const double of_picard = 0.00157446968; // with Newton=false and tolerances of 1e-9 and 1e-11
  const auto   record    = run({"Problem/Viscosity=2/(10^(-2*c)+1/(0.05+0.005/strain))",
                                "Problem/Initial composition=if(abs(x-0.5)<0.15 & abs(y-0.7)<0.15, 1, 0)",
                                "Viscosity/Nonlinear tolerance=1e-7", "Linear solver/Tolerance=1e-9",
                                "Time stepping/Steps=4", "Time stepping/Output interval=0", "Mesh/Refinements=3"})
                        .record;
  EXPECT_NEAR(record.at("dissipation"), of_picard, 1e-5 * of_picard);
}

// A flow that changes little from step to step begins close to its solution; it took 3 steps from the flow before.
TEST_F(BuoyantFlow, StepsBeginFromTwoFlows)
{
  const auto steps =
    statistics(run({"Problem/Viscosity=2/(10^(-2*c)+1/(0.01+0.02/strain))",
                    "Problem/Initial composition=1/(1+exp(-20*(y-0.6-0.1*cos(3.14159*x))))",
                    "Time stepping/Courant number=0.25", "Time stepping/Steps=6", "Time stepping/Output interval=0",
                    "Output/Statistics interval=1", "Mesh/Refinements=3"}))
      .at("nonlinear_steps");
  ASSERT_EQ(steps.size(), 6);
  for (std::size_t k = 1; k < steps.size(); ++k)
    EXPECT_LE(steps[k], 2) << "step " << k + 1;
}

// A mesh that follows the block: it sinks as on a fine one.
TEST_F(BuoyantFlow, MeshesFollow)
{
  const Settings until = {"Time stepping/End time=60", "Time stepping/Steps=1000", "Time stepping/Output interval=0"};
  const auto     adaptive = run_file("following_block.prm", {until[0], until[1], until[2]}),
             uniform      = run_file("following_block.prm", {until[0], until[1], until[2], "Adaptivity/Interval=0",
                                                             "Adaptivity/First mesh cycles=0", "Mesh/Refinements=6"});
  expect_bounds(adaptive);
  EXPECT_GT(adaptive.record.at("remeshes"), 2);
  EXPECT_LT(std::abs(change_of_mass(adaptive)), 2e-3) << "interpolated where cells are coarsened";
  EXPECT_LT(adaptive.record.at("cells"), 0.5 * uniform.record.at("cells").get<double>());
  EXPECT_NEAR(adaptive.record.at("composition").at("height"), uniform.record.at("composition").at("height"), 0.01);
  EXPECT_DOUBLE_EQ(adaptive.record.at("end_time"), 60.);
}

// A mesh of p4est, which one rank may have, gives the same result.
TEST_F(BuoyantFlow, MeshesOfP4est)
{
  const auto height = [&](const std::string &distributed) {
    return run({"Time stepping/Steps=4", "Time stepping/Output interval=0", "Adaptivity/Interval=2",
                "Linear solver/Tolerance=1e-9", "Ranks/Distributed mesh=" + distributed})
      .record.at("composition")
      .at("height")
      .get<double>();
  };
  EXPECT_NEAR(height("true"), height("false"), 1e-8);
}

// To what the solver's tolerance leaves: multigrid also remembers eigenvalues of earlier steps' matrices.
TEST_F(BuoyantFlow, RunsGoOn)
{
  for (const Settings &settings : {Settings{}, Settings{"Adaptivity/Interval=3", "Adaptivity/Largest level=6"}})
    {
      Settings all = {"Time stepping/Steps=8", "Checkpoint/Steps=3", "Linear solver/Tolerance=1e-8"};
      all.insert(all.end(), settings.begin(), settings.end());
      const auto once  = run(all, 2);
      all[0]           = "Time stepping/Steps=4";
      const auto begun = run(all, 2),
                 done  = start_with("host", {all[0] = "Time stepping/Steps=8"}, {"--restart=" + begun.folder});
      ASSERT_EQ(done.code, 0) << done.err;
      std::ifstream in(begun.folder + "/run.json");
      const auto    record = nlohmann::json::parse(in);
      for (const char *key : {"end_time", "speed", "dissipation"})
        EXPECT_NEAR(record.at(key), once.record.at(key), 1e-6 * once.record.at(key).get<double>()) << key;
      EXPECT_NEAR(record.at("composition").at("height"), once.record.at("composition").at("height"), 1e-7);
      EXPECT_EQ(record.at("cells"), once.record.at("cells"));
    }
}

// A peak at a hanging node is none of the discrete composition, whose value there lies between the values of its
// neighbours.
TEST_F(BuoyantFlow, InitialCompositionIsContinuousAtHangingNodes)
{
  const auto record =
    run({"Problem/Initial composition=0.1+exp(-1e5*((x-0.5)^2+(y-0.3125)^2))", "Mesh/Cells=1, 1, 1",
         "Mesh/Refinements=2", "Mesh/Local refinements=1", "Mesh/Refine where=0.5-x", "Time stepping/Steps=1",
         "Time stepping/Longest time step=0.01", "Time stepping/Output interval=0"})
      .record;
  EXPECT_NEAR(record.at("composition").at("max"), 0.1, 1e-6);
}

// The viscosity of the velocity that a checkpoint has. The first step of a continued run starts from two flows, too.
TEST_F(BuoyantFlow, RunsOfAStrainRateGoOn)
{
  Settings   settings = {"Time stepping/Steps=4",
                         "Problem/Viscosity=10^(3*c)/sqrt(1e-3+strain)",
                         "Mesh/Refinements=3",
                         "Time stepping/Output interval=0",
                         "Viscosity/Nonlinear tolerance=1e-8",
                         "Checkpoint/Steps=2",
                         "Output/Statistics interval=1",
                         "Time stepping/Courant number=0.25"};
  const auto straight = run(settings);
  const auto once     = straight.record;
  settings[0]         = "Time stepping/Steps=2";
  const auto begun    = run(settings);
  settings[0]         = "Time stepping/Steps=4";
  const auto done     = start_with("host", {settings[0]}, {"--restart=" + begun.folder});
  ASSERT_EQ(done.code, 0) << done.err;
  std::ifstream in(begun.folder + "/run.json");
  const auto    record = nlohmann::json::parse(in);
  for (const char *key : {"end_time", "speed", "dissipation"})
    EXPECT_NEAR(record.at(key), once.at(key), 1e-6 * once.at(key).get<double>()) << key;
  const auto starts   = statistics(begun).at("initial_residual");
  const auto expected = statistics(straight).at("initial_residual");
  ASSERT_EQ(starts.size(), expected.size());
  for (std::size_t k = 0; k < starts.size(); ++k)
    EXPECT_NEAR(starts[k], expected[k], 1e-4 * expected[k]) << "step " << k + 1;
}

// Blankenbach et al. 1989, case 1a: 4.884409 and 42.864947. On 32 x 32 cells streamline upwinding leaves -1.0e-3 of
// the Nusselt number, as a program with direct solvers found.
TEST_F(BuoyantFlow, ConvectsAsPublished)
{
  const auto outcome = run_file("blankenbach_1a.prm", {"Mesh/Refinements=4", "Time stepping/Steady tolerance=1e-4",
                                                       "Output/Heat fluxes=2, 3", "Output/Horizontal averages=8"});
  const auto record  = outcome.record;
  EXPECT_LT(record.at("steps"), 200);
  EXPECT_NEAR(nusselt(record, "2"), 4.884409 * (1. - 1.0e-3), 4e-4);
  EXPECT_NEAR(nusselt(record, "3"), -nusselt(record, "2"), 1e-5);
  EXPECT_NEAR(record.at("speed"), 42.864947, 0.1);
  EXPECT_LE(record.at("temperature").at("iterations"), 12);
  EXPECT_EQ(outcome.out.find("note:"), std::string::npos) << outcome.out;
  // The load does the work that the viscosity takes. Without boundaries' part, Nu - 1 is W but for the flow's
  // divergence.
  const double work = record.at("work");
  EXPECT_NEAR(work, record.at("dissipation"), 1e-6 * work);
  EXPECT_NEAR(1. + 1e-4 * work, nusselt(record, "2"), 0.01);
  EXPECT_NEAR(statistics(outcome).at("work").back(), work, 1e-9 * work);
  EXPECT_EQ(statistics(outcome).at("most_viscosity").back(), 1.);
  // Fluxes at the upper corners, published: 8.059384 and 0.588810. Their mean is Nu, by the trapezoidal rule.
  const auto fluxes = statistics(outcome, "heat_flux_3.csv");
  EXPECT_NEAR(-fluxes.at("heat_flux").front(), 8.059384, 0.01);
  EXPECT_NEAR(-fluxes.at("heat_flux").back(), 0.588810, 0.005);
  double mean = 0.;
  for (std::size_t k = 0; k + 1 < fluxes.at("x").size(); ++k)
    mean -=
      0.5 * (fluxes.at("heat_flux")[k] + fluxes.at("heat_flux")[k + 1]) * (fluxes.at("x")[k + 1] - fluxes.at("x")[k]);
  EXPECT_NEAR(mean, nusselt(record, "2"), 1e-6);
  EXPECT_NEAR(record.at("temperature").at("local_flux").at("2").at("max"), 8.059384, 0.01);
  const auto layers = statistics(outcome, "horizontal_averages.csv");
  ASSERT_EQ(layers.at("T").size(), 8u);
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(layers.at("T")[k] + layers.at("T")[7 - k], 1., 1e-6);
}

// Beside a bilinear flow, and without upwinding, a biquadratic temperature leaves -5.7e-4 of the Nusselt number on
// 32 x 32 cells, as a program with direct solvers found.
TEST_F(BuoyantFlow, BiquadraticTemperaturesConvectAsMeasured)
{
  const auto record = run_file("blankenbach_1a.prm", {"Mesh/Refinements=4", "Time stepping/Steady tolerance=1e-4",
                                                      "Temperature/Element=q2", "Temperature/Advection=galerkin"})
                        .record;
  EXPECT_NEAR(nusselt(record, "2"), 4.884409 * (1. - 5.7e-4), 1e-5 * 4.884409);
  EXPECT_NEAR(nusselt(record, "3"), -nusselt(record, "2"), 1e-5);
  EXPECT_LE(record.at("temperature").at("iterations"), 12);
}

// On a mesh that changes before and after the checkpoint, to the last bit.
TEST_F(BuoyantFlow, BiquadraticTemperaturesGoOn)
{
  Settings   settings = {"Temperature/Initial temperature=1-y+0.05*cos(pi*x)*sin(pi*y)",
                         "Temperature/Boundary values=2: 1, 3: 0",
                         "Temperature/Element=q2",
                         "Problem/Density=-1e4*T",
                         "Problem/Viscosity=1",
                         "Problem/Initial composition=0",
                         "Mesh/Refinements=2",
                         "Adaptivity/Interval=2",
                         "Adaptivity/Field=temperature",
                         "Adaptivity/Largest level=4",
                         "Output/Statistics=T over material 0",
                         "Time stepping/Output interval=3",
                         "Checkpoint/Steps=3",
                         "Time stepping/Steps=5"};
  const auto once     = run(settings);
  settings.back()     = "Time stepping/Steps=3";
  const auto begun    = run(settings);
  const auto done     = start_with("host", {"Time stepping/Steps=5"}, {"--restart=" + begun.folder});
  ASSERT_EQ(done.code, 0) << done.err;
  std::ifstream in(begun.folder + "/run.json");
  const auto    record = nlohmann::json::parse(in);
  EXPECT_GT(once.record.at("remeshes"), 1);
  for (const char *key : {"temperature", "speed", "cells", "statistics"})
    EXPECT_EQ(record.at(key), once.record.at(key)) << key;
  const double mean = record.at("temperature").at("mean");
  EXPECT_NEAR(record.at("statistics").at("T_over_material_0"), mean, 1e-12 * mean) << "of what is shown";
  EXPECT_TRUE(std::filesystem::exists(begun.folder + "/solution_0001.vtu"));
}

// Files of each output on a mesh that changes, also of a continued run. At rest T = 1 - y.
TEST_F(BuoyantFlow, TablesFollowMeshes)
{
  Settings   settings = {"Temperature/Initial temperature=1-y",
                         "Temperature/Boundary values=2: 1, 3: 0",
                         "Problem/Density=-1e-6*T",
                         "Problem/Viscosity=exp(-3*T)",
                         "Mesh/Refinements=2",
                         "Adaptivity/Interval=2",
                         "Adaptivity/Largest level=5",
                         "Time stepping/Longest time step=0.1",
                         "Time stepping/Output interval=3",
                         "Checkpoint/Steps=4",
                         "Output/Heat fluxes=2, 3",
                         "Output/Horizontal averages=5",
                         "Time stepping/Steps=4"};
  const auto begun    = run(settings);
  const auto done     = start_with("host", {"Time stepping/Steps=6"}, {"--restart=" + begun.folder});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto layers = statistics(begun, "horizontal_averages.csv");
  EXPECT_GT(begun.record.at("remeshes"), 0);
  ASSERT_EQ(layers.at("height").size(), 4u * 5u); // at steps 0, 3, 4 and 6
  for (std::size_t k = 0; k < 20; ++k)
    {
      const double height = layers.at("height")[k];
      EXPECT_NEAR(height, 0.1 + 0.2 * (k % 5), 1e-10);
      EXPECT_NEAR(layers.at("T")[k], 1. - height, 1e-6);
      EXPECT_NEAR(layers.at("viscosity")[k], std::exp(-3. * (1. - height)), 0.1);
    }
  for (const char *file : {"heat_flux_2_0001.csv", "heat_flux_2_0002.csv", "heat_flux_2_0003.csv", "heat_flux_2.csv"})
    {
      const auto fluxes = statistics(begun, file).at("heat_flux");
      EXPECT_GE(fluxes.size(), 9u);
      for (const double flux : fluxes)
        EXPECT_NEAR(flux, 1., 1e-6) << file;
    }
  EXPECT_FALSE(std::filesystem::exists(begun.folder + "/heat_flux_2_0000.csv")) << "no step has been taken";
  settings.back() = "Time stepping/Steps=1";
  settings.push_back("Output/Horizontal averages=0");
  settings.push_back("Checkpoint/Steps=0");
  start_with("host", settings, {"--output", begun.folder});
  EXPECT_FALSE(std::filesystem::exists(begun.folder + "/horizontal_averages.csv")) << "of an earlier run";
}

// Conduction is a solution, too, where only a perturbation is missing; not where light fluid lies above.
TEST_F(BuoyantFlow, NotesWhatATemperatureLacks)
{
  const Settings at_rest = {
    "Problem/Initial composition=0",   "Problem/Viscosity=1",   "Mesh/Refinements=2",
    "Time stepping/Output interval=0", "Time stepping/Steps=3", "Time stepping/Longest time step=0.01"};
  const auto out = [&](const std::string &initial, const std::string &density) {
    return run(at_rest + Settings{"Temperature/Initial temperature=" + initial, "Problem/Density=" + density,
                                  "Temperature/Boundary values=2: 1, 3: 0"})
      .out;
  };
  EXPECT_NE(out("1-y", "-1e4*T").find("Rayleigh number of about 1e+04: conduction is"), std::string::npos);
  for (const auto &quiet : {out("1-y", "1e4*T"), out("1-y", "-1e3*T"), out("1-y+0.1*cos(pi*x)*sin(pi*y)", "-1e4*T")})
    {
      const auto note = quiet.find("note:"); // the only one
      EXPECT_EQ(note, quiet.find("note: the time step is Time stepping/Longest time step = 0.01")) << quiet;
      EXPECT_EQ(note, quiet.rfind("note:")) << quiet;
    }
  const auto warm =
    run(at_rest + Settings{"Temperature/Initial temperature=0", "Temperature/Heating=1", "Problem/Density=-T"}).out;
  EXPECT_NE(warm.find("the heat has no way out"), std::string::npos) << warm;
}

// Between rigid plates convection begins at Ra = 1707.8. Growth rates follow from Chebyshev polynomials in y. The file
// has 64 x 128 cells, which leave less than 1 %; rates of 16 x 32 and 32 x 64 cells are extrapolated by their order, 2.
TEST_F(BuoyantFlow, ConvectionBeginsAsTheoryHasIt)
{
  const auto rate_of = [this](const std::string &density, const std::string &refinements) {
    const auto values =
      statistics(run_file("onset.prm", {"Problem/Density=" + density, "Mesh/Refinements=" + refinements}));
    const auto &speed = values.at("speed"), &t = values.at("time");
    const auto  first = speed.size() - 8;
    return std::log(speed.back() / speed[first]) / (t.back() - t[first]);
  };
  for (const auto &[density, rate] : std::map<std::string, double>{{"-1600*T", -1.2514}, {"-1800*T", 1.0681}})
    {
      const double coarse = rate_of(density, "3"), fine = rate_of(density, "4");
      EXPECT_NEAR(fine + (fine - coarse) / 3., rate, 0.003 * std::abs(rate)) << density;
      EXPECT_NEAR(fine, rate, 0.04 * std::abs(rate)) << density;
    }
}

// Blankenbach et al. 1989, case 2b: 6.9299, 171.755. On these 40 x 16 cells the layer at the top is thin.
TEST_F(BuoyantFlow, ViscosityOfTemperatureAndDepth)
{
  const auto record = run_file("blankenbach_2b.prm", {"Mesh/Refinements=2", "Time stepping/Steady tolerance=1e-3",
                                                      "Temperature/Courant number=200"})
                        .record;
  EXPECT_TRUE(record.at("steady").get<bool>());
  EXPECT_NEAR(nusselt(record, "2"), 6.9299, 0.01 * 6.9299);
  EXPECT_NEAR(nusselt(record, "3"), -6.9299, 0.05 * 6.9299);
  EXPECT_NEAR(record.at("speed"), 171.755, 0.02 * 171.755);
}

// Busse et al. 1994, case 1a: 3.5374. Cells of 1/8 have 3.0428, cells of 1/16 3.4297, cells of 1/32 3.5116.
TEST_F(BuoyantFlow, ConvectsInSpace)
{
  const auto record = run_file("busse_1a.prm", {"Mesh/Refinements=2", "Time stepping/Steady tolerance=1e-2",
                                                "Temperature/Courant number=20"})
                        .record;
  EXPECT_TRUE(record.at("steady").get<bool>());
  EXPECT_NEAR(nusselt(record, "4"), 3.0428, 0.01);
  EXPECT_NEAR(nusselt(record, "5"), -nusselt(record, "4"), 1e-5);
  EXPECT_NEAR(record.at("temperature").at("mean"), 0.5, 1e-6);
}

// At rest T = Q y (1 - y)/2 at the nodes, and everywhere for biquadratic functions. A flow carries the heat to the
// upper plate.
TEST_F(BuoyantFlow, HeatFromInside)
{
  for (const std::string element : {"q1", "q2"})
    {
      const auto rest = run_file("internal_heating.prm",
                                 {"Mesh/Refinements=2", "Problem/Density=-1e-6*T", "Temperature/Courant number=100",
                                  "Temperature/Linear solver/Tolerance=1e-12", "Time stepping/Steady tolerance=1e-9",
                                  "Temperature/Element=" + element, "Output/Points=0.37, 0.3, 0"})
                          .record;
      EXPECT_NEAR(rest.at("temperature").at("max"), 100. / 8., 1e-7);
      EXPECT_NEAR(rest.at("at_points").at("T").at(0), 10.5, element == "q2" ? 1e-7 : 0.2);
      for (const char *plate : {"2", "3"})
        EXPECT_NEAR(nusselt(rest, plate), -50., 1e-7);
    }
  const auto flow =
    run_file("internal_heating.prm", {"Mesh/Refinements=3", "Time stepping/Steady tolerance=1e-3"}).record;
  EXPECT_TRUE(flow.at("steady").get<bool>());
  EXPECT_NEAR(nusselt(flow, "3"), -60.8353, 0.2); // that of 64 x 64 cells
  EXPECT_NEAR(nusselt(flow, "2") + nusselt(flow, "3"), -100., 0.1);
}

// van Keken et al. 1997, the flow of a hot plume over a heavy layer: its root mean square is 385.4 at first and has its
// first minimum, 267.6, at t = 0.001.
TEST_F(BuoyantFlow, TemperatureAndComposition)
{
  const auto outcome = run_file("van_keken_thermochemical.prm", {"Mesh/Refinements=4", "Time stepping/End time=0.001"});
  const auto speed   = statistics(outcome).at("speed");
  EXPECT_NEAR(speed.front(), 385.4, 0.01 * 385.4);
  EXPECT_NEAR(speed.back(), 267.6, 0.05 * 267.6); // the nodes have 12 % too much of the layer
  expect_bounds(outcome);
  EXPECT_LT(std::abs(change_of_mass(outcome)), 1e-7);
}

// A mesh that follows the temperature has the Nusselt number of the uniform mesh of 64 x 64 cells, 10.53544, with less
// than half of its unknowns.
TEST_F(BuoyantFlow, MeshesFollowTheTemperature)
{
  const auto record =
    run_file("blankenbach_1c_following.prm",
             {"Problem/Density=-1e5*T", "Mesh/Refinements=4", "Adaptivity/Smallest level=3",
              "Adaptivity/Largest level=6", "Adaptivity/Interval=10", "Time stepping/Steady tolerance=1e-3"})
      .record;
  EXPECT_NEAR(nusselt(record, "2"), 10.53544, 2e-3 * 10.53544);
  EXPECT_NEAR(nusselt(record, "3"), -nusselt(record, "2"), 1e-4);
  EXPECT_LT(record.at("dofs"), 0.5 * (2 * 65 * 65 + 33 * 33));
  EXPECT_GT(record.at("remeshes"), 1);
}

// Fluxes of the last step belong to a checkpoint: a continued run may take no step.
TEST_F(BuoyantFlow, AContinuedRunWithoutAStepHasTheFluxes)
{
  const auto begun =
    run({"Temperature/Initial temperature=1-y", "Temperature/Boundary values=2: 1, 3: 0", "Mesh/Refinements=2",
         "Time stepping/Steps=2", "Time stepping/Output interval=0", "Checkpoint/Steps=2"});
  const auto done = start_with("host", {}, {"--restart=" + begun.folder});
  ASSERT_EQ(done.code, 0) << done.err;
  std::ifstream in(begun.folder + "/run.json");
  EXPECT_EQ(nlohmann::json::parse(in).at("temperature"), begun.record.at("temperature"));
  EXPECT_NE(begun.record.at("temperature").at("flux").at("2"), 0.);
}

// A fluid at rest is heated from below. The series of the exact solution has the mean 0.3489 and
// the flux 1.784 at t = 0.1.
TEST_F(BuoyantFlow, ConductionLimitsTheFirstStep)
{
  const auto record = run({"Temperature/Initial temperature=0", "Temperature/Boundary values=2: 1, 3: 0",
                           "Problem/Initial composition=0", "Problem/Density=-T", "Problem/Viscosity=1",
                           "Mesh/Refinements=3", "Time stepping/End time=0.1", "Time stepping/Output interval=0"})
                        .record;
  EXPECT_NEAR(record.at("temperature").at("mean"), 0.3489, 0.005);
  EXPECT_NEAR(record.at("temperature").at("flux").at("2"), 1.784, 0.1); // one step of 0.1 gives 2.885
}

TEST_F(BuoyantFlow, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"}),
             shipped  = start({std::string(BUOYANT_FLOW_PRM) + "/tutorial.prm", "--print-parameters"});
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_EQ(built_in.out, shipped.out);
  EXPECT_EQ(read_parameter_files(BUOYANT_FLOW_PRM), 20);
}

// At single points, where the average in a cell hides it.
TEST_F(BuoyantFlow, AViscosityThatIsNegativeLater)
{
  expect_refused({"Mesh/Refinements=3", "Problem/Viscosity=if(abs(c-0.5)<0.05,-10,1)"}, "where c = 0.", 1);
}

const Settings heated = {"Problem/Initial composition=0",    "Problem/Viscosity=1", "Problem/Density=-1e4*T",
                         "Temperature/Boundary values=3: 0", "Mesh/Refinements=2",  "Time stepping/Steps=3"};

// A fluid at rest with one temperature, which heat sets in motion.
TEST_F(BuoyantFlow, HeatMovesAFluidAtRest)
{
  for (const std::string heat : {"Temperature/Heating=x", "Temperature/Flux=2: x", "Temperature/Flux=0: sin(t)"})
    EXPECT_GT(run(heated + Settings{"Temperature/Initial temperature=0", heat}).record.at("speed"), 0.1) << heat;
  for (const std::string data :
       {"Boundary values=2: 1/sqrt(0.005-t)", "Flux=0: sqrt(0.005-t)", "Heating=sqrt(0.005-t)"})
    expect_refused(heated + Settings{"Temperature/Initial temperature=1-y", "Temperature/" + data,
                                     "Time stepping/Longest time step=0.004"},
                   "Temperature/" + data.substr(0, data.find('=')) + " has values that are no numbers", 1);
}

// Below the critical Rayleigh number the flow decays to what solvers leave.
TEST_F(BuoyantFlow, AFlowThatDecaysComesToRest)
{
  const auto outcome = run(heated + Settings{"Problem/Density=-300*T", "Temperature/Boundary values=2: 1, 3: 0",
                                             "Temperature/Initial temperature=1-y+0.1*cos(pi*x)*sin(pi*y)",
                                             "Temperature/Courant number=5", "Linear solver/Tolerance=1e-10",
                                             "Time stepping/Steps=120", "Time stepping/Steady tolerance=1e-4"});
  EXPECT_TRUE(outcome.record.at("steady"));
  EXPECT_LT(outcome.record.at("steps"), 100);
}

// A temperature that nothing conducts is carried as the composition is, beyond whose range upwinding goes.
TEST_F(BuoyantFlow, ALimitedTemperatureKeepsItsRange)
{
  const auto outcome_of = [this](const std::string &advection) {
    const auto outcome =
      run({"Problem/Initial composition=if(abs(x-0.5)<0.2 & abs(y-0.7)<0.2, 1, 0)",
           "Temperature/Initial temperature=if(abs(x-0.5)<0.2 & abs(y-0.7)<0.2, 1, 0)", "Temperature/Diffusivity=1e-9",
           "Problem/Density=T", "Problem/Viscosity=1", "Temperature/Linear solver/Tolerance=1e-12",
           "Temperature/Linear solver/Solver=" + std::string(advection == "limited" ? "cg" : "gmres"),
           "Temperature/Advection=" + advection, "Mesh/Refinements=3", "Time stepping/Steps=12",
           "Time stepping/Output interval=0", "Output/Statistics interval=1"});
    EXPECT_EQ(outcome.out.find("initial and prescribed values between") == std::string::npos, advection == "limited");
    return statistics(outcome);
  };
  auto values = outcome_of("limited");
  ASSERT_EQ(values.at("mean_T").size(), 12u);
  for (std::size_t k = 0; k < 12; ++k)
    {
      EXPECT_GE(values.at("least_T")[k], -1e-12);
      EXPECT_LE(values.at("most_T")[k], 1. + 1e-12);
      EXPECT_NEAR(values.at("least_T")[k], values.at("least")[k], 1e-4);
      EXPECT_NEAR(values.at("most_T")[k], values.at("most")[k], 1e-4);
      EXPECT_NEAR(values.at("mean_T")[k], values.at("mass")[k], 1e-9);
      EXPECT_LT(std::abs(values.at("heat_defect")[k]), 1e-9);
    }
  values = outcome_of("supg");
  EXPECT_GT(values.at("most_T").back(), 1.1);
}

// A viscosity without a strain rate for T < 1/2, which four of Newton's steps do for.
const Settings stiffening = {"Problem/Density=c-1e2*T",
                             "Mesh/Refinements=2",
                             "Problem/Viscosity=1+max(0,T-0.5)*100/(1e-3+strain)",
                             "Viscosity/Nonlinear steps=4",
                             "Temperature/Initial temperature=0",
                             "Temperature/Courant number=100",
                             "Temperature/Largest growth of a step=2",
                             "Time stepping/Longest time step=0.4",
                             "Time stepping/Steps=2",
                             "Time stepping/Output interval=10",
                             "Output/Statistics interval=1"};

// At t = 0.8 and 0.6 T is above 1/2, at t = 0.5 below: the step is that of a run that ends there.
TEST_F(BuoyantFlow, StepsThatFailAreTakenAgainWithHalfTheirLength)
{
  const Settings heat   = stiffening + Settings{"Temperature/Heating=0.9+0.01*x"};
  const auto     halved = run(heat + Settings{"Time stepping/End time=0.8"}),
             short_end  = run(heat + Settings{"Time stepping/End time=0.5"});
  EXPECT_NE(halved.out.find("taken again with half its length, 0.2: Newton"), std::string::npos) << halved.out;
  EXPECT_NE(halved.out.find("taken again with half its length, 0.1: Newton"), std::string::npos) << halved.out;
  EXPECT_EQ(short_end.out.find("half its length"), std::string::npos) << short_end.out;
  const auto values = statistics(halved), expected = statistics(short_end);
  ASSERT_EQ(values.size(), expected.size());
  for (const auto &[name, column] : expected)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(values.at(name).at(k), column.at(k), 1e-9 * std::max(std::abs(column.at(k)), 1e-3)) << name;
}

// Heat that jumps after the first step fails, however short the next one is. The last state can be continued.
TEST_F(BuoyantFlow, AStepThatFailsAlwaysLeavesTheLastState)
{
  const auto outcome = expect_refused(
    stiffening + Settings{"Temperature/Heating=if(t>0.4,1e3,0.9)", "Checkpoint/Steps=100"},
    "the step from time 0.4 fails, also with 0.0125, a 32nd of its length: Problem/Viscosity perhaps", 1);
  const std::string name = outcome.folder.substr(outcome.folder.rfind('/') + 1);
  EXPECT_EQ(checkpoints(name), std::vector<std::string>{"checkpoint_0000000001"});
  EXPECT_TRUE(std::filesystem::exists(outcome.folder + "/solution_0001.vtu"));
  EXPECT_DOUBLE_EQ(statistics(outcome).at("time").back(), 0.4);
  const auto again = start_with("host", {"Time stepping/Steps=1"}, {"--restart=" + outcome.folder});
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(BuoyantFlow, BadInput)
{
  expect_refused({"Problem/Viscosity=10^c-1"}, "has to be positive");
  expect_refused({"Problem/Viscosity=10^(13*c)*exp(0*depth)"},
                 "more than 1e12 is beyond double precision; it is least, 1");
  expect_refused({"Problem/Viscosity=2-1/(strain+0.1)"}, "where strain = 1e-10");
  expect_refused({"Problem/Viscosity=exp(-T)"}, "T is the temperature, but there is none");
  expect_refused({"Problem/Density=c-T"}, "Problem/Density");
  expect_refused({"Temperature/Boundary values=2: 1"}, "there is no temperature");
  expect_refused({"Temperature/Diffusivity=3"}, "there is no temperature");
  expect_refused({"Temperature/Initial temperature=t"}, "the time t is 0");
  expect_refused({"Adaptivity/Field=temperature"}, "the section Temperature gives one");
  expect_refused({"Temperature/Initial temperature=1-y+q"}, "Temperature/Initial temperature");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Robin=2: 1; 0"}, "Temperature/Robin");
  expect_refused({"Temperature/Initial temperature=0", "Output/Statistics=mean T"}, "has a column mean_T already");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Linear solver/Solver=cg"}, "gmres or bicgstab");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Advection=limited", "Temperature/Time scheme=bdf1"},
                 "Temperature/Time scheme = bdf1 is for implicit advection");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Element=q3"}, "Temperature/Element");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Element=q2", "Temperature/Advection=limited"},
                 "Temperature/Element = q2 does not go with Advection = limited");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Boundary values=9: 1"}, "Temperature/Boundary val");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Boundary values=2: 1", "Temperature/Flux=2: 1"},
                 "boundary 2");
  expect_refused({"Output/Heat fluxes=2"}, "Output/Heat fluxes needs a temperature");
  expect_refused({"Temperature/Initial temperature=0", "Temperature/Boundary values=3: 1", "Output/Heat fluxes=2"},
                 "Output/Heat fluxes has boundary 2, where Temperature/Boundary values prescribes no values");
  expect_refused({"Temperature/Initial temperature=0", "Output/Heat fluxes=left"}, "Output/Heat fluxes: 'left'");
  expect_refused({"Temperature/Initial temperature=0", "Problem/Boundary velocity=0: y*(1-y); 0, 1: y*(1-y); 0"},
                 "enters through boundary 0");
  for (const std::string key : {"Heating=1/(x-x)", "Flux=0: 1/(x-x)", "Boundary values=2: log(-1-x)"})
    expect_refused({"Temperature/Initial temperature=0", "Temperature/" + key},
                   "Temperature/" + key.substr(0, key.find('=')) + " has values that are no numbers");
  EXPECT_EQ(start({"--backend", "host", "--dry-run", "--set", "Temperature/Initial temperature=0", "--set",
                   "Temperature/Heating=1/(x-x)"})
              .code,
            2);
  expect_refused({"Problem/Viscosity=strian"}, "Problem/Viscosity");
  expect_refused({"Problem/Viscosity=2*x"}, "Problem/Viscosity");
  expect_refused({"Problem/Density=c+"}, "Problem/Density");
  expect_refused({"Problem/Initial composition=q"}, "Problem/Initial composition");
  expect_refused({"Mesh/Refinements=3", "Problem/Initial composition=sqrt(x-0.5)"},
                 "Initial composition has values that");
  expect_refused({"Problem/Gravity=0, 0"}, "nothing can flow");
  expect_refused({"Problem/Boundaries=slip"}, "'slip' should be no_slip, free_slip or outflow");
  expect_refused({"Problem/Boundaries=outflow"}, "can move as a rigid body");
  expect_refused({"Problem/Boundaries=3: outflow", "Problem/Pressure=3: 1"}, "boundary 3 has two conditions");
  expect_refused({"Linear solver/Solver=cg"}, "gmres only");
  expect_refused({"Time stepping/Courant nmber=1"}, "Courant number");
  expect_refused({"Problem/Density=0*c"}, "nothing moves", 1);
  expect_refused({"Problem/Initial composition=1"}, "nothing moves", 1); // but for rounding
  // At rest, too: one layer of cells, and what the tolerance leaves is the larger the more the viscosity varies.
  expect_refused({"Problem/Dimension=3", "Mesh/Cells=3, 2, 1", "Mesh/Refinements=0",
                  "Problem/Initial composition=if(z+0.1*sin(5*x)>0.389,1,0)", "Problem/Density=c",
                  "Problem/Viscosity=1+1000*exp(-21.3*((c-0.513)^2+(c-0.4)^2))", "Problem/Gravity=0.902, 0.53, 0.699",
                  "Problem/Boundaries=no_slip"},
                 "nothing moves", 1);
  const auto bad = expect_refused({"Mesh/Refinements=3", "Problem/Density=1/(c-c)"}, "Problem/Gravity has values that");
  EXPECT_FALSE(std::filesystem::exists(bad.folder)) << "expected no empty folder";
}
} // namespace
