// What a restart needs of a checkpoint, asked of every program. A run that is killed and continued equals one that is
// not, to the bit, and nothing else is touched. What would change the problem is refused by name.
#include "restart.h"

#include <boost/crc.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>

namespace
{
const Settings changing    = {"Adaptivity/Interval=2", "Adaptivity/Refine fraction=0.2",
                              "Adaptivity/Coarsen fraction=0.1"};
const Settings distributed = {"Ranks/Distributed mesh=true"};

class Restarts : public RestartedProgram
{
protected:
  explicit Restarts(const std::string &executable)
    : RestartedProgram(executable)
  {
    write_annulus();
  }

  // Between circles of radius 1/2 (boundary 1) and 1 (boundary 2); its cells have materials 1 and 2 by turns.
  void write_annulus() const
  {
    const int          n = 8;
    std::ostringstream text;
    text.precision(17);
    text << 2 * n << ' ' << 3 * n << " 0 0 0\n";
    for (int i = 0; i < 2 * n; ++i)
      {
        const double radius = i < n ? 0.5 : 1., angle = 2. * std::acos(-1.) * i / n;
        text << i + 1 << ' ' << radius * std::cos(angle) << ' ' << radius * std::sin(angle) << " 0\n";
      }
    for (int i = 0; i < n; ++i)
      {
        const int next = (i + 1) % n;
        text << i + 1 << ' ' << 1 + i % 2 << " quad " << i + 1 << ' ' << i + 1 + n << ' ' << next + 1 + n << ' '
             << next + 1 << '\n';
      }
    for (int i = 0; i < 2 * n; ++i)
      text << n + i + 1 << ' ' << (i < n ? 1 : 2) << " line " << i + 1 << ' ' << (i + 1) % n + 1 + (i < n ? 0 : n)
           << '\n';
    write("annulus.inp", text.str());
  }

  Outcome start_on(int n_ranks, const Settings &settings, const Settings &arguments)
  {
    before       = n_ranks == 1 ? "" : "mpirun --oversubscribe --bind-to none -np " + std::to_string(n_ranks);
    Settings all = {"--backend", "host", "--threads", "1"};
    for (const auto &setting : settings)
      all.insert(all.end(), {"--set", setting});
    const Outcome outcome = start(all + arguments);
    before.clear();
    return outcome;
  }

  // All of run.json but clocks, memory and where the run came from.
  nlohmann::json results(const std::string &name) const
  {
    auto record = nlohmann::json::parse(read(name + "/run.json"));
    for (const char *key : {"timings", "peak_memory_bytes", "restart", "balance"})
      record.erase(key);
    return record;
  }

  /// Kills a run once its first checkpoint is there, of step `checkpoint`, and continues it. Meshes of p4est count
  /// their cells in another order once they have changed after a restart: their VTU files are not compared.
  void expect_same(int n_ranks, Settings settings, int checkpoint)
  {
    SCOPED_TRACE(executable + " on " + std::to_string(n_ranks) + " ranks with " + settings.front());
    const bool on_forest = n_ranks > 1 || settings.back() == distributed[0];
    settings.push_back("Checkpoint/Steps=" + std::to_string(checkpoint));
    const std::string run      = (folder / "run").string();
    const Outcome     straight = start_on(n_ranks, settings, {"--output", (folder / "straight").string()});
    ASSERT_EQ(straight.code, 0) << straight.err;
    setenv("ADAMANT_CHECKPOINT_KILL", "renamed:1", 1);
    ASSERT_EQ(start_on(n_ranks, settings, {"--output", run}).code, 137);
    unsetenv("ADAMANT_CHECKPOINT_KILL");
    const Outcome continued = start_on(n_ranks, {}, {"--restart=" + run});
    ASSERT_EQ(continued.code, 0) << continued.err;
    EXPECT_NE(continued.out.find(": step " + std::to_string(checkpoint) + ","), std::string::npos) << continued.out;
    EXPECT_EQ(results("run"), results("straight"));
    ASSERT_EQ(start_on(n_ranks, {}, {"--restart=" + run}).code, 0); // nothing is left to do
    EXPECT_EQ(results("run"), results("straight"));
    for (const auto &entry : std::filesystem::directory_iterator(folder / "straight"))
      {
        const std::string file = entry.path().filename().string(), type = entry.path().extension().string();
        const bool        compared =
          type != ".json" && !(type == ".vtu" && results("run").value("remeshes", 0) > 0 && on_forest);
        EXPECT_TRUE(std::filesystem::exists(folder / "run" / file)) << file;
        if (compared)
          {
            EXPECT_TRUE(without_date(read("run/" + file)) == without_date(read("straight/" + file))) << file;
          }
      }
    std::filesystem::remove_all(folder / "run");
    std::filesystem::remove_all(folder / "straight");
  }

  // All files of a folder and what is in them.
  std::map<std::string, std::string> contents(const std::string &name) const
  {
    std::map<std::string, std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder / name))
      files[entry.path().filename().string()] = read(entry.path());
    return files;
  }

  /// A restart of folder "run" that is refused with this message changes no file.
  void expect_refusal(const Settings &settings, const std::string &message, const Settings &more = {})
  {
    const auto    files   = contents("run");
    const Outcome outcome = start_on(1, settings, more + Settings{"--restart=" + (folder / "run").string()});
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << "expected '" << message << "' in: " << outcome.err;
    EXPECT_TRUE(contents("run") == files) << "a restart that is refused has changed files";
  }

  void start_and_kill_after(const std::string &stage, const Settings &settings)
  {
    setenv("ADAMANT_CHECKPOINT_KILL", stage.c_str(), 1);
    ASSERT_EQ(start_on(1, settings, {"--output", (folder / "run").string()}).code, 137);
    unsetenv("ADAMANT_CHECKPOINT_KILL");
  }

  // Puts the right checksum behind a checkpoint.
  static std::string with_checksum(const std::string &bytes)
  {
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    const std::uint32_t sum = crc.checksum();
    return bytes + std::string(reinterpret_cast<const char *>(&sum), sizeof(sum));
  }
};

struct TemplateRestarts : Restarts
{
  TemplateRestarts()
    : Restarts(TEMPLATE)
  {}
};
struct TransportDiffusionRestarts : Restarts
{
  TransportDiffusionRestarts()
    : Restarts(TRANSPORT_DIFFUSION)
  {}
};
struct ElasticityRestarts : Restarts
{
  ElasticityRestarts()
    : Restarts(ELASTICITY)
  {}
};
struct NavierStokesRestarts : Restarts
{
  NavierStokesRestarts()
    : Restarts(NAVIER_STOKES)
  {}
};
struct NonlinearHeatRestarts : Restarts
{
  NonlinearHeatRestarts()
    : Restarts(NONLINEAR_HEAT)
  {}
};
struct StokesRestarts : Restarts
{
  StokesRestarts()
    : Restarts(STOKES)
  {}
};
struct BuoyantFlowRestarts : Restarts
{
  BuoyantFlowRestarts()
    : Restarts(BUOYANT_FLOW)
  {}
};
struct StationaryNavierStokesRestarts : Restarts
{
  StationaryNavierStokesRestarts()
    : Restarts(STATIONARY)
  {}
};
struct SolidRestarts : Restarts
{
  SolidRestarts()
    : Restarts(SOLID)
  {}
};

const Settings annulus = {"Mesh/File=annulus.inp", "Mesh/Curved boundaries=1: circle; 0; 0, 2: circle; 0; 0"};

// The numbers of ranks are tests of their own, which run at the same time.

// Curved boundaries of a mesh from a file, which new vertices are placed on after the restart.
const Settings heat =
  annulus + Settings{"Heat/Refinements=1", "Heat/Adaptive cycles=0", "Heat/End time=0.4", "Heat/Output interval=2"};

TEST_F(TemplateRestarts, SameBits)
{
  expect_same(1, heat + changing, 3);
}
TEST_F(TemplateRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, heat + changing, 3);
}
TEST_F(TemplateRestarts, SameBitsOfADistributedMesh)
{
  expect_same(1, heat + changing + distributed, 3);
}

// Eigenvalues that are estimated of a matrix which has another factor in the first step only.
const Settings bdf2      = {"Time stepping/Scheme=bdf2", "Linear solver/Chebyshev=true", "Time stepping/End time=0.16",
                            "Time stepping/Output interval=2", "Time stepping/Extrapolation order=3"};
const Settings materials = {"Problem/Diffusion=0.01, 2: 0.1", "Problem/Source=1",
                            "Problem/Boundary values=0",      "Problem/Initial values=x",
                            "Discretization/Refinements=1",   "Discretization/Adaptive cycles=0"};

TEST_F(TransportDiffusionRestarts, SameBits)
{
  expect_same(1, bdf2 + Settings{"Discretization/Refinements=3"} + changing, 3);
}
TEST_F(TransportDiffusionRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, bdf2 + Settings{"Discretization/Refinements=3"} + changing, 3);
}
TEST_F(TransportDiffusionRestarts, SameBitsWithMaterials)
{
  expect_same(1, bdf2 + materials + annulus, 3);
}
TEST_F(TransportDiffusionRestarts, SameBitsWithMaterialsOnTwoRanks)
{
  expect_same(2, bdf2 + materials + annulus, 3);
}

// A wave through periodic sides; its mesh follows it.
const Settings wave = {
  "Mesh/Periodic boundaries=0: 1, 2: 3", "Problem/Transport=1; 0.5",           "Problem/Source=0",
  "Problem/Boundary values=0",           "Problem/Initial values=sin(2*pi*x)", "Discretization/Refinements=3"};

TEST_F(TransportDiffusionRestarts, SameBitsOnPeriodicMeshes)
{
  expect_same(1, bdf2 + wave + changing, 3);
}
TEST_F(TransportDiffusionRestarts, SameBitsOnPeriodicMeshesOfTwoRanks)
{
  expect_same(2, bdf2 + wave + changing, 3);
}

// Vertices that were moved, and both formulations.
const Settings loaded  = {"Problem/Load factor=sin(20*t)",
                          "Time stepping/End time=0.2",
                          "Time stepping/Extrapolation order=2",
                          "Output/Interval=2",
                          "Output/Energy interval=4",
                          "Output/Statistics=force on boundary 1; max von_mises",
                          "Problem/Dimension=2"};
const Settings coupled = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres",
                          "Output/Stress points=0.3, 0.3", "Output/Profiles=0, 0.5, 1, 0.5"};

TEST_F(ElasticityRestarts, SameBits)
{
  expect_same(1, loaded + Settings{"Discretization/Coordinates=x; y^2", "Discretization/Refinement steps=1"} + changing,
              3);
}
TEST_F(ElasticityRestarts, SameBitsOfTheCoupledFormulation)
{
  expect_same(1, loaded + changing + coupled, 3);
}
TEST_F(ElasticityRestarts, SameBitsOfTheCoupledFormulationOnTwoRanks)
{
  expect_same(2, loaded + changing + coupled, 3);
}
TEST_F(ElasticityRestarts, SameBitsOfAllTerms)
{
  const Settings terms = {"Problem/Young modulus=5e4*(1+x)",   "Problem/Density=1+y",
                          "Problem/Thermal expansion=1e-5*x",  "Problem/Springs=0: 1e4; 1e3",
                          "Problem/Dirichlet boundaries=2: y", "Problem/Supports=x = 1, y = 1: x"};
  for (const int n_ranks : {1, 2})
    expect_same(n_ranks, loaded + changing + terms, 3);
}

// A checkpoint of a step whose energies nobody has asked for, and no step after it.
TEST_F(ElasticityRestarts, ARunThatEndsAtItsCheckpointHasEnergies)
{
  const std::string run  = (folder / "run").string();
  const Settings    step = loaded + Settings{"Time stepping/Time step=0.05"}, end = {"Time stepping/End time=0.05"};
  const Outcome     straight = start_on(1, step + end, {"--output", (folder / "straight").string()});
  ASSERT_EQ(straight.code, 0) << straight.err;
  ASSERT_EQ(start_on(1, step + Settings{"Checkpoint/Wall-time limit=1e-9"}, {"--output", run}).code, 3);
  const Outcome continued = start_on(1, end + Settings{"Checkpoint/Wall-time limit=0"}, {"--restart=" + run});
  ASSERT_EQ(continued.code, 0) << continued.err;
  EXPECT_EQ(results("run").at("strain_energy"), results("straight").at("strain_energy"));
  EXPECT_EQ(results("run").at("kinetic_energy"), results("straight").at("kinetic_energy"));
}

// Curved boundaries that the program knows, a step that is shortened to be stable, forces and points.
const Settings past_cylinder = {"Mesh/Type=cylinder",
                                "Mesh/Refinements=0",
                                "Problem/Boundary velocity=0: 6*y*(0.41-y)/0.1681*cos(10*t); 0",
                                "Problem/Boundaries=1: outflow",
                                "Problem/Viscosity=0.001",
                                "Output/Force boundaries=2",
                                "Output/Points=0.15, 0.2",
                                "Output/Profiles=0.15, 0.2, 0.15, 0.25",
                                "Output/Statistics=force on boundary 2; max speed; kinetic_energy",
                                "Output/Interval=3",
                                "Time stepping/Time step=0.1",
                                "Time stepping/End time=0.005",
                                "Time stepping/Unstable step=shorten"};

TEST_F(NavierStokesRestarts, SameBits)
{
  expect_same(1, past_cylinder + changing, 3);
}
TEST_F(NavierStokesRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, past_cylinder + changing, 3);
}

const Settings warm = {"Problem/Buoyancy=0; 2",
                       "Temperature/Initial temperature=10*y",
                       "Temperature/Boundary values=0: 10*y*cos(10*t), 2: 5",
                       "Temperature/Flux=3: 0.1",
                       "Temperature/Diffusivity=0.001",
                       "Output/Statistics=min T; max T"};

TEST_F(NavierStokesRestarts, SameBitsOfATemperature)
{
  expect_same(2, past_cylinder + changing + warm + Settings{"Adaptivity/Field=temperature"}, 3);
}
TEST_F(NavierStokesRestarts, SameBitsOfImplicitDiffusion)
{
  expect_same(
    1, past_cylinder + changing + warm + Settings{"Adaptivity/Field=temperature", "Temperature/Diffusion=implicit"}, 3);
}

const Settings nonlinear = {"Heat/Refinements=3", "Heat/End time=0.3", "Heat/Output interval=2",
                            "Output/Statistics=mean u; flux on boundary 1", "Output/Planes=0, 0, 1, 0, 0, 1"};

TEST_F(NonlinearHeatRestarts, SameBits)
{
  expect_same(1, nonlinear + changing, 3);
}
TEST_F(NonlinearHeatRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, nonlinear + changing, 3);
}

// Its one step is followed by the results alone, on a mesh that is placed on the cylinder anew. Q2 has curved cells.
const Settings in_cylinder     = {"Mesh/Type=cylinder",  "Mesh/Refinements=1",       "Problem/Case=expressions",
                                  "Problem/Viscosity=1", "Problem/Body force=y; -x", "Output/Points=0.1, 0.2"},
               in_curved_cells = in_cylinder + Settings{"Discretization/Velocity=q2"};

TEST_F(StokesRestarts, SameBits)
{
  expect_same(1, in_cylinder, 1);
}
TEST_F(StokesRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, in_curved_cells, 1);
}
TEST_F(StokesRestarts, SameBitsOfADistributedMesh)
{
  expect_same(1, in_curved_cells + distributed, 1);
}

// Without Chebyshev's polynomials, whose eigenvalues follow the viscosity from step to step (docs/checkpoints.md).
const Settings buoyant = {"Mesh/Refinements=3", "Time stepping/Steps=6", "Linear solver/Chebyshev=false",
                          "Output/Statistics=mean c; max speed; force on boundary 2", "Output/Points=0.5, 0.4"};

TEST_F(BuoyantFlowRestarts, SameBits)
{
  expect_same(1, buoyant + changing, 3);
}
TEST_F(BuoyantFlowRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, buoyant + changing, 3);
}
const Settings buoyant_and_warm =
  buoyant + changing +
  Settings{"Temperature/Initial temperature=1-y+0.1*cos(pi*x)*sin(pi*y)", "Temperature/Boundary values=2: 1, 3: 0.1*t",
           "Problem/Density=c-1e3*T", "Problem/Viscosity=10^(c-T)", "Time stepping/Steady tolerance=1e-30"};

TEST_F(BuoyantFlowRestarts, SameBitsOfATemperature)
{
  expect_same(1, buoyant_and_warm, 3);
}
TEST_F(BuoyantFlowRestarts, SameBitsOfALimitedTemperature)
{
  expect_same(2, buoyant_and_warm + Settings{"Temperature/Advection=limited"}, 3);
}

// The way to the solution belongs to the results.
TEST_F(StationaryNavierStokesRestarts, SameBits)
{
  expect_same(1, {"Problem/Viscosity=0.02", "Mesh/Refinements=3", "Refinement/Cycles=1"}, 1);
}

// Each load step begins with eigenvalues that are estimated anew. Newton's method stops far from rounding.
const Settings hanging_body    = {"Problem/Dimension=2",
                                  "Problem/Material=neo_hooke; mu = 1; K = 5",
                                  "Problem/Body force=0.1; -0.2",
                                  "Problem/Dirichlet boundaries=0: xy",
                                  "Problem/Boundary displacement=0; 0.1*t*y",
                                  "Mesh/Refinements=3",
                                  "Mesh/Local refinements=1",
                                  "Mesh/Refine where=x-0.7",
                                  "Newton/Tolerance=1e-6",
                                  "Time stepping/Load steps=6",
                                  "Linear solver/Coarsest level cells=4",
                                  "Output/Interval=2",
                                  "Output/Points=0.9, 0.4",
                                  "Output/Fields=J, von_mises",
                                  "Output/Statistics=mean u; max mean_stress"},
               mean_dilatation = {"Discretization/Volumetric strain=mean_dilatation"},
               of_degree_2     = mean_dilatation + Settings{"Discretization/Degree=2", "Mesh/Refinements=2"},
               in_motion       = {"Time stepping/Stationary=false", "Time stepping/Load steps=1",
                                  "Time stepping/Time step=0.125", "Time stepping/End time=0.75",
                                  "Problem/Initial velocity=0; 0.1"};

TEST_F(SolidRestarts, SameBits)
{
  expect_same(1, hanging_body, 3);
  expect_same(1, hanging_body + changing, 3);
}
TEST_F(SolidRestarts, SameBitsOfMeanDilatations)
{
  expect_same(1, hanging_body + mean_dilatation + changing, 3);
  expect_same(1, hanging_body + of_degree_2, 3);
}
TEST_F(SolidRestarts, SameBitsOfHarmonicInterpolation)
{
  expect_same(1,
              hanging_body + of_degree_2 + changing +
                Settings{"Linear solver/Interpolation=harmonic", "Linear solver/Smoother=vertex_patches",
                         "Problem/Material=neo_hooke; mu = 1; K = 500"},
              3);
}
// Nodes on edges are placed by an interpolation of the curved boundary, as on the mesh before.
TEST_F(SolidRestarts, SameBitsOnCurvedCells)
{
  expect_same(1,
              {"Problem/Dimension=2", "Problem/Dirichlet boundaries=2: xy, 3: xy", "Mesh/Type=cylinder",
               "Mesh/Refinements=0", "Discretization/Degree=2", "Time stepping/Load steps=6", "Output/Interval=2"},
              3);
}
TEST_F(SolidRestarts, SameBitsOnTwoRanks)
{
  expect_same(2, hanging_body + of_degree_2 + changing, 3);
}
TEST_F(SolidRestarts, SameBitsOfAMotion)
{
  expect_same(1, hanging_body + in_motion + changing + mean_dilatation, 3);
  expect_same(2, hanging_body + in_motion + changing + Settings{"Time stepping/Scheme=energy_momentum"}, 3);
}

TEST_F(ElasticityRestarts, MovedVerticesNeedASerialMesh)
{
  const std::string moved = "Discretization/Coordinates=x; y; z^2", message = moved.substr(0, 26) + ": p4est's meshes";
  expect_refused({moved, distributed[0]}, message);
  before = "mpirun --oversubscribe --bind-to none -np 2";
  expect_refused({moved}, message);
}

TEST_F(TransportDiffusionRestarts, ACheckpointOfAnotherLayoutIsNamed)
{
  const Settings small = {"Discretization/Refinements=2", "Time stepping/End time=0.04", "Checkpoint/Steps=2"};
  ASSERT_EQ(start_on(1, small, {"--output", (folder / "run").string()}).code, 0);
  const std::string file = "run/" + checkpoints("run").back(), good = read(file);
  const std::string bytes = good.substr(0, good.size() - 4), mark = bytes.substr(0, bytes.find('\n'));
  ASSERT_EQ(with_checksum(bytes), good);
  ASSERT_EQ(mark.rfind("adamant checkpoint, layout ", 0), 0u) << mark;
  const auto expect = [&](const std::string &changed, const std::string &message) {
    write(file, with_checksum(changed));
    expect_refusal({}, message);
  };
  const std::string archive = bytes.substr(mark.size() + 1), other = "checkpoints have another layout";
  expect(archive, other); // as it was until layout 5
  expect(mark + "0\n" + archive, other);
  expect("adamant", other);
  // What is right so far, but no archive, or one of something else.
  expect(mark + "\n", "cannot be read");
  expect(mark + "\n" + archive.substr(0, 200), "cannot be read");
  std::string shifted = archive;
  shifted.erase(archive.find("transport_diffusion") - 8, 8);
  expect(mark + "\n" + shifted, "cannot be read");
  write(file, good);
  EXPECT_EQ(start_on(1, {}, {"--restart=" + (folder / "run").string()}).code, 0);
}

TEST_F(TransportDiffusionRestarts, FilesOfTheUserStay)
{
  const Settings small = {"Discretization/Refinements=2", "Time stepping/End time=0.16", "Checkpoint/Steps=2",
                          "Time stepping/Output interval=1"};
  start_and_kill_after("opened:2", small); // files of steps 0 to 4, a checkpoint of step 2
  const Settings users = {"checkpoint_notes.txt", "checkpoint_0000000003.bak", "checkpoint_00000000099",
                          "solution_0099.png",    "solution_0099_zoom.vtu",    "solution_99999999999999999999.vtu"};
  for (const auto &file : users)
    write("run/" + file, "mine");
  const Outcome continued = start_on(1, {}, {"--restart=" + (folder / "run").string()});
  ASSERT_EQ(continued.code, 0) << continued.err;
  EXPECT_EQ(continued.out.find("damaged"), std::string::npos) << continued.out;
  for (const auto &file : users)
    EXPECT_EQ(read("run/" + file), "mine") << file;
}

TEST_F(TransportDiffusionRestarts, ARefusedOneCutsNothing)
{
  start_and_kill_after("opened:3", {"Discretization/Refinements=2", "Checkpoint/Steps=2",
                                    "Time stepping/Output interval=1"}); // files and rows past the checkpoint of step 4
  write("run/statistics.csv", "rows past it");
  expect_refusal({"Time stepping/End time=0.04"}, "the checkpoint is of step 4");
  expect_refusal({"Problem/Diffusion=0.02"}, "Problem/Diffusion is '0.02', was '0.01'");
}

TEST_F(TransportDiffusionRestarts, NumbersOfListsMayBeWrittenInAnotherWay)
{
  ASSERT_EQ(start_on(1,
                     {"Discretization/Refinements=2", "Time stepping/End time=0.04", "Checkpoint/Steps=2",
                      "Problem/Source=1", "Problem/Boundary values=0", "Problem/Initial values=x",
                      "Problem/Transport=0,-1", "Problem/Diffusion=0:0.1"},
                     {"--output", (folder / "run").string()})
              .code,
            0);
  const auto restart = [this](const Settings &settings) {
    return start_on(1, settings, {"--restart=" + (folder / "run").string()});
  };
  const Outcome same = restart({"Problem/Transport=0.0, -1e0", "Problem/Diffusion= 0 : 1e-1"});
  EXPECT_EQ(same.code, 0) << same.err;
  expect_refusal({"Problem/Transport=0, -2"}, "Problem/Transport is '0, -2', was '0,-1'");
  expect_refusal({"Problem/Transport=0, -1, 0"}, "Problem/Transport is '0, -1, 0', was '0,-1'");
  expect_refusal({"Problem/Diffusion=0: 0.2"}, "Problem/Diffusion is '0: 0.2'");
}

TEST_F(NavierStokesRestarts, RowsPastACheckpointWithoutRowsGo)
{
  start_and_kill_after("renamed:1", {"Mesh/Refinements=2", "Checkpoint/Steps=2", "Output/Interval=0",
                                     "Output/Statistics interval=1000000", "Time stepping/Time step=0.3",
                                     "Time stepping/Unstable step=shorten"});
  write("run/statistics.csv", "rows past it");
  setenv("ADAMANT_CHECKPOINT_KILL", "renamed:1", 1);
  EXPECT_EQ(start_on(1, {}, {"--restart=" + (folder / "run").string()}).code, 137);
  unsetenv("ADAMANT_CHECKPOINT_KILL");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/statistics.csv"));
}

TEST_F(NavierStokesRestarts, ARefusedOneCutsNothing)
{
  start_and_kill_after("opened:3", {"Mesh/Refinements=2", "Checkpoint/Steps=2", "Output/Interval=1",
                                    "Time stepping/Time step=0.3", "Time stepping/Unstable step=shorten"});
  write("run/statistics.csv", "rows past it");
  expect_refusal({"Time stepping/End time=9.999"}, "is not a multiple of the checkpoint's time step");
  expect_refusal({"Output/Points=0.5, 0.5"}, "Output/Points is '0.5, 0.5', was ''"); // a column of the rows
}

TEST_F(BuoyantFlowRestarts, ARefusedOneCutsNothing)
{
  start_and_kill_after("opened:3", {"Mesh/Refinements=2", "Checkpoint/Steps=2", "Time stepping/Output interval=1",
                                    "Time stepping/Longest time step=1e-3"});
  write("run/statistics.csv", "rows past it");
  expect_refusal({"Time stepping/End time=1e-6"}, "but Time stepping/End time is ");
}

// What is written and when may change everywhere; in these programs the section Checkpoint could not.
TEST_F(StokesRestarts, TheIntervalOfCheckpointsMayChange)
{
  const Settings small = {"Mesh/Refinements=1", "Checkpoint/Steps=1", "Output/Points=0.5, 0.5"};
  ASSERT_EQ(start_on(1, small, {"--output", (folder / "run").string()}).code, 0);
  const std::string run       = "--restart=" + (folder / "run").string();
  const Outcome     continued = start_on(1, {"Checkpoint/Steps=5", "Output/Points=0.25, 0.5"}, {run});
  EXPECT_EQ(continued.code, 0) << continued.err;
  expect_refusal({"Problem/Viscosity ratio=10"}, "Problem/Viscosity ratio is '10', was ");
}

// The mesh is its file's contents, wherever that lies.
TEST_F(TemplateRestarts, AMeshFileCountsByItsContents)
{
  const Settings heat = Settings{"Heat/Refinements=1", "Heat/Adaptive cycles=0", "Heat/End time=0.2"} + annulus;
  ASSERT_EQ(start_on(1, heat + Settings{"Checkpoint/Steps=2"}, {"--output", (folder / "run").string()}).code, 0);
  std::filesystem::create_directories(folder / "elsewhere");
  before                 = "cd elsewhere &&";
  const Settings restart = {"--backend", "host", "--restart=" + (folder / "run").string()};
  const Outcome  away    = start(restart);
  EXPECT_EQ(away.code, 0) << away.err;
  std::filesystem::rename(folder / "annulus.inp", folder / "elsewhere/ring.inp");
  const Outcome moved = start(restart + Settings{"--set", "Mesh/File=ring.inp"});
  EXPECT_EQ(moved.code, 0) << moved.err;
  before.clear();
  write("elsewhere/ring.inp", read("elsewhere/ring.inp") + "\n");
  expect_refusal({"Mesh/File=" + (folder / "elsewhere/ring.inp").string()}, "Mesh/File is 'a file with checksum ");
}
} // namespace
