// What boundaries of a body bear, by program solid: in balance with its loads, on any number of ranks.
#include "solid.h"

#include <cmath>
#include <string>
#include <vector>

namespace
{
// The columns of the last step, on one rank and on others.
class Reactions : public Solid
{
protected:
  void expect_balance(const Settings &settings, const std::vector<unsigned int> &boundaries,
                      const std::vector<double> &load, const std::vector<int> &numbers_of_ranks)
  {
    for (const int ranks : numbers_of_ranks)
      {
        if (ranks > 1)
          before = "mpirun --oversubscribe -np " + std::to_string(ranks) + " ";
        const auto outcome = solve("cook.prm", settings);
        before.clear();
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NE(outcome.record.at("cells").get<int>() % 16, 0) << "some cells are refined, so that nodes hang";
        const auto now = statistics(outcome);
        for (std::size_t d = 0; d < load.size(); ++d)
          {
            double sum = 0.;
            for (const unsigned int id : boundaries)
              sum += now.at("boundary" + std::to_string(id) + "_force_" + "xyz"[d]).back();
            EXPECT_NEAR(sum, -load[d], 1e-10) << ranks << " ranks, component " << d;
          }
        if (ranks == 1)
          row = now;
        for (const auto &[name, values] : row)
          if (name.find("_force_") != std::string::npos || name.find("_moment_") != std::string::npos)
            EXPECT_NEAR(now.at(name).back(), values.back(), 1e-8) << name << " on " << ranks << " ranks";
      }
  }
};

const Settings loads = {"Problem/Material=neo_hooke; mu = 1; K = 2",
                        "Newton/Tolerance=1e-13",
                        "Output/Points=",
                        "Mesh/Refinements=2",
                        "Mesh/Local refinements=1",
                        "Linear solver/Coarsest level cells=16"};

// A square that is turned by 30 degrees slides along two sides: their reactions are normal to them.
TEST_F(Reactions, OfSidesThatHoldTheirNormals)
{
  expect_balance(loads + Settings{"Mesh/Coordinates=cos(pi/6)*x-sin(pi/6)*y; sin(pi/6)*x+cos(pi/6)*y",
                                  "Mesh/Refine where=0.3-x", "Problem/Dirichlet boundaries=0: n, 2: n",
                                  "Problem/Body force=0.2; 0.1", "Problem/Traction=1: 0.1; 0, 3: 0; -0.05"},
                 {0, 2}, {0.3, 0.05}, {1});
  EXPECT_NEAR(row.at("boundary0_force_y").back(), std::tan(M_PI / 6) * row.at("boundary0_force_x").back(), 1e-10);
  EXPECT_NEAR(row.at("boundary2_force_x").back(), -std::tan(M_PI / 6) * row.at("boundary2_force_y").back(), 1e-10);
}

// Two sides that meet hold all of u, and share the nodes of their edge.
TEST_F(Reactions, OfABlockInACorner)
{
  expect_balance(loads + Settings{"Problem/Dimension=3", "Mesh/Coordinates=", "Mesh/Refinements=1",
                                  "Mesh/Refine where=(x+y+z-0.9)*(0.9-x)",
                                  "Problem/Dirichlet boundaries=0: xyz, 4: xyz", "Problem/Body force=0.1; 0.2; -0.3",
                                  "Problem/Traction=1: 0.1; 0; 0.05"},
                 {0, 4}, {0.2, 0.2, -0.25}, {1, 3});
}

// The stiffness of a strip of rubber between rigid plates: Gent and Lindley's with a bulk modulus. Its shear stiffness
// is that of simple shear, less what a free end of a layer does not bear.
TEST_F(Reactions, OfALaminatedBearing)
{
  const auto outcome =
    solve("bearing.prm", {"Time stepping/Load steps=2",
                          "Problem/Boundary displacement=(y>40)*8*max(2*t-1,0); -(y>40)*0.032*min(2*t,1)"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  row             = statistics(outcome);
  const double mu = 0.8, K = 2000., width = 150., height = 32., layer = 8.;
  const double c = 0.5 * width / layer * std::sqrt(12. * mu / K);
  EXPECT_NEAR(row.at("boundary4_force_y").front(), -0.001 * width * K * (1. - std::tanh(c) / c), 0.015 * 36.1);
  EXPECT_NEAR(row.at("boundary4_force_x").back() / 8., mu * width / height, 0.02 * 3.75);
  EXPECT_NEAR(row.at("boundary4_force_x").back(), -row.at("boundary3_force_x").back(), 1e-6);
}
} // namespace
