#pragma once

#include "base/command_line.h"
#include "discretization/trilinos_amg.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/parameter_acceptor.h>

#include <ostream>
#include <string>

namespace adamant
{
/// Declares the parameters of all ParameterAcceptor objects that exist, then reads the file and the settings of the command
/// line into them; where no file is given, `text` in its place. `include FILE` in a file takes in another, from the folder of
/// the first. Throws InputError with file, line, key and the nearest known names; nothing has been written then.
void read_parameters(const CommandLine &line, const std::string &text = "");

/// From the constructor of a ParameterAcceptor of this section, after the parameter `name` has been added: files and settings may
/// still use its old name, with a warning on std::cerr that names the new one.
void deprecate_name(const std::string &section, const std::string &old_name, const std::string &name);

/// deal.II's message without its frame, in one line.
std::string message_of(const dealii::ExceptionBase &error);

/// The words of a text with a blank between them.
std::string in_one_line(const std::string &text);

/// All parameters with their present values: PRM, a parameter file with descriptions; ShortPRM, without; JSON, with defaults and
/// patterns too.
void        print_parameters(std::ostream &out, dealii::ParameterHandler::OutputStyle style);
std::string parameter_text(dealii::ParameterHandler::OutputStyle style); ///< the same as a string

/// Section "Linear solver": LinearSolverOptions as parameters, and the choice of the preconditioner.
class LinearSolverParameters : public dealii::ParameterAcceptor
{
public:
  /// `defaults` are an application's own; its `control.name` is not used.
  explicit LinearSolverParameters(const LinearSolverOptions &defaults               = LinearSolverOptions(),
                                  unsigned int               default_coarsest_cells = 256);

  /// The options as the solver takes them; `name` says in messages what is solved.
  LinearSolverOptions options(const std::string &name) const;
  TrilinosAMGOptions  amg_options() const; ///< without modes

  std::string  preconditioner = "multigrid", coarse_solver;
  unsigned int coarsest_cells;
  double       tolerance;

  bool coarsest_on_one_rank() const { return coarse_solver != "trilinos_amg"; } ///< see Hierarchy

private:
  std::string  solver, precision, smoother;
  bool         amg_elliptic  = true;
  std::string  amg_smoother  = "Chebyshev";
  unsigned int amg_sweeps    = 2;
  double       amg_threshold = 1e-4;
  unsigned int max_iterations, restart, pre_steps, post_steps, coarse_steps;
  bool         chebyshev;
  double       damping, range;
};
} // namespace adamant
