#pragma once

#include "algebra/device_interface.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Section "Ranks": what only a run on several ranks needs (mpirun -np N).
struct RankParameters : dealii::ParameterAcceptor
{
  bool         distributed_mesh = false, share_devices = false;
  unsigned int cells_per_rank = 0; ///< 0: the device's choice

  RankParameters();
};

/// "Linear solver/Matrix format": how a GPU keeps all matrices of a program, and whose kernels multiply with them.
struct MatrixFormatParameter : dealii::ParameterAcceptor
{
  MatrixFormatParameter();
  MatrixFormat format() const { return name == "cusparse" ? MatrixFormat::cusparse : MatrixFormat::compressed; }

private:
  std::string name = "compressed";
};
} // namespace adamant
