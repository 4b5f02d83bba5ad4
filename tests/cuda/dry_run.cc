// --dry-run on the GPU: the device memory is within a tenth of what the run uses.

#include "gpu_program.h"

#include "tests/apps/dry_run.h"

namespace
{
class CudaDryRun : public OnGpu<DryRun>
{
protected:
  using OnGpu::OnGpu;

  void expect_what_the_run_uses(const std::vector<std::string> &settings)
  {
    std::vector<std::string> arguments;
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    DryRun::expect_what_the_run_uses(arguments, "cuda");
  }
};

class CudaTransportDryRun : public CudaDryRun
{
protected:
  CudaTransportDryRun()
    : CudaDryRun("TRANSPORT_DIFFUSION", TRANSPORT_DIFFUSION)
  {}
};

class CudaElasticityDryRun : public CudaDryRun
{
protected:
  CudaElasticityDryRun()
    : CudaDryRun("ELASTICITY", ELASTICITY)
  {}
};

class CudaFlowDryRun : public CudaDryRun
{
protected:
  CudaFlowDryRun()
    : CudaDryRun("NAVIER_STOKES", NAVIER_STOKES)
  {}
};
} // namespace

TEST_F(CudaTransportDryRun, TellsTheMemory)
{
  for (const std::string refinements : {"7", "9"})
    expect_what_the_run_uses({"Discretization/Refinements=" + refinements, "Discretization/Adaptive cycles=1",
                              "Time stepping/End time=0.2", "Linear solver/Coarsest level cells=1024"});
}

TEST_F(CudaElasticityDryRun, TellsTheMemory)
{
  const std::vector<std::string> common = {"Time stepping/End time=0.25", "Discretization/Uniform refinements=3",
                                           "Discretization/Refinement steps=3"};
  for (const std::string formulation : {"condensed", "coupled"})
    {
      auto settings = common;
      settings.push_back("Discretization/Formulation=" + formulation);
      if (formulation == "coupled")
        settings.push_back("Linear solver/Solver=gmres");
      expect_what_the_run_uses(settings);
    }
}

TEST_F(CudaFlowDryRun, TellsTheMemory)
{
  expect_what_the_run_uses(
    {"Problem/Dimension=3", "Mesh/Refinements=4", "Time stepping/Time step=0.001", "Time stepping/End time=0.02"});
}
