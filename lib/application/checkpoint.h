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

/// Checkpoints: all that a run needs to go on as if it had never stopped, to the last bit on the same backend with as
/// many threads. A file OUTPUT/checkpoint_STEP has a line with its layout, a Boost archive of a CheckpointHeader and
/// the objects that the program gives, and the CRC-32 of all that (4 bytes). It is written beside, synced to disk, and
/// renamed; the last two are kept. Of several ranks the first one writes; all read it.
namespace adamant
{
/// Section "Checkpoint": when a run writes one.
struct CheckpointParameters : dealii::ParameterAcceptor
{
  unsigned int steps   = 0;
  double       minutes = 0., wall_time_limit = 0.;

  CheckpointParameters();
};

/// The run was asked to end early and has written a checkpoint to continue from. Programs end with this exit code.
class Interrupted : public std::runtime_error
{
public:
  Interrupted(const std::string &reason, int exit_code)
    : std::runtime_error(reason)
    , exit_code(exit_code)
  {}
  const int exit_code;
};

/// What a checkpoint's archive begins with.
struct CheckpointHeader
{
  std::string  application, version, deal_ii, backend;
  int          threads = 0, ranks = 1;
  bool         distributed_mesh = false; ///< p4est's, which any number of ranks can load
  std::string  parameters;               ///< the effective ones as a parameter file
  std::string  values;                   ///< the same as comparable_parameters() has them
  unsigned int step = 0;
  double       time = 0.;
  std::string  statistics; ///< statistics.csv so far

  std::vector<int> iterations; ///< of the linear solver in each step

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &application &version &deal_ii &backend &threads &ranks &distributed_mesh;
    archive &parameters &values &step &time &statistics             &iterations;
  }
};

/// The CRC-32 of the first n bytes of a file.
std::uint32_t checksum(const std::string &file, std::uintmax_t n);

/// The newest whole checkpoint of a folder, open for reading.
class CheckpointReader
{
public:
  /// Tries the newest first; says which one is taken and which ones are damaged. Throws InputError where there is none,
  /// and where another program, another version of deal.II or another layout wrote it.
  CheckpointReader(const std::string &folder, const std::string &application);

  CheckpointHeader header;
  std::string      file;

  /// What follows the header, to be read in the order in which it was written.
  using Archive = boost::archive::binary_iarchive;
  Archive &archive() { return *objects; }

private:
  std::ifstream          in;
  std::optional<Archive> objects;
};

/// Writes checkpoints of a run.
///
/// For tests of programs, the environment variable ADAMANT_CHECKPOINT_KILL=STAGE:N kills the program at a stage
/// (opened, writing, written, synced, cleaned of older ones, renamed) of its N-th checkpoint; the first of a new run is
/// renamed, then cleaned.
class CheckpointWriter
{
public:
  using Archive = boost::archive::binary_oarchive;

  /// `last_good` is the checkpoint that the run continues, or empty.
  CheckpointWriter(const CheckpointParameters &parameters, const std::string &folder, const std::string &last_good,
                   const Communicator &ranks = Communicator());

  /// Whether one is to be written after this step.
  bool due(unsigned int step, bool last_step) const;
  /// Whether the wall-time limit has been reached.
  bool out_of_time() const;

  /// All ranks call it together. Throws RunError where it fails; earlier checkpoints are whole then.
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
} // namespace adamant
