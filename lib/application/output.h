#pragma once

#include <deal.II/numerics/data_out.h>

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// A VTU time series with its PVD index, which ParaView opens.
class TimeSeries
{
public:
  /// Files are `folder`/`name`_0000.vtu, ... and `folder`/`name`.pvd.
  TimeSeries(const std::string &folder, const std::string &name);

  /// Writes one state; the index is brought up to date at once.
  template <int dim>
  void write(dealii::DataOut<dim> &data, double time);

private:
  std::string                                 folder, name;
  std::vector<std::pair<double, std::string>> files;
};
} // namespace adamant
