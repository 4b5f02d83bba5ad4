#pragma once

#include "base/communicator.h"

#include <deal.II/base/parameter_acceptor.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Checkpoints: all that a run needs to go on as if it had never stopped. Results are equal to the last bit on the same
/// backend with as many threads. A file OUTPUT/checkpoint_STEP has a line with its layout, a Boost archive of a
/// CheckpointHeader and of the program's objects, and the CRC-32 of both (4 bytes). The file is written under another
/// name, synced to disk, and renamed; the last two are kept. The first rank writes for all; all ranks read the file.

namespace adamant
{
struct RestartKeys;

/// Section "Checkpoint": when a run writes a checkpoint.
struct CheckpointParameters : dealii::ParameterAcceptor
{
  unsigned int steps   = 0;
  double       minutes = 0., wall_time_limit = 0.;

  CheckpointParameters();
};

/// Thrown where a run was asked to end early and has written a checkpoint. The program ends with this exit code.
struct Interrupted : std::runtime_error
{
  Interrupted(const std::string &reason, int exit_code)
    : std::runtime_error(reason)
    , exit_code(exit_code)
  {}
  const int exit_code;
};

/// The first object of a checkpoint's archive.
struct CheckpointHeader
{
  std::string  application, version, deal_ii, backend;
  int          threads = 0, ranks = 1;
  bool         distributed_mesh = false; ///< whether the mesh is p4est's, which any number of ranks can load
  std::string  parameters;               ///< the effective parameters as a parameter file
  std::string  values;                   ///< the effective parameters as comparable_parameters() returns them
  unsigned int step       = 0;
  double       time       = 0.;
  std::string  statistics = {}; ///< the text of statistics.csv so far

  std::vector<int> iterations = {}; ///< of the linear solver in each step

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &application &version &deal_ii &backend &threads &ranks &distributed_mesh;
    archive &parameters &values &step &time &statistics             &iterations;
  }
};

/// Returns the CRC-32 of the first n bytes of a file.
std::uint32_t checksum(const std::string &file, std::uintmax_t n);

/// The newest whole checkpoint of a folder, open for reading.
class CheckpointReader
{
public:
  /// Opens the newest checkpoint that is whole, and prints which one is taken and which ones are damaged. Throws
  /// InputError where there is none, and where another program, another version of deal.II or another layout wrote it.
  CheckpointReader(const std::string &folder, const std::string &application);

  CheckpointHeader header;
  std::string      file;
  std::string      other_steps; ///< what check_restart() has found to change for the steps to come

  /// The archive behind the header; its objects are read in the order in which they were written.
  using Archive = boost::archive::binary_iarchive;
  Archive &archive() { return *objects; }

private:
  std::ifstream          in;
  std::optional<Archive> objects;
};

/// Writes checkpoints of a run.
///
/// For tests of programs, the environment variable ADAMANT_CHECKPOINT_KILL=STAGE:N kills the program at a stage of its
/// N-th checkpoint. Stages are opened, writing, written, synced, cleaned (of older checkpoints) and renamed; the first
/// checkpoint of a new run is renamed before older ones are removed.
class CheckpointWriter
{
public:
  using Archive = boost::archive::binary_oarchive;

  /// `last_good` is the name of the checkpoint that the run continues, or empty.
  CheckpointWriter(const CheckpointParameters &parameters, const std::string &folder, const std::string &last_good,
                   const Communicator &ranks = Communicator())
    : parameters(parameters)
    , folder(folder)
    , ranks(ranks)
    , last_good(last_good)
  {}

  bool due(unsigned int step, bool last_step) const; ///< whether a checkpoint is to be written after this step
  bool out_of_time() const;                          ///< whether the wall-time limit has been reached

  /// Writes a checkpoint; all ranks call it together. Throws RunError where that fails; earlier checkpoints stay whole.
  void write(const CheckpointHeader &header, const std::function<void(Archive &)> &save_objects);

private:
  using Clock = std::chrono::steady_clock;

  const CheckpointParameters &parameters;
  const std::string           folder;
  const Communicator          ranks;
  std::string                 last_good;
  const Clock::time_point     start        = Clock::now();
  Clock::time_point           last_written = start;
  unsigned int                n_written    = 0;
};

/// Returns the effective parameters as JSON for a restart to compare. A checksum stands for a mesh file, wherever it
/// lies.
std::string comparable_parameters();

/// Throws InputError with the parameters that differ from the checkpoint's and that a restart may not change. It may
/// change those listed in restart_rules.cc, without `keys.must_stay`, and `keys.may_change` if steps follow.
void check_restart(CheckpointReader &checkpoint, const RestartKeys &keys);
} // namespace adamant
