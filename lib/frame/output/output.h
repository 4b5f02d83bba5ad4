#pragma once

#include "base/communicator.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/mapping_q.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <deque>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// deal.II's DataOut for fields; it keeps the nodal values that it shows.
template <int dim>
class FieldOutput : public dealii::DataOut<dim>
{
public:
  /// Adds a scalar field under its name, or what a postprocessor computes from a field. `owned` are nodal values of the
  /// owned DoFs, in host memory. A postprocessor has to outlive build_patches.
  template <class Shown>
  void add(const LevelSpace<dim> &space, const double *owned, const Shown &name_or_postprocessor)
  {
    values.push_back(nodal_vector(space, owned));
    this->add_data_vector(space.dof_handler(), values.back(), name_or_postprocessor);
  }

  /// Adds the vector fields, of dim components each, that the space consists of, times factors.
  void add_vectors(const LevelSpace<dim> &space, const double *owned, const std::vector<std::string> &names,
                   std::vector<double> factors = {});

  /// Evaluates all that has been added at degree + 1 points in each direction of a cell, as the mapping has the cell.
  void build_patches(const dealii::MappingQ<dim> &mapping, unsigned int degree)
  {
    dealii::DataOut<dim>::build_patches(mapping, degree,
                                        mapping.get_degree() > 1 ? this->curved_inner_cells : this->curved_boundary);
  }

private:
  std::deque<NodalVector> values;
};

/// A VTU time series with its PVD index, which ParaView opens.
class TimeSeries
{
public:
  /// Files are `folder`/`name`_0000.vtu, ... and `folder`/`name`.pvd. Without a folder, states are prepared and
  /// dropped: a dry run then takes the memory of a run. Several ranks write `folder`/`name`_0000.pvtu, ..., and each
  /// group of ranks_per_file ranks writes one file of a state's pieces.
  TimeSeries(const std::string &folder, const std::string &name, const Communicator &ranks = Communicator(),
             int ranks_per_file = 16)
    : folder(folder)
    , name(name)
    , ranks(ranks)
    , ranks_per_file(ranks_per_file)
  {}

  /// Writes one state; the index is brought up to date at once.
  template <int dim>
  void write(dealii::DataOut<dim> &data, double time);

  /// Runs `task`, which calls `write`. With `beside_program` it runs in a thread of its own while a GPU computes. On
  /// several ranks it always runs at once, as only one thread sends messages. Only one task may run at a time: call
  /// `wait` first.
  void   start(const std::function<void()> &task, bool beside_program);
  void   wait();                                   ///< waits for the task; rethrows its exception
  void   join() const noexcept;                    ///< waits for the task alone
  double seconds_beside() const { return beside; } ///< seconds that tasks took in threads of their own

  /// Saves or loads the list of the files so far.
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    wait();
    archive &files;
  }
  /// Removes later files, and their entries in the index, after a state has been loaded.
  void cut() const;

private:
  void write_index() const;

  std::string                                 folder, name;
  Communicator                                ranks;
  int                                         ranks_per_file;
  std::vector<std::pair<double, std::string>> files;
  double                                      beside = 0;
  std::future<void>                           pending; // destroyed first: its end waits for the task
};
} // namespace adamant
