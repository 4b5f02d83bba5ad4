#pragma once

#include "base/array.h"
#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/storage_order.h"
#include "solvers/extrapolation.h"

#include <deal.II/base/parameter_acceptor.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array_wrapper.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Checkpoints: all that a run needs to go on as if it had never stopped, to the last bit on the same backend with as many threads. A
/// file OUTPUT/checkpoint_STEP is a Boost archive of a CheckpointHeader and the objects that the program gives, followed by
/// the CRC-32 of all that (4 bytes). It is written beside, synced to disk, and renamed; the last two are kept. Of several ranks the
/// first one writes; all read it.
namespace adamant
{
/// Section "Checkpoint": when a run writes one.
struct CheckpointParameters : dealii::ParameterAcceptor
{
  unsigned int steps   = 0;
  double       minutes = 0., wall_time_limit = 0.;

  CheckpointParameters();
};

/// The run was asked to end early and has written a checkpoint to continue from. Programs end with exit code 3.
class Interrupted : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// What a checkpoint begins with.
struct CheckpointHeader
{
  static constexpr unsigned int present_layout = 3;

  unsigned int layout = present_layout;
  std::string  application, version, deal_ii, backend;
  int          threads = 0, ranks = 1;
  bool         distributed_mesh = false; ///< p4est's, which any number of ranks can load
  std::string  parameters;               ///< the effective ones as a parameter file
  std::string  values;                   ///< the same as JSON, to compare
  unsigned int step = 0;
  double       time = 0.;
  std::string  statistics; ///< statistics.csv so far

  std::vector<int> iterations; ///< of the linear solver in each step

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &layout &application &version &deal_ii &backend &threads &ranks &distributed_mesh;
    archive &parameters &values &step &time &statistics                     &iterations;
  }
};

/// The newest whole checkpoint of a folder, open for reading.
class CheckpointReader
{
public:
  /// Tries the newest first; says which one is taken and which ones are damaged. Throws InputError where there is none, and where
  /// another program, another version of deal.II or another layout wrote it.
  CheckpointReader(const std::string &folder, const std::string &application);

  CheckpointHeader header;
  std::string      file;

  /// Throws InputError with the parameters that differ from the present ones (JSON as in the header) and are not among
  /// `may_change`: keys "Section/key", or whole sections.
  void check_parameters(const std::string &present, const std::vector<std::string> &may_change) const;

  /// Loads the next of the objects, in the order of CheckpointWriter::write.
  template <typename Object>
  void load(Object &object)
  {
    *archive >> object;
  }

private:
  std::ifstream                                  in;
  std::optional<boost::archive::binary_iarchive> archive;
};

/// Writes checkpoints of a run. SIGTERM and SIGUSR1 ask for one, and for the run to end, from its construction on.
///
/// For tests of programs, the environment variable ADAMANT_CHECKPOINT_KILL=STAGE:N kills the program at a stage (opened, writing,
/// written, synced, cleaned of older ones, renamed) of its N-th checkpoint; the first of a new run is renamed, then cleaned.
class CheckpointWriter
{
public:
  using Archive = boost::archive::binary_oarchive;

  /// `last_good` is the checkpoint that the run continues, or empty.
  CheckpointWriter(const CheckpointParameters &parameters, const std::string &folder, const std::string &last_good,
                   const Communicator &ranks = Communicator());

  /// Whether one is to be written after this step.
  bool due(unsigned int step, bool last_step) const;
  /// Why this rank's run has to end now: a signal, or the wall-time limit; else empty.
  std::string reason_to_end() const;

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

namespace internal
{
/// Calls write(part, n) on the first rank with the values of all ranks, one rank's after the other's, in parts.
void gather(const Communicator &ranks, const Array<double> &values,
            const std::function<void(const double *part, std::size_t n)> &write);
} // namespace internal

/// Saves or loads a vector of a backend by way of host memory, in this order. All ranks call it together. Throws RunError where its
/// size is another one.
template <class Archive, class Backend>
void serialize_vector(Archive &archive, const Backend &backend, typename Backend::Vector &vector,
                      const StorageOrder &order = StorageOrder())
{
  using Part = boost::serialization::array_wrapper<double>;
  Array<double> values(vector.size()), ordered(vector.size());
  const auto    entry = [&](int i) { return order.entry.empty() ? i : order.entry[i]; };
  double        size  = vector.size();
  order.ranks.sum(&size, 1);
  std::uint64_t n = static_cast<std::uint64_t>(size);
  archive      &n;
  if constexpr (Archive::is_saving::value)
    {
      backend.download(vector, values.data());
      for (int i = 0; i < vector.size(); ++i)
        ordered[i] = values[entry(i)];
      internal::gather(order.ranks, ordered, [&](const double *part, std::size_t length) {
        archive << Part(const_cast<double *>(part), length);
      });
    }
  else
    {
      if (n != static_cast<std::uint64_t>(size))
        throw RunError("the checkpoint holds a vector of " + std::to_string(n) + " values, but " +
                       std::to_string(static_cast<std::uint64_t>(size)) + " are expected");
      // Every rank reads the file, and keeps its part.
      const std::uint64_t first = static_cast<std::uint64_t>(order.ranks.sum_before(vector.size())),
                          end   = first + vector.size();
      Array<double> block(std::min<std::uint64_t>(n, 1 << 20));
      for (std::uint64_t at = 0; at < n; at += block.size())
        {
          block.resize(std::min<std::uint64_t>(n - at, block.size()));
          Part     part(block.data(), block.size());
          archive &part;
          for (std::uint64_t k = std::max(at, first); k < std::min(at + block.size(), end); ++k)
            values[entry(static_cast<int>(k - first))] = block[k - at];
        }
      backend.upload(values.data(), vector);
    }
}

/// Likewise the earlier solutions of an extrapolation, vectors of `size` values.
template <class Archive, class Backend>
void serialize_history(Archive &archive, const Backend &backend, Extrapolation<Backend> &extrapolation, int size,
                       const StorageOrder &order = StorageOrder())
{
  auto        &history = extrapolation.history();
  unsigned int n       = static_cast<unsigned int>(history.size());
  archive     &n;
  while (history.size() < n)
    history.push_back(backend.create_vector(size));
  for (auto &vector : history)
    serialize_vector(archive, backend, vector, order);
}
} // namespace adamant
