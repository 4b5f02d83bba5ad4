#pragma once

#include <string>
#include <vector>

namespace adamant
{
std::string version();      ///< version of adamant, e.g. "0.1.0"
std::string git_revision(); ///< short hash of the commit that was built, with "+" where files had changed

/// The options that each program takes on its command line; all applications share them.
struct CommandLine
{
  std::string              parameter_file;   ///< empty: the built-in defaults
  std::vector<std::string> settings;         ///< "Section/key=value", applied after the file
  std::string              backend = "auto"; ///< host, cuda or auto
  int                      threads = 0;      ///< number of host threads; 0: all cores that this process may use
  std::string              output;           ///< output folder; empty: as the parameters say
  bool                     restart = false;  ///< continue from a checkpoint
  std::string              restart_folder;   ///< folder of the checkpoint; empty: the output folder
  bool                     dry_run = false;  ///< set up, tell the size and the memory, solve nothing
  std::string              mesh;             ///< file for the mesh of a dry run; empty: none
  bool                     print_parameters = false;
  bool                     json             = false; ///< print the parameters as JSON
  bool                     help             = false;
  bool                     version          = false;
  std::string              usage; ///< the text of --help
};

/// Returns the options in argv, parsed by Boost.Program_options. Throws InputError naming a wrong option and its
/// nearest known names.
CommandLine parse_command_line(int argc, const char *const *argv, const std::string &program);
} // namespace adamant
