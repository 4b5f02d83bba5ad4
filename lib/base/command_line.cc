#include "base/command_line.h"

#include "base/exceptions.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace adamant
{
namespace
{
namespace po = boost::program_options;

void add_options(po::options_description &options, CommandLine &line)
{
  // clang-format off
  options.add_options()
    ("set", po::value<std::vector<std::string>>(&line.settings)->value_name("\"Section/key=value\""),
     "change one parameter; may be given several times")
    ("backend", po::value<std::string>(&line.backend)->value_name("auto|host|cuda")->default_value("auto"),
     "where the algebra runs; auto takes a GPU where there is one")
    ("threads", po::value<int>(&line.threads)->value_name("N")->default_value(0), "threads of the host; 0: all cores")
    ("output", po::value<std::string>(&line.output)->value_name("DIR"), "folder for all files written")
    ("restart", po::value<std::string>(&line.restart_folder)->implicit_value("")->value_name("[=DIR]"),
     "continue from the newest good checkpoint in DIR, else in the folder for output; without FILE.prm with its parameters")
    ("dry-run", po::bool_switch(&line.dry_run),
     "set up the problem, print its size and the memory that the run will take, and stop: nothing is written")
    ("mesh", po::value<std::string>(&line.mesh)->value_name("FILE.csv"),
     "as --dry-run, and write cells, materials and boundaries into this file, for 'scripts/plot mesh'")
    ("print-parameters", po::bool_switch(&line.print_parameters), "print all parameters with their meaning and stop")
    ("json", po::bool_switch(&line.json), "print them as JSON, with defaults and patterns")
    ("help", po::bool_switch(&line.help), "print this text and stop")
    ("version", po::bool_switch(&line.version), "print the version and stop");
  // clang-format on
}

void parse(int argc, const char *const *argv, const po::options_description &all, po::variables_map &variables)
{
  // Abbreviations are off: a typo must not silently become another option.
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::store(po::command_line_parser(argc, argv)
              .options(all)
              .positional(po::positional_options_description().add("file", -1))
              .style(style)
              .run(),
            variables);
  po::notify(variables);
}

void take_files(std::vector<std::string> files, CommandLine &line)
{
  // "--restart DIR": the folder comes without an equals sign.
  const auto folder = std::find_if(files.begin(), files.end(), [](const std::string &file) {
    std::error_code ignored;
    return std::filesystem::is_directory(file, ignored);
  });
  if (line.restart && line.restart_folder.empty() && folder != files.end())
    {
      line.restart_folder = *folder;
      files.erase(folder);
    }
  if (files.size() > 1)
    throw InputError("command line: one parameter file at most, but both '" + files[0] + "' and '" + files[1] +
                     "' are given");
  if (!files.empty())
    line.parameter_file = files[0];
}

void check(const CommandLine &line)
{
  const std::vector<std::string> backends = {"auto", "host", "cuda"};
  if (std::find(backends.begin(), backends.end(), line.backend) == backends.end())
    throw InputError("command line: unknown backend '" + line.backend + "' (auto, host or cuda)" +
                     did_you_mean(line.backend, backends));
  require(!line.json || line.print_parameters, "command line: --json goes with --print-parameters");
  std::error_code ignored;
  require(line.restart_folder.empty() || line.output.empty() ||
            std::filesystem::equivalent(line.restart_folder, line.output, ignored),
          "command line: a run continues in the folder of its checkpoint, '", line.restart_folder,
          "', not in --output ", line.output, "; to continue a copy, copy that folder first");
  require(line.threads >= 0, "command line: --threads must not be negative, but is ", line.threads);
}
} // namespace

CommandLine parse_command_line(int argc, const char *const *argv, const std::string &program)
{
  CommandLine             line;
  po::options_description options("Options"), hidden, all;
  add_options(options, line);
  hidden.add_options()("file", po::value<std::vector<std::string>>());
  all.add(options).add(hidden);

  std::ostringstream usage;
  usage << "usage: " << program << " [FILE.prm] [options]\n" << options;
  line.usage = usage.str();

  po::variables_map variables;
  try
    {
      parse(argc, argv, all, variables);
    }
  catch (const po::unknown_option &error)
    {
      std::vector<std::string> known;
      for (const auto &option : options.options())
        known.push_back("--" + option->long_name());
      throw InputError("command line: unknown option '" + error.get_option_name() + "'" +
                       did_you_mean(error.get_option_name(), known));
    }
  catch (const po::error &error)
    {
      throw InputError(std::string("command line: ") + error.what());
    }
  if (variables.count("output") != 0 && line.output.empty())
    throw InputError("command line: --output needs the name of a folder, and '' is none");
  line.restart = variables.count("restart") != 0;
  line.dry_run = line.dry_run || !line.mesh.empty();
  if (variables.count("file") != 0)
    take_files(variables["file"].as<std::vector<std::string>>(), line);
  check(line);
  return line;
}
} // namespace adamant
