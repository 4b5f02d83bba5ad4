#pragma once

#include "algebra/device_interface.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Section "Ranks": parameters that only a run on several ranks (mpirun -np N) needs.
struct RankParameters : dealii::ParameterAcceptor
{
  bool         distributed_mesh = false, share_devices = false;
  unsigned int cells_per_rank = 0; ///< 0: the device's default

  RankParameters();
};

/// "Linear solver/Matrix format": the format of all matrices on a GPU, and whose kernels multiply with them.
struct MatrixFormatParameter : dealii::ParameterAcceptor
{
  MatrixFormatParameter();
  MatrixFormat format() const { return name == "cusparse" ? MatrixFormat::cusparse : MatrixFormat::compressed; }

private:
  std::string name = "compressed";
};
} // namespace adamant
