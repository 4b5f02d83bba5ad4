#pragma once

#include "base/command_line.h"
#include "expressions/expressions.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Declares the parameters of all ParameterAcceptor objects that exist, then reads the file and the settings of the
/// command line into them. Where no file is given, it reads `text`. In a file, `include FILE` takes in another one,
/// relative to the first one's folder. Throws InputError with file, line, key and the nearest known names, before
/// anything is written.
void read_parameters(const CommandLine &line, const std::string &text = "");

/// Returns the folder of the file that was read last. It is empty where none was read, or one of the working directory.
const std::string &parameter_folder();

/// Returns all parameters with their present values. PRM is a parameter file with descriptions, ShortPRM one without;
/// JSON has defaults and patterns, too.
std::string parameter_text(dealii::ParameterHandler::OutputStyle style);
} // namespace adamant
