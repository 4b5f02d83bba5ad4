#pragma once

#include "algebra/profiler_range.h"
#include "application/parameters.h"
#include "application/progress.h"
#include "base/command_line.h"
#include "base/exceptions.h"
#include "base/run_record.h"
#include "solver/dispatch.h"

#include <deal.II/base/timer.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// A part of the program in the timing table and in profilers.
class Section
{
public:
  Section(dealii::TimerOutput &timer, const std::string &name)
    : scope(timer, name)
    , range(name)
  {}

private:
  dealii::TimerOutput::Scope scope;
  ProfilerRange              range;
};

/// What an application gets for one run: its output folder, its timers and its record.
class Run
{
public:
  /// Makes the output folder and writes the effective parameters into it. Throws InputError where it cannot be written.
  Run(const std::string &application, const CommandLine &line, const std::string &backend, const std::string &device);

  std::string folder() const { return output_folder; }
  std::string file(const std::string &name) const { return output_folder + "/" + name; }

  dealii::TimerOutput timer;  ///< scopes "init", "rhs", "solve", "copy", "output": the parts of the timing table
  RunRecord           record; ///< written as run.json by `finish`

  /// Adds a row to statistics.csv; the first call's names make its header.
  void statistics(const std::vector<std::pair<std::string, double>> &row);

  void begin_time_loop(); ///< everything before it is "init" in run.json
  void end_time_loop();

  /// Where the time loop stands (see Progress): step, time, iterations, residual, steps per second, time left.
  void progress(unsigned int step, unsigned int n_steps, double time, int iterations, double residual);

  void stop();   ///< the clock: what follows does not belong to the run
  void finish(); ///< prints the timing table and writes run.json

private:
  std::string   output_folder, statistics_text;
  dealii::Timer total, time_loop;
  Progress      live;
};

/// Prints version, libraries, backend, device and threads.
void print_header(const std::string &application, const std::string &backend, const std::string &device, int threads);

namespace internal
{
/// Runs `body` between MPI's start and end; turns exceptions into one message and the exit code: 2 for the user's input,
/// 1 for everything that goes wrong later.
int guarded_main(const std::string &application, const std::function<int()> &body);
/// The cores that this process may use, or `requested` where that is not 0.
int number_of_threads(int requested);
/// Sets the threads of deal.II and OpenMP.
void set_threads(int n_threads);
} // namespace internal

/// main() of an application: reads the command line and the parameters into a `Parameters` object (made of
/// ParameterAcceptors), chooses the backend and calls solve(parameters, backend, run).
template <typename Parameters, typename Solve>
int run_program(int argc, char **argv, const std::string &application, const std::string &description,
                const Solve &solve)
{
  return internal::guarded_main(application, [&]() -> int {
    const CommandLine line = parse_command_line(argc, argv, application);
    if (line.help)
      std::cout << description << "\n\n" << line.usage;
    if (line.version)
      print_header(application, "", "", 0);
    if (line.help || line.version)
      return 0;
    const Parameters parameters;
    read_parameters(line);
    if (line.print_parameters)
      {
        print_parameters(std::cout, line.json ? dealii::ParameterHandler::JSON : dealii::ParameterHandler::PRM);
        return 0;
      }
    parameters.check();
    const int n_threads = internal::number_of_threads(line.threads);
    internal::set_threads(n_threads);
    with_backend(line.backend, n_threads, std::cout, [&](const auto &backend, const std::string &name) {
      Run run(application, line, name, backend.device_name());
      run.record["threads"] = n_threads;
      print_header(application, name, backend.device_name(), n_threads);
      solve(parameters, backend, run);
      run.stop();
      run.record["peak_memory_bytes"]["device"] = backend.peak_memory();
      if constexpr (std::decay_t<decltype(backend)>::asynchronous)
        run.record["copy_bandwidth"] = backend.copy_bandwidth();
      run.finish();
    });
    return 0;
  });
}
} // namespace adamant
