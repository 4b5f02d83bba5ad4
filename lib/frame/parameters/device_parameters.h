#pragma once

#include "algebra/device_interface.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/patterns.h>

#include <string>

namespace adamant
{
/// Section "Ranks": parameters that only a run on several ranks (mpirun -np N) needs.
struct RankParameters : dealii::ParameterAcceptor
{
  bool         distributed_mesh = false, share_devices = false;
  unsigned int cells_per_rank = 0; ///< 0: the device's default

  RankParameters()
    : ParameterAcceptor("/Ranks")
  {
    add_parameter("Distributed mesh", distributed_mesh,
                  "Whether a run on one rank takes the mesh of p4est, as runs on several ranks (mpirun -np N) do: its "
                  "checkpoints can be continued on any number of ranks");
    add_parameter("Share devices", share_devices,
                  "Whether several ranks may use one GPU; they then exchange through host memory, which is slow");
    add_parameter("Cells per rank", cells_per_rank,
                  "Levels with fewer cells a rank than this gather on fewer ranks, as messages would take longer than "
                  "the work. Zero stands for 1000 on the host and 200000 on GPUs for bilinear elements, and for fewer "
                  "where elements have more unknowns");
  }
};

/// "Linear solver/Matrix format": the format of all matrices on a GPU, and whose kernels multiply with them.
struct MatrixFormatParameter : dealii::ParameterAcceptor
{
  MatrixFormatParameter()
    : ParameterAcceptor("/Linear solver")
  {
    add_parameter("Matrix format", name,
                  "Format of all matrices of the program on a GPU: compressed, with kernels of this library, or "
                  "cusparse: compressed rows, products by cuSPARSE, dense products by cuBLAS",
                  prm, dealii::Patterns::Selection("compressed|cusparse"));
  }
  MatrixFormat format() const { return name == "cusparse" ? MatrixFormat::cusparse : MatrixFormat::compressed; }

private:
  std::string name = "compressed";
};
} // namespace adamant
