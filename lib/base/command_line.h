#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// What every program takes on its command line (the contract is the same for all applications).
struct CommandLine
{
  std::string              parameter_file;           ///< empty: the built-in defaults
  std::vector<std::string> settings;                 ///< "Section/key=value", applied after the file
  std::string              backend = "auto";         ///< host, cuda or auto
  int                      threads = 0;              ///< of the host; 0: all cores this process may use
  std::string              output;                   ///< folder; empty: as the parameters say
  bool                     restart = false;          ///< continue from a checkpoint
  std::string              restart_folder;           ///< of the checkpoint; empty: the folder for output
  bool                     dry_run          = false; ///< set up, tell the size and the memory, solve nothing
  bool                     print_parameters = false;
  bool                     json             = false; ///< print them as JSON
  bool                     help             = false;
  bool                     version          = false;
  std::string              usage; ///< the text of --help
};

/// Parses argv with Boost.Program_options. Throws InputError naming the option and its nearest known names.
CommandLine parse_command_line(int argc, const char *const *argv, const std::string &program);
} // namespace adamant
