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

  std::map<std::string, std::vector<double>> row;
};
