#include "frame/run.h"

#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "frame/parameters/parameters.h"
#include "frame/signals.h"
#include "frame/start_up.h"

#include <deal.II/base/config.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>

namespace adamant
{
namespace
{
std::string megabytes(double bytes)
{
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 1e-6 * bytes << " MB";
  return text.str();
}

// The bytes of device vectors that only the first time steps create.
std::size_t bytes_of_time_loop(const RunSize &size, bool recorded)
{
  // GMRES keeps a vector in double and a direction in the V-cycle's precision for each iteration. It makes room for
  // four at a time; five to eight are usual, and a loop on a GPU has room for ten. Its loop takes three more vectors in
  // double, of which directions in float spare two on a GPU. Timing the V-cycle takes two.
  const auto        options       = size.linear_solver.options("");
  const bool        in_float      = options.precision == Precision::float32;
  const std::size_t per_iteration = sizeof(double) + (in_float ? sizeof(float) : sizeof(double));
  const std::size_t room = std::min(options.restart, recorded ? 12 : 8), in_loop = recorded && in_float ? 1 : 3;
  const std::size_t gmres = options.type == SolverType::gmres ? room * per_iteration + in_loop * sizeof(double) : 0;
  return size.levels.back().n_rows() * (gmres + (2 + size.extrapolation_order) * sizeof(double));
}
} // namespace

Run::Run(const std::string &application, const CommandLine &line, const CheckpointParameters &checkpoints,
         std::unique_ptr<CheckpointReader> continued, const Device &device, int threads,
         const RankParameters &rank_parameters)
  : ranks(MPI_COMM_WORLD)
  , distributed_mesh(rank_parameters.distributed_mesh || ranks.size() > 1 ||
                     (continued && continued->header.distributed_mesh))
  , timer(std::cout, dealii::TimerOutput::never, dealii::TimerOutput::wall_times)
  , mesh_file(line.mesh)
  , device(device)
  , rank_parameters(rank_parameters)
  , output_folder(adamant::output_folder(line, application))
  , dry_run(line.dry_run)
  , reader(std::move(continued))
  , writer(checkpoints, output_folder, reader ? reader->file : "", ranks)
{
  const std::string parameters = parameter_text(dealii::ParameterHandler::ShortPRM);
  if (writes())
    made = OutputFolder(output_folder, continues());
  timer.observer = [this](const std::string &section) {
    if (section.empty() || section.rfind("init/", 0) == 0)
      live.stage(section.empty() ? "" : section.substr(5), total.wall_time());
  };
  record["application"] = application;
  record["version"]     = version() + "-" + git_revision();
  record["deal_ii"]     = DEAL_II_PACKAGE_VERSION;
  record["backend"]     = device.traits().backend;
  record["device"]      = device.name();
  record["threads"]     = threads;
  if (ranks.size() > 1)
    record["ranks"] = ranks.size();
  time_loop.reset();

  header = {application,      record["version"], DEAL_II_PACKAGE_VERSION, record["backend"], threads, ranks.size(),
            distributed_mesh, parameters,        comparable_parameters()};
  if (reader)
    continue_from(reader->header);
  if (const std::string exchange = device.interface().exchange(); !exchange.empty())
    record["exchange"] = exchange;
}

// Rows of a run that fails are kept.
Run::~Run()
{
  try
    {
      write_statistics();
    }
  catch (...) // on the way of another error
    {}
  made.take_back();
}

void Run::begin_output()
{
  if (has_begun || dry_run)
    return;
  has_begun = true;
  if (writes())
    {
      made.begin(header.parameters);
      if (statistics.text.empty()) // nothing would cut what is past a checkpoint without rows
        std::remove(file("statistics.csv").c_str());
    }
  double all = 0.;
  ranks.sum(&all, 1); // the others may write then
}

void Run::write_statistics(bool at_once)
{
  if (has_begun && writes())
    statistics.save(file("statistics.csv"), at_once);
}

void Run::continue_from(const CheckpointHeader &from)
{
  record["restart"] = {{"checkpoint", reader->file}, {"step", from.step}, {"time", from.time}};
  require(!distributed_mesh || from.distributed_mesh,
          "--restart: the checkpoint holds a serial mesh, which only one rank can continue; on one rank, "
          "Ranks/Distributed mesh = true makes checkpoints that any number of ranks can");
  if (from.backend != header.backend || from.threads != header.threads || from.ranks != header.ranks ||
      from.version != header.version)
    std::cout << "note: adamant " << from.version << " wrote it with backend " << from.backend << ", " << from.ranks
              << (from.ranks > 1 ? " ranks" : " rank") << " and " << from.threads
              << " threads; the results may differ from an uninterrupted run's by rounding and solver tolerance\n";
  header.iterations = from.iterations;
  statistics.text   = from.statistics;
}

unsigned int Run::cells_per_rank(unsigned int dofs_per_cell) const
{
  const unsigned int bilinear_cells = device.traits().cells_for_a_rank;
  return rank_parameters.cells_per_rank > 0 ? rank_parameters.cells_per_rank :
                                              std::max(1u, 4 * bilinear_cells / dofs_per_cell);
}

void Run::describe(const RunSize &size)
{
  const auto options  = size.linear_solver.options("");
  record["precision"] = to_text(options.precision);
  record["dofs"]      = size.n_unknowns;
  record["cells"]     = size.n_cells;
  record["levels"]    = RunRecord::array();
  record["levels_by_cells"] =
    std::count_if(size.levels.begin(), size.levels.end(), [](const auto &level) { return level.rowless() != nullptr; });
  for (const auto &level : size.levels)
    {
      const double entries = level.has_rows() ? double(level.matrix().n_nonzeros()) : 0.; // a RowlessMatrix has none
      double       sums[]  = {double(level.n_rows()), entries};
      ranks.sum(sums, 2);
      record["levels"].push_back({{"dofs", std::llround(sums[0])}, {"nonzeros", std::llround(sums[1])}});
    }
  if (ranks.size() > 1) // how far the rank with the most unknowns is above the mean, and ghosts for each unknown
    {
      const auto  &finest = size.levels.back();
      const double owned = finest.n_rows(), ghosts = finest.ghosts()->n_ghosts();
      const auto   unknowns = dealii::Utilities::MPI::min_max_avg(owned, ranks.handle());
      record["balance"]     = {{"unknowns", unknowns.max / unknowns.avg},
                               {"ghosts", dealii::Utilities::MPI::sum(ghosts, ranks.handle()) / unknowns.sum}};
    }
  record["preconditioner"]      = size.linear_solver.preconditioner;
  record["tolerance"]           = size.linear_solver.tolerance;
  record["extrapolation_order"] = size.extrapolation_order;
  bytes_of_steps                = bytes_of_time_loop(size, device.traits().waits_for_launches);
}

void Run::measure(const LinearSolver &solver)
{
  if (!device.traits().waits_for_launches)
    return;
  const auto cost   = solver.measure_preconditioner();
  record["v_cycle"] = {{"seconds", cost.seconds}, {"graph_nodes", cost.launches}};
  std::cout << "V-cycle: " << cost.launches << " graph nodes, " << 1e6 * cost.seconds << " us" << std::endl;
}

std::size_t Run::host_memory() const
{
  return dealii::Utilities::MPI::sum<std::size_t>(peak_host_memory(), ranks.handle());
}

void Run::print_size() const
{
  std::cout << "dry run: " << (mesh_file.empty() ? "nothing" : mesh_file) << " has been written\n"
            << record.at("dofs") << " unknowns, " << record.at("cells") << " cells\n";
  for (std::size_t l = record.at("levels").size(); l-- > 0;)
    std::cout << "  level " << l << ": " << record.at("levels")[l].at("dofs") << " unknowns, "
              << record.at("levels")[l].at("nonzeros") << " nonzeros\n";
  std::cout << "host memory expected: " << megabytes(host_memory()) << '\n';
  std::size_t bytes = device.traits().separate_memory ? bytes_of_steps : 0; // of the device, so far or later
  std::string parts;
  for (const auto &[purpose, in_use] : device.interface().memory())
    {
      bytes += in_use;
      parts += ", " + purpose + " " + megabytes(in_use);
    }
  if (const auto most = std::max(bytes, device.interface().peak_memory()); most > 0)
    std::cout << "device memory expected: " << megabytes(most) << " (after the set-up" << parts << ")\n";
}

void Run::begin_time_loop(unsigned int done, unsigned int n, bool asks)
{
  require(done <= n, "--restart: the checkpoint is of step ", done, ", but the end time is reached in step ", n);
  require(done < n || !reader || reader->other_steps.empty(), "--restart: no step is left after step ", done,
          " that could take other parameters, which need a new run: ", reader ? reader->other_steps : "");
  if (dry_run)
    {
      print_size();
      throw EndOfDryRun();
    }
  (void)host_memory(); // of the set-up
  record["timings"]["init"] = total.wall_time();
  time_loop.start();
  let_signals_wait(asks && n > 1);
}

void Run::end_time_loop()
{
  let_signals_wait(false);
  time_loop.stop();
  live.close();
}

void Run::progress(unsigned int step, unsigned int n_steps, double time, int iterations, double residual,
                   const std::string &note)
{
  header.iterations.push_back(iterations);
  begin_output();
  write_statistics(false);
  live.show(step, n_steps, time, iterations, residual, time_loop.wall_time(), note);
}

bool Run::checkpoint_due(unsigned int step, bool last)
{
  // In the last step a signal counts, too, as what follows may take long; the limit left time for that.
  const int signal = signal_received();
  why_to_end = signal != 0 ? signal_kind(signal).name : !last && writer.out_of_time() ? "the wall-time limit" : "";
  // Clocks and signals may differ: the first rank's clock and any rank's reason count.
  double wishes[] = {double(ranks.rank() == 0 && writer.due(step, last)), double(!why_to_end.empty()),
                     double(signal == SIGINT)};
  ranks.sum(wishes, 3);
  if (wishes[1] > 0 && why_to_end.empty())
    why_to_end = "another rank's signal or limit";
  exit_code                = signal_kind(wishes[2] > 0 ? SIGINT : SIGTERM).exit_code;
  return checkpoint_wanted = wishes[0] + wishes[1] > 0;
}

void Run::write_checkpoint(unsigned int step, double time, const std::function<void(CheckpointWriter::Archive &)> &save)
{
  if (!checkpoint_wanted)
    return;
  Section scope(timer, "checkpoint");
  header.step       = step;
  header.time       = time;
  header.statistics = statistics.text;
  writer.write(header, save);
  write_statistics();
  if (!why_to_end.empty())
    throw Interrupted("stopped by " + why_to_end + " after step " + std::to_string(step) +
                        "; --restart=" + output_folder + " continues",
                      exit_code);
}

void Run::finish()
{
  total.stop(); // what follows does not belong to the run
  record["peak_memory_bytes"]["device"] = device.interface().peak_memory();
  if (device.traits().separate_memory)
    record["copy_bandwidth"] = device.interface().copy_bandwidth();
  begin_output();
  const auto &iterations = header.iterations;
  const auto  n          = std::max<std::size_t>(iterations.size(), 1);
  record["steps"]        = iterations.size();
  record["iterations"]   = {{"mean", std::accumulate(iterations.begin(), iterations.end(), 0.) / n},
                            {"max", iterations.empty() ? 0 : *std::max_element(iterations.begin(), iterations.end())}};
  auto &timings          = record["timings"];
  for (const auto &[name, seconds] : timer.get_summary_data(dealii::TimerOutput::total_wall_time))
    timings[name] = seconds;
  timings["time_loop"]                = time_loop.wall_time();
  timings["total"]                    = total.wall_time();
  record["peak_memory_bytes"]["host"] = host_memory();
  timer.print_summary();
  if (!writes())
    return;
  write_statistics();
  write_file(file("run.json"), record.dump(2) + "\n"); // with null for what is no number
  const auto results = record.flatten();
  for (const auto &[name, value] : results.items())
    if (value.is_number_float() && !std::isfinite(value.get<double>()))
      throw RunError("a result is NaN or infinite: " + name.substr(1) + " (null in run.json)");
  std::cout << "written to " << output_folder << "/run.json" << std::endl;
}
} // namespace adamant
