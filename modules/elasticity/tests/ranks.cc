// The stiffness by cells on several ranks, of two numbers a cell, agrees with products of rows on every level.
#include "cells/tests/cells_on_ranks.h"
#include "elastic_body.h"
#include "elasticity/stiffness_by_cells.h"
#include "ranks/cuda_ranks.h"

#include <string>

using adamant::Communicator, adamant::Device, adamant::DeviceLevel;

namespace
{
template <typename Number>
void compare(const Device &device, const adamant::LevelData &of_rows, const adamant::LevelData &of_cells,
             const adamant::Array<double> &scale)
{
  DeviceLevel<Number> rows(device, of_rows), cells(device, of_cells);
  adamant::test::compare_products(device, rows, cells, scale);
}

// Adds the number of levels on which this rank has no cells.
template <int dim>
void compare_meshes(const Device &device, double &levels_without_cells)
{
  for (const std::string name : {"uniform", "adaptive", "small"})
    {
      SCOPED_TRACE(name + ", dimension " + std::to_string(dim));
      adamant::LevelMeshOptions options;
      options.cells_per_rank = 10;
      const test::Body<dim> body(adamant::test::mesh_on_ranks<dim>(name), options);
      auto                  materials =
        dim == 2 ? test::stiff_places("0.05+0.1*(x+y)", true, "(x+0.2)") : test::stiff_places("0.05+0.1*(x+y)*z", true);
      materials.b_bar = name != "adaptive";
      auto rows = body.form(materials), cells = body.form(materials);
      cells.take(stiffness_by_cells(device, *body.u, body.mapping, materials, adamant::Products::cells));
      rows.update();
      cells.update();
      const auto of_rows = levels_of(*body.u, rows), of_cells = levels_of(*body.u, cells);
      for (std::size_t l = 1; l < of_rows.size(); ++l)
        {
          SCOPED_TRACE("level " + std::to_string(l));
          ASSERT_NE(of_cells[l].rowless(), nullptr);
          const auto scale = adamant::test::compare_rows(matrix_on_host(of_cells[l]), matrix_on_host(of_rows[l]));
          compare<double>(device, of_rows[l], of_cells[l], scale);
          compare<float>(device, of_rows[l], of_cells[l], scale);
          levels_without_cells += body.u->space(l).n_cells() == 0;
        }
      const auto &finest = dynamic_cast<const adamant::CellMatrix &>(*of_cells.back().rowless());
      EXPECT_EQ(finest.mesh().n_coefficients(), 2);
      if (name == "adaptive")
        adamant::test::compare_small_clusters(device, finest);
    }
}

void compare_levels(const Device &device)
{
  double levels_without_cells = 0.;
  compare_meshes<2>(device, levels_without_cells);
  compare_meshes<3>(device, levels_without_cells);
  device.communicator().sum(&levels_without_cells, 1);
  EXPECT_EQ(levels_without_cells > 0., device.communicator().size() > 1);
}
} // namespace

TEST(StiffnessOnRanks, IsThatOfRows)
{
  compare_levels(Device::host(1, Communicator(MPI_COMM_WORLD)));
}

TEST_F(CudaRanks, StiffnessIsThatOfRows)
{
  compare_levels(device);
}
