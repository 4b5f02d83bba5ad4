#pragma once

#include "base/communicator.h"

#include <deal.II/numerics/data_out.h>

#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// A VTU time series with its PVD index, which ParaView opens.
class TimeSeries
{
public:
  /// Files are `folder`/`name`_0000.vtu, ... and `folder`/`name`.pvd. Without a folder, states are made ready and
  /// dropped: a dry run then takes the memory that a run takes. Several ranks write `folder`/`name`_0000.pvtu, ..., and
  /// groups of ranks_per_file of them share the files of its pieces.
  TimeSeries(const std::string &folder, const std::string &name, const Communicator &ranks = Communicator(),
             int ranks_per_file = 16);

  /// Writes one state; the index is brought up to date at once.
  template <int dim>
  void write(dealii::DataOut<dim> &data, double time);

  /// Runs `task`, which calls `write`: beside the program where a GPU computes meanwhile, else at once, as on several
  /// ranks, whose messages come from one thread. One task at a time: call `wait` first.
  void start(const std::function<void()> &task, bool beside_program);
  /// Waits for the task; throws what it threw.
  void   wait();
  double seconds_beside() const { return beside; } ///< that such tasks took

  /// The files so far.
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    wait();
    archive &files;
  }
  /// Brings the folder to the state that has been loaded: later files go, and their entries in the index.
  void cut() const;

private:
  std::string base_name(std::size_t i) const; // in the folder, without what comes after the point
  void        write_index() const;

  std::string                                 folder, name;
  Communicator                                ranks;
  int                                         ranks_per_file;
  std::vector<std::pair<double, std::string>> files;
  double                                      beside = 0;
  std::future<void>                           pending; // destroyed first: its end waits for the task
};
} // namespace adamant
