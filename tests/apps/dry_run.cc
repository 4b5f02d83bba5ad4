// Runs shipped parameter files with --dry-run: it has the run's sizes, and the run's memory within a twentieth.
#include "dry_run.h"

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
} // namespace
