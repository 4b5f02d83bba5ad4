#pragma once

#include "base/exceptions.h"
#include "cells/products.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "meshes/cube_parameters.h"
#include "scalar/nonlinear_equation.h"
#include "scalar/scalar_boundaries.h"

#include <string>
#include <vector>

namespace nonlinear_heat
{
using namespace adamant;

// Section "Heat" of the parameter file.
struct Parameters : CubeParameters
{
  const std::string manufactured = "manufactured";
  unsigned int      max_steps    = 20;
  bool              newton       = true;
  double            tolerance    = 1e-8;
  std::string       conductivity = "0.1*(1+u^2)", capacity = "1", source = manufactured, initial = manufactured,
              exact = manufactured;
  ScalarBoundaries     boundaries{mesh_file, manufactured, "Heat", true};
  ProductsParameter    products{linear_solver, "rows"};
  EvaluationParameters output{mesh_file,
                              "u; on boundaries flux, -k grad u . n by quadrature",
                              "u is recorded with the statistics",
                              "the last u is",
                              {"flux", "gradient"}};

  Parameters()
    : CubeParameters("/Heat", 2, SolverType::gmres, 64) // each new J needs the inverse of its coarsest level
  {
    using namespace dealii::Patterns;
    const std::string lists = ", an expression of u, x, y, z, t, or a list by material: 'id: ..., id: ..., elsewhere'";
    add_parameter("Conductivity", conductivity, "k" + lists);
    add_parameter("Heat capacity", capacity, "c" + lists);
    add_parameter("Source", source, "f" + lists + "; manufactured: made of Exact solution by differentiation");
    add_parameter("Initial values", initial, "An expression of x, y, z; manufactured: values of Exact solution");
    add_parameter("Exact solution", exact,
                  "Where it is known, an expression of x, y, z, t, for the L2 error in run.json; manufactured: "
                  "(1+t) exp(-16 |x-c|^2) about the centre c of the unit box, known where all other data are so");
    add_parameter("Newton", newton, "Newton's method; else Picard's, which takes the terms for constant");
    add_parameter("Newton tolerance", tolerance, "‖F‖ at the end over ‖F‖ for the solution before the step", prm,
                  Double(1e-15, 0.1));
    add_parameter("Newton steps", max_steps, "Most steps in each time step", prm, Integer(1));
    output.add_statistics_interval();
  }

  Schedule schedule() const
  {
    auto schedule                = CubeParameters::schedule();
    schedule.statistics_interval = output.statistics_interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  RestartKeys restart_keys() const { return output.of_columns(); }

  bool has_exact_solution() const
  {
    return exact == manufactured ?
             source == manufactured && initial == manufactured && boundaries.is_built_in() && !boundaries.has_load() :
             !exact.empty();
  }

  std::string exact_solution() const
  {
    const std::string of_z = dimension == 3 ? "+(z-0.5)^2" : "";
    return exact != manufactured ? exact : "(1+t)*exp(-16*((x-0.5)^2+(y-0.5)^2" + of_z + "))";
  }

  std::string initial_values() const { return initial == manufactured ? exact_solution() : initial; }

  // Throws InputError for mistakes in expressions.
  NonlinearTerms terms() const
  {
    const auto read = [this](const std::string &key, const std::string &text) {
      return Coefficient("Heat/" + key, text, mesh_file.materials("Heat/" + key));
    };
    NonlinearTerms terms = {read("Conductivity", conductivity), read("Heat capacity", capacity), read("Source", source),
                            boundaries.fluxes_of_solution(), boundaries.exchange};
    const auto     check = [this](const Coefficient &term) {
      term.check([&](const std::string &text) { check_function_of_solution(term.key(), text, dimension); });
    };
    check(terms.conductivity);
    check(terms.capacity);
    if (source == manufactured)
      terms.manufacture(exact_solution(), dimension);
    check(terms.source);
    return terms;
  }

  // Products by cells have the means of the terms in each cell.
  Products products_of_levels() const
  {
    const auto wanted = products.products(degree != 1           ? "Heat/Degree = 1" :
                                          boundaries.has_load() ? "no Heat/Flux or Robin" :
                                                                  "");
    return wanted == Products::automatic ? Products::rows : wanted;
  }

  void check() const
  {
    CubeParameters::check();
    (void)products_of_levels();
    boundaries.check(dimension);
    require(!exact.empty() || (source != manufactured && initial != manufactured && !boundaries.is_built_in()),
            "Heat/Exact solution is empty, but Source, Initial values or Boundary values are manufactured from it");
    check_expression("Heat/Exact solution", exact.empty() ? "0" : exact_solution(), 1, dimension);
    check_expression("Heat/Initial values", initial_values(), 1, dimension);
    (void)terms();
    output.check(dimension);
  }
};
} // namespace nonlinear_heat
