#include "frame/output/output.h"

#include "algebra/profiler_range.h"
#include "base/exceptions.h"
#include "base/run_record.h"
#include "expressions/expressions.h"
#include "fem/functions/points.h"

#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace adamant
{
template <int dim>
void FieldOutput<dim>::add_vectors(const LevelSpace<dim> &space, const double *owned,
                                   const std::vector<std::string> &names, std::vector<double> factors)
{
  factors.resize(names.size(), 1.);
  Array<double>             scaled(space.n_owned());
  const Array<unsigned int> component = components(space);
  for (int i = 0; i < space.n_owned(); ++i)
    scaled[i] = factors[component[i] / dim] * owned[i];
  values.push_back(nodal_vector(space, scaled.data()));
  std::vector<std::string> of_components;
  for (const auto &name : names)
    of_components.insert(of_components.end(), dim, name);
  using namespace dealii::DataComponentInterpretation;
  this->add_data_vector(space.dof_handler(), values.back(), of_components,
                        std::vector<DataComponentInterpretation>(of_components.size(), component_is_part_of_vector));
}

template class FieldOutput<2>;
template class FieldOutput<3>;

namespace
{
bool ends_as_vtk(const std::string &file)
{
  std::string   end(12, ' '); // </VTKFile> and a line's end
  std::ifstream in(file, std::ios::binary);
  in.seekg(-12, std::ios::end);
  in.read(end.data(), 12);
  return in && end.find("</VTKFile>") != std::string::npos;
}

// Whether an index of VTU files and the pieces that it names come to their ends. Other machines' may be seen later.
bool comes_whole(const std::string &folder, const std::string &index)
{
  const std::regex source("Source=\"([^\"]*)\"");
  for (int attempt = 0; attempt < 20; ++attempt, std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    {
      std::stringstream text;
      text << std::ifstream(folder + "/" + index).rdbuf();
      const std::string names = text.str();
      if (ends_as_vtk(folder + "/" + index) &&
          std::all_of(std::sregex_iterator(names.begin(), names.end(), source), {},
                      [&folder](const auto &piece) { return ends_as_vtk(folder + "/" + piece[1].str()); }))
        return true;
    }
  return false;
}

// All ranks call it together; each of n_groups groups of ranks writes files of its own. Exceptions of deal.II become
// exceptions as of write_file, and all ranks throw where a write failed without one.
template <int dim>
std::string write_on_ranks(const dealii::DataOut<dim> &data, const std::string &folder, const std::string &name,
                           unsigned int counter, unsigned int n_groups, const Communicator &ranks)
{
  const std::string place = "cannot write '" + folder + "/" + name + "_" +
                            dealii::Utilities::int_to_string(counter, 4) + ".pvtu' and its pieces: ";
  std::string index;
  try
    {
      index = data.write_vtu_with_pvtu_record(folder + "/", name, counter, ranks.handle(), 4, n_groups);
    }
  catch (const dealii::ExceptionBase &error)
    {
      throw RunError(place + message_of(error));
    }
  check_mpi(MPI_Barrier(ranks.handle()), "MPI_Barrier"); // groups end by themselves
  double missing = ranks.rank() == 0 && !comes_whole(folder, index) ? 1. : 0.;
  ranks.max(&missing, 1);
  if (missing > 0.)
    throw RunError(place + "a file is not whole");
  return index;
}
} // namespace

template <int dim>
void TimeSeries::write(dealii::DataOut<dim> &data, double time)
{
  // The best compression takes 15 times as long and saves an eighth.
  dealii::DataOutBase::VtkFlags flags;
  flags.compression_level = decltype(flags.compression_level)::best_speed;
  // Cells of degree 2 are shown as such; without subdivision other readers than ParaView's know the cells, too.
  struct Patches : dealii::DataOut<dim>
  {
    using dealii::DataOut<dim>::get_patches; // which deal.II protects
  };
  const auto &patches            = (data.*&Patches::get_patches)();
  flags.write_higher_order_cells = !patches.empty() && patches.front().n_subdivisions > 1;
  data.set_flags(flags);
  const auto         number = static_cast<unsigned int>(files.size());
  const std::string  base   = name + "_" + dealii::Utilities::int_to_string(number, 4);
  std::ostringstream vtu;
  if (ranks.size() == 1)
    data.write_vtu(vtu);
  const std::string text = vtu.str();
  if (folder.empty()) // of a dry run, which needs the memory of the text, too
    return;
  if (ranks.size() == 1)
    {
      write_file(folder + "/" + base + ".vtu", text);
      files.emplace_back(time, base + ".vtu");
    }
  else
    {
      const int n_groups = (ranks.size() + ranks_per_file - 1) / ranks_per_file;
      files.emplace_back(time, write_on_ranks(data, folder, name, number, n_groups, ranks));
    }
  if (ranks.rank() == 0)
    write_index();
}

void TimeSeries::write_index() const
{
  std::ostringstream pvd;
  dealii::DataOutBase::write_pvd_record(pvd, files);
  write_file(folder + "/" + name + ".pvd", pvd.str());
}

void TimeSeries::cut() const
{
  if (ranks.rank() > 0 || folder.empty()) // a dry run writes nothing
    return;
  if (!files.empty())
    write_index();
  // NAME_0007.vtu, NAME_0007.pvtu and its pieces NAME_0007.0.vtu, ...; other files are the user's
  const std::regex         of_series(name + "_([0-9]{4,9})(\\.pvtu|(\\.[0-9]+)?\\.vtu)");
  std::error_code          none;
  std::vector<std::string> later;
  std::smatch              parts;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none))
    if (const std::string file = entry.path().filename().string();
        std::regex_match(file, parts, of_series) && std::stoul(parts[1]) >= files.size())
      later.push_back(entry.path().string());
  for (const auto &file : later)
    std::filesystem::remove(file, none);
}

void TimeSeries::start(const std::function<void()> &task, bool beside_program)
{
  if (!beside_program || ranks.size() > 1)
    return task();
  pending = std::async(std::launch::async, [this, task] {
    const ProfilerRange range("output beside the program");
    const auto          begin = std::chrono::steady_clock::now();
    task();
    beside += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
  if (folder.empty())
    wait();
}

void TimeSeries::wait()
{
  if (pending.valid())
    pending.get();
}

void TimeSeries::join() const noexcept
{
  if (pending.valid())
    pending.wait();
}

template void TimeSeries::write(dealii::DataOut<2> &, double);
template void TimeSeries::write(dealii::DataOut<3> &, double);
} // namespace adamant
