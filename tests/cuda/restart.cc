// Continued runs on the GPU: the same bits as without interruption.

#include "gpu_program.h"

#include "tests/apps/restart.h"

namespace
{
using CudaRestart = OnGpu<RestartedProgram>;

class CudaTransportRestart : public CudaRestart
{
protected:
  CudaTransportRestart()
    : OnGpu("TRANSPORT_DIFFUSION", TRANSPORT_DIFFUSION)
  {}
};

class CudaElasticityRestart : public CudaRestart
{
protected:
  CudaElasticityRestart()
    : OnGpu("ELASTICITY", ELASTICITY)
  {}
};

class CudaFlowRestart : public CudaRestart
{
protected:
  CudaFlowRestart()
    : OnGpu("NAVIER_STOKES", NAVIER_STOKES)
  {}
};
} // namespace

TEST_F(CudaTransportRestart, GivesTheSameBits)
{
  for (const std::string scheme : {"bdf2", "crank_nicolson"})
    expect_restart_equals_uninterrupted({"Time stepping/Scheme=" + scheme, "Time stepping/End time=0.24",
                                         "Time stepping/Output interval=3", "Time stepping/Extrapolation order=3"},
                                        "cuda");
}

TEST_F(CudaElasticityRestart, GivesTheSameBits)
{
  const Settings common = {"Time stepping/End time=0.3", "Output/Interval=3", "Problem/Load factor=sin(20*t)",
                           "Discretization/Uniform refinements=2", "Time stepping/Extrapolation order=2"};
  for (auto settings : {Settings{"Discretization/Refinement=edge"},
                        Settings{"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"}})
    {
      settings.insert(settings.end(), common.begin(), common.end());
      expect_restart_equals_uninterrupted(settings, "cuda");
    }
}

TEST_F(CudaFlowRestart, GivesTheSameBits)
{
  expect_restart_equals_uninterrupted({"Mesh/Refinements=3", "Mesh/Local refinements=1", "Mesh/Refine where=x+y-1",
                                       "Time stepping/Time step=0.004", "Time stepping/End time=0.048",
                                       "Output/Interval=3", "Time stepping/Extrapolation order=3"},
                                      "cuda");
  expect_restart_equals_uninterrupted({"Problem/Dimension=3", "Mesh/Refinements=2",
                                       "Problem/Boundary velocity=3: sin(20*t); 0; 0", "Time stepping/Time step=0.004",
                                       "Time stepping/End time=0.048", "Output/Interval=3"},
                                      "cuda");
}
