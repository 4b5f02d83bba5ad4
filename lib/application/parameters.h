#pragma once

#include "base/command_line.h"
#include "solver/linear_solver.h"

#include <deal.II/base/parameter_acceptor.h>

#include <ostream>
#include <string>

namespace adamant
{
/// Declares the parameters of all ParameterAcceptor objects that exist, then reads the file and the settings of the command
/// line into them. Throws InputError with file, line, key and the nearest known names; nothing has been written then.
void read_parameters(const CommandLine &line);

/// All parameters with their present values and descriptions, as a parameter file.
void print_parameters(std::ostream &out, bool with_descriptions);

/// Section "Linear solver": LinearSolverOptions as parameters, and the choice of the preconditioner.
class LinearSolverParameters : public dealii::ParameterAcceptor
{
public:
  LinearSolverParameters();

  /// The options as the solver takes them; `name` says in messages what is solved.
  LinearSolverOptions options(const std::string &name) const;

  std::string  preconditioner          = "multigrid";
  unsigned int coarsest_cells          = 256;
  bool         amg_elliptic            = true;
  std::string  amg_smoother            = "Chebyshev";
  unsigned int amg_sweeps              = 2;
  double       amg_threshold           = 1e-4;
  double       tolerance               = 1e-8;

private:
  std::string  solver                  = "gmres";
  unsigned int max_iterations          = 200;
  unsigned int restart                 = 30;
  std::string  precision               = "float32";
  std::string  smoother                = "jacobi";
  bool         chebyshev               = false;
  double       damping                 = 0.8;
  double       range                   = 4.;
  unsigned int pre_steps               = 2;
  unsigned int post_steps              = 2;
  std::string  coarse_solver           = "dense_inverse";
  unsigned int coarse_steps            = 20;
};
} // namespace adamant
