#pragma once

#include "base/command_line.h"
#include "expressions/dealii_message.h"

#include <deal.II/base/parameter_acceptor.h>

#include <ostream>
#include <string>

namespace adamant
{
/// Declares the parameters of all ParameterAcceptor objects that exist, then reads the file and the settings of the
/// command line into them; where no file is given, `text` in its place. `include FILE` in a file takes in another, from
/// the folder of the first. Throws InputError with file, line, key and the nearest known names; nothing has been
/// written then.
void read_parameters(const CommandLine &line, const std::string &text = "");

/// The folder of the file that was read last; empty: none was, or one of the working directory.
const std::string &parameter_folder();

/// From the constructor of a ParameterAcceptor of this section, after the parameter `name` has been added: files and
/// settings may still use its old name, with a warning on std::cerr that names the new one.
void deprecate_name(const std::string &section, const std::string &old_name, const std::string &name);

/// All parameters with their present values: PRM, a parameter file with descriptions; ShortPRM, without; JSON, with
/// defaults and patterns too.
void        print_parameters(std::ostream &out, dealii::ParameterHandler::OutputStyle style);
std::string parameter_text(dealii::ParameterHandler::OutputStyle style); ///< the same as a string
} // namespace adamant
