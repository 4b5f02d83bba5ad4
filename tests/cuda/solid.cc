// Solids at finite deformation on the GPU against the CPU.

#include "gpu_program.h"

namespace
{
class CudaSolid : public GpuProgram
{
protected:
  CudaSolid()
    : GpuProgram("SOLID", SOLID)
  {}
};

// Steps of Newton's method, iterations to 2, and energies to 1e-10. Interpolation and patches follow the tangent.
TEST_F(CudaSolid, DeformationsAreTheHosts)
{
  const std::vector<std::string> common  = {"Problem/Body force=0; 0",
                                            "Problem/Traction=1: 0; 0.2",
                                            "Problem/Dirichlet boundaries=0: xy",
                                            "Newton/Tolerance=1e-10",
                                            "Output/Interval=0",
                                            "Linear solver/Precision=float64"},
                                 solids  = {"Problem/Body force=0; 0; 0", "Problem/Traction=1: 0; 0.2; 0.1",
                                            "Problem/Dirichlet boundaries=0: xyz"},
                                 patches = {"Problem/Material=neo_hooke; mu = 1; K = 5000",
                                            "Discretization/Degree=2",
                                            "Discretization/Volumetric strain=mean_dilatation",
                                            "Linear solver/Smoother=vertex_patches",
                                            "Linear solver/Chebyshev range=4",
                                            "Linear solver/Interpolation=harmonic"};
  const auto dimension = [](const std::string &n) { return std::vector<std::string>{"Problem/Dimension=" + n}; };
  for (const std::vector<std::string> &further : std::vector<std::vector<std::string>>{
         dimension("2") + std::vector<std::string>{"Problem/Material=neo_hooke; mu = 1; K = 2", "Mesh/Refinements=4"},
         dimension("2") + patches + std::vector<std::string>{"Mesh/Refinements=4"},
         dimension("2") + patches +
           std::vector<std::string>{"Mesh/Refinements=3", "Time stepping/Load steps=2", "Adaptivity/Interval=1",
                                    "Adaptivity/Largest level=5"},
         dimension("3") + solids + patches + std::vector<std::string>{"Mesh/Refinements=2"}})
    {
      const Outcome host = start_on("host", common + further), gpu = start_on("cuda", common + further);
      ASSERT_EQ(host.code, 0) << host.err;
      ASSERT_EQ(gpu.code, 0) << gpu.err;
      EXPECT_EQ(gpu.record.at("backend"), "cuda");
      EXPECT_EQ(gpu.record.at("newton_steps"), host.record.at("newton_steps")) << further.back();
      const auto &of_host = host.record.at("newton"), &of_gpu = gpu.record.at("newton");
      ASSERT_EQ(of_gpu.size(), of_host.size()) << further.back();
      for (std::size_t k = 0; k < of_host.size(); ++k)
        EXPECT_NEAR(of_gpu[k].at("iterations").get<int>(), of_host[k].at("iterations").get<int>(), 2) << further.back();
      const double energy = host.record.at("strain_energy");
      EXPECT_NEAR(gpu.record.at("strain_energy"), energy, 1e-10 * energy) << further.back();
    }
}
} // namespace
