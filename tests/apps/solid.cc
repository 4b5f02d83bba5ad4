// The program for solids at finite deformation as a user meets it. References: an independent prototype with a direct
// solver, on the same meshes.
#include "program.h"

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace
{
const Settings nearly_incompressible = {"Problem/Material=neo_hooke; mu = 80.194; K = 400889.8"};

class Solid : public Program
{
protected:
  Solid()
    : Program(SOLID)
  {}

  Outcome solve(const std::string &file, const Settings &settings)
  {
    std::vector<std::string> arguments = {std::string(SOLID_PRM) + "/" + file, "--backend", "host", "--threads", "1"};
    for (const auto &setting : Settings{"Output/Interval=0"} + settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    return start(arguments);
  }

  /// The columns of statistics.csv by name.
  static std::map<std::string, std::vector<double>> statistics(const Outcome &outcome)
  {
    std::ifstream                              in(outcome.folder + "/statistics.csv");
    std::vector<std::string>                   names;
    std::map<std::string, std::vector<double>> columns;
    for (std::string line; std::getline(in, line);)
      {
        std::istringstream fields(line);
        std::size_t        k = 0;
        for (std::string field; std::getline(fields, field, ','); ++k)
          if (columns.size() <= k && columns.count(field) == 0)
            {
              names.push_back(field);
              columns[field];
            }
          else
            columns.at(names[k]).push_back(std::stod(field));
      }
    return columns;
  }

  // Solves Cook's membrane with 2^refinements cells in each direction; returns u_y of the upper right corner.
  double cook(int refinements, int degree, const Settings &settings = {})
  {
    const auto outcome = solve("cook.prm", Settings{"Mesh/Refinements=" + std::to_string(refinements),
                                                    "Discretization/Degree=" + std::to_string(degree)} +
                                             settings);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    row = statistics(outcome);
    return row.at("point0_u_y").back();
  }

  std::map<std::string, std::vector<double>> row;
};

// Each mesh has its own value, as the clamped corner is singular.
TEST_F(Solid, CooksMembrane)
{
  const double q1[] = {8.1299583, 8.5680911, 8.7062732, 8.7493020}, q2[] = {8.6676691, 8.7333798, 8.7566232, 8.7648366};
  for (int k = 0; k < 4; ++k)
    {
      if (k < 3)
        EXPECT_NEAR(cook(3 + k, 1, {"Newton/Tolerance=1e-10"}), q1[k], 6e-8);
      EXPECT_NEAR(cook(2 + k, 2, {"Newton/Tolerance=1e-10"}), q2[k], 6e-8);
    }
  EXPECT_NEAR(row.at("boundary0_force_y").back(), -100., 1e-6);
  EXPECT_NEAR(row.at("boundary0_force_x").back(), 0., 1e-6);
  cook(4, 1);
  EXPECT_NEAR(row.at("newton_steps").back(), 5., 1.);
}

// Prescribed displacements in steps: the torque and the axial force of the end that turns, on hanging nodes, too.
TEST_F(Solid, TwistedBlock)
{
  const auto outcome = solve("twisted_block.prm", {});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto columns = statistics(outcome);
  EXPECT_NEAR(columns.at("boundary5_moment_z").back(), 0.115056, 6e-7);
  EXPECT_NEAR(columns.at("boundary5_force_z").back(), -0.023037, 6e-7);
  for (const double steps : columns.at("newton_steps"))
    EXPECT_NEAR(steps, 5., 1.);
  const auto local =
    solve("twisted_block.prm", {"Mesh/Refinements=2", "Mesh/Local refinements=1", "Mesh/Refine where=x-0.5"});
  ASSERT_EQ(local.code, 0) << local.err;
  columns = statistics(local);
  EXPECT_NEAR(columns.at("boundary5_moment_z").back(), 0.12, 5e-3);
  EXPECT_NEAR(columns.at("boundary5_force_z").back() + columns.at("boundary4_force_z").back(), 0., 1e-8);
}

// A load that is too large for one step is halved, and then goes on in larger steps.
TEST_F(Solid, LoadStepsThatFailAreHalved)
{
  const auto outcome = solve("twisted_block.prm", {"Time stepping/Load steps=1", "Mesh/Refinements=2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto columns = statistics(outcome);
  EXPECT_GT(columns.at("halvings").front(), 0.);
  EXPECT_EQ(columns.at("time").back(), 1.);
  EXPECT_NE(outcome.out.find("cells would invert (det F = "), std::string::npos) << outcome.out;
}

TEST_F(Solid, SaysWhatIsWrong)
{
  const auto message = [this](const Settings &settings) {
    const auto outcome = solve("cook.prm", settings);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.message();
  };
  const auto expect = [&](const std::string &setting, const std::string &part) {
    const auto text = message({setting});
    EXPECT_NE(text.find(part), std::string::npos) << setting << ": " << text;
  };
  expect("Problem/Material=neo_hook; mu = 1; K = 2", "nearest name is neo_hooke");
  expect("Problem/Material=neo_hooke; mu = -1; K = 2", "shear modulus");
  expect("Problem/Material=neo_hooke; mu = 1; K = 0", "bulk modulus");
  expect("Problem/Material=neo_hooke; E = 1; nu = 0.5", "K/mu = 5000 is nu = 0.4999");
  expect("Problem/Material=neo_hooke; mu = 1", "K is missing");
  expect("Problem/Material=yeoh; c1 = 1; c2 = 1; c3 = 1; K = 1; c4 = 1", "c4 counts for nothing");
  expect("Problem/Material=neo_hooke; mu = 1; mu = 2; K = 1", "given twice");
  expect("Problem/Material=neo_hooke; mu; K = 1", "should be a constant");
  expect("Problem/Material=7: neo_hooke; mu = 1; K = 1", "material");
  expect("Problem/Dirichlet boundaries=", "needs the component x");
  expect("Problem/Dirichlet boundaries=0: y, 2: x", "rigid");
  expect("Problem/Traction=1: 0; t", "contains t");
  expect("Problem/Boundary displacement=1/0; 0", "no number");
  expect("Problem/Load factor=log(0*t-1)", "Load factor");
  expect("Newton/Least linear tolerance=0.5", "is above");
}
} // namespace
