// The program for stationary flow on the GPU against the CPU.

#include "gpu_program.h"

#include <cmath>

namespace
{
class CudaStationaryNavierStokes : public GpuProgram
{
protected:
  CudaStationaryNavierStokes()
    : GpuProgram("STATIONARY", STATIONARY)
  {}
};

// Newton's steps, counts to 1, and kinetic energies to 1e-8: smoothers, precisions, Krylov methods, hanging nodes, 3D.
TEST_F(CudaStationaryNavierStokes, FlowsAreTheHosts)
{
  const std::vector<std::string> common = {"Problem/Viscosity=0.005", "Output/Files=false",
                                           "Nonlinear solver/Tolerance=1e-10"};
  for (const std::vector<std::string> &further : std::vector<std::vector<std::string>>{
         {"Mesh/Refinements=5"},
         {"Mesh/Refinements=5", "Linear solver/Precision=float64"},
         {"Mesh/Refinements=5", "Linear solver/Smoother=block_jacobi", "Linear solver/Damping=0.4"},
         {"Mesh/Refinements=5", "Linear solver/Solver=bicgstab"},
         {"Mesh/Refinements=4", "Refinement/Cycles=2"},
         {"Mesh/Refinements=3", "Problem/Dimension=3"},
         {"Mesh/Refinements=3", "Problem/Dimension=3", "Refinement/Cycles=1"}})
    {
      const Outcome host = start_on("host", common + further), gpu = start_on("cuda", common + further);
      ASSERT_EQ(host.code, 0) << host.err;
      ASSERT_EQ(gpu.code, 0) << gpu.err;
      EXPECT_EQ(gpu.record.at("backend"), "cuda");
      const auto &of_host = host.record.at("nonlinear").back(), &of_gpu = gpu.record.at("nonlinear").back();
      EXPECT_EQ(of_gpu.at("steps").size(), of_host.at("steps").size()) << further.back();
      EXPECT_NEAR(of_gpu.at("iterations").get<int>(), of_host.at("iterations").get<int>(), 2) << further.back();
      EXPECT_NEAR(gpu.record.at("kinetic_energy"), host.record.at("kinetic_energy"), 1e-8 * 0.04) << further.back();
    }
}

TEST_F(CudaStationaryNavierStokes, ForcesAreTheHosts)
{
  const std::vector<std::string> cylinder = {"Mesh/Type=cylinder",
                                             "Mesh/Refinements=2",
                                             "Problem/Viscosity=1e-3",
                                             "Problem/Boundary velocity=0: 1.2 * y * (0.41 - y) / 0.1681; 0",
                                             "Problem/Boundaries=1: outflow",
                                             "Output/Files=false",
                                             "Output/Force boundaries=2",
                                             "Output/Force scale=500",
                                             "Nonlinear solver/Tolerance=1e-11"};
  const Outcome                  host = start_on("host", cylinder), gpu = start_on("cuda", cylinder);
  ASSERT_EQ(host.code, 0) << host.err;
  ASSERT_EQ(gpu.code, 0) << gpu.err;
  for (const int component : {0, 1})
    EXPECT_NEAR(gpu.record.at("forces").at("2")[component], host.record.at("forces").at("2")[component], 1e-6);
}
} // namespace
