#pragma once

#include "program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Runs of program solid with its parameter files, for tests.
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

  // A ring of two layers of cells, whose inner circle turns by `angle` times t.
  static Settings turning_ring(const std::string &angle)
  {
    const std::string c = "cos(" + angle + "*t)", s = "sin(" + angle + "*t)";
    return {"Problem/Traction=",
            "Problem/Material=neo_hooke; mu = 1; K = 5",
            "Problem/Dirichlet boundaries=0: xy, 1: xy",
            "Problem/Boundary displacement=(x^2+y^2<0.5)*(x*" + c + "-y*" + s + "-x); (x^2+y^2<0.5)*(x*" + s + "+y*" +
              c + "-y)",
            "Mesh/Coordinates=",
            "Mesh/Type=shell",
            "Mesh/Sizes=0.5, 1",
            "Mesh/Refinements=1",
            "Output/Points="};
  }

  // Expects that a ring refuses the coarser mesh after step 9, and goes on as without it, to the bit. Returns its rows.
  std::map<std::string, std::vector<double>> expect_mesh_kept(const Settings &ring)
  {
    const auto stays = solve("cook.prm", ring), refused = solve("cook.prm", ring + coarsens);
    EXPECT_EQ(stays.code, 0) << stays.err;
    EXPECT_EQ(refused.code, 0) << refused.err;
    EXPECT_NE(refused.out.find("note: the mesh after step 9 stays as it was: cells would invert"), std::string::npos)
      << refused.out;
    EXPECT_EQ(refused.record.at("remeshes"), 0);
    const auto expected = statistics(stays), actual = statistics(refused);
    for (const auto &[name, column] : expected)
      EXPECT_EQ(actual.at(name), column) << name;
    return actual;
  }

  const Settings coarsens = {"Adaptivity/Interval=9", "Adaptivity/Refine fraction=0", "Adaptivity/Coarsen fraction=1"};
  std::map<std::string, std::vector<double>> row;
};
