// Scalar equations whose terms are expressions of the solution, place and time, on the GPU against the CPU.

#include "gpu_program.h"

namespace
{
class CudaCoefficients : public GpuProgram
{
protected:
  CudaCoefficients()
    : GpuProgram("TRANSPORT_DIFFUSION", TRANSPORT_DIFFUSION)
  {}
};

class CudaNonlinearHeat : public GpuProgram
{
protected:
  CudaNonlinearHeat()
    : GpuProgram("NONLINEAR_HEAT", NONLINEAR_HEAT)
  {}
};

using Settings = std::vector<std::string>;

// Compares errors with respect to zero: norms of the solutions.
template <class Test>
void expect_the_hosts(Test &&start_on, const Settings &settings)
{
  const auto host = start_on("host", settings), gpu = start_on("cuda", settings);
  ASSERT_EQ(host.code, 0) << host.err;
  ASSERT_EQ(gpu.code, 0) << gpu.err;
  EXPECT_EQ(gpu.record.at("backend"), "cuda");
  EXPECT_NEAR(gpu.l2(), host.l2(), 1e-10 * host.l2());
  EXPECT_EQ(start_on("cuda", settings).l2(), gpu.l2()) << "expected the same bits in a second run";
}
} // namespace

TEST_F(CudaCoefficients, TransportAndDiffusionOfAllKinds)
{
  const Settings common = {"Problem/Source=sin(x*y)*t",     "Problem/Initial values=x*(1-y)",
                           "Problem/Exact solution=0",      "Problem/Reaction=0.5+x*t",
                           "Problem/Flux=1: y*t",           "Problem/Robin=2: 2+t; 1+x",
                           "Time stepping/End time=0.2",    "Time stepping/Output interval=0",
                           "Linear solver/Tolerance=1e-12", "Linear solver/Precision=float64"};
  for (const std::string scheme : {"crank_nicolson", "bdf2"})
    {
      const Settings in_2d = {"Time stepping/Scheme=" + scheme,
                              "Problem/Diffusion=0.1*(1+x*y+t); 0.03*x; 0.1+t",
                              "Problem/Transport=y*(1+t)+x; -0.5*x",
                              "Problem/Transport form=conservative",
                              "Problem/Boundary values=0: y, 3: x*t",
                              "Discretization/SUPG=true",
                              "Adaptivity/Interval=3"},
                     in_3d = {"Time stepping/Scheme=" + scheme,
                              "Problem/Dimension=3",
                              "Problem/Diffusion=0.1*(1+x*y+t)",
                              "Problem/Transport=y*(1+t)+x; -0.5*x; z",
                              "Problem/Boundary values=0: y, 3: x*t, 5: z",
                              "Discretization/Refinements=2",
                              "Discretization/Degree=2",
                              "Discretization/SUPG=true"};
      const auto start     = [this](const std::string &backend, const Settings &s) { return start_on(backend, s); };
      expect_the_hosts(start, common + in_2d);
      expect_the_hosts(start, common + in_3d);
    }
}

TEST_F(CudaNonlinearHeat, TermsOfAllKinds)
{
  for (const std::string dimension : {"2", "3"})
    {
      const Settings settings = {"Heat/Dimension=" + dimension,
                                 "Heat/Refinements=3",
                                 "Heat/End time=0.2",
                                 "Heat/Conductivity=0.2*(1+0.5*u^2+0.3*x*t)",
                                 "Heat/Heat capacity=1+0.2*sin(u)+0.1*y",
                                 "Heat/Source=1/(1+u^2)+x*t",
                                 "Heat/Initial values=x*y",
                                 "Heat/Exact solution=0",
                                 "Heat/Boundary values=0: y*t",
                                 "Heat/Flux=1: -u^3",
                                 "Heat/Robin=2: 1+u^2; x*t",
                                 "Heat/Newton tolerance=1e-12",
                                 "Linear solver/Tolerance=1e-10",
                                 "Linear solver/Precision=float64",
                                 "Heat/Output interval=0"};
      const auto     start    = [this](const std::string &backend, const Settings &s) { return start_on(backend, s); };
      expect_the_hosts(start, settings);
      setenv("ADAMANT_NVRTC", "/nowhere/libnvrtc.so", 1);
      const auto without = start_on("cuda", settings);
      unsetenv("ADAMANT_NVRTC");
      ASSERT_EQ(without.code, 0) << without.err;
      EXPECT_NEAR(without.l2(), start_on("host", settings).l2(), 1e-10);
      EXPECT_NE(without.out.find("evaluated on the host"), std::string::npos) << without.out;
    }
}

TEST_F(CudaNonlinearHeat, TheDefaultsErrorIsTheHosts)
{
  const Settings settings = {"Linear solver/Tolerance=1e-10", "Heat/Newton tolerance=1e-12", "Heat/End time=0.25"};
  const auto     host = start_on("host", settings), gpu = start_on("cuda", settings);
  ASSERT_EQ(gpu.code, 0) << gpu.err;
  EXPECT_NEAR(gpu.l2(), host.l2(), 1e-8 * host.l2());
}
