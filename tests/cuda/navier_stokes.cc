// Navier-Stokes on the GPU against the CPU: whole runs.

#include "gpu_program.h"

#include <cmath>

namespace
{
class CudaNavierStokes : public GpuProgram
{
protected:
  CudaNavierStokes()
    : GpuProgram("NAVIER_STOKES", NAVIER_STOKES)
  {}
  Outcome start_on(const std::string &backend, const std::vector<std::string> &settings)
  {
    return GpuProgram::start_on(backend, std::vector<std::string>{"Linear solver/Tolerance=1e-13",
                                                                  "Output/Statistics interval=5",
                                                                  "Time stepping/Unstable step=shorten"} +
                                           settings);
  }

  void compare(const std::vector<std::string> &settings)
  {
    const Outcome host = start_on("host", settings), gpu = start_on("cuda", settings);
    ASSERT_EQ(host.code, 0) << host.err;
    ASSERT_EQ(gpu.code, 0) << gpu.err;
    EXPECT_EQ(gpu.record.at("backend"), "cuda");
    for (const char *value : {"kinetic_energy", "cfl"})
      {
        const double expected = host.record.at(value), found = gpu.record.at(value);
        EXPECT_NEAR(found, expected, 1e-10 * std::abs(expected)) << value;
      }
    for (std::size_t line = 0; line < host.record.at("profiles").size(); ++line)
      for (const char *component : {"u_x", "u_y"})
        for (const char *extreme : {"min", "max"})
          EXPECT_NEAR(gpu.record.at("profiles")[line].at(component).at(extreme).get<double>(),
                      host.record.at("profiles")[line].at(component).at(extreme).get<double>(), 1e-10)
            << "line " << line << ", " << extreme << " of " << component;
  }
};

const std::vector<std::string> cavity_3d = {"Problem/Dimension=3",
                                            "Problem/Viscosity=0.01",
                                            "Problem/Boundary velocity=1: 0; 1; 0",
                                            "Mesh/Cells=1, 1, 2",
                                            "Mesh/Refinements=3",
                                            "Mesh/Coordinates=0.5*(1-cos(pi*x)); 0.5*(1-cos(pi*y)); 1+sin((z-0.5)*pi)",
                                            "Time stepping/End time=0.1",
                                            "Time stepping/Time step=2e-3",
                                            "Output/Profiles=0.5, 0, 1, 0.5, 1, 1; 0, 0.5, 1, 1, 0.5, 1"};
const std::vector<std::string> cavity_2d = {"Time stepping/End time=0.2",
                                            "Output/Profiles=0.5, 0, 0.5, 1; 0, 0.5, 1, 0.5"};
} // namespace

TEST_F(CudaNavierStokes, IsTheHosts)
{
  compare(cavity_2d);
  compare(cavity_3d);
  compare(cavity_2d + std::vector<std::string>{"Problem/Buoyancy=0; 1", "Temperature/Initial temperature=x*(1-x)",
                                               "Temperature/Boundary values=0: t, 1: 0",
                                               "Temperature/Diffusion=implicit",
                                               "Temperature/Linear solver/Tolerance=1e-13"});
}

TEST_F(CudaNavierStokes, IsTheHostsOnLocallyRefinedMeshes)
{
  compare(cavity_2d + std::vector<std::string>{"Mesh/Local refinements=2", "Mesh/Refine where=y - 0.7 + 0.3 * x"});
  compare(cavity_3d +
          std::vector<std::string>{"Mesh/Refinements=2", "Mesh/Local refinements=1", "Mesh/Refine where=x - 0.6"});
}

TEST_F(CudaNavierStokes, IsTheHostsWithForcesInflowAndOutflow)
{
  compare({"Mesh/Cells=2, 1", "Mesh/Refinements=3", "Mesh/Coordinates=2*x; y",
           "Problem/Boundary velocity=0: 4*y*(1-y)*sin(t); 0", "Problem/Boundaries=1: outflow",
           "Problem/Body force=0; cos(x + t)", "Time stepping/End time=0.2",
           "Output/Profiles=0.5, 0, 0.5, 1; 0, 0.5, 2, 0.5"});
}

TEST_F(CudaNavierStokes, IsTheHostsOnMeshesThatChange)
{
  const std::vector<std::string> changing = {"Mesh/Refinements=3", "Adaptivity/Interval=5",
                                             "Adaptivity/Largest level=6", "Adaptivity/Coarsen fraction=0.1"};
  compare(cavity_2d + changing);
  compare(cavity_2d + changing +
          std::vector<std::string>{"Problem/Boundary velocity=0: 4*y*(1-y)*(1+t); 0", "Problem/Boundaries=1: outflow",
                                   "Adaptivity/Field=pressure"});
}

TEST_F(CudaNavierStokes, OtherProductsAndSolversAgree)
{
  compare(cavity_3d + std::vector<std::string>{"Implementation/Custom kernels=false", "Output/Time parts=true"});
  const std::vector<std::string> direct = {"Implementation/Pressure solver=fast_diagonalization"};
  compare(cavity_3d + direct);
  compare(cavity_3d + direct + std::vector<std::string>{"Implementation/Fast diagonalization precision=float32"});
  const Outcome in_half = start_on(
    "cuda", cavity_3d + direct + std::vector<std::string>{"Implementation/Fast diagonalization precision=float16"});
  ASSERT_EQ(in_half.code, 0) << in_half.err;
  const Outcome in_double = start_on("cuda", cavity_3d + direct);
  EXPECT_NEAR(in_half.record.at("kinetic_energy").get<double>(), in_double.record.at("kinetic_energy").get<double>(),
              1e-6 * in_double.record.at("kinetic_energy").get<double>());
}

TEST_F(CudaNavierStokes, TwoRunsAgreeToTheLastBit)
{
  const Outcome first = start_on("cuda", cavity_3d), second = start_on("cuda", cavity_3d);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.record.at("kinetic_energy").get<double>(), second.record.at("kinetic_energy").get<double>());
}
