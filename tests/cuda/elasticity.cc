// Linear elasticity on the GPU against the CPU.

#include "gpu_program.h"

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
    return GpuProgram::start_on(
      backend, settings + std::vector<std::string>{
                            "Time stepping/End time=0.125", "Output/Interval=0", "Linear solver/Tolerance=1e-11",
                            "Discretization/Uniform refinements=2", "Problem/Load factor=sin(20*t)"});
  }
};
} // namespace

TEST_F(CudaElasticity, EnergiesAreTheHostsAndBitsAreTheSameAgain)
{
  const std::vector<std::string> coupled = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};
  const std::vector<std::vector<std::string>> cases = {
    {"Discretization/Refinement=edge"},
    {"Discretization/Refinement=face", "Linear solver/Precision=float64"},
    {"Discretization/Refinement=vertex", "Linear solver/Smoother=fsai"},
    {"Discretization/Degree=2", "Discretization/Refinement steps=1"},
    {"Problem/Dimension=2", "Discretization/Refinement=vertex"},
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
      for (const char *key : {"strain_energy", "kinetic_energy", "work_of_load"})
        {
          const double value = host.record.at(key);
          EXPECT_GT(std::abs(value), 0.) << key;
          EXPECT_NEAR(gpu.record.at(key).get<double>(), value, 1e-8 * std::abs(value)) << key;
          EXPECT_EQ(again.record.at(key), gpu.record.at(key)) << key << ": expected the same bits in a second run";
        }
    }
}
