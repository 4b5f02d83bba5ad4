// The elasticity program as a user meets it, and the meshes of the paper.
#include "elasticity/elasticity_parameters.h"
#include "program.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace
{
const Settings stationary = {"Time stepping/Stationary=true"};
const Settings coupled    = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};
const Settings no_load    = {"Problem/Body force=0; 0; 0"};
const Settings blocks     = {"Linear solver/Preconditioner=component_blocks"};

Settings mesh(const std::string &refinement, unsigned int uniform, unsigned int steps)
{
  return {"Discretization/Refinement=" + refinement, "Discretization/Uniform refinements=" + std::to_string(uniform),
          "Discretization/Refinement steps=" + std::to_string(steps)};
}

// Young's modulus and Poisson's ratio of Lame's parameters.
Settings lame(const std::string &lambda, const std::string &mu)
{
  const std::string sum = "(" + lambda + "+" + mu + ")";
  return {"Problem/Young modulus=" + mu + "*(3*" + lambda + "+2*" + mu + ")/" + sum,
          "Problem/Poisson ratio=" + lambda + "/(2*" + sum + ")"};
}

Settings tolerance(const std::string &value)
{
  return {"Linear solver/Tolerance=" + value};
}

Settings time_steps(double end, double step)
{
  return {"Time stepping/End time=" + std::to_string(end), "Time stepping/Time step=" + std::to_string(step)};
}

class Elasticity : public Program
{
protected:
  Elasticity()
    : Program(ELASTICITY)
  {}

  /// Without output of fields.
  Outcome solve(const Settings &settings, int threads = 1)
  {
    return run(Settings{"Output/Interval=0"} + settings, threads);
  }
};

void expect_six_digits(double value, double reference)
{
  const double digit = std::pow(10., std::floor(std::log10(std::abs(reference))) - 6.);
  EXPECT_NEAR(value, reference, 0.51 * digit);
}

// The rows of Table 2, levels 1 to 6, and what deal.II gives for the hanging nodes of levels 2 to 6.
struct PaperMesh
{
  std::string      refinement;
  unsigned int     n_coordinates;
  std::vector<int> nodes, hanging;
};
const std::vector<PaperMesh> paper_meshes = {
  {"face", 1, {729, 2925, 11281, 43861, 172505, 683741}, {0, 208, 1008, 4144, 16560, 65968}},
  {"edge", 2, {729, 1881, 4129, 8569, 17393, 34985}, {0, 208, 616, 1424, 3032, 6240}},
  {"vertex", 3, {729, 1333, 1937, 2541, 3145, 3749}, {0, 156, 312, 468, 624, 780}}};

TEST(ElasticityMesh, NodesOfTable2)
{
  using namespace dealii;
  for (const auto &paper : paper_meshes)
    for (unsigned int level = 1; level <= 6; ++level)
      {
        SCOPED_TRACE(paper.refinement + " level " + std::to_string(level));
        Triangulation<3> mesh;
        GridGenerator::hyper_cube(mesh);
        mesh.refine_global(3);
        adamant::refine_towards_origin(mesh, {1., 1., 1.}, paper.n_coordinates, level - 1);
        const FE_Q<3> fe(1);
        DoFHandler<3> dofs(mesh);
        dofs.distribute_dofs(fe);
        AffineConstraints<double> hanging;
        DoFTools::make_hanging_node_constraints(dofs, hanging);
        EXPECT_EQ(static_cast<int>(dofs.n_dofs()), paper.nodes[level - 1]);
        EXPECT_EQ(static_cast<int>(hanging.n_constraints()), paper.hanging[level - 1]);
      }
}

// The sizes of the shipped parameter files, and iterations that do not grow with the adaptive levels.
TEST_F(Elasticity, IterationsOnTheMeshesOfThePaper)
{
  for (const auto &paper : paper_meshes)
    {
      int fewest = 1000, most = 0;
      for (unsigned int level = paper.refinement == "face" ? 1 : 2; level <= (paper.refinement == "face" ? 4 : 6);
           ++level)
        {
          SCOPED_TRACE(paper.refinement + " level " + std::to_string(level));
          const auto outcome = solve(mesh(paper.refinement, 3, level - 1) + time_steps(0.025, 0.025));
          EXPECT_EQ(outcome.record.at("nodes"), paper.nodes[level - 1]);
          EXPECT_EQ(outcome.record.at("hanging_nodes"), paper.hanging[level - 1]);
          EXPECT_EQ(outcome.record.at("dofs"), 3 * paper.nodes[level - 1]);
          fewest = std::min(fewest, outcome.max_iterations());
          most   = std::max(most, outcome.max_iterations());
        }
      EXPECT_LE(most - fewest, 2) << paper.refinement << ": from " << fewest << " to " << most << " iterations";
      EXPECT_LE(most, 12) << paper.refinement;
    }
}

// References: an independent deal.II program.
TEST_F(Elasticity, StaticLimits)
{
  const double displacement[] = {-1.180440e-6, -1.170540e-6}, work[] = {4.054403e-7, 4.208934e-7};
  for (const unsigned int i : {0, 1})
    {
      const auto settings = mesh("uniform", 3 + i, 0) + tolerance("1e-10");
      for (const auto &problem : {stationary, Settings{}})
        if (i == 0 || !problem.empty()) // a hundred steps on the small mesh only
          {
            SCOPED_TRACE("h = 1/" + std::to_string(8 << i) + (problem.empty() ? ", a hundred steps" : ", stationary"));
            const auto record = solve(settings + problem + Settings{"Output/Points=0.5, 0.5, 0.5"}).record;
            expect_six_digits(record.at("displacements")[0][1], displacement[i]);
            expect_six_digits(record.at("work_of_load"), work[i]);
            EXPECT_NEAR(record.at("strain_energy").get<double>() / (0.5 * work[i]), 1., 1e-6)
              << "half the work of the load expected";
          }
    }
}

// u = a sin(k . x) with f = ((lambda + mu) (a.k) k + mu |k|² a) sin(k . x); traction sigma n on the side x = 1, u
// prescribed elsewhere.
struct Manufactured
{
  int                 dim;
  std::vector<double> a{1., -0.5, 0.7}, k{2., 1.5, -1.};
  double              lambda = 2., mu = 1.;

  double product(const std::vector<double> &x, const std::vector<double> &y) const
  {
    double sum = 0;
    for (int c = 0; c < dim; ++c)
      sum += x[c] * y[c];
    return sum;
  }
  std::string wave(const std::string &function, const std::vector<double> &amplitude) const
  {
    const std::string  axes = "xyz";
    std::ostringstream argument, text;
    for (int c = 0; c < dim; ++c)
      argument << (c > 0 ? "+" : "") << "(" << k[c] << ")*" << axes[c];
    for (int c = 0; c < dim; ++c)
      text << (c > 0 ? ";" : "") << "(" << amplitude[c] << ")*" << function << "(" << argument.str() << ")";
    return text.str();
  }
  Settings settings() const
  {
    std::vector<double> force(dim), traction(dim);
    for (int c = 0; c < dim; ++c)
      {
        force[c]    = (lambda + mu) * product(a, k) * k[c] + mu * product(k, k) * a[c];
        traction[c] = (c == 0 ? lambda * product(a, k) : 0.) + mu * (a[c] * k[0] + k[c] * a[0]);
      }
    return lame(std::to_string(lambda), std::to_string(mu)) +
           Settings{"Problem/Dimension=" + std::to_string(dim),
                    "Problem/Body force=" + wave("sin", force),
                    "Problem/Traction=1: " + wave("cos", traction),
                    "Problem/Dirichlet boundaries=0: xyz, 2: xyz, 3: xyz, 4: xyz, 5: xyz",
                    "Problem/Boundary displacement=" + wave("sin", a),
                    "Problem/Exact displacement=" + wave("sin", a)};
  }
};

TEST_F(Elasticity, OrdersOnAdaptiveMeshes)
{
  for (const int dim : {2, 3})
    for (const unsigned int degree : {1, 2})
      {
        const unsigned int finest = dim == 2 ? 5 : degree == 1 ? 3 : 2;
        const Settings     common = stationary + Manufactured{dim}.settings() + tolerance("1e-11") +
                                Settings{"Discretization/Degree=" + std::to_string(degree)};
        const auto on = [&](unsigned int uniform) {
          return solve((dim == 2 ? mesh("face", uniform, 2) : mesh("edge", uniform, 1)) + common);
        };
        const auto coarse = on(finest - 1), fine = on(finest);
        EXPECT_GT(fine.record.at("hanging_nodes"), 10);
        EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), degree + 1., 0.15)
          << dim << "D, Q" << degree << ": errors " << coarse.l2() << ", " << fine.l2();
      }
}

// Where the largest eigenvalues belong to a few nodes of the traction boundary; too low an estimate of them made the
// V-cycle indefinite, and conjugate gradients broke down.
TEST_F(Elasticity, QuadraticElementsOnATractionBoundary)
{
  const auto outcome =
    solve(stationary + Manufactured{3}.settings() + mesh("edge", 3, 2) + Settings{"Discretization/Degree=2"});
  EXPECT_EQ(outcome.record.at("dofs"), 89403);
  EXPECT_LE(outcome.max_iterations(), 12);
}

// A shear wave u_y = sin(pi x) cos(omega t) between walls. Nodal values of the sine are an eigenvector of the discrete
// problem, so that the amplitude follows backward Euler of one oscillator.
TEST_F(Elasticity, ShearWave)
{
  const unsigned int n  = 8;
  const double       pi = std::acos(-1.), end = 0.5, density = 2., mu = 3.;
  const double       omega2 = mu / density * 6. * n * n * (1. - std::cos(pi / n)) / (2. + std::cos(pi / n));
  const Settings     wave   = mesh("uniform", 3, 0) + no_load + tolerance("1e-11") + lame("5", "3") +
                        Settings{"Problem/Dimension=2",
                                 "Problem/Density=2",
                                 "Problem/Dirichlet boundaries=0: xy, 1: xy, 2: x, 3: x",
                                 "Problem/Initial displacement=0; sin(pi*x)",
                                 "Output/Points=0.5, 0.5",
                                 "Linear solver/Coarsest level cells=16"};
  for (const Settings &formulation : {Settings{}, coupled})
    {
      SCOPED_TRACE(formulation.empty() ? "condensed" : "coupled");
      double errors[2];
      for (const int i : {0, 1})
        {
          const int    n_steps = 100 << i;
          const double dt      = end / n_steps;
          const auto   rows    = statistics(solve(wave + formulation + time_steps(end, dt)));
          const auto  &found   = rows.at("point0_uy");
          ASSERT_EQ(found.size(), std::size_t(n_steps));
          double u = 1., v = 0.;
          for (int step = 0; step < n_steps; ++step)
            {
              const double last = u;
              u                 = (u + dt * v) / (1. + dt * dt * omega2);
              v                 = (u - last) / dt;
              ASSERT_NEAR(found[step], u, 1e-8) << "step " << step + 1;
            }
          errors[i] = std::abs(found.back() - std::cos(std::sqrt(omega2) * end));
        }
      EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1., 0.1)
        << "order of backward Euler: errors " << errors[0] << ", " << errors[1];
    }
}

// A body that nothing holds under a force (0, -t): v_n = v_(n-1) - dt t_n / rho, everywhere.
TEST_F(Elasticity, FreeFall)
{
  const auto rows = statistics(solve(mesh("vertex", 2, 2) + time_steps(1., 0.1) + tolerance("1e-12") + lame("8", "2") +
                                     Settings{"Problem/Dirichlet boundaries=", "Problem/Load factor=t",
                                              "Problem/Density=4", "Output/Points=0, 0, 0; 1, 0.3, 0.7"}));
  double     u = 0., v = 0.;
  for (int step = 1; step <= 10; ++step)
    {
      v -= 0.1 * (0.1 * step) / 4.;
      u += 0.1 * v;
      for (const std::string point : {"point0_u", "point1_u"})
        {
          EXPECT_NEAR(rows.at(point + "y")[step - 1], u, 1e-10) << "step " << step;
          EXPECT_NEAR(rows.at(point + "x")[step - 1], 0., 1e-10) << "step " << step;
        }
      EXPECT_NEAR(rows.at("kinetic_energy")[step - 1], 0.5 * 4. * v * v, 1e-9) << "step " << step;
      EXPECT_NEAR(rows.at("strain_energy")[step - 1], 0., 1e-12) << "step " << step;
    }
}

// A soft block with an initial velocity, on a mesh with hanging nodes; energies of all steps.
Settings moving_block()
{
  return mesh("edge", 2, 2) + time_steps(1., 0.025) + no_load + lame("8", "2") +
         Settings{"Problem/Dirichlet boundaries=0: xyz, 2: y", "Linear solver/Coarsest level cells=70",
                  "Problem/Initial velocity=x*y; x*(1-z); -x*x", "Output/Points=0.5, 0.5, 0.5; 1, 1, 1; 0.1, 0.2, 0.9"};
}

TEST_F(Elasticity, CoupledEqualsCondensed)
{
  const Settings common =
    moving_block() + tolerance("1e-11") + Settings{"Problem/Body force=0; -1; 0", "Problem/Load factor=cos(9*t)"};
  const auto one = statistics(solve(common)), other = statistics(solve(common + coupled));
  ASSERT_EQ(one.size(), 17u) << "8 columns and three components at three points";
  for (const auto &[name, values] : one)
    if (name != "iterations" && name.find("residual") == std::string::npos)
      {
        ASSERT_EQ(values.size(), 40u) << name;
        ASSERT_EQ(other.at(name).size(), 40u) << name;
        double largest = 0;
        for (const double value : values)
          largest = std::max(largest, std::abs(value));
        EXPECT_GT(largest, 1e-4) << name << " tests nothing";
        for (std::size_t step = 0; step < values.size(); ++step)
          EXPECT_NEAR(other.at(name)[step], values[step], 1e-7 * largest) << name << " in step " << step + 1;
      }
}

TEST_F(Elasticity, FreeMotionLosesEnergy)
{
  for (const Settings &formulation : {Settings{}, coupled})
    {
      SCOPED_TRACE(formulation.empty() ? "condensed" : "coupled");
      const auto rows = statistics(solve(moving_block() + formulation));
      // Initially 1/2 ∫ |v|², its integral by hand for v = (xy, x(1-z), -x²).
      double last   = 0.5 * (1. / 9. + 1. / 9. + 1. / 5.) * 1.01; // nodal interpolation gives a little more
      double strain = 0.;
      for (std::size_t step = 0; step < 40; ++step)
        {
          const double energy = rows.at("strain_energy")[step] + rows.at("kinetic_energy")[step];
          EXPECT_LE(energy, last) << "step " << step + 1;
          EXPECT_GT(energy, 0.) << "step " << step + 1;
          last   = energy;
          strain = std::max(strain, rows.at("strain_energy")[step]);
        }
      EXPECT_GT(strain, 0.02) << "kinetic energy should have become strain energy";
    }
}

// Linear fields and rigid motions lie in the space, whatever hanging nodes it has.
TEST_F(Elasticity, PatchTest)
{
  const std::map<std::string, std::string> fields = {{"linear", "0.3*x-0.2*y+0.1*z+0.5; 0.4*y+0.7*x-z; x+0.2*y-0.6*z"},
                                                     {"rotation", "0.2-0.3*y+0.4*z; 0.3*x-0.5*z; 0.5*y-0.4*x"}};
  for (const auto &[name, field] : fields)
    for (const std::string refinement : {"face", "vertex"})
      for (const std::string degree : {"1", "2"})
        {
          if (name == "rotation" && (refinement == "face") == (degree == "1"))
            continue;
          SCOPED_TRACE(name + ", " + refinement + ", Q" + degree);
          const auto record =
            solve(stationary + no_load + tolerance("1e-14") + mesh(refinement, 2, 2) + lame("8", "2") +
                  Settings{"Problem/Boundary displacement=" + field, "Problem/Exact displacement=" + field,
                           "Discretization/Degree=" + degree, "Linear solver/Coarsest level cells=70"})
              .record;
          EXPECT_GT(record.at("hanging_nodes"), 50);
          EXPECT_GT(record.at("levels").size(), 1u);
          EXPECT_LT(record.at("errors").at("l2"), 1e-12);
          if (name == "rotation")
            EXPECT_LT(std::abs(record.at("strain_energy").get<double>()), 1e-20);
          else
            EXPECT_GT(record.at("strain_energy"), 0.1);
        }
}

// A body under the pressure 3 on three sides, on rollers at the others: sigma = -3 I, u = -3 (1 - 2 nu) / E x. In two
// dimensions u = -3 (1 + nu) (1 - 2 nu) / E x in plane strain, and -3 (1 - nu) / E x in a thin plate.
TEST_F(Elasticity, PressureAndPlanes)
{
  const auto check = [&](const std::string &dimension, const std::string &plane, const std::string &factor,
                         double sigma_zz) {
    const std::string u = "-3*" + factor + "/200*";
    const auto        record =
      solve(stationary + no_load + tolerance("1e-13") + mesh("edge", 1, 2) +
            Settings{"Problem/Dimension=" + dimension, "Problem/Plane=" + plane, "Problem/Young modulus=200",
                     "Problem/Poisson ratio=0.3",
                     "Problem/Pressure=1: 3, 3: 3" + std::string(dimension == "3" ? ", 5: 3" : ""),
                     "Problem/Dirichlet boundaries=0: x, 2: y" + std::string(dimension == "3" ? ", 4: z" : ""),
                     "Output/Stress points=0.5, 0.25, 0.5",
                     "Problem/Exact displacement=" + u + "x; " + u + "y; " + u + "z"})
        .record;
    EXPECT_LT(record.at("errors").at("l2"), 1e-13) << dimension << "D, " << plane;
    const auto &stress = record.at("stresses")[0];
    EXPECT_NEAR(stress.at("stress_xx"), -3., 1e-10);
    EXPECT_NEAR(stress.at("stress_yy"), -3., 1e-10);
    EXPECT_NEAR(stress.at("von_mises"), 3. + sigma_zz, 1e-10) << dimension << "D, " << plane;
  };
  check("3", "strain", "(1-2*0.3)", -3.);
  check("2", "strain", "1.3*(1-2*0.3)", -2. * 3. * 0.3);
  check("2", "stress", "(1-0.3)", 0.);
  expect_refused({"Problem/Plane=stress"}, "Problem/Plane = stress is for two dimensions");
  expect_refused({"Problem/Dimension=2", "Problem/Plane=stress", "Discretization/Volumetric strain=b_bar"}, "b_bar");
  expect_refused({"Problem/Pressure=9: 1"}, "no boundary 9");
  expect_refused({"Problem/Pressure=1: p", "Problem/Dirichlet boundaries=0: xyz"}, "Problem/Pressure = p");
  expect_refused({"Problem/Pressure=1: log(-1-x)", "Problem/Dirichlet boundaries=0: xyz"}, "no numbers");
  expect_refused({"Problem/Pressure=1: 1", "Problem/Dirichlet boundaries=1: xyz"}, "Problem/Pressure: on boundary 1");
}

// Pulled at x = 4, on rollers at x, y, z = 0: sigma_xx = 3 everywhere.
TEST_F(Elasticity, BarUnderTension)
{
  for (const std::string degree : {"1", "2"})
    {
      const auto record =
        solve(stationary + no_load + tolerance("1e-13") + mesh("edge", 1, 2) +
              Settings{"Problem/Young modulus=200", "Problem/Poisson ratio=0.3", "Problem/Traction=1: 3; 0; 0",
                       "Problem/Dirichlet boundaries=0: x, 2: y, 4: z", "Discretization/Lengths=4, 1, 1",
                       "Discretization/Coarse cells=4, 1, 1", "Discretization/Degree=" + degree,
                       "Output/Points=4, 1, 1", "Problem/Exact displacement=3/200*x; -0.3*3/200*y; -0.3*3/200*z"})
          .record;
      EXPECT_LT(record.at("errors").at("l2"), 1e-13);
      EXPECT_NEAR(record.at("displacements")[0][0], 0.06, 1e-13);
      EXPECT_NEAR(record.at("strain_energy"), 0.5 * 3. * 3. / 200. * 4., 1e-12);
    }
}

TEST_F(Elasticity, NearlyIncompressible)
{
  const auto iterations = [&](const std::string &nu) {
    return solve(mesh("edge", 3, 2) + time_steps(0.025, 0.025) +
                 Settings{"Problem/Young modulus=5.6e4", "Problem/Poisson ratio=" + nu})
      .max_iterations();
  };
  const int usual = iterations("0.4"), near = iterations("0.49");
  EXPECT_GT(near, usual) << "slower than at nu = 0.4 is expected";
  EXPECT_LE(near, 40);
}

// The load belongs to u = curl sin²(pi x) sin²(pi y), which has no divergence, and lambda / mu = 5000 (nu = 0.4999).
// With B-bar the orders are as for any material; where Q1 locks there is none. The V-cycle by vertices needs as few
// steps as at nu = 0.3.
TEST_F(Elasticity, BBarDoesNotLock)
{
  const auto on = [&](const std::string &volumetric_strain, unsigned int degree, unsigned int uniform,
                      const std::string &lambda = "5000") {
    return solve(stationary + tolerance("1e-10") + mesh("uniform", uniform, 0) + lame(lambda, "1") +
                 Settings{"Problem/Dimension=2",
                          "Problem/Exact displacement=sin(pi*x)^2*sin(2*pi*y); -sin(2*pi*x)*sin(pi*y)^2",
                          "Problem/Body force=-2*pi^2*(2*cos(2*pi*x)-1)*sin(2*pi*y);"
                          "2*pi^2*sin(2*pi*x)*(2*cos(2*pi*y)-1)",
                          "Discretization/Volumetric strain=" + volumetric_strain,
                          "Discretization/Degree=" + std::to_string(degree), "Linear solver/Smoother=vertex_patches",
                          "Linear solver/Interpolation=harmonic", "Linear solver/Chebyshev range=4",
                          "Linear solver/Maximum iterations=1000",
                          "Linear solver/Coarsest level cells=" + std::string(degree == 1 ? "256" : "16")});
  };
  for (const unsigned int degree : {1, 2})
    {
      const auto coarse = on("b_bar", degree, 3), fine = on("b_bar", degree, 4);
      EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), degree + 1., 0.2)
        << "degree " << degree << ": errors " << coarse.l2() << ", " << fine.l2();
      EXPECT_NEAR(fine.record.at("strain_energy").get<double>() / fine.record.at("work_of_load").get<double>(), 0.5,
                  1e-7);
    }
  EXPECT_GT(on("standard", 1, 4).l2(), 10. * on("b_bar", 1, 4).l2()) << "expected Q1 to lock";
  for (const std::string lambda : {"1.5", "5000"})
    EXPECT_LE(on("b_bar", 2, 5, lambda).max_iterations(), 11) << "lambda / mu = " << lambda;
}

// Linear fields, adaptive meshes, 3D: B-bar changes nothing but the constraint.
TEST_F(Elasticity, BBarPassesThePatchTest)
{
  const std::string field = "0.3*x-0.2*y+0.1*z+0.5; 0.4*y+0.7*x-z; x+0.2*y-0.6*z";
  for (const std::string degree : {"1", "2"})
    {
      const auto record =
        solve(stationary + no_load + tolerance("1e-13") + mesh("edge", 2, 1) + lame("8", "2") +
              Settings{"Problem/Boundary displacement=" + field, "Problem/Exact displacement=" + field,
                       "Discretization/Degree=" + degree, "Discretization/Volumetric strain=b_bar",
                       "Linear solver/Smoother=vertex_patches", "Linear solver/Interpolation=harmonic",
                       "Linear solver/Chebyshev range=4", "Linear solver/Coarsest level cells=70",
                       "Output/Stress points=0.3, 0.4, 0.7"})
          .record;
      EXPECT_GT(record.at("levels").size(), 1u);
      EXPECT_LT(record.at("errors").at("l2"), 1e-11);
      EXPECT_NEAR(record.at("stresses")[0].at("stress_xx"), 8. * 0.1 + 2. * 2. * 0.3, 1e-9);
    }
}

// Cook's membrane as it is shipped, on a coarser mesh. The tip's displacement converges to 18.512 (docs/elasticity.md).
TEST_F(Elasticity, CooksMembrane)
{
  const auto tip = [&](const Settings &settings) {
    return run(Settings{"Output/Interval=0", "Output/Points=48, 52"} + settings, 1, {ELASTICITY_PRM "/cook.prm"});
  };
  const auto quadratic = tip({"Discretization/Uniform refinements=4"});
  EXPECT_NEAR(quadratic.record.at("displacements")[0][1], 18.512, 0.01 * 18.512);
  EXPECT_LE(quadratic.max_iterations(), 25);
  // The dense inverse of 2178 unknowns, with a condition for which float is not enough on every machine.
  const Settings linear = {"Discretization/Degree=1", "Linear solver/Coarsest level cells=2000",
                           "Linear solver/Precision=float64"};
  EXPECT_NEAR(tip(linear).record.at("displacements")[0][1], 18.512, 0.01 * 18.512);
  EXPECT_LT(tip(linear + Settings{"Discretization/Volumetric strain=standard"}).record.at("displacements")[0][1], 9.)
    << "expected Q1 to lock";
}

// Where nobody has asked for a point, there is none.
TEST_F(Elasticity, NoPointIsTheDefault)
{
  const auto record = solve(stationary + mesh("uniform", 1, 0)).record;
  EXPECT_FALSE(record.contains("displacements"));
  EXPECT_GT(record.at("strain_energy"), 0.);
}

// FEAST's smoother: the prototype's counts for a random right-hand side, and one more.
TEST_F(Elasticity, LinesFollowFlatCellsAndCouplingsOfTheMaterial)
{
  const auto iterations = [&](const std::string &nu, const std::string &lengths, const std::string &smoother,
                              const std::string &range) {
    return solve(stationary + tolerance("1e-8") + mesh("uniform", 3, 0) +
                 Settings{"Problem/Young modulus=1", "Problem/Poisson ratio=" + nu, "Problem/Body force=x; y*y; 1",
                          "Output/Points=", "Discretization/Lengths=" + lengths, "Discretization/Coarse cells=2, 2, 2",
                          "Linear solver/Coarsest level cells=64", "Linear solver/Smoother=" + smoother,
                          "Linear solver/Chebyshev range=" + range})
      .max_iterations();
  };
  EXPECT_LE(iterations("0.3", "1, 1, 1", "line", "10"), 6);
  EXPECT_LE(iterations("0.49", "1, 1, 1", "line", "10"), 11);
  EXPECT_LE(iterations("0.3", "1, 1, 0.1", "line", "10"), 6);
  EXPECT_GE(iterations("0.3", "1, 1, 0.1", "block_jacobi", "20"), 20) << "expected node blocks to be in trouble there";
}

// FEAST's scalar blocks on a square that is clamped below and pressed from above: the prototype's counts, for a random
// right-hand side, and two more.
TEST_F(Elasticity, ScalarBlocks)
{
  const auto iterations = [&](const std::string &nu, const Settings &settings) {
    return solve(stationary + no_load + tolerance("1e-8") + mesh("uniform", 6, 0) +
                 Settings{"Problem/Dimension=2", "Problem/Young modulus=1", "Problem/Poisson ratio=" + nu,
                          "Problem/Dirichlet boundaries=2: xy", "Problem/Traction=3: 0; -1",
                          "Output/Points=", "Linear solver/Coarsest level cells=64", "Linear solver/Chebyshev range=4",
                          "Linear solver/Maximum iterations=400"} +
                 blocks + settings)
      .max_iterations();
  };
  const Settings sweep = {"Linear solver/Component blocks/Sweep=gauss_seidel"};
  const auto     by    = [&](const std::string &solver) { return Settings{"Linear solver/Solver=" + solver} + sweep; };
  EXPECT_LE(iterations("0.2857", by("multigrid")), 49);
  EXPECT_LE(iterations("0.2857", by("bicgstab")), 10);
  EXPECT_LE(iterations("0.2857", by("gmres")), 16);
  EXPECT_LE(iterations("0.2857", {}), 15);
  EXPECT_LE(iterations("0.49", by("bicgstab")), 28);
  EXPECT_LE(iterations("0.49", {}), 38);
  EXPECT_GE(iterations("0.49", {}), 30) << "expected the splitting to feel the Poisson ratio";
  EXPECT_LE(iterations("0.2857", by("multigrid") + Settings{"Linear solver/Cycles=4"}), 42 + 2)
    << "expected what exact scalar solves take";
  // In three dimensions, too, and the same solution as by one V-cycle for all.
  const Settings cube = stationary + tolerance("1e-10") + mesh("edge", 2, 1);
  const auto     work = [&](const Settings &settings) {
    return solve(cube + settings).record.at("work_of_load").get<double>();
  };
  EXPECT_NEAR(work(blocks) / work({}), 1., 1e-8);
}

TEST_F(Elasticity, ScalarBlocksOfASlenderBody)
{
  const Settings slender = {"Problem/Dimension=2",
                            "Discretization/Lengths=8, 1, 1",
                            "Discretization/Coarse cells=8, 1, 1",
                            "Problem/Young modulus=1",
                            "Problem/Poisson ratio=0.2857",
                            "Problem/Dirichlet boundaries=0: xy",
                            "Problem/Traction=1: 0; -1",
                            "Output/Points=",
                            "Output/Interval=0",
                            "Linear solver/Solver=multigrid",
                            "Linear solver/Component blocks/Sweep=gauss_seidel"};
  expect_refused(slender + blocks + stationary + no_load + mesh("uniform", 3, 0),
                 "Component blocks for the stationary problem (lambda/mu = 1.33): stagnation", 1);
  expect_refused(slender + blocks + stationary + no_load + mesh("uniform", 3, 0), "Solver = gmres", 1);
}

// Cells graded towards both faces of a plate: where they lie, and that lines do not mind.
TEST_F(Elasticity, GradedPlate)
{
  const auto plate = [&](const Settings &settings) {
    std::vector<std::string> arguments = {ELASTICITY_PRM "/plate.prm", "--backend", "host", "--threads", "1"};
    for (const auto &setting : Settings{"Output/Interval=0", "Discretization/Uniform refinements=2"} + settings)
      arguments.insert(arguments.end(), {"--set", setting});
    return start(arguments).record;
  };
  const auto lines = plate({}), node_blocks = plate({"Linear solver/Smoother=block_jacobi"});
  EXPECT_LE(lines.at("iterations").at("max"), 18);
  EXPECT_GE(node_blocks.at("iterations").at("max"), 40);
  EXPECT_NEAR(node_blocks.at("work_of_load").get<double>() / lines.at("work_of_load").get<double>(), 1., 1e-6);
  // A linear field is exact on cells of any size; the box has the volume that its coordinates say.
  const auto stretched =
    solve(stationary + mesh("uniform", 2, 0) +
          Settings{"Problem/Dirichlet boundaries=0: xyz", "Problem/Traction=1: 1; 0; 0", "Problem/Body force=0; 0; 0",
                   "Problem/Young modulus=1", "Problem/Poisson ratio=0",
                   "Discretization/Coordinates=x^2 + x; y; sinh(z)", "Output/Points=2, 0.5, 1.1"});
  EXPECT_NEAR(stretched.record.at("displacements")[0][0], 2., 1e-8);
  EXPECT_NEAR(stretched.record.at("work_of_load").get<double>(), 2. * std::sinh(1.), 1e-7);
  // A wedge: one side of the box is collapsed.
  solve(stationary + mesh("uniform", 2, 0) +
        Settings{"Problem/Dirichlet boundaries=2: xyz", "Discretization/Coordinates=x; x*y; z"});
  expect_refused({"Problem/Dimension=2", "Problem/Dirichlet boundaries=0: z"}, "names none of the components xy");
  expect_refused({"Discretization/Coordinates=x; y"}, "Coordinates");
  expect_refused({"Discretization/Coordinates=0*x; y; z"}, "is flat at its vertex (0, 0, 0); all vertices have x = 0");
}

TEST_F(Elasticity, KellyRefinement)
{
  const Settings pressed =
    stationary + no_load + Settings{"Problem/Traction=3: 0; -1; 0", "Problem/Dirichlet boundaries=0: xyz"};
  const Settings square = pressed + Settings{"Problem/Dimension=2", "Discretization/Refine fraction=0.15"};
  const auto kelly = solve(square + mesh("kelly", 3, 5)).record, uniform = solve(square + mesh("uniform", 5, 0)).record;
  EXPECT_GT(kelly.at("hanging_nodes"), 30);
  EXPECT_LT(2 * kelly.at("nodes").get<int>(), uniform.at("nodes"));
  EXPECT_GT(kelly.at("work_of_load"), uniform.at("work_of_load"));
  EXPECT_LT(kelly.at("work_of_load"), solve(square + mesh("uniform", 8, 0)).record.at("work_of_load"));

  const auto cube = solve(pressed + mesh("kelly", 2, 2)).record;
  EXPECT_GT(cube.at("hanging_nodes"), 50);
  EXPECT_GT(cube.at("work_of_load"), solve(pressed + mesh("uniform", 2, 0)).record.at("work_of_load"));
}

TEST_F(Elasticity, SolversGiveTheSameSolution)
{
  const Settings common = mesh("edge", 2, 2) + time_steps(0.25, 0.025) + tolerance("1e-10") +
                          Settings{"Linear solver/Coarsest level cells=70"};
  const double                work     = solve(common).record.at("work_of_load");
  const std::vector<Settings> variants = {{"Linear solver/Preconditioner=trilinos_amg"},
                                          {"Linear solver/Solver=gmres"},
                                          {"Linear solver/Precision=float64"},
                                          {"Linear solver/Smoother=jacobi"},
                                          {"Linear solver/Smoother=fsai"},
                                          {"Linear solver/Chebyshev=false"},
                                          {"Linear solver/Coarsest level cells=400"},
                                          {"Time stepping/Extrapolation order=3"}};
  for (const auto &variant : variants)
    {
      const auto outcome = solve(common + variant);
      EXPECT_NEAR(outcome.record.at("work_of_load").get<double>() / work, 1., 1e-7) << variant[0];
      EXPECT_LE(outcome.max_iterations(), 40) << variant[0];
    }
}

// Each cell has a modulus of its own, or two. Products without stored rows give the displacements of rows, also with
// hanging nodes.
TEST_F(Elasticity, ByCellsAsByRows)
{
  const Settings two    = {"Problem/Poisson ratio=0.1+0.18*x*y"},
                 graded = stationary + tolerance("1e-10") +
                          Settings{"Problem/Young modulus=1+50*exp(-30*((x-1)^2+(y-0.4)^2))",
                                   "Discretization/Materials=cells", "Linear solver/Coarsest level cells=70",
                                   "Output/Points=1, 1, 1", "Problem/Dirichlet boundaries=0: xyz"};
  for (const Settings &on : {mesh("edge", 2, 2), mesh("uniform", 3, 0), mesh("edge", 2, 1) + two,
                             mesh("face", 2, 1) + Settings{"Discretization/Volumetric strain=b_bar"} + two})
    {
      const auto rows  = solve(graded + on + Settings{"Linear solver/Products=rows"}).record,
                 cells = solve(graded + on + Settings{"Linear solver/Products=cells"}).record;
      EXPECT_EQ(rows.at("levels_by_cells"), 0) << on[0];
      EXPECT_EQ(cells.at("levels_by_cells").get<std::size_t>(), cells.at("levels").size() - 1) << on[0];
      EXPECT_EQ(cells.at("levels").back().at("nonzeros"), 0) << on[0];
      EXPECT_EQ(cells.at("iterations"), rows.at("iterations")) << on[0];
      EXPECT_NEAR(cells.at("work_of_load").get<double>() / rows.at("work_of_load").get<double>(), 1., 1e-9) << on[0];
      for (const int c : {0, 1, 2})
        EXPECT_NEAR(cells.at("displacements")[0][c].get<double>(), rows.at("displacements")[0][c].get<double>(),
                    1e-9 * std::abs(rows.at("displacements")[0][1].get<double>()))
          << on[0];
    }
  const Settings flat = graded + tolerance("1e-8") +
                        Settings{"Problem/Dimension=2", "Discretization/Lengths=1, 0.7", "Output/Points=1, 0.7",
                                 "Linear solver/Coarsest level cells=20"};
  for (const Settings &on : {mesh("vertex", 3, 2) + two, mesh("uniform", 4, 0) + Settings{"Problem/Plane=stress"},
                             mesh("kelly", 3, 1) + Settings{"Discretization/Volumetric strain=b_bar"}})
    {
      const auto rows  = solve(flat + on + Settings{"Linear solver/Products=rows"}).record,
                 cells = solve(flat + on + Settings{"Linear solver/Products=cells"}).record;
      EXPECT_EQ(cells.at("levels_by_cells").get<std::size_t>(), cells.at("levels").size() - 1) << on[0];
      EXPECT_EQ(cells.at("iterations"), rows.at("iterations")) << on[0];
      EXPECT_NEAR(cells.at("work_of_load").get<double>() / rows.at("work_of_load").get<double>(), 1., 1e-9) << on[0];
    }
  const Settings by_cells = {"Linear solver/Products=cells"}, bent = {"Discretization/Coordinates=x+0.1*y^2; y; z"};
  const auto     one_level = solve(graded + mesh("uniform", 1, 0) + by_cells);
  EXPECT_NE(one_level.out.find("note: Linear solver/Products = cells: the mesh has one level"), std::string::npos);
  const auto no_boxes = solve(graded + mesh("uniform", 3, 0) + by_cells + bent);
  EXPECT_EQ(no_boxes.record.at("levels_by_cells"), 0);
  const auto note = [](const std::string &cause, const std::string &levels) {
    return "note: Linear solver/Products = cells: " + cause + ", so that they go by rows: " + levels + "\n";
  };
  EXPECT_NE(
    no_boxes.out.find(note("cells of these levels are no boxes of one shape, or some are turned by 180 degrees", "1")),
    std::string::npos)
    << no_boxes.out;
  const auto turned =
    solve(graded + mesh("uniform", 3, 0) + by_cells + Settings{"Discretization/Coordinates=x-y; x+y; z"});
  EXPECT_NE(turned.out.find(note("sides of these levels' cells are not parallel to the axes", "1")), std::string::npos)
    << turned.out;
  const auto along_n =
    solve(graded + mesh("face", 2, 1) + by_cells + Settings{"Problem/Dirichlet boundaries=0: xyz, 2: n"});
  EXPECT_NE(along_n.out.find(note("n is prescribed where nodes of these levels hang, or along no axis", "1")),
            std::string::npos)
    << along_n.out;
  EXPECT_EQ(solve(graded + mesh("uniform", 3, 0) + by_cells).out.find("note:"), std::string::npos);
  const auto refuse = [&](const Settings &settings, const std::string &text) {
    const Settings cells = {"Linear solver/Products=cells", "Linear solver/Coarsest level cells=7"};
    expect_refused(graded + mesh("uniform", 1, 0) + cells + settings, text);
  };
  refuse({"Discretization/Materials=points"}, "Discretization/Materials = cells");
  refuse({"Problem/Springs=1: 3"}, "no Problem/Springs");
  refuse({"Linear solver/Smoother=fsai"}, "jacobi or block_jacobi");
  refuse({"Discretization/Degree=2"}, "Degree = 1");
  refuse({"Time stepping/Stationary=false"}, "Stationary = true");
  refuse({"Problem/Dimension=2", "Output/Points=1, 1", "Problem/Plane=axial"}, "no Problem/Plane = axial");
}

TEST_F(Elasticity, ThreadsDoNotChangeABit)
{
  const auto one = solve(moving_block(), 1), two = solve(moving_block(), 2);
  const auto text = [](const Outcome &outcome) {
    std::ifstream in(outcome.folder + "/statistics.csv");
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_GT(text(one).size(), 1000u);
  EXPECT_EQ(text(one), text(two));
}

TEST_F(Elasticity, Output)
{
  for (const Settings &formulation : {Settings{}, coupled})
    {
      const auto outcome = run(mesh("edge", 1, 1) + time_steps(0.1, 0.025) + formulation +
                               Settings{"Output/Interval=2", "Output/Points=0.5, 0.5, 0.5"});
      for (const char *key : {"nodes", "hanging_nodes", "formulation", "levels", "iterations", "strain_energy",
                              "kinetic_energy", "work_of_load", "displacements", "timings", "peak_memory_bytes"})
        EXPECT_TRUE(outcome.record.contains(key)) << "run.json lacks " << key;
      EXPECT_FALSE(outcome.record.contains("errors")) << "no solution is known";
      for (const std::string file : {"solution_0000.vtu", "solution_0001.vtu", "solution_0002.vtu"})
        {
          const std::string text = read(outcome.folder + "/" + file);
          for (const std::string field : {"displacement", "velocity", "stress_xy", "von_mises"})
            EXPECT_NE(text.find("\"" + field + "\""), std::string::npos) << file << " lacks " << field;
        }
      EXPECT_FALSE(std::filesystem::exists(outcome.folder + "/solution_0003.vtu"));
      EXPECT_NE(read(outcome.folder + "/statistics.csv").find("point0_uz"), std::string::npos);
    }
}

TEST_F(Elasticity, ShippedParameterFiles)
{
  EXPECT_GE(read_parameter_files(ELASTICITY_PRM), 15)
    << "tutorial, cantilever, adaptive and twelve rows of Table 3 in " << ELASTICITY_PRM;
  EXPECT_EQ(start({"--print-parameters"}).out, start({ELASTICITY_PRM "/tutorial.prm", "--print-parameters"}).out);
}

TEST_F(Elasticity, DataThatAreNoNumbers)
{
  expect_refused({"Problem/Initial displacement=log(x-0.5); 0; 0"},
                 "Problem/Initial displacement has values that are no");
  expect_refused({"Problem/Body force=sqrt(0.5-x); 0; 0"},
                 "Problem/Body force, Traction or Pressure has values that are");
}

// Each mistake ends with exit code 2, one line on stderr that has all of `says`, nothing on stdout and nothing written.
TEST_F(Elasticity, Mistakes)
{
  struct Mistake
  {
    Settings                 settings;
    std::vector<std::string> says;
  };
  const std::vector<Mistake> mistakes = {
    {{"Problem/Poisson ratio=0.5", "Problem/Young modulus=1"},
     {"Poisson ratio = 0.5", "below 0.5", "mixed formulation"}},
    {{"Problem/Young modulus=-1"}, {"Young modulus = -1", "positive"}},
    {{"Problem/Density=0"}, {"Density", "positive"}},
    {{"Problem/Dirichlet boundaries=7: xyz"}, {"no boundary 7", "0 to 5"}},
    {{"Problem/Dirichlet boundaries=0: xw"}, {"'xw'", "boundary 0", "xyz"}},
    {{"Problem/Traction=1: 0; 1; 0"}, {"Traction", "boundary 1", "prescribes all components"}},
    {{"Problem/Dirichlet boundaries=0: xy", "Time stepping/Stationary=true"}, {"Dirichlet boundaries", "component z"}},
    {{"Problem/Body force=0; foo(x); 1"}, {"Problem/Body force = 0; foo(x); 1", "foo"}},
    {{"Problem/Body force=0; sin(t); 0"}, {"Body force", "Load factor"}},
    {{"Problem/Traction=one: 0; 1; 0"}, {"Traction", "'one' is no boundary of the mesh"}},
    {{"Problem/Traction=0; 1; 0"}, {"Traction", "'id: expressions' is expected"}},
    {{"Problem/Body force=0; -1"}, {"Body force", "2 components", "3 are needed"}},
    {{"Problem/Traction=1: 0; 1", "Problem/Dirichlet boundaries=0: xyz"}, {"Traction", "2 components", "3 are needed"}},
    {{"Problem/Exact displacement=x; y; w"}, {"Exact displacement", "w"}},
    {{"Problem/Load factor=x"}, {"Load factor", "x"}},
    {{"Problem/Load factor=sqrt(-1-t)"}, {"Load factor is ", "at t = 0.025"}},
    {{"Discretization/Formulation=coupled"}, {"not symmetric", "gmres"}},
    {coupled + Settings{"Linear solver/Smoother=jacobi"}, {"coupled", "block_jacobi"}},
    {coupled + Settings{"Linear solver/Preconditioner=trilinos_amg"}, {"trilinos_amg", "condensed"}},
    {coupled + Settings{"Linear solver/Preconditioner=component_blocks"}, {"component_blocks", "condensed"}},
    {blocks + Settings{"Linear solver/Component blocks/Sweep=gauss_seidel"}, {"gauss_seidel", "cg", "symmetric"}},
    {blocks + Settings{"Linear solver/Component blocks/Omega=2"}, {"Omega = 2", "between 0 and 2"}},
    {blocks + Settings{"Linear solver/Component blocks/Omega=0"}, {"Omega = 0", "between 0 and 2"}},
    {blocks + Settings{"Linear solver/Interpolation=harmonic"}, {"harmonic", "component_blocks"}},
    {blocks + Settings{"Linear solver/Smoother=cell_patches"}, {"Linear solver/Smoother = cell_patches", "patches"}},
    {{"Linear solver/Cycles=0"}, {"Cycles = 0", "at least one"}},
    {coupled + stationary, {"Stationary", "condensed"}},
    {{"Discretization/Coarse cells=1, 0, 1"}, {"Coarse cells", "positive"}},
    {{"Discretization/Uniform refinements=10"}, {"32-bit"}},
    {{"Output/Points=0, 0, 1.5"}, {"Output/Points: the point (0, 0, 1.5) lies outside the box"}},
    {{"Output/Stress points=0, 0, 1; 0, 0, 1.5"}, {"Output/Stress points: the point (0, 0, 1.5) lies outside the box"}},
    {{"Output/Points=0.5, 0.5, 0.5", "Discretization/Lengths=0.1, 0.1, 0.1"},
     {"Output/Points: the point (0.5, 0.5, 0.5) lies outside the box"}},
    {{"Time stepping/Time step=0.03"}, {"End time", "multiple", "Time step = 0.03"}},
    {{"Time stepping/End time=0"}, {"End time", "positive"}},
  };
  for (const auto &mistake : mistakes)
    {
      std::vector<std::string> arguments;
      for (const auto &setting : mistake.settings)
        arguments.insert(arguments.end(), {"--set", setting});
      SCOPED_TRACE(mistake.settings.back());
      const auto outcome = start(arguments);
      EXPECT_EQ(outcome.code, 2);
      EXPECT_EQ(outcome.out, "");
      const std::string message = outcome.message();
      EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << "one line expected:\n" << outcome.err;
      for (const auto &text : mistake.says)
        EXPECT_NE(outcome.err.find(text), std::string::npos) << "expected '" << text << "' in: " << outcome.err;
      EXPECT_FALSE(std::filesystem::exists(outcome.folder)) << "an output folder was made";
    }
}
} // namespace
