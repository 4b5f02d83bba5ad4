// Linear elasticity on the GPU against the CPU.

#include "gpu_program.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace
{
class CudaElasticity : public GpuProgram
{
protected:
  CudaElasticity()
    : GpuProgram("ELASTICITY", ELASTICITY)
  {}
  Outcome start_on(const std::string &backend, const std::vector<std::string> &settings)
  {
    return GpuProgram::start_on(backend, std::vector<std::string>{"Time stepping/End time=0.125", "Output/Interval=0",
                                                                  "Linear solver/Tolerance=1e-11",
                                                                  "Discretization/Uniform refinements=2",
                                                                  "Problem/Load factor=sin(20*t)"} +
                                           settings);
  }
};

// The columns of these names in statistics.csv, as they are written there.
std::vector<std::string> columns_of(const std::string &folder, const std::vector<std::string> &names)
{
  const auto cells = [](const std::string &line) {
    std::vector<std::string> result;
    std::istringstream       stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
      result.push_back(cell);
    return result;
  };
  std::ifstream            file(folder + "/statistics.csv");
  std::string              line;
  std::vector<std::string> header, found;
  while (std::getline(file, line))
    if (header.empty())
      header = cells(line);
    else
      for (const std::string &name : names)
        found.push_back(name + " " + cells(line).at(std::find(header.begin(), header.end(), name) - header.begin()));
  return found;
}
} // namespace

// Each row has its own step's numbers, whether or not the host waits for energies in it, and whether or not the solve
// is one launch.
TEST_F(CudaElasticity, StatisticsAreThoseOfTheirStep)
{
  const std::vector<std::string> names = {"work_of_load", "point0_ux", "point0_uy", "point0_uz"};
  const auto                     rows  = [&](const char *environment, const std::string &interval) {
    before = environment;
    const Outcome gpu = start_on("cuda", {"Discretization/Uniform refinements=4", "Time stepping/Time step=0.0125",
                                          "Output/Points=0.4, 0.6, 0.3", "Output/Energy interval=" + interval});
    EXPECT_EQ(gpu.code, 0) << gpu.err;
    return columns_of(gpu.folder, names);
  };
  for (const char *environment : {"ADAMANT_CUDA_GRAPHS=0", "ADAMANT_CUDA_GRAPHS=1"})
    {
      const auto expected = rows(environment, "1"), found = rows(environment, "0");
      EXPECT_GE(expected.size(), 4 * 10u);
      EXPECT_EQ(found, expected) << environment;
    }
}

TEST_F(CudaElasticity, EnergiesAreTheHostsAndBitsAreTheSameAgain)
{
  const std::vector<std::string> coupled = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};
  const std::vector<std::vector<std::string>> cases = {
    {"Discretization/Refinement=edge"},
    {"Discretization/Refinement=face", "Linear solver/Precision=float64"},
    {"Discretization/Refinement=vertex", "Linear solver/Smoother=fsai"},
    {"Discretization/Degree=2", "Discretization/Refinement steps=1"},
    {"Problem/Dimension=2", "Discretization/Refinement=vertex"},
    {"Time stepping/Stationary=true", "Discretization/Refinement=edge", "Problem/Young modulus=1e4*(2+x*y)",
     "Discretization/Materials=cells", "Linear solver/Products=cells", "Linear solver/Coarsest level cells=20"},
    {"Time stepping/Stationary=true", "Discretization/Refinement=face", "Problem/Young modulus=1e4*(2+x*y)",
     "Problem/Poisson ratio=0.1+0.3*x*y", "Discretization/Materials=cells", "Linear solver/Products=cells",
     "Linear solver/Coarsest level cells=20"},
    {"Time stepping/Stationary=true", "Discretization/Volumetric strain=b_bar", "Problem/Young modulus=2e4",
     "Problem/Poisson ratio=0.1+0.3*x*y", "Discretization/Materials=cells", "Linear solver/Products=cells",
     "Linear solver/Coarsest level cells=20"},
    {"Linear solver/Preconditioner=component_blocks", "Discretization/Refinement=edge"},
    {"Linear solver/Preconditioner=component_blocks", "Linear solver/Solver=bicgstab",
     "Linear solver/Component blocks/Sweep=gauss_seidel", "Linear solver/Cycles=2"},
    coupled};
  for (const auto &settings : cases)
    {
      const Outcome host = start_on("host", settings), gpu = start_on("cuda", settings),
                    again = start_on("cuda", settings);
      SCOPED_TRACE(settings.front());
      for (const Outcome *outcome : {&host, &gpu, &again})
        ASSERT_EQ(outcome->code, 0) << outcome->err;
      EXPECT_EQ(gpu.record.at("backend"), "cuda");
      EXPECT_NEAR(gpu.mean_iterations(), host.mean_iterations(), 1.);
      const bool stationary = settings.front() == "Time stepping/Stationary=true";
      EXPECT_EQ(gpu.record.at("levels_by_cells") > 0, stationary);
      for (const char *key : {"strain_energy", "kinetic_energy", "work_of_load"})
        {
          const double value = host.record.at(key);
          EXPECT_TRUE(std::abs(value) > 0. || (stationary && std::string(key) == "kinetic_energy")) << key;
          EXPECT_NEAR(gpu.record.at(key).get<double>(), value, 1e-8 * std::abs(value)) << key;
          EXPECT_EQ(again.record.at(key), gpu.record.at(key)) << key << ": expected the same bits in a second run";
        }
    }
}
