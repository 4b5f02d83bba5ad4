#include "application/output.h"

#include "algebra/profiler_range.h"
#include "base/run_record.h"

#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <chrono>
#include <filesystem>
#include <sstream>

namespace adamant
{
TimeSeries::TimeSeries(const std::string &folder, const std::string &name)
  : folder(folder)
  , name(name)
{}

template <int dim>
void TimeSeries::write(dealii::DataOut<dim> &data, double time)
{
  // The best compression takes 15 times as long and saves an eighth.
  dealii::DataOutBase::VtkFlags flags;
  flags.compression_level = decltype(flags.compression_level)::best_speed;
  data.set_flags(flags);
  const std::string  file = file_name(files.size());
  std::ostringstream vtu;
  data.write_vtu(vtu);
  if (folder.empty())
    return;
  write_file(folder + "/" + file, vtu.str());
  files.emplace_back(time, file);
  write_index();
}

std::string TimeSeries::file_name(std::size_t i) const
{
  return name + "_" + dealii::Utilities::int_to_string(static_cast<unsigned int>(i), 4) + ".vtu";
}

void TimeSeries::write_index() const
{
  std::ostringstream pvd;
  dealii::DataOutBase::write_pvd_record(pvd, files);
  write_file(folder + "/" + name + ".pvd", pvd.str());
}

void TimeSeries::cut() const
{
  if (!files.empty())
    write_index();
  for (std::size_t i = files.size(); std::filesystem::remove(folder + "/" + file_name(i)); ++i)
    {}
}

void TimeSeries::start(const std::function<void()> &task, bool beside_program)
{
  if (!beside_program)
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

template void TimeSeries::write(dealii::DataOut<2> &, double);
template void TimeSeries::write(dealii::DataOut<3> &, double);
} // namespace adamant
