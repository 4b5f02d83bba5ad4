// The transport-diffusion program as a user meets it. Reference errors: deal.II programs written independently for the
// same discretisation (nodal boundary and initial data, Gauss-3).
#include "program.h"

#include <algorithm>
#include <cmath>

namespace
{
class TransportDiffusion : public Program
{
protected:
  TransportDiffusion()
    : Program(TRANSPORT_DIFFUSION)
  {}

  /// Uniform mesh with h = 2^-n, no output files.
  Outcome solve(unsigned int n, double dt, const Settings &more = {}, int threads = 1)
  {
    Settings settings = {"Discretization/Refinements=" + std::to_string(n), "Discretization/Adaptive cycles=0",
                         "Time stepping/Time step=" + std::to_string(dt), "Time stepping/Output interval=0"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run(settings, threads);
  }
};

// Equal when rounded to four digits.
void expect_four_digits(double value, double reference)
{
  const double digit = std::pow(10., std::floor(std::log10(reference)) - 3.);
  EXPECT_NEAR(value, reference, 0.51 * digit);
}

TEST_F(TransportDiffusion, L2ErrorOfTheTimeDiscretization)
{
  expect_four_digits(solve(4, 0.02).l2(), 4.119e-4);
  expect_four_digits(solve(5, 0.02).l2(), 4.877e-4);
  const double coarse = solve(7, 0.04).l2(), middle = solve(7, 0.02).l2(), fine = solve(7, 0.01).l2();
  expect_four_digits(coarse, 1.0305e-3);
  expect_four_digits(middle, 5.255e-4);
  expect_four_digits(fine, 2.644e-4);
  EXPECT_NEAR(std::log2(coarse / middle), 1., 0.05) << "order of backward Euler";
  EXPECT_NEAR(std::log2(middle / fine), 1., 0.05) << "order of backward Euler";
}

TEST_F(TransportDiffusion, L2ErrorOfTheSpaceDiscretization)
{
  const Settings sharp    = {"Linear solver/Tolerance=1e-10"}; // 4000 steps add up what the solver leaves
  const double   errors[] = {solve(3, 5e-4, sharp).l2(), solve(4, 5e-4, sharp).l2(), solve(5, 5e-4, sharp).l2()};
  expect_four_digits(errors[0], 1.067e-3);
  expect_four_digits(errors[1], 2.585e-4);
  expect_four_digits(errors[2], 5.885e-5);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2., 0.15) << "order of Q1";
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2., 0.15) << "order of Q1";
}

TEST_F(TransportDiffusion, SchemesOfSecondOrder)
{
  for (const std::string scheme : {"crank_nicolson", "bdf2"})
    {
      const Settings q2     = {"Discretization/Degree=2", "Time stepping/Scheme=" + scheme};
      const double   coarse = solve(4, 0.1, q2).l2(), fine = solve(4, 0.05, q2).l2();
      EXPECT_NEAR(std::log2(coarse / fine), 2., 0.1) << scheme << ": errors " << coarse << ", " << fine;
    }
}

TEST_F(TransportDiffusion, QuadraticElementsOfThirdOrder)
{
  const Settings q2 = {"Discretization/Degree=2", "Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.5"};
  const double   coarse = solve(3, 0.0025, q2).l2(), fine = solve(4, 0.0025, q2).l2();
  EXPECT_NEAR(std::log2(coarse / fine), 3., 0.2) << "errors " << coarse << ", " << fine;
}

TEST_F(TransportDiffusion, ThreeDimensions)
{
  const Settings cube   = {"Problem/Dimension=3", "Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.4"};
  const auto     coarse = solve(2, 0.02, cube), fine = solve(3, 0.02, cube);
  EXPECT_EQ(fine.record.at("dofs"), 729);
  EXPECT_GT(std::log2(coarse.l2() / fine.l2()), 1.7) << "errors " << coarse.l2() << ", " << fine.l2();
}

TEST_F(TransportDiffusion, AdaptiveMesh)
{
  // Hanging nodes everywhere must cost no accuracy: the error stays near that of the uniform mesh they start from.
  const Settings common   = {"Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.4"};
  const auto     uniform  = solve(4, 0.01, common);
  Settings       settings = common;
  settings.insert(settings.end(), {"Discretization/Adaptive cycles=3", "Linear solver/Coarsest level cells=30"});
  const auto adaptive = solve(4, 0.01, settings);
  EXPECT_GT(adaptive.record.at("cells"), 600) << "256 cells, three cycles that refine 15% of them";
  EXPECT_GE(adaptive.record.at("levels").size(), 4u);
  EXPECT_LT(adaptive.l2(), 1.1 * uniform.l2());
  EXPECT_LE(adaptive.max_iterations(), 10);
}

TEST_F(TransportDiffusion, SUPGAtLowDiffusion)
{
  const auto errors = [&](const std::string &supg) {
    const Settings s = {"Problem/Diffusion=1e-6", "Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.5",
                        "Discretization/SUPG=" + supg};
    return std::make_pair(solve(4, 0.01, s).l2(), solve(5, 0.01, s).l2());
  };
  const auto with = errors("true"), without = errors("false");
  EXPECT_GT(std::log2(with.first / with.second), 1.4) << "at least h^3/2: " << with.first << ", " << with.second;
  EXPECT_NE(with.second, without.second) << "SUPG has no effect";
  EXPECT_LT(with.second, 5. * without.second) << "the stabilisation is consistent: a smooth solution survives it";
}

// Where transport along a direction of the mesh rules, lines see it and points do not.
TEST_F(TransportDiffusion, LinesHoldWhereTransportDominates)
{
  const auto iterations = [&](const std::string &diffusion, const std::string &smoother) {
    return solve(7, 0.02,
                 {"Problem/Diffusion=" + diffusion, "Linear solver/Smoother=" + smoother, "Time stepping/End time=0.06",
                  "Discretization/SUPG=true", "Time stepping/Extrapolation order=0"})
      .max_iterations();
  };
  for (const char *diffusion : {"1e-2", "1e-4", "1e-6"})
    EXPECT_LE(iterations(diffusion, "line"), 7) << "diffusion " << diffusion;
  EXPECT_GT(iterations("1e-4", "jacobi"), 50);
}

// Whatever the direction of the flow and the degree, at a Courant number of 3.
TEST_F(TransportDiffusion, DownstreamSweepsHoldInAllDirections)
{
  for (const std::string degree : {"1", "2"})
    for (const std::string transport : {"0, -1", "1, 0.5", "-1, 1"})
      for (const std::string diffusion : {"1e-2", "1e-6"})
        EXPECT_LE(
          run({"Problem/Diffusion=" + diffusion, "Problem/Transport=" + transport, "Discretization/Degree=" + degree,
               "Discretization/SUPG=true", "Discretization/Refinements=6", "Discretization/Adaptive cycles=0",
               "Time stepping/Time step=0.25", "Time stepping/End time=0.5", "Time stepping/Extrapolation order=0",
               "Linear solver/Smoother=downstream_patches", "Linear solver/Damping=1",
               "Linear solver/Pre-smoothing steps=1", "Linear solver/Post-smoothing steps=1"})
            .max_iterations(),
          5) // 8 by sweeps over single cells
          << "degree " << degree << ", transport " << transport << ", diffusion " << diffusion;
}

TEST_F(TransportDiffusion, InitialGuessDoesNotChangeTheSolution)
{
  const auto   zero       = solve(5, 0.02, {"Time stepping/Extrapolation order=0"});
  const double iterations = zero.mean_iterations();
  for (const std::string order : {"1", "2", "3"})
    {
      const auto outcome = solve(5, 0.02, {"Time stepping/Extrapolation order=" + order});
      EXPECT_NEAR(outcome.l2() / zero.l2(), 1., 1e-5) << "order " << order;
      EXPECT_LT(outcome.mean_iterations(), iterations) << "order " << order;
    }
}

TEST_F(TransportDiffusion, PrecisionOfTheCycle)
{
  const auto single  = solve(6, 0.02, {"Linear solver/Precision=float32", "Time stepping/End time=0.4"});
  const auto twofold = solve(6, 0.02, {"Linear solver/Precision=float64", "Time stepping/End time=0.4"});
  EXPECT_EQ(single.record.at("precision"), "float32");
  EXPECT_EQ(twofold.record.at("precision"), "float64");
  EXPECT_NEAR(single.l2() / twofold.l2(), 1., 1e-5);
  EXPECT_NEAR(single.mean_iterations(), twofold.mean_iterations(), 1.);
}

TEST_F(TransportDiffusion, TrilinosGivesTheSameSolution)
{
  const auto ours   = solve(5, 0.02, {"Linear solver/Tolerance=1e-10"});
  const auto theirs = solve(5, 0.02, {"Linear solver/Tolerance=1e-10", "Linear solver/Preconditioner=trilinos_amg"});
  EXPECT_EQ(theirs.record.at("preconditioner"), "trilinos_amg");
  EXPECT_NEAR(theirs.l2() / ours.l2(), 1., 1e-7);
}

TEST_F(TransportDiffusion, IterationsDoNotGrowWithTheLevel)
{
  for (const unsigned int n : {7, 8, 9})
    {
      const auto outcome = solve(n, 0.02, {"Time stepping/Extrapolation order=0", "Time stepping/End time=0.1"});
      const int  nodes   = (1 << n) + 1;
      EXPECT_EQ(outcome.record.at("dofs"), nodes * nodes);
      EXPECT_LE(outcome.max_iterations(), 8) << "level " << n;
    }
}

TEST_F(TransportDiffusion, ThreadsDoNotChangeABit)
{
  const Settings settings = {"Discretization/Adaptive cycles=2", "Time stepping/End time=0.2"};
  const auto     one = solve(6, 0.02, settings, 1), two = solve(6, 0.02, settings, 2);
  const auto     text = [](const Outcome &o) {
    std::ifstream in(o.folder + "/statistics.csv");
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(two.record.at("threads"), 2);
  const std::string rows = text(one);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 11) << "a header and ten steps expected:\n" << rows;
  EXPECT_EQ(rows, text(two));
  EXPECT_EQ(one.l2(), two.l2());
}

// The built-in data as expressions: manufactured once more, by muParser.
TEST_F(TransportDiffusion, DataAsExpressions)
{
  const std::string c = "(0.5+0.25*cos(0.5*pi*t))", c_dot = "(-0.125*pi*sin(0.5*pi*t))";
  for (const std::string dimension : {"2", "3"})
    for (const std::string scheme : {"backward_euler", "crank_nicolson", "bdf2"})
      {
        std::string sum, square;
        for (const char *x : {"x", "y", "z"})
          if (dimension == "3" || *x != 'z')
            {
              sum += "+(" + c + "-" + x + ")";
              square += "+(" + c + "-" + x + ")^2";
            }
        const std::string theta = "exp(-0.25*(0" + square + "))", f = theta + "*(-0.5*" + c_dot + "*(0" + sum +
                                                                      ")-0.01*(0.25*(0" + square + ")-0.5*" +
                                                                      dimension + ")-0.5*(" + c + "-y))";
        const Settings common  = {"Problem/Dimension=" + dimension, "Time stepping/Scheme=" + scheme,
                                  "Time stepping/End time=0.2", "Discretization/Adaptive cycles=1"};
        Settings       by_text = common;
        by_text.insert(by_text.end(), {"Problem/Source=" + f, "Problem/Boundary values=" + theta,
                                       "Problem/Initial values=" + theta, "Problem/Exact solution=" + theta});
        const unsigned int n        = dimension == "2" ? 4 : 2;
        const auto         expected = solve(n, 0.02, common), actual = solve(n, 0.02, by_text, 2);
        EXPECT_EQ(actual.record.at("cells"), expected.record.at("cells")) << "the mesh follows the initial values";
        EXPECT_NEAR(actual.l2(), expected.l2(), 1e-12) << scheme << " in " << dimension << "D";
        EXPECT_EQ(actual.mean_iterations(), expected.mean_iterations());
      }
  const auto own = solve(3, 0.5, {"Problem/Source=1", "Problem/Boundary values=0", "Problem/Initial values=x*(1-x)"});
  EXPECT_FALSE(own.record.contains("errors")) << "no exact solution is known";
  // b = 0: diffusion to the linear solution that the boundary has, which Q1 has exactly.
  const auto linear = solve(3, 5.,
                            {"Problem/Source=0", "Problem/Boundary values=1+2*x-y", "Problem/Initial values=0",
                             "Problem/Exact solution=1+2*x-y", "Problem/Transport=0,0", "Problem/Diffusion=100",
                             "Time stepping/End time=50", "Linear solver/Tolerance=1e-12"});
  EXPECT_LT(linear.l2(), 1e-10);
  // Without a source there is no matrix for it, with one that is zero there is.
  for (const std::string scheme : {"backward_euler", "crank_nicolson"})
    {
      const auto decay = [&](const std::string &source) {
        return solve(4, 0.02,
                     {"Problem/Source=" + source, "Problem/Boundary values=0", "Problem/Initial values=x*(1-x)*y*(1-y)",
                      "Problem/Exact solution=0", "Time stepping/Scheme=" + scheme, "Time stepping/End time=0.1"})
          .l2();
      };
      EXPECT_EQ(decay("0"), decay("0*t")) << scheme;
      EXPECT_NE(decay("0"), decay("t")) << scheme;
    }
}

// A problem with the solution cos(t) sin(x + 2 y - z) whose coefficients all vary in place and time. On the sides of
// the box the solution is prescribed, but side 1 has its flux and side 2 has Robin's condition.
Settings general_problem(int dim, bool tensor, bool conservative)
{
  const std::string s = dim == 2 ? "(x+2*y)" : "(x+2*y-z)", u = "cos(t)*sin" + s, slope = "cos(t)*cos" + s,
                    lambda = "0.1*(1+x*y+t)", off = tensor ? "0.03*x" : "0", alpha = "(2+t)";
  const std::string flux_x     = "((" + lambda + ")+2*(" + off + "))*" + slope,
                    flux_y     = "(2*(" + lambda + ")+(" + off + "))*" + slope;
  const std::string divergence = "(-(" + std::string(dim == 2 ? "5" : "6") + ")*(" + lambda + ")*" + u +
                                 "+0.1*(y+2*x)*" + slope + "-4*(" + off + ")*" + u + (tensor ? "+0.06*" + slope : "") +
                                 ")";
  const std::string transport = "(y*(1+t)+x-x" + std::string(dim == 2 ? "" : "-0.3*y") + ")*" + slope;
  std::string       diffusion = lambda;
  if (tensor)
    diffusion += ";" + off + (dim == 2 ? "" : ";0") + ";" + lambda + (dim == 2 ? "" : ";0;" + lambda);
  std::string prescribed = "0: " + u + ", 3: " + u;
  if (dim == 3)
    prescribed += ", 4: " + u + ", 5: " + u;
  return {"Problem/Dimension=" + std::to_string(dim),
          "Problem/Diffusion=" + diffusion,
          "Problem/Transport=y*(1+t)+x; -0.5*x" + std::string(dim == 2 ? "" : "; 0.3*y"),
          "Problem/Reaction=0.5+x*t",
          "Problem/Transport form=" + std::string(conservative ? "conservative" : "advective"),
          "Problem/Source=-sin(t)*sin" + s + "+" + transport + "+(" + (conservative ? "1.5" : "0.5") + "+x*t)*" + u +
            "-" + divergence,
          "Problem/Boundary values=" + prescribed,
          "Problem/Flux=1: " + flux_x,
          "Problem/Robin=2: " + alpha + "; " + u + "-" + flux_y + "/" + alpha,
          "Problem/Initial values=" + u,
          "Problem/Exact solution=" + u,
          "Linear solver/Tolerance=1e-10"};
}

TEST_F(TransportDiffusion, CoefficientsAndBoundariesOfAllKindsKeepTheOrder)
{
  struct Case
  {
    int         dim, degree;
    bool        tensor, conservative;
    const char *supg;
  };
  for (const Case &c :
       {Case{2, 1, false, true, "true"}, Case{2, 1, true, false, "true"}, Case{2, 2, false, false, "true"},
        Case{2, 2, true, true, "false"}, Case{3, 1, true, true, "false"}, Case{3, 1, false, false, "true"}})
    {
      Settings settings = general_problem(c.dim, c.tensor, c.conservative);
      settings.insert(settings.end(), {"Discretization/Degree=" + std::to_string(c.degree),
                                       "Discretization/SUPG=" + std::string(c.supg), "Discretization/Adaptive cycles=1",
                                       "Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.1"});
      const unsigned int n      = c.dim == 3 || c.degree == 2 ? 2 : 3;
      const auto         coarse = solve(n, 0.01, settings), fine = solve(n + 1, 0.005, settings, 2);
      EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), c.degree + 1., 0.15)
        << c.dim << "D, degree " << c.degree << ", tensor " << c.tensor << ", conservative " << c.conservative
        << ": errors " << coarse.l2() << ", " << fine.l2();
      EXPECT_LE(fine.max_iterations(), 12) << "to 1e-10";
    }
}

// A wave that leaves the box and enters on the other side, in two directions, with nodes that hang at the sides. The
// box whose boundary values are given needs as many iterations, give or take one. In 3D the matrix is nearly the mass
// matrix: with the damping 0.8 itself Jacobi's steps diverge, and there were 58 and 49 iterations.
TEST_F(TransportDiffusion, PeriodicWaves)
{
  for (const int dim : {2, 3})
    for (const int degree : {1, 2})
      {
        const std::string x = "sin(2*pi*(x-t))*cos(2*pi*(y-t/2))", z = dim == 3 ? "*cos(2*pi*(z+t))" : "",
                          wave  = x + z + "*exp(-0.04*" + std::to_string(dim) + "*pi^2*t)";
        const Settings problem  = {"Problem/Dimension=" + std::to_string(dim),
                                   "Problem/Diffusion=0.01",
                                  dim == 3 ? "Problem/Transport=1; 0.5; -1" : "Problem/Transport=1; 0.5",
                                   "Problem/Source=0",
                                   "Problem/Initial values=sin(2*pi*x)*cos(2*pi*y)" +
                                     std::string(dim == 3 ? "*cos(2*pi*z)" : ""),
                                   "Problem/Exact solution=" + wave,
                                   "Discretization/Degree=" + std::to_string(degree),
                                   "Discretization/Adaptive cycles=1",
                                   "Linear solver/Coarsest level cells=8",
                                   "Time stepping/Scheme=crank_nicolson",
                                   "Time stepping/End time=0.02"};
        Settings       periodic = problem, given = problem;
        periodic.insert(periodic.end(),
                        {"Problem/Boundary values=0", dim == 3 ? "Mesh/Periodic boundaries=0: 1, 2: 3, 4: 5" :
                                                                 "Mesh/Periodic boundaries=0: 1, 2: 3"});
        given.push_back("Problem/Boundary values=" + wave);
        const unsigned int n      = 4 - (dim == 3) - (degree - 1);
        const double       dt     = degree == 1 ? 0.005 : 0.002;
        const auto         coarse = solve(n, dt, periodic), fine = solve(n + 1, dt / 2, periodic, 2);
        EXPECT_GT(std::log2(coarse.l2() / fine.l2()), degree + 0.8)
          << dim << "D, degree " << degree << ": errors " << coarse.l2() << ", " << fine.l2();
        const int of_given = solve(n + 1, dt / 2, given, 2).max_iterations();
        EXPECT_LE(fine.max_iterations(), of_given + 1) << dim << "D, degree " << degree;
        EXPECT_LE(of_given, 15) << dim << "D, degree " << degree;
      }
}

TEST_F(TransportDiffusion, CoefficientsThatDependOnTimeKeepTheSecondOrder)
{
  for (const std::string scheme : {"crank_nicolson", "bdf2"})
    for (const std::string supg : {"false", "true"})
      {
        // Linear in space: the mesh resolves it, and the error is that of time steps.
        const Settings settings = {
          "Problem/Diffusion=0.1+0.05*sin(5*t)",
          "Problem/Transport=cos(6*t); 1-t",
          "Problem/Reaction=1+sin(7*t)",
          "Problem/Source=-4*sin(4*t)*(1+x+y)+cos(4*t)*(cos(6*t)+1-t)"
          "+(1+sin(7*t))*cos(4*t)*(1+x+y)",
          "Problem/Boundary values=0: cos(4*t)*(1+y), 2: cos(4*t)*(1+x)",
          "Problem/Flux=1: (0.1+0.05*sin(5*t))*cos(4*t)",
          "Problem/Robin=3: 2+sin(9*t); cos(4*t)*(2+x)+(0.1+0.05*sin(5*t))*cos(4*t)/(2+sin(9*t))",
          "Problem/Initial values=1+x+y",
          "Problem/Exact solution=cos(4*t)*(1+x+y)",
          "Time stepping/Scheme=" + scheme,
          "Time stepping/End time=0.8",
          "Discretization/SUPG=" + supg,
          "Linear solver/Tolerance=1e-12"};
        const auto coarse = solve(3, 0.05, settings), fine = solve(3, 0.025, settings);
        EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), 2., 0.25)
          << scheme << ", SUPG " << supg << ": errors " << coarse.l2() << ", " << fine.l2();
        EXPECT_EQ(fine.record.at("updates"), 32) << "one for each step";
      }
}

// What the host assembles once is what cell kernels compute where the text has a variable.
TEST_F(TransportDiffusion, ConstantsAndExpressionsGiveTheSameMatrices)
{
  for (const std::string dim : {"2", "3"})
    for (const std::string degree : {"1", "2"})
      for (const std::string diffusion : {"0.02", dim == "2" ? "0.02; 0.01; 0.03" : "0.02; 0.01; 0; 0.03; 0.005; 0.04"})
        for (const std::string supg : {"false", degree == "1" || diffusion == "0.02" ? "true" : "false"})
          {
            const auto solution = [&](const std::string &plus) {
              std::string velocity = "0.5" + plus + "; -1";
              if (dim == "3")
                velocity += "; 0.25";
              return solve(dim == "2" ? 4 : 2, 0.05,
                           {"Problem/Dimension=" + dim, "Discretization/Degree=" + degree,
                            "Discretization/SUPG=" + supg, "Problem/Diffusion=" + diffusion,
                            "Problem/Transport=" + velocity, "Problem/Reaction=0.7", "Problem/Source=1+x*y",
                            "Problem/Boundary values=0: y, 2: x*x, 3: 1", "Problem/Initial values=x*y",
                            "Problem/Exact solution=0", "Time stepping/Scheme=crank_nicolson",
                            "Time stepping/End time=0.2", "Discretization/Adaptive cycles=1",
                            "Linear solver/Tolerance=1e-12"})
                .l2();
            };
            const double expected = solution("");
            EXPECT_NEAR(solution("+0*x"), expected, 1e-10 * expected)
              << dim << "D, degree " << degree << ", " << diffusion;
            EXPECT_NEAR(solution("+0*t"), expected, 1e-10 * expected)
              << dim << "D, degree " << degree << ", " << diffusion;
          }
}

// Each material has its own expression; the solution's fluxes balance where they meet.
TEST_F(TransportDiffusion, ExpressionsByMaterial)
{
  const std::string exact = "if(y>0.5, log(1+y), 2*log(1+y)-log(1.5))"; // λ u_y = 1 above and below
  const auto        error = [&](unsigned int n, const std::string &diffusion) {
    return solve(n, 1.,
                        {"Mesh/File=" ELASTICITY_PRM "/meshes/two_material_beam.msh", "Problem/Diffusion=" + diffusion,
                  "Problem/Transport=0;0", "Problem/Source=0", "Problem/Boundary values=top: log(2)",
                  "Problem/Flux=bottom: -1", "Problem/Initial values=" + exact, "Problem/Exact solution=" + exact,
                  "Time stepping/End time=20"})
      .l2();
  };
  const std::string both = "steel: 0.5*(1+y); aluminium: 1+y"; // a semicolon before a name separates, too
  EXPECT_NEAR(std::log2(error(0, both) / error(1, both)), 2., 0.2);
  EXPECT_GT(error(1, "steel: 1+y, 0.5*(1+y)"), 0.1);
}

TEST_F(TransportDiffusion, ShippedParameterFiles)
{
  EXPECT_GE(read_parameter_files(TRANSPORT_DIFFUSION_PRM), 5)
    << "tutorial and paper_level7 to 10 in " << TRANSPORT_DIFFUSION_PRM;
}

// Errors as docs/transport_diffusion.md has them; the cone's steps are twice as long, to save seconds.
TEST_F(TransportDiffusion, ShippedProblemsHaveTheirErrors)
{
  const auto error = [&](const std::string &name, const Settings &settings = {}) {
    Settings                 all       = {"Time stepping/Output interval=0"};
    std::vector<std::string> arguments = {TRANSPORT_DIFFUSION_PRM "/" + name, "--backend", "host", "--threads", "2"};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const auto &setting : all)
      arguments.insert(arguments.end(), {"--set", setting});
    const auto outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.l2();
  };
  EXPECT_LT(error("rotating_cone.prm", {"Time stepping/Time step=0.005"}), 1e-3) << "of time steps: 1 % of the hill";
  EXPECT_LT(error("slotted_disc.prm"), 0.08) << "the disc has the norm 0.25";
  EXPECT_LT(error("fin.prm"), 5e-3) << "degrees";
  EXPECT_LT(error("composite.prm"), 1e-5) << "Q1 has the exact solution";
  const double coarse = error("fin.prm", {"Discretization/Refinements=3"}),
               fine   = error("fin.prm", {"Discretization/Refinements=4"});
  EXPECT_NEAR(std::log2(coarse / fine), 2., 0.1);
}

TEST_F(TransportDiffusion, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"});
  const auto shipped  = start({TRANSPORT_DIFFUSION_PRM "/tutorial.prm", "--print-parameters"});
  EXPECT_EQ(built_in.out, shipped.out);
}

TEST_F(TransportDiffusion, PrintedParametersRunAgain)
{
  const auto printed =
    start({"--print-parameters", "--set", "Discretization/Refinements=3", "--set", "Time stepping/Time step=0.5"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_FALSE(std::filesystem::exists(printed.folder)) << "nothing is written";
  write("printed.prm", printed.out);
  const auto again = start({"printed.prm", "--threads", "1"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.record.at("steps"), 4);
  for (const char *key : {"application", "version", "backend", "device", "threads", "precision", "dofs", "cells",
                          "levels", "steps", "tolerance", "iterations", "timings", "errors", "peak_memory_bytes"})
    EXPECT_TRUE(again.record.contains(key)) << "run.json lacks " << key;
  for (const char *file : {"parameters.prm", "statistics.csv", "solution.pvd", "solution_0000.vtu"})
    EXPECT_TRUE(std::filesystem::exists(again.folder + "/" + file)) << file;
  // The effective parameters reproduce the run.
  const auto third = start({again.folder + "/parameters.prm", "--threads", "1"});
  ASSERT_EQ(third.code, 0) << third.err;
  EXPECT_EQ(third.l2(), again.l2());
}

TEST_F(TransportDiffusion, HelpAndVersion)
{
  const auto help = start({"--help"}), version = start({"--version"});
  EXPECT_EQ(help.code, 0);
  for (const char *option :
       {"--set", "--backend", "--threads", "--output", "--print-parameters", "--help", "--version"})
    EXPECT_NE(help.out.find(option), std::string::npos) << "--help says nothing of " << option;
  EXPECT_EQ(version.code, 0);
  EXPECT_NE(version.out.find("adamant 0."), std::string::npos) << version.out;
  EXPECT_FALSE(std::filesystem::exists(help.folder) || std::filesystem::exists(version.folder)) << "nothing is written";
}

// Each mistake ends with exit code 2, one line on stderr that has all of `says`, nothing on stdout and nothing written.
struct Mistake
{
  std::string              name;
  std::vector<std::string> arguments;
  std::string              file; ///< text of bad.prm, where the arguments name it
  std::vector<std::string> says;
};

std::ostream &operator<<(std::ostream &out, const Mistake &mistake)
{
  return out << mistake.name;
}

TEST_F(TransportDiffusion, Mistakes)
{
  const auto set = [](const std::string &setting) { return std::vector<std::string>{"--set", setting}; };
  const std::vector<std::string> bad = {"bad.prm"};
  write("regular_file", "text");
  write("other.prm", "");
  const std::vector<Mistake> mistakes = {
    {"typo in a key",
     bad,
     "subsection Time stepping\n  set Time stp = 0.1\nend\n",
     {"bad.prm", "Line <2>", "Time stp", "did you mean 'Time step'"}},
    {"typo in a section",
     bad,
     "\nsubsection Timestepping\nend\n",
     {"bad.prm", "Line <2>", "Timestepping", "did you mean 'Time stepping'"}},
    {"wrong section",
     bad,
     "subsection Problem\n  set Time step = 0.1\nend\n",
     {"Line <2>", "there is 'Time stepping/Time step'"}},
    {"negative step",
     bad,
     "subsection Time stepping\n  set Time step = -0.1\nend\n",
     {"Line <2>", "-0.1", "Time step"}},
    {"section without end", bad, "subsection Time stepping\n  set Time step = 0.1\n", {"bad.prm", "end"}},
    {"unknown word", bad, "sett Time step = 0.1\n", {"Line <1>", "sett", "did you mean 'set'"}},
    {"empty file", bad, "", {"bad.prm", "empty"}},
    {"missing file", {"missing.prm"}, "", {"missing.prm", "cannot be opened"}},
    {"two files", {"bad.prm", "other.prm"}, "", {"bad.prm", "other.prm", "one parameter file"}},
    {"unwritable output",
     {"--backend", "host", "--output", "regular_file/sub"},
     "",
     {"regular_file/sub", "cannot be written"}},
    {"unknown backend", {"--backend", "cdua"}, "", {"cdua", "did you mean 'cuda'"}},
    {"unknown option", {"--treads", "2"}, "", {"--treads", "did you mean '--threads'"}},
    {"threads no number", {"--threads", "two"}, "", {"--threads", "two"}},
    {"negative threads", {"--threads", "-1"}, "", {"--threads", "-1", "negative"}},
    {"level 40", set("Discretization/Refinements=40"), "", {"Discretization/Refinements = 40", "at most 15"}},
    {"no number", set("Discretization/Refinements=four"), "", {"Discretization/Refinements", "four", "Integer"}},
    {"end time no multiple", set("Time stepping/Time step=0.03"), "", {"End time", "multiple", "Time step = 0.03"}},
    {"no equal sign", set("Time stepping/Time step"), "", {"Time stepping/Time step", "Section/key=value"}},
    {"too few components", set("Problem/Transport=1"), "", {"Problem/Transport = 1", "1 components", "2 are needed"}},
    {"component no number", set("Problem/Transport=1, up"), "", {"Problem/Transport", "up"}},
    {"bad choice", set("Time stepping/Scheme=bdf3"), "", {"bdf3", "backward_euler|crank_nicolson|bdf2"}},
    {"typo in --set", set("Time steping/Scheme=bdf2"), "", {"did you mean 'Time stepping/Scheme'"}},
    {"--set in a wrong section", set("Problem/Scheme=bdf2"), "", {"there is 'Time stepping/Scheme'"}},
    {"--set without section", set("Scheme=bdf2"), "", {"there is 'Time stepping/Scheme'"}},
    {"time step zero", set("Time stepping/Time step=0"), "", {"Time stepping/Time step=0"}},
    {"time step nan", set("Time stepping/Time step=nan"), "", {"Time stepping/Time step=nan"}},
    {"bad expression", set("Problem/Source=sin(x"), "", {"Problem/Source = sin(x"}},
    {"unknown variable", set("Problem/Initial values=x+z"), "", {"Problem/Initial values = x+z", "z"}},
    {"no boundary values", set("Problem/Boundary values=0: "), "", {"Problem/Boundary values"}},
    {"scalar blocks",
     set("Linear solver/Preconditioner=component_blocks"),
     "",
     {"component_blocks", "several components"}},
    {"negative diffusion", set("Problem/Diffusion=-1"), "", {"Problem/Diffusion = -1 is negative"}},
    {"half a tensor", set("Problem/Diffusion=1;2"), "", {"Problem/Diffusion = 1; 2", "2 components", "3"}},
    {"two entries for all", set("Problem/Diffusion=1, 2"), "", {"'2' and '1'", "no material in front"}},
    {"a material twice", set("Problem/Reaction=0:1, 0:2"), "", {"Problem/Reaction", "material 0 occurs twice"}},
    {"a name of no material", set("Problem/Reaction=steel: 1"), "", {"Problem/Reaction", "'steel'"}},
    {"unknown velocity", set("Problem/Transport=y; v"), "", {"Problem/Transport = y; v", "\"v\""}},
    {"flux without id", set("Problem/Flux=1"), "", {"Problem/Flux = 1", "id: expressions"}},
    {"Robin without u_out", set("Problem/Robin=1: 5"), "", {"Problem/Robin = 1: 5", "alpha and u_out"}},
    {"dimension 4", set("Problem/Dimension=4"), "", {"Problem/Dimension=4", "2...3"}},
  };
  for (const auto &mistake : mistakes)
    {
      SCOPED_TRACE(mistake);
      write("bad.prm", mistake.file);
      const auto outcome = start(mistake.arguments);
      EXPECT_EQ(outcome.code, 2);
      EXPECT_EQ(outcome.out, "");
      const std::string message = outcome.message();
      EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << "one line expected:\n" << outcome.err;
      for (const auto &text : mistake.says)
        EXPECT_NE(outcome.err.find(text), std::string::npos) << "expected '" << text << "' in: " << outcome.err;
      EXPECT_FALSE(std::filesystem::exists(outcome.folder)) << "an output folder was made";
    }
  EXPECT_FALSE(std::filesystem::exists(folder / "output")) << "an output folder was made";
}

// What the mesh or values at points show.
TEST_F(TransportDiffusion, CoefficientsAndBoundariesThatDoNotFit)
{
  const auto refused = [&](const Settings &settings, const std::string &says) {
    Settings all = {"Discretization/Refinements=2", "Problem/Source=0", "Problem/Boundary values=0",
                    "Problem/Initial values=0"};
    all.insert(all.end(), settings.begin(), settings.end());
    expect_refused(all, says);
  };
  refused({"Problem/Diffusion=x-0.5"}, "Problem/Diffusion is negative");
  refused({"Problem/Diffusion=1;2;1"}, "Problem/Diffusion is negative, or a tensor that is not positive");
  refused({"Problem/Transport=1;1/(x-x)"}, "Problem/Transport has values that are no numbers");
  refused({"Problem/Reaction=sqrt(-1)"}, "Problem/Reaction has values that are no numbers");
  refused({"Problem/Diffusion=-1+60*t", "Time stepping/Scheme=crank_nicolson"}, "Problem/Diffusion is negative");
  refused({"Problem/Reaction=-1/t", "Time stepping/Scheme=crank_nicolson"}, "Problem/Reaction has values that are no");
  refused({"Problem/Diffusion=1: 5, 0.01"}, "the mesh has no material 1");
  for (const std::string key : {"Source", "Boundary values"})
    refused({"Problem/" + key + "=0: manufactured"},
            "Problem/" + key + " = 0: manufactured: the entry 'manufactured': Parsing Error");
  refused({"Problem/Diffusion=3: 1"}, "Problem/Diffusion = 3: 1: there is no entry for material 0");
  refused({"Problem/Flux=9: 1"}, "Problem/Flux: the mesh has no boundary 9");
  refused({"Problem/Robin=1: sqrt(-1-x); 1"}, "Problem/Robin has values that are no numbers");
  refused({"Problem/Robin=1: 1; 1", "Problem/Flux=1: 2"}, "Problem/Robin has boundary 1, which Problem/Flux has, too");
  refused({"Problem/Boundary values=0: 1", "Problem/Flux=0: 2"}, "which Problem/Flux has, too");
  refused({"Mesh/Periodic boundaries=0"}, "Mesh/Periodic boundaries = 0: 'id: expressions' is expected");
  refused({"Mesh/Periodic boundaries=0: 0"}, "a boundary has one partner, which is another boundary");
  refused({"Mesh/Periodic boundaries=0: 1, 1: 0"}, "a boundary has one partner, which is another boundary");
  refused({"Mesh/Periodic boundaries=0: 7"}, "Mesh/Periodic boundaries: the mesh has no boundary 7");
  refused({"Mesh/Periodic boundaries=0: 2"}, "Mesh/Periodic boundaries = 0: 2: the vertices of the two boundaries");
  refused({"Mesh/Periodic boundaries=0: 1", "Problem/Boundary values=0: 1, 2: 0"},
          "Problem/Boundary values: the mesh has no boundary 0 that is not periodic");
  refused({"Problem/Source=manufactured", "Problem/Reaction=1"}, "Problem/Source = manufactured is for a constant");
  refused({"Problem/Diffusion=1;0;1", "Discretization/SUPG=true", "Discretization/Degree=2"}, "degree 2");
}

TEST_F(TransportDiffusion, InitialValuesThatAreNoNumbers)
{
  expect_refused({"Discretization/Refinements=3", "Problem/Initial values=sqrt(0.5-x)"},
                 "Problem/Initial values has values that are no numbers");
}
} // namespace
