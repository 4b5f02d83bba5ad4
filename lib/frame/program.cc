#include "frame/program.h"

#include "base/exceptions.h"
#include "frame/parameters/parameters.h"
#include "frame/run.h"
#include "frame/start_up.h"

#include <deal.II/base/config.h>
#include <deal.II/base/parameter_handler.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace adamant
{
namespace
{
void print_version(const std::string &application)
{
  std::cout << "adamant " << version() << " (" << git_revision() << "), " << application << ", deal.II "
            << DEAL_II_PACKAGE_VERSION << '\n';
}

int run(const CommandLine &line, const std::string &application, const Program &program,
        std::unique_ptr<CheckpointReader> reader, const CheckpointParameters &checkpoints,
        const RankParameters &rank_parameters, MatrixFormat format)
{
  const Communicator ranks(MPI_COMM_WORLD);
  const int          n_threads = number_of_threads(line.threads, ranks);
  set_threads(n_threads);
  const Device device = choose_device(line.backend, n_threads, std::cout, ranks, rank_parameters.share_devices, format);
  program.check_device(device);
  Run run(application, line, checkpoints, std::move(reader), device, n_threads, rank_parameters);
  print_version(application);
  std::cout << "backend " << device.traits().backend << " on " << device.name() << ", " << n_threads << " host thread"
            << (n_threads > 1 ? "s" : "")
            << (ranks.size() > 1 ? " on each of " + std::to_string(ranks.size()) + " ranks" : "") << '\n';
  try
    {
      program.solve(device, run);
    }
  catch (const EndOfDryRun &)
    {
      return 0;
    }
  catch (const InputError &error)
    {
      if (run.writes_output()) // the exit code of InputError says that nothing has been written
        throw RunError(error.what());
      throw;
    }
  run.finish();
  return 0;
}
} // namespace

int run_program(int argc, char **argv, const std::string &application, const std::string &description,
                const std::function<std::unique_ptr<Program>()> &make)
{
  let_waiting_threads_sleep(argv);
  return guarded_main(application, [&]() -> int {
    const CommandLine line = parse_command_line(argc, argv, application);
    if (line.help)
      std::cout << description << "\n\n" << line.usage;
    if (line.version)
      print_version(application);
    if (line.help || line.version)
      return 0;
    const auto                        program = make();
    const MatrixFormatParameter       matrix_format;
    const CheckpointParameters        checkpoints;
    const RankParameters              rank_parameters;
    std::unique_ptr<CheckpointReader> reader;
    if (line.restart)
      reader = std::make_unique<CheckpointReader>(output_folder(line, application), application);
    read_parameters(line, reader ? reader->header.parameters : "");
    program->check();
    if (line.print_parameters)
      {
        if (Communicator(MPI_COMM_WORLD).rank() == 0) // deal.II would not take the others' std::cout
          std::cout << parameter_text(line.json ? dealii::ParameterHandler::JSON : dealii::ParameterHandler::PRM);
        std::cout.flush();
        if (std::cout.bad())
          throw RunError("standard output cannot be written: " + std::string(std::strerror(errno)));
        return 0;
      }
    if (reader)
      check_restart(*reader, program->restart_keys());
    return run(line, application, *program, std::move(reader), checkpoints, rank_parameters, matrix_format.format());
  });
}
} // namespace adamant
