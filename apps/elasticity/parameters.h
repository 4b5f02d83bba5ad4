#pragma once

#include "material.h"

#include "application/linear_solver_parameters.h"
#include "application/time_parameters.h"

#include <deal.II/base/function_parser.h>
#include <deal.II/base/parameter_acceptor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int dimension = 3;
  double       lambda = 8e4, mu = 2e4, young = 0., poisson = 0., density = 1.;
  std::string  body_force = "0; -1; 0", load_factor = "1", boundary_displacement = "0; 0; 0";
  std::string  initial_displacement = "0; 0; 0", initial_velocity = "0; 0; 0", exact_displacement;
  std::map<unsigned int, std::string> dirichlet = {{0, "xyz"}, {1, "xyz"}, {2, "xyz"},
                                                   {3, "xyz"}, {4, "xyz"}, {5, "xyz"}};
  std::string                         tractions;
  std::map<unsigned int, std::string> traction; // by id, once read

  ProblemParameters();
  Material material() const;
  void     check(bool stationary) const;

private:
  bool prescribes(unsigned int id, char axis) const;
};

// The functions that ProblemParameters describes; a mistake in an expression is an InputError.
template <int dim>
struct ProblemFunctions
{
  using Expression = std::unique_ptr<FunctionParser<dim>>;
  Expression                               body_force, boundary_displacement, initial_displacement, initial_velocity;
  Expression                               exact_displacement; // null where none is given
  std::map<types::boundary_id, Expression> traction;
  std::function<double(double)>            load_factor;

  explicit ProblemFunctions(const ProblemParameters &p);
};

struct DiscretizationParameters : ParameterAcceptor
{
  std::string               formulation = "condensed", refinement = "edge";
  std::vector<double>       lengths      = {1., 1., 1.};
  std::vector<unsigned int> coarse_cells = {1, 1, 1};
  unsigned int              degree = 1, uniform_refinements = 3, steps = 2;
  double                    refine_fraction = 0.1;

  DiscretizationParameters();
  void check(unsigned int dim) const;
};

struct TimeParameters : adamant::TimeParameters
{
  bool stationary = false;

  TimeParameters();
  void              check() const;
  adamant::Schedule schedule() const;
};

struct OutputParameters : ParameterAcceptor
{
  unsigned int                     interval = 10, energy_interval = 1;
  std::vector<std::vector<double>> points = {{0.5, 0.5, 0.5}};

  OutputParameters();
};

struct Parameters
{
  ProblemParameters               problem;
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  OutputParameters                output;
  adamant::LinearSolverParameters linear_solver{default_options(), 400};

  static adamant::LinearSolverOptions default_options();

  unsigned int             dim() const { return problem.dimension; }
  void                     check() const; // what no single parameter's pattern can tell
  std::vector<std::string> may_change() const; // where a checkpoint is continued

private:
  void check_formulation() const;
};
} // namespace elasticity
