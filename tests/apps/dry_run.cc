// Runs shipped parameter files with --dry-run: it has the run's sizes, and the run's memory within a twentieth.
#include "dry_run.h"

#include <map>
#include <sstream>

namespace
{
class TransportDiffusion : public DryRun
{
protected:
  TransportDiffusion()
    : DryRun(TRANSPORT_DIFFUSION)
  {}
};

class Elasticity : public DryRun
{
protected:
  Elasticity()
    : DryRun(ELASTICITY)
  {}
};

class NavierStokes : public DryRun
{
protected:
  NavierStokes()
    : DryRun(NAVIER_STOKES)
  {}
};

class Poisson : public DryRun
{
protected:
  Poisson()
    : DryRun(POISSON)
  {}
};

class Solid : public DryRun
{
protected:
  Solid()
    : DryRun(SOLID)
  {}
};

const std::string prm = PRM "/";

// Columns take more than the set-up: in one batch, and in several of them.
TEST_F(Poisson, DryRunTellsSizeAndMemory)
{
  expect_what_the_run_uses({prm + "poisson/tutorial.prm"});
  expect_what_the_run_uses({prm + "poisson/tutorial.prm", "--set", "Solver/Columns at once=32"});
}

TEST_F(TransportDiffusion, DryRunTellsSizeAndMemory)
{
  for (const std::string name : {"tutorial", "paper_level7", "paper_level8"})
    {
      SCOPED_TRACE(name);
      expect_what_the_run_uses({prm + "transport_diffusion/" + name + ".prm", "--set", "Time stepping/End time=0.2"});
    }
}

TEST_F(Elasticity, DryRunTellsSizeAndMemory)
{
  for (const std::string name : {"tutorial", "paper_edge_4", "paper_vertex_5", "paper_face_3", "adaptive"})
    {
      SCOPED_TRACE(name);
      expect_what_the_run_uses({prm + "elasticity/" + name + ".prm", "--set", "Time stepping/End time=0.25", "--set",
                                "Time stepping/Time step=0.025"});
    }
  expect_what_the_run_uses({prm + "elasticity/paper_edge_4.prm", "--set", "Time stepping/End time=0.125", "--set",
                            "Discretization/Formulation=coupled", "--set", "Linear solver/Solver=gmres"});
}

// Products by cells store no rows: files that are written at the end take more memory than the set-up.
TEST_F(Elasticity, DryRunOfAStationaryProblemCountsItsFiles)
{
  expect_what_the_run_uses({prm + "elasticity/block.prm", "--set", "Discretization/Uniform refinements=6", "--set",
                            "Problem/Poisson ratio=0.3", "--set", "Linear solver/Smoother=block_jacobi", "--set",
                            "Linear solver/Products=cells"});
}

TEST_F(NavierStokes, DryRunTellsSizeAndMemory)
{
  for (const std::string name : {"tutorial", "cavity_2d_re1000", "cylinder_2d"})
    {
      SCOPED_TRACE(name);
      expect_what_the_run_uses({prm + "navier_stokes/" + name + ".prm", "--set", "Time stepping/End time=0.02"});
    }
  expect_what_the_run_uses(
    {prm + "navier_stokes/paper.prm", "--set", "Mesh/Refinements=3", "--set", "Time stepping/End time=0.01"});
}

TEST_F(Solid, DryRunTellsSizeAndMemory)
{
  expect_what_the_run_uses({prm + "solid/cook.prm"});
  expect_what_the_run_uses({prm + "solid/step_44.prm", "--set", "Time stepping/Load steps=1", "--set",
                            "Problem/Traction=3: 0; -4e7*(x<0.5e-3)*(z<0.5e-3); 0"});
  // At rest all cells have the same matrix, which takes less memory.
  expect_what_the_run_uses({prm + "solid/twisted_block.prm", "--set", "Mesh/Refinements=4", "--set",
                            "Time stepping/Load steps=2", "--set", "Problem/Boundary displacement=0; 0; 0.1*t*(z>1)"});
  expect_what_the_run_uses({prm + "solid/beam.prm", "--set", "Time stepping/End time=0.025"});
  expect_what_the_run_uses(
    {prm + "solid/beam.prm", "--set", "Time stepping/End time=0.025", "--set", "Time stepping/Scheme=energy_momentum"});
}

// The size behind a line's beginning, such as "boundary 0: 40 faces, length ".
double size_of(const std::string &out, const std::string &line)
{
  const auto begin = out.find(line);
  EXPECT_NE(begin, std::string::npos) << "expected '" << line << "' in\n" << out;
  return begin == std::string::npos ? 0. : std::stod(out.substr(begin + line.size()));
}

// An annulus of the radii 1/2 and 1 with 40 cells: straight sides make polygons with 20 corners, and quadratic ones
// miss circles by the fourth power of their angle.
TEST_F(TransportDiffusion, SizesOfAnAnnulus)
{
  const double pi = std::acos(-1.), half = pi / 20.;
  for (const int degree : {1, 2})
    {
      const auto out = start({"--dry-run", "--set", "Mesh/Type=shell", "--set", "Discretization/Refinements=1", "--set",
                              "Discretization/Adaptive cycles=0", "--set", "Problem/Boundary values=0", "--set",
                              "Discretization/Degree=" + std::to_string(degree)})
                         .out;
      const double inner    = degree == 1 ? 20. * std::sin(half) : pi, // of radius 1/2
        area                = degree == 1 ? 0.75 * 10. * std::sin(2. * half) : 0.75 * pi;
      const double accuracy = degree == 1 ? 1e-5 : 2e-4;
      EXPECT_NEAR(size_of(out, "boundary 0: 20 faces, length "), inner, accuracy * inner);
      EXPECT_NEAR(size_of(out, "boundary 1: 20 faces, length "), 2. * inner, accuracy * 2. * inner);
      EXPECT_NEAR(size_of(out, "material 0: 40 cells, area "), area, accuracy * area);
    }
}

// Names of a file's materials and boundaries. The file of the mesh has all cells and all boundary faces, also of ranks.
TEST_F(Elasticity, PartsOfAFile)
{
  for (const std::string ranks : {"", "mpirun --oversubscribe --bind-to none -np 2"})
    {
      before                 = ranks;
      const std::string file = (folder / "mesh.csv").string();
      const auto dry = start({prm + "elasticity/two_material_beam.prm", "--set", "Discretization/Uniform refinements=0",
                              "--set", "Linear solver/Coarsest level cells=1000", "--threads", "1", "--mesh", file});
      EXPECT_EQ(dry.code, 0) << dry.err;
      EXPECT_FALSE(std::filesystem::exists(dry.folder));
      EXPECT_NE(dry.out.find("dry run: " + file + " has been written"), std::string::npos) << dry.out;
      EXPECT_NEAR(size_of(dry.out, "material 5 'steel': 20 cells, area "), 5., 1e-12);
      EXPECT_NEAR(size_of(dry.out, "boundary 3 'bottom': 20 faces, length "), 10., 1e-12);
      std::istringstream         in(read(file));
      std::string                line;
      std::map<std::string, int> n; // rows that begin so
      std::getline(in, line);
      EXPECT_EQ(line, "boundary,material,corners");
      while (std::getline(in, line))
        ++n[line.substr(0, line.find(',', line.find(',') + 1))];
      const std::map<std::string, int> expected = {
        {"\"\",\"5 'steel'\"", 20},           {"\"\",\"6 'aluminium'\"", 20},
        {"\"1 'clamped'\",\"5 'steel'\"", 1}, {"\"1 'clamped'\",\"6 'aluminium'\"", 1},
        {"\"2 'end'\",\"5 'steel'\"", 1},     {"\"2 'end'\",\"6 'aluminium'\"", 1},
        {"\"3 'bottom'\",\"5 'steel'\"", 20}, {"\"4 'top'\",\"6 'aluminium'\"", 20}};
      EXPECT_EQ(n, expected);
      EXPECT_NE(read(file).find("\n\"\",\"5 'steel'\",0,0,0.5,0,0,0.5,0.5,0.5\n"), std::string::npos);
    }
}
} // namespace
