// The programs under mpirun: on 1, 2 and 4 ranks the same iterations, give or take one, and the same results.
#include "program.h"

#include "support/devices.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace
{
// Where a program is; the environment says so when the tests run on another machine than the build.
std::string program(const char *variable, const std::string &built)
{
  const char *here = std::getenv(variable);
  return here != nullptr ? here : built;
}
const std::string transport_diffusion = program("TRANSPORT_DIFFUSION", TRANSPORT_DIFFUSION),
                  elasticity          = program("ELASTICITY", ELASTICITY),
                  navier_stokes       = program("NAVIER_STOKES", NAVIER_STOKES),
                  template_program = program("TEMPLATE", TEMPLATE), stokes = program("STOKES", STOKES),
                  buoyant_flow = program("BUOYANT_FLOW", BUOYANT_FLOW), solid = program("SOLID", SOLID),
                  nonlinear_heat = program("NONLINEAR_HEAT", NONLINEAR_HEAT);

struct Case
{
  std::string name, executable;
  Settings    settings;
  double      iterations = 1.; // that may differ
};

void PrintTo(const Case &c, std::ostream *out)
{
  *out << c.name; // and in the names of tests
}

class RanksOf : public Program
{
protected:
  explicit RanksOf(const std::string &executable)
    : Program(executable)
  {}

  Outcome run_on(int n_ranks, Settings settings, const std::string &backend = "host")
  {
    settings.insert(settings.end(),
                    {"Ranks/Distributed mesh=true", "Ranks/Share devices=true", "Linear solver/Tolerance=1e-12"});
    start_on(n_ranks);
    Settings arguments = {"--backend", backend, "--threads", "1"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    Outcome outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.record.is_null())
      throw std::runtime_error("the program did not run: " + outcome.err); // ends this test
    EXPECT_EQ(outcome.record.value("ranks", 1), n_ranks);
    return outcome;
  }

  void start_on(int n_ranks)
  {
    before = n_ranks == 1 ? "" : "mpirun --oversubscribe --bind-to none -np " + std::to_string(n_ranks);
  }

  // Runs with products by rows, and by cells.
  std::pair<Outcome, Outcome> by_rows_and_cells(int n_ranks, const Settings &settings)
  {
    auto rows = run_on(n_ranks, settings + Settings{"Linear solver/Products=rows"});
    return {std::move(rows), run_on(n_ranks, settings + Settings{"Linear solver/Products=cells"})};
  }
};

class Ranks : public RanksOf, public testing::WithParamInterface<Case>
{
protected:
  Ranks()
    : RanksOf(GetParam().executable)
  {}
};

struct TransportDiffusionRanks : RanksOf
{
  TransportDiffusionRanks()
    : RanksOf(transport_diffusion)
  {}
};

struct NavierStokesRanks : RanksOf
{
  NavierStokesRanks()
    : RanksOf(navier_stokes)
  {}
};

struct ElasticityRanks : RanksOf
{
  ElasticityRanks()
    : RanksOf(elasticity)
  {}
};

struct StokesRanks : RanksOf
{
  StokesRanks()
    : RanksOf(stokes)
  {}
};

struct NonlinearHeatRanks : RanksOf
{
  NonlinearHeatRanks()
    : RanksOf(nonlinear_heat)
  {}
};

struct BuoyantFlowRanks : RanksOf
{
  BuoyantFlowRanks()
    : RanksOf(buoyant_flow)
  {}
};

void expect_same(double value, double reference)
{
  EXPECT_TRUE(std::abs(value - reference) <= 1e-9 * std::abs(reference) + 1e-14 ||
              (std::isnan(value) && std::isnan(reference)))
    << value << " instead of " << reference;
}

// All of run.json that does not tell how fast or how well solved, nor about ranks.
void compare(const nlohmann::json &record, const nlohmann::json &reference, const std::string &name)
{
  SCOPED_TRACE(name);
  if (name == "ranks" || name == "timings" || name == "peak_memory_bytes" || name == "bytes" || name == "levels")
    return;
  ASSERT_EQ(record.type_name(), std::string(reference.type_name()));
  if (name == "newton") // residuals near the end, from which tolerances follow, are rounding
    for (std::size_t k = 0; k < reference.size(); ++k)
      {
        compare(record.at(k).at("iterations"), reference[k].at("iterations"), "iterations");
        compare(record.at(k).at("length"), reference[k].at("length"), "length");
      }
  else if (record.is_object() || record.is_array())
    {
      for (const auto &[key, value] : reference.items())
        EXPECT_TRUE(record.is_array() || record.contains(key)) << key << " is missing";
      for (const auto &[key, value] : record.items())
        if (key != "ranks" && key != "balance")
          compare(value, record.is_array() ? reference.at(std::stoi(key)) : reference.at(key),
                  name == "iterations" ? name : key);
    }
  else if (name == "iterations")
    {
      EXPECT_NEAR(record.get<double>(), reference.get<double>(), Ranks::GetParam().iterations);
    }
  else if (name == "heat_defect") // of a divergence that nearly is zero
    {
      EXPECT_NEAR(record.get<double>(), reference.get<double>(), 1e-11);
    }
  else if (record.is_number())
    expect_same(record, reference);
  else
    {
      EXPECT_EQ(record, reference);
    }
}

// Rows and columns of a file, the header among them.
std::vector<std::vector<std::string>> table(const std::string &file)
{
  std::vector<std::vector<std::string>> rows;
  std::ifstream                         in(file);
  for (std::string line, field; std::getline(in, line);)
    {
      rows.emplace_back();
      for (std::istringstream fields(line); std::getline(fields, field, ',');)
        rows.back().push_back(field);
    }
  return rows;
}

void compare_statistics(const std::string &folder, const std::string &reference_folder,
                        const std::string &file = "statistics.csv")
{
  const auto rows = table(folder + "/" + file), reference = table(reference_folder + "/" + file);
  ASSERT_EQ(rows.size(), reference.size());
  ASSERT_GT(rows.size(), 1u);
  ASSERT_EQ(rows[0], reference[0]);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[0].size(); ++k)
      {
        SCOPED_TRACE(rows[0][k] + " of row " + std::to_string(i));
        const double value = std::stod(rows[i].at(k)), expected = std::stod(reference[i].at(k));
        if (rows[0][k] == "iterations")
          {
            EXPECT_NEAR(value, expected, Ranks::GetParam().iterations);
          }
        else if (rows[0][k] == "heat_defect")
          {
            EXPECT_NEAR(value, expected, 1e-11);
          }
        else if (rows[0][k].find("residual") == std::string::npos) // these are what the solver leaves
          expect_same(value, expected);
      }
}

TEST_P(Ranks, SameIterationsAndResults)
{
  const auto reference = run_on(1, GetParam().settings);
  for (const int n_ranks : {2, 4})
    {
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks");
      const auto outcome = run_on(n_ranks, GetParam().settings);
      compare(outcome.record, reference.record, "run.json");
      compare_statistics(outcome.folder, reference.folder);
      for (const std::string file : {"horizontal_averages.csv", "heat_flux_2_0001.csv", "heat_flux_3.csv"})
        if (std::filesystem::exists(reference.folder + "/" + file))
          compare_statistics(outcome.folder, reference.folder, file);
    }
}

// One GPU each where the machine has as many, else they share them.
TEST_P(Ranks, GpusGiveTheSame)
{
  if (const auto gpu = adamant::test::make_device(adamant::test::Place::cuda); !gpu.device)
    GTEST_SKIP() << gpu.reason;
  if (GetParam().name.find("ML") != std::string::npos)
    GTEST_SKIP() << "ML runs on the host";
  const auto reference = run_on(1, GetParam().settings);
  auto       settings  = GetParam().settings;
  settings.push_back("Ranks/Share devices=true"); // where there are fewer
  for (const int n_ranks : {1, 2, 4})
    {
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks");
      compare_statistics(run_on(n_ranks, settings, "cuda").folder, reference.folder);
    }
}

const Settings plane   = {"Problem/Dimension=2"};
const Settings coupled = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};

Settings mesh(const std::string &refinement, int uniform, int steps)
{
  return {"Discretization/Refinement=" + refinement, "Discretization/Uniform refinements=" + std::to_string(uniform),
          "Discretization/Refinement steps=" + std::to_string(steps)};
}

// Clamped at x = 0, where it is displaced, and at z = 0 in z; pulled at x = 1. Two steps.
const Settings bar       = {"Problem/Dirichlet boundaries=0: xyz, 4: z",
                            "Problem/Boundary displacement=0.01*y; 0.02; 0.001*x",
                            "Problem/Traction=1: 1+y; 2*x; y",
                            "Problem/Body force=x; -1; y",
                            "Problem/Initial velocity=y; x; 0",
                            "Problem/Young modulus=2.75",
                            "Problem/Poisson ratio=0.375",
                            "Output/Points=0.25, 0.25, 0.25; 0.9, 0.1, 0.6; 0, 0, 0; 1, 1, 1",
                            "Output/Interval=0",
                            "Linear solver/Coarsest level cells=20",
                            "Time stepping/End time=0.1",
                            "Time stepping/Time step=0.05"};
const Settings plane_bar = bar + plane + Settings{"Problem/Dirichlet boundaries=0: xyz"};

const Settings transport = {
  "Output/Statistics=mean theta; max theta; flux on boundary 1; min theta on boundary 2; theta "
  "over material 0",
  "Time stepping/End time=0.02", "Time stepping/Time step=0.02", "Time stepping/Output interval=0",
  "Linear solver/Coarsest level cells=20"};

// A blob and a mesh that follows it.
const Settings following = transport + Settings{"Problem/Source=0",
                                                "Problem/Boundary values=0",
                                                "Problem/Transport=0.5,0.25",
                                                "Problem/Initial values=exp(-200*((x-0.25)^2+(y-0.375)^2))",
                                                "Discretization/Refinements=4",
                                                "Discretization/Adaptive cycles=0",
                                                "Time stepping/Time step=0.01",
                                                "Time stepping/End time=0.1",
                                                "Adaptivity/Interval=2",
                                                "Adaptivity/Strategy=error",
                                                "Adaptivity/Refine fraction=0.9",
                                                "Adaptivity/Coarsen fraction=0.01",
                                                "Adaptivity/Largest level=7",
                                                "Adaptivity/First mesh cycles=3"};

// A lid and inflow that vary, a force, the drag on a wall, profiles; refined towards a corner.
const Settings flow    = {"Problem/Viscosity=0.02",
                          "Problem/Body force=0; y*cos(9*t); x",
                          "Mesh/Local refinements=2",
                          "Mesh/Refine where=0.3 - x - 0.5*y",
                          "Time stepping/Unstable step=shorten",
                          "Time stepping/Time step=0.002",
                          "Output/Force boundaries=2, 3",
                          "Output/Statistics=force on boundary 2; volume_flux on boundary 1; kinetic_energy; max speed; "
                             "mean u; max strain_rate on boundary 3",
                          "Linear solver/Coarsest level cells=20"};
const Settings channel = flow + Settings{"Problem/Boundary velocity=0: 4*y*(1-y)*(1+t); 0; 0, 3: sin(t); 0; 0",
                                         "Problem/Traction=1: 0.3*cos(9*t)*y; 0.2*y; 0"};

const Settings heated = {"Problem/Buoyancy=0; 1; 0.5",
                         "Temperature/Initial temperature=1-y+0.1*x*sin(3*y)",
                         "Temperature/Boundary values=2: 1+0.1*x, 3: t",
                         "Temperature/Flux=0: 0.3",
                         "Temperature/Heating=x",
                         "Temperature/Diffusivity=0.03"};

const Settings ml_below = {"Linear solver/Coarse solver=trilinos_amg", "Ranks/Cells per rank=10"};

// A temperature that a mesh follows, beside a composition.
const Settings warm = {"Time stepping/Steps=3",
                       "Adaptivity/Interval=2",
                       "Adaptivity/Refine fraction=0.2",
                       "Adaptivity/Coarsen fraction=0.2",
                       "Adaptivity/Smallest level=2",
                       "Adaptivity/Largest level=6",
                       "Adaptivity/Field=temperature",
                       "Temperature/Initial temperature=1-y+0.1*x*sin(3*y)",
                       "Temperature/Boundary values=2: 1+0.1*x, 3: t",
                       "Temperature/Flux=0: 0.3",
                       "Temperature/Heating=x",
                       "Temperature/Linear solver/Tolerance=1e-12",
                       "Problem/Density=c-10*T",
                       "Problem/Viscosity=10^(2*c-T)",
                       "Output/Heat fluxes=2, 3",
                       "Output/Horizontal averages=6"};

// Balls of another viscosity and a lid; coarser levels are spread over ranks, too. The tolerance is what is added last.
const Settings balls = {"Problem/Case=expressions",
                        "Problem/Viscosity=1+99*exp(-40*((x-0.3)^2+(y-0.6)^2))",
                        "Problem/Boundaries=0: free_slip",
                        "Problem/Boundary velocity=3: 4*x*(1-x); 0; 0",
                        "Mesh/Cells=1, 1, 1",
                        "Ranks/Cells per rank=10",
                        "Linear solver/Coarsest level cells=20",
                        "Output/Points=0.3, 0.4, 0.2; 0.7, 0.2, 0.6",
                        "Output/Statistics=force on boundary 3; kinetic_energy; max speed; max u; max p on boundary 1",
                        "Output/Files=false"};

const Settings balls_in_3d =
  balls + Settings{"Problem/Dimension=3", "Mesh/Refinements=2", "Problem/Body force=0; 0; -x",
                   "Problem/Boundary velocity=3: 4*x*(1-x); 0; 0", "Refinement/For viscosity=1"};

// A stiff, heavy body that is nowhere symmetric; the composition takes several steps in each of the flow.
const Settings blob = {"Problem/Initial composition=1/(1+exp(40*((x-0.4)^2+2*(y-0.6)^2-0.03-0.1*x*y)))",
                       "Problem/Viscosity=10^(2*c)",
                       "Problem/Boundaries=2: no_slip",
                       "Mesh/Cells=1, 1, 1",
                       "Mesh/Refinements=4",
                       "Ranks/Cells per rank=10",
                       "Time stepping/Courant number=2.5",
                       "Time stepping/Output interval=0",
                       "Output/Statistics=mean c; c; kinetic_energy; max speed",
                       "Output/Points=0.3, 0.4, 0.2",
                       "Linear solver/Coarsest level cells=20"};

const Settings in_motion = {"Time stepping/Stationary=false", "Time stepping/Load steps=1",
                            "Time stepping/Time step=0.1", "Time stepping/End time=0.2",
                            "Problem/Initial velocity=0.1*y; 0.1; 0.1*x"};
// A soft body that is nowhere symmetric, on a mesh that changes between its load steps.
const Settings soft            = {"Problem/Dirichlet boundaries=0: xyz",
                                  "Problem/Material=neo_hooke; mu = 1; K = 5",
                                  "Problem/Body force=0.1+0.1*y; -0.2; 0.05*x",
                                  "Problem/Boundary displacement=0.05*t*y; 0.1*t*y; 0.02*t*x",
                                  "Mesh/Refinements=3",
                                  "Mesh/Local refinements=1",
                                  "Mesh/Refine where=0.3-abs(x-0.4)",
                                  "Newton/Tolerance=1e-12",
                                  "Newton/Least linear tolerance=1e-8",
                                  "Newton/Largest linear tolerance=1e-8",
                                  "Time stepping/Load steps=3",
                                  "Adaptivity/Interval=1",
                                  "Adaptivity/Refine fraction=0.2",
                                  "Adaptivity/Coarsen fraction=0.2",
                                  "Adaptivity/Largest level=5",
                                  "Linear solver/Coarsest level cells=20",
                                  "Output/Interval=0",
                                  "Output/Points=0.3, 0.4, 0.2; 0.7, 0.2, 0.6",
                                  "Output/Statistics=mean u; max J; min mean_stress; max von_mises on boundary 1"},
               mean_dilatation = {"Discretization/Volumetric strain=mean_dilatation"};

const Case cases[] = {
  // Its coarser levels are spread over ranks too.
  {"TransportDiffusion2D", transport_diffusion,
   transport + plane + Settings{"Discretization/Refinements=6", "Discretization/Adaptive cycles=1"}},
  {"TransportDiffusion3D", transport_diffusion,
   transport + Settings{"Problem/Dimension=3", "Discretization/Refinements=2", "Discretization/Adaptive cycles=2"}},
  {"TransportDiffusionAdaptive2D", transport_diffusion, following},
  {"TransportDiffusionPeriodic2D", transport_diffusion,
   following + Settings{"Mesh/Periodic boundaries=0: 1, 2: 3",
                        "Problem/Initial values=exp(-200*((x-0.9)^2+(y-0.375)^2))", "Output/Statistics=mean theta"}},
  {"ElasticityCondensed2D", elasticity,
   plane_bar + mesh("kelly", 3, 2) + Settings{"Discretization/Degree=2", "Problem/Exact displacement=x; y"}},
  {"ElasticityFromFile2D", elasticity,
   Settings{"Mesh/File=" MESHES "/plate_with_hole.msh", "Mesh/Curved boundaries=hole: circle; 0; 0",
            "Problem/Young modulus=plate: 3", "Problem/Poisson ratio=0.3",
            "Problem/Dirichlet boundaries=left: x, bottom: y, hole: n", "Problem/Traction=right: 1; 0",
            "Problem/Body force=0; 0", "Output/Points=0, 1; 1, 0", "Output/Stress points=0, 1; 1, 0; 3, 2.5",
            "Output/Profiles=0, 1, 0, 4", "Output/Planes=1, 1, 1, 0.3, 0.4, 2", "Output/Plane points=5, 4",
            "Output/Statistics=force on boundary right; mean u over material plate; max von_mises; max displacement on "
            "boundary hole",
            "Output/Interval=0", "Linear solver/Coarsest level cells=20", "Time stepping/Stationary=true"} +
     plane + mesh("kelly", 1, 3)},
  {"ElasticityFromFile3D", elasticity,
   Settings{"Mesh/File=" MESHES "/bracket.msh", "Problem/Dirichlet boundaries=clamped: xyz",
            "Problem/Young modulus=steel: 3", "Problem/Poisson ratio=0.3", "Problem/Traction=end: 0; -1; 0.5",
            "Output/Points=3, 0.5, 0.5", "Output/Stress points=0, 2, 0.5", "Output/Interval=0",
            "Linear solver/Coarsest level cells=20", "Time stepping/Stationary=true"} +
     mesh("kelly", 1, 2)},
  {"ElasticityCondensed3D", elasticity, bar + mesh("edge", 2, 2)},
  // Coefficients of place, springs, supports and thermal strains; the supports of one rank are ghosts of another.
  {"ElasticityTerms3D", elasticity,
   bar + mesh("edge", 2, 2) +
     Settings{"Problem/Young modulus=2+x*y", "Problem/Density=1+z", "Problem/Thermal expansion=0.1*x",
              "Problem/Springs=2: 1; 0.5", "Problem/Dirichlet boundaries=0: x",
              "Problem/Supports=x = 0, y = 0: z; x = 1, y = 1, z = 1: xy", "Output/Stress points=0.3, 0.4, 0.6"}},
  {"ElasticityByCells3D", elasticity,
   bar + mesh("edge", 2, 2) +
     Settings{"Problem/Young modulus=2+x*y", "Problem/Poisson ratio=0.1+0.3*x*y", "Discretization/Materials=cells",
              "Time stepping/Stationary=true", "Linear solver/Products=cells"}},
  {"ElasticityByCells2D", elasticity,
   plane_bar + mesh("kelly", 3, 2) +
     Settings{"Problem/Young modulus=2+x*y", "Problem/Poisson ratio=0.1+0.3*x*y", "Discretization/Materials=cells",
              "Time stepping/Stationary=true", "Linear solver/Products=cells"}},
  {"ElasticityAxial2D", elasticity,
   plane_bar + mesh("kelly", 3, 2) +
     Settings{"Problem/Plane=axial", "Problem/Thermal expansion=0.1", "Output/Stress points=0, 0.4; 0.3, 0.6"}},
  {"ElasticityCoupled2D", elasticity,
   plane_bar + coupled + mesh("vertex", 3, 3) + Settings{"Problem/Dirichlet boundaries="}},
  {"ElasticityCoupled3D", elasticity, bar + coupled + mesh("face", 2, 1)},
  {"ElasticityComponentBlocks2D", elasticity,
   plane_bar + mesh("kelly", 3, 2) + Settings{"Linear solver/Preconditioner=component_blocks"}},
  // Cells are refined on one rank, and the nodes around them may be another's.
  {"ElasticityHarmonic2D", elasticity,
   plane_bar + mesh("kelly", 3, 2) + Settings{"Discretization/Degree=2", "Linear solver/Interpolation=harmonic"}},
  {"ElasticityHarmonic3D", elasticity,
   bar + mesh("edge", 2, 1) + Settings{"Linear solver/Interpolation=harmonic", "Linear solver/Smoother=fsai"}},
  {"ElasticityComponentBlocks3D", elasticity,
   bar + mesh("edge", 2, 1) +
     Settings{"Linear solver/Preconditioner=component_blocks", "Linear solver/Solver=gmres",
              "Linear solver/Component blocks/Sweep=gauss_seidel"}},
  // The pressure is on all ranks, too.
  {"NavierStokes2D", navier_stokes,
   channel + plane +
     Settings{"Mesh/Refinements=6", "Time stepping/End time=0.0005", "Problem/Exact velocity=4*y*(1-y); 0",
              "Problem/Exact pressure=x", "Output/Profiles=0, 0.3, 1, 0.4; 0.1, 0.1, 0.1, 0.9",
              "Output/Points=0.25, 0.25; 0.9, 0.1"}},
  {"NavierStokesPeriodic2D", navier_stokes,
   flow + plane +
     Settings{"Mesh/Refinements=4", "Time stepping/End time=0.004", "Mesh/Periodic boundaries=0: 1",
              "Output/Force boundaries=2", "Output/Statistics=kinetic_energy"}},
  {"NavierStokesSlips2D", navier_stokes,
   flow + plane +
     Settings{"Mesh/Type=shell", "Mesh/Sizes=0.5, 1", "Mesh/Refinements=2", "Time stepping/End time=0.004",
              "Problem/Boundary velocity=0: -y; x", "Problem/Boundaries=1: free_slip", "Output/Force boundaries=0",
              "Output/Statistics=kinetic_energy"}},
  {"StokesSlips2D", stokes,
   plane + Settings{"Mesh/Type=shell", "Mesh/Sizes=0.5, 1", "Mesh/Refinements=2", "Mesh/Local refinements=1",
                    "Mesh/Refine where=x", "Problem/Case=expressions", "Problem/Body force=0; x",
                    "Problem/Boundaries=1: free_slip", "Problem/Boundary velocity=0: -y; x"}},
  {"NavierStokesWithoutOutflow2D", navier_stokes,
   flow + plane + Settings{"Mesh/Refinements=4", "Time stepping/End time=0.004", "Problem/Exact pressure=x"}},
  {"NavierStokesThatTemperatureDrives2D", navier_stokes,
   flow + plane + heated +
     Settings{"Mesh/Refinements=4", "Time stepping/End time=0.004", "Adaptivity/Interval=1",
              "Adaptivity/Field=temperature", "Adaptivity/Largest level=7", "Temperature/Diffusion=explicit"}},
  {"NavierStokesOfImplicitDiffusion2D", navier_stokes,
   flow + plane + heated +
     Settings{"Mesh/Refinements=3", "Time stepping/End time=0.003", "Adaptivity/Interval=2",
              "Adaptivity/Field=temperature", "Adaptivity/Largest level=6", "Temperature/Diffusion=implicit",
              "Temperature/Linear solver/Tolerance=1e-12"}},
  {"NavierStokesThatTemperatureDrives3D", navier_stokes,
   channel + heated +
     Settings{"Problem/Dimension=3", "Mesh/Refinements=2", "Mesh/Local refinements=1", "Time stepping/End time=0.005",
              "Temperature/Diffusion=explicit"}},
  {"NavierStokes3D", navier_stokes,
   channel + Settings{"Problem/Dimension=3", "Mesh/Refinements=2", "Mesh/Local refinements=1",
                      "Time stepping/End time=0.005", "Output/Profiles=0, 0, 0.2, 1, 1, 0.8",
                      "Output/Points=0.25, 0.25, 0.25; 0.9, 0.1, 0.6"}},
  {"NavierStokesCylinder", navier_stokes,
   Settings{"Problem/Viscosity=1e-3", "Mesh/Type=cylinder", "Mesh/Refinements=1", "Time stepping/Time step=0.0001",
            "Time stepping/End time=0.0005", "Problem/Boundary velocity=0: 30*y^2*(0.41-y); 0",
            "Problem/Boundaries=1: outflow", "Output/Force boundaries=2", "Output/Points=0.15, 0.2; 0.25, 0.2"}},
  {"NavierStokesAdaptive2D", navier_stokes,
   channel + plane +
     Settings{"Mesh/Refinements=4", "Mesh/Local refinements=1", "Time stepping/Time step=0.0002",
              "Time stepping/End time=0.0016", "Problem/Exact velocity=4*y*(1-y); 0", "Adaptivity/Interval=2",
              "Adaptivity/Largest level=7", "Output/Profiles=0, 0.3, 1, 0.4"}},
  {"NavierStokesAdaptiveWithoutOutflow3D", navier_stokes,
   flow + Settings{"Problem/Dimension=3", "Mesh/Refinements=2", "Mesh/Local refinements=0",
                   "Time stepping/Time step=0.001", "Time stepping/End time=0.004", "Adaptivity/Interval=1",
                   "Adaptivity/Refine fraction=0.1", "Adaptivity/Coarsen fraction=0.5", "Adaptivity/Largest level=4"}},
  {"NavierStokesAdaptiveCylinder", navier_stokes,
   Settings{"Problem/Viscosity=1e-3", "Mesh/Type=cylinder", "Mesh/Refinements=0", "Time stepping/Time step=0.0001",
            "Time stepping/End time=0.0004", "Problem/Boundary velocity=0: 30*y^2*(0.41-y); 0",
            "Problem/Boundaries=1: outflow", "Output/Force boundaries=2", "Adaptivity/Interval=1",
            "Adaptivity/Largest level=3"}},
  {"StokesBFBT2D", stokes,
   balls + Settings{"Mesh/Refinements=3", "Problem/Body force=0; -exp(-40*((x-0.3)^2+(y-0.6)^2))",
                    "Linear solver/Schur complement=bfbt", "Refinement/For viscosity=1", "Refinement/For velocity=1"}},
  {"StokesTaylorHood2D", stokes,
   balls + Settings{"Mesh/Refinements=3", "Problem/Body force=0; -exp(-40*((x-0.3)^2+(y-0.6)^2))",
                    "Problem/Boundaries=0: free_slip, 2: outflow", "Problem/Traction=1: y; 0.1; 0",
                    "Discretization/Velocity=q2", "Linear solver/Schur complement=bfbt", "Refinement/For velocity=1"}},
  {"Stokes3D", stokes, balls_in_3d + Settings{"Output/Files=true", "Linear solver/Products=cells"}},
  {"BuoyantFlow2D", buoyant_flow,
   blob + Settings{"Mesh/Local refinements=1", "Mesh/Refine where=0.3-abs(x-0.4)", "Time stepping/Steps=3"}},
  {"BuoyantFlowOfAStrainRate2D", buoyant_flow,
   blob + Settings{"Mesh/Local refinements=1", "Mesh/Refine where=0.3-abs(x-0.4)", "Time stepping/Steps=3",
                   "Problem/Viscosity=10^(2*c)*(1+depth)/sqrt(1e-3+strain)", "Viscosity/Nonlinear tolerance=1e-11"}},
  {"BuoyantFlowAdaptive2D", buoyant_flow,
   blob + Settings{"Time stepping/Steps=5", "Adaptivity/Interval=2", "Adaptivity/Refine fraction=0.2",
                   "Adaptivity/Coarsen fraction=0.2", "Adaptivity/Smallest level=2", "Adaptivity/Largest level=6",
                   "Adaptivity/First mesh cycles=1"}},
  {"BuoyantFlowThatTemperatureDrives2D", buoyant_flow, blob + warm},
  {"BuoyantFlowOfALimitedTemperature2D", buoyant_flow, blob + warm + Settings{"Temperature/Advection=limited"}},
  // The second rank has cells of the velocity's mesh, but none of the pressure's, whose mesh a temperature has, too.
  {"BuoyantFlowWhereARankHasNoPressure", buoyant_flow,
   blob + Settings{"Mesh/Refinements=3", "Ranks/Cells per rank=100000", "Time stepping/Steps=6",
                   "Adaptivity/Interval=2", "Adaptivity/Refine fraction=0.2", "Adaptivity/Coarsen fraction=0.2",
                   "Adaptivity/Smallest level=2", "Adaptivity/Largest level=5"}},
  {"BuoyantFlowOfABiquadraticTemperature2D", buoyant_flow,
   blob + warm +
     Settings{"Mesh/Refinements=3", "Ranks/Cells per rank=100000", "Adaptivity/Largest level=5",
              "Temperature/Element=q2"}},
  {"BuoyantFlow3D", buoyant_flow,
   blob + Settings{"Problem/Dimension=3", "Problem/Gravity=0, 0, -1", "Mesh/Refinements=2", "Time stepping/Steps=2",
                   "Time stepping/Output interval=2"}},
  // A load step counts the iterations of all linear systems.
  {"SolidAdaptive2D", solid, soft + plane, 4.},
  {"SolidAdaptiveMeanDilatation2D", solid,
   soft + plane + mean_dilatation + Settings{"Discretization/Degree=2", "Mesh/Refinements=2"}, 4.},
  {"SolidHarmonic2D", solid, // levels with nodes on fewer ranks follow the tangent, too
   soft + plane + mean_dilatation +
     Settings{"Discretization/Degree=2", "Mesh/Refinements=2", "Linear solver/Interpolation=harmonic"},
   4.},
  {"SolidAdaptiveMeanDilatation3D", solid,
   soft + mean_dilatation + Settings{"Mesh/Refinements=1", "Adaptivity/Largest level=2"}, 4.},
  {"SolidInMotion2D", solid,
   soft + plane + in_motion + Settings{"Mesh/Refinements=2", "Time stepping/Scheme=energy_momentum"}, 4.},
  {"SolidInMotion3D", solid,
   soft + mean_dilatation + in_motion + Settings{"Mesh/Refinements=1", "Adaptivity/Largest level=2"}, 4.},
  {"Template", template_program, {"Heat/Refinements=5", "Heat/End time=0.1", "Heat/Output interval=10"}},
  // Its aggregates depend on the ranks.
  {"ElasticityML", elasticity, bar + mesh("edge", 2, 1) + Settings{"Linear solver/Preconditioner=trilinos_amg"}, 3.},
  // The coarsest level is spread over the ranks or, as small as here, on fewer of them.
  {"TransportDiffusionMLBelow", transport_diffusion,
   transport + plane + ml_below +
     Settings{"Discretization/Refinements=6", "Discretization/Adaptive cycles=1",
              "Linear solver/Coarsest level cells=1000"},
   3.},
  {"ElasticityMLBelow", elasticity,
   bar + ml_below + mesh("edge", 2, 2) + Settings{"Linear solver/Coarsest level cells=100"}, 3.},
  {"ElasticityMLBelowOnOneOfTheRanks", elasticity,
   bar + mesh("edge", 2, 2) + Settings{"Linear solver/Coarse solver=trilinos_amg"}, 3.},
};

// The first of two ranks has the lower half of 17 x 17 nodes with the nodes between the halves. Each rank reads a row
// of the other, but for the two nodes that are prescribed.
TEST_F(TransportDiffusionRanks, BalanceIsRecorded)
{
  const Settings settings = transport + Settings{"Discretization/Refinements=4", "Discretization/Adaptive cycles=0"};
  EXPECT_FALSE(run_on(1, settings).record.contains("balance"));
  const auto outcome = run_on(2, settings);
  const auto balance = outcome.record.at("balance");
  EXPECT_DOUBLE_EQ(balance.at("unknowns"), 9 * 17 / (17 * 17 / 2.));
  EXPECT_DOUBLE_EQ(balance.at("ghosts"), 2 * 15 / (17 * 17.));
  EXPECT_NE(outcome.out.find(": 289 unknowns"), std::string::npos) << "expected the levels' unknowns on all ranks:\n"
                                                                   << outcome.out;
}

// All of them end, and take the folder back, where one has nodes at which the input is no number.
TEST_F(NavierStokesRanks, NoNumbersOnOneOfThem)
{
  start_on(2);
  expect_refused({"Mesh/Refinements=3", "Problem/Body force=log(0.9-y); 0"}, "Problem/Body force is ");
}

// The last rows of statistics.csv.
void expect_same_end(const std::string &folder, const std::string &reference_folder)
{
  const auto rows = table(folder + "/statistics.csv"), expected = table(reference_folder + "/statistics.csv");
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t k = 0; k < rows[0].size(); ++k)
    if (rows[0][k].find("residual") == std::string::npos)
      expect_same(std::stod(rows.back()[k]), std::stod(expected.back().at(k)));
}

// By cells, with hanging nodes, as by rows.
TEST_F(StokesRanks, ByCellsAsByRows)
{
  const auto [rows, cells] = by_rows_and_cells(2, balls_in_3d);
  EXPECT_EQ(rows.record.at("levels_by_cells"), 0);
  EXPECT_EQ(cells.record.at("levels_by_cells"), 3);
  EXPECT_GT(cells.record.at("hanging_nodes"), 0);
  EXPECT_EQ(cells.max_iterations(), rows.max_iterations());
  expect_same_end(cells.folder, rows.folder);
}

// Periodic boundaries have ghosts that no cell of a rank has, from three ranks on.
TEST_F(StokesRanks, PeriodicBoundariesByCells)
{
  const Settings layers    = {"Problem/Dimension=3",
                              "Problem/Case=expressions",
                              "Mesh/Cells=1, 1, 1",
                              "Mesh/Refinements=2",
                              "Mesh/Periodic boundaries=0: 1, 4: 5",
                              "Problem/Body force=pi^2*sin(pi*y)*(1+0.3*cos(2*pi*x)); 0; cos(2*pi*z)*y",
                              "Output/Statistics=mean speed; max speed"};
  const auto [rows, cells] = by_rows_and_cells(3, layers);
  EXPECT_GT(cells.record.at("levels_by_cells"), 0);
  expect_same_end(cells.folder, rows.folder);
}

// Products by cells have means of the terms, so that Newton's method takes other steps to the same end.
TEST_F(NonlinearHeatRanks, PeriodicBoundariesByCells)
{
  const Settings tiles     = {"Heat/Refinements=2",
                              "Heat/Adaptive cycles=0",
                              "Heat/Conductivity=0.1*(1+u^2)",
                              "Heat/Source=sin(2*pi*x)+cos(2*pi*y)",
                              "Heat/Initial values=sin(2*pi*(x+y))",
                              "Heat/Exact solution=",
                              "Heat/Boundary values=",
                              "Heat/Time step=0.1",
                              "Heat/End time=0.2",
                              "Heat/Newton tolerance=1e-12",
                              "Mesh/Periodic boundaries=0: 1, 2: 3",
                              "Output/Statistics=min u; max u"};
  const auto [rows, cells] = by_rows_and_cells(3, tiles);
  EXPECT_GT(cells.record.at("levels_by_cells"), 0);
  const auto of_rows = statistics(rows), of_cells = statistics(cells);
  for (const char *name : {"min_u", "max_u"})
    expect_same(of_cells.at(name).back(), of_rows.at(name).back());
}

// On meshes that follow the composition.
TEST_F(BuoyantFlowRanks, ByCellsAsByRows)
{
  const Settings adaptive =
    blob + Settings{"Problem/Dimension=3",        "Problem/Gravity=0, 0, -1",       "Mesh/Refinements=2",
                    "Time stepping/Steps=2",      "Adaptivity/Interval=1",          "Adaptivity/Smallest level=2",
                    "Adaptivity/Largest level=4", "Adaptivity/First mesh cycles=1", "Adaptivity/Refine fraction=0.05"};
  const auto [rows, cells] = by_rows_and_cells(2, adaptive);
  EXPECT_GT(rows.record.at("levels").back().at("nonzeros"), 0);
  EXPECT_EQ(cells.record.at("levels").back().at("nonzeros"), 0);
  EXPECT_EQ(cells.max_iterations(), rows.max_iterations());
  for (const char *key : {"speed", "work", "dissipation"})
    expect_same(cells.record.at(key), rows.record.at(key));
}

TEST_F(StokesRanks, NegativeViscosityOnOneOfThem)
{
  start_on(2);
  for (const std::string viscosity : {"0.6-y", "y-0.4"})
    expect_refused(
      {"Mesh/Refinements=3", "Mesh/Cells=1, 1", "Problem/Case=expressions", "Problem/Viscosity=" + viscosity},
      "it has to be positive");
}

// A rank without nodes knows, too, that the flow is driven by a force and may become quicker than its boundary.
TEST_F(NavierStokesRanks, AForceActsOnARankWithoutNodes)
{
  run_on(5, {"Problem/Viscosity=0.1", "Mesh/Refinements=1", "Problem/Boundary velocity=0: 1e-3*y*(1-y); 0",
             "Problem/Boundaries=1: outflow", "Problem/Body force=10*y; 0", "Time stepping/Time step=0.01",
             "Time stepping/Unstable step=shorten", "Time stepping/End time=0.1"});
}

// Nor does the first one wait, or keep the folder, where the boundary of the other's cells bends over them.
TEST_F(TransportDiffusionRanks, CellsTurnedInsideOutOnOneOfThem)
{
  std::string nodes, cells;
  for (int k = 0; k <= 4; ++k)
    for (const char *y : {"0", "0.3"})
      nodes += std::to_string(2 * k + (y[1] == 0 ? 1 : 2)) + " " + std::to_string(k) + " " + y + " 0\n";
  for (int k = 0; k < 4; ++k)
    {
      const auto node = [&](int n) { return " " + std::to_string(2 * k + n); };
      cells += std::to_string(k + 2) + " 3 2 1 1" + node(1) + node(3) + node(4) + node(2) + "\n";
    }
  write("m.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n" + nodes +
                   "$EndNodes\n$Elements\n5\n1 1 2 7 7 7 9\n" + cells + "$EndElements\n");
  start_on(2);
  expect_refused({"Mesh/File=m.msh", "Mesh/Curved boundaries=7: circle; 3.5; -0.2", "Discretization/Refinements=2",
                  "Problem/Transport=0, 0"},
                 "/m.msh': cell 5 (line 23), refined to level 2, is ");
}

// Also where all levels of the first mesh lie on one rank, as patches need it.
TEST_F(TransportDiffusionRanks, PatchesAreRefusedBeforeTheyMeetSeveralRanks)
{
  start_on(2);
  for (const char *name : {"vertex_patches", "downstream_patches"})
    expect_refused({"Discretization/Refinements=2", std::string("Linear solver/Smoother=") + name},
                   std::string("Linear solver/Smoother = ") + name + ": it runs on one rank");
}

// 2 (n + 1)^2 unknowns on n x n cells; one rank counts 2^31, and four at most four times as many.
TEST_F(ElasticityRanks, EachRankCountsItsOwnUnknowns)
{
  const auto code = [&](int n_ranks, const std::string &n) {
    start_on(n_ranks);
    return start({"--print-parameters", "--set", "Problem/Dimension=2", "--set", "Discretization/Uniform refinements=0",
                  "--set", "Discretization/Coarse cells=" + n + "," + n})
      .code;
  };
  EXPECT_EQ(code(1, "32000"), 0);
  EXPECT_EQ(code(1, "40000"), 2);
  EXPECT_EQ(code(2, "40000"), 0);
  EXPECT_EQ(code(4, "70000"), 2);
}

INSTANTIATE_TEST_SUITE_P(Programs, Ranks, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });
} // namespace
