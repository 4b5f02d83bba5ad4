// Poisson's equation for many right-hand sides on the GPU against the CPU, and the precisions of Tensor Cores.

#include "gpu_program.h"

#include <string>
#include <vector>

namespace
{
using Settings = std::vector<std::string>;

class CudaPoisson : public GpuProgram
{
protected:
  CudaPoisson()
    : GpuProgram("POISSON", POISSON)
  {}

  static Settings with(Settings a, const Settings &b)
  {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  // h = 1/64, and 1/8 for the coarse mesh.
  const Settings square = {"Mesh/Refinements=6", "Schur complement/Coarse refinements=3", "Problem/Source=random",
                           "Output/Files=false"};
};

// The error against double that each run records is that of its own solution: 1e-10 on both devices.
TEST_F(CudaPoisson, SolversInDoubleAreTheHosts)
{
  for (const std::string solver : {"multigrid", "fast_diagonalization", "schur"})
    for (const std::string samples : {"1", "8", "13"})
      {
        const auto    settings = with(square, {"Solver/Solver=" + solver, "Problem/Samples=" + samples});
        const Outcome host = start_on("host", settings), gpu = start_on("cuda", settings);
        ASSERT_EQ(host.code, 0) << host.err;
        ASSERT_EQ(gpu.code, 0) << gpu.err;
        EXPECT_EQ(gpu.record.at("backend"), "cuda");
        EXPECT_LT(host.record.at("error_against_double").get<double>(), 1e-10) << solver;
        EXPECT_LT(gpu.record.at("error_against_double").get<double>(), 1e-10) << solver << ", " << samples;
        EXPECT_NEAR(gpu.max_iterations(), host.max_iterations(), 1) << solver;
      }
}

TEST_F(CudaPoisson, ErrorsAreThoseOfThePrecision)
{
  struct Bounds
  {
    std::string precision;
    double      least, most;
  };
  for (const std::string solver : {"fast_diagonalization", "schur"})
    for (const auto &bounds : {Bounds{"float64", 0., 1e-11}, Bounds{"float32", 1e-9, 3e-6}, Bounds{"tf32", 1e-9, 2e-3},
                               Bounds{"float16", 1e-5, 2e-3}, Bounds{"bfloat16", 1e-4, 2e-2}})
      for (const std::string samples : {"1", "24"})
        {
          const Outcome gpu =
            start_on("cuda", with(square, {"Solver/Solver=" + solver, "Solver/Precision=" + bounds.precision,
                                           "Solver/Refinement tolerance=0", "Problem/Samples=" + samples}));
          ASSERT_EQ(gpu.code, 0) << gpu.err;
          const double error = gpu.record.at("error_against_double");
          EXPECT_GE(error, bounds.least) << solver << ", " << bounds.precision << ", " << samples << " samples";
          if (bounds.precision == "float16")
            {
              const Outcome in_float = start_on(
                "cuda", with(square, {"Solver/Solver=" + solver, "Solver/Precision=float16", "Solver/Vectors=float32",
                                      "Solver/Refinement tolerance=0", "Problem/Samples=" + samples}));
              ASSERT_EQ(in_float.code, 0) << in_float.err;
              EXPECT_NEAR(in_float.record.at("error_against_double").get<double>(), error, 0.1 * error) << solver;
            }
          EXPECT_LE(error, bounds.most) << solver << ", " << bounds.precision << ", " << samples << " samples";
        }
}

TEST_F(CudaPoisson, RefinementReachesDouble)
{
  for (const std::string solver : {"fast_diagonalization", "schur"})
    for (const std::string precision : {"float32", "tf32", "bfloat16", "float16"})
      {
        const Outcome gpu = start_on("cuda", with(square, {"Solver/Solver=" + solver, "Solver/Precision=" + precision,
                                                           "Solver/Refinement tolerance=1e-10", "Problem/Samples=24"}));
        ASSERT_EQ(gpu.code, 0) << solver << ", " << precision << ": " << gpu.err;
        EXPECT_LE(gpu.record.at("residual").get<double>(), 1e-10) << solver << ", " << precision;
        EXPECT_LT(gpu.record.at("error_against_double").get<double>(), 1e-8) << solver << ", " << precision;
        if (solver == "schur" && precision == "float16")
          {
            EXPECT_LE(gpu.max_iterations(), 6) << "expected about a digit and a half a step";
          }
      }
}

// One right-hand side by cycles in float: refined, by conjugate gradients, along lines, with prescribed values.
TEST_F(CudaPoisson, OneRightHandSideIsTheHosts)
{
  const Settings one = {"Mesh/Refinements=6",
                        "Problem/Samples=1",
                        "Problem/Source=2*pi^2*sin(pi*x)*cos(pi*y)",
                        "Problem/Boundary values=sin(pi*x)*cos(pi*y)",
                        "Problem/Exact solution=sin(pi*x)*cos(pi*y)",
                        "Solver/Precision=float32",
                        "Output/Files=false"};
  for (const auto &settings : {Settings{"Solver/Iteration=refinement", "Solver/Cycles=2"},
                               Settings{"Solver/Smoother=line", "Mesh/Coordinates=x; 0.01*y"},
                               Settings{"Solver/Refinement tolerance=0", "Solver/Cycles=8"}})
    {
      const Outcome host = start_on("host", with(one, settings)), gpu = start_on("cuda", with(one, settings));
      ASSERT_EQ(host.code, 0) << host.err;
      ASSERT_EQ(gpu.code, 0) << gpu.err;
      EXPECT_NEAR(gpu.l2(), host.l2(), 1e-3 * host.l2()) << settings[0];
      EXPECT_NEAR(gpu.max_iterations(), host.max_iterations(), 1) << settings[0];
      EXPECT_GT(gpu.record.at("transfer_seconds").get<double>(), 0.);
    }
}

TEST_F(CudaPoisson, TrianglesAndNaturalSides)
{
  for (const auto &settings :
       {Settings{"Problem/Domain=flow_around_square", "Mesh/Refinements=5", "Solver/Solver=schur"},
        Settings{"Problem/Natural boundaries=0, 3", "Mesh/Refinements=6", "Solver/Solver=schur"},
        Settings{"Problem/Natural boundaries=0, 1, 2, 3", "Mesh/Refinements=6", "Solver/Solver=fast_diagonalization"},
        Settings{"Problem/Dimension=3", "Mesh/Refinements=4", "Solver/Solver=fast_diagonalization",
                 "Mesh/Coordinates=x^2+x; y; z"}})
    {
      const Outcome gpu =
        start_on("cuda", with(settings, {"Problem/Source=random", "Problem/Samples=9", "Output/Files=false"}));
      ASSERT_EQ(gpu.code, 0) << settings[0] << ": " << gpu.err;
      EXPECT_LT(gpu.record.at("error_against_double").get<double>(), 1e-10) << settings[0];
    }
}
} // namespace
