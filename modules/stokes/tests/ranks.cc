// Products by cells on several ranks agree with products of rows, on every level of uniform and adaptive meshes. Some
// levels have fewer cells than there are ranks.
#include "cells/tests/cells_on_ranks.h"
#include "ranks/cuda_ranks.h"
#include "stokes/stokes_matrices.h"

#include <deal.II/fe/mapping_q1.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace adamant;
using namespace adamant::test;

namespace
{
// The levels of a velocity by rows and by cells, for a viscosity that is different in each cell.
struct Levels
{
  explicit Levels(const Device &device, const std::string &name)
    : device(device)
    , mesh(mesh_on_ranks(name))
  {
    DirichletBoundary dirichlet;
    for (unsigned int id = 0; id < 6; ++id)
      {
        dirichlet[id] = dealii::ComponentMask(3, id == 0);
        dirichlet[id].set(id / 2, true);
      }
    for (const auto products : {Products::rows, Products::cells})
      {
        StokesOptions options;
        options.products                            = products;
        options.levels.cells_per_rank               = 10;
        (products == Products::rows ? rows : cells) = std::make_unique<StokesMatrices<3>>(
          device, *mesh, mapping, dirichlet, std::set<unsigned int>{0}, std::set<unsigned int>(), options);
      }
  }

  void update(int seed)
  {
    const auto   &active = rows->space().active_cells();
    Array<double> eta(rows->space().n_cells());
    for (std::size_t cell = 0; cell < eta.size(); ++cell)
      eta[cell] = std::pow(10., 4. * random_of(active[cell]->id().to_string() + std::to_string(seed)) - 2.);
    const Vector<double> there(device, eta);
    rows->update(there);
    cells->update(there);
  }

  Device                                    device;
  std::unique_ptr<dealii::Triangulation<3>> mesh;
  const dealii::MappingQ1<3>                mapping;
  std::unique_ptr<StokesMatrices<3>>        rows, cells;
};

void compare_levels(const Device &device)
{
  double levels_without_cells = 0.;
  for (const std::string name : {"uniform", "adaptive", "small"})
    {
      if (name == "uniform" && device.communicator().size() == 3)
        continue; // as on two
      SCOPED_TRACE(name);
      Levels                           levels(device, name);
      std::vector<DeviceLevel<double>> in_double[2]; // by rows and by cells
      std::vector<DeviceLevel<float>>  in_float[2];
      for (const int seed : {1, 2})
        {
          levels.update(seed);
          const auto &of_rows = levels.rows->data().velocity, &of_cells = levels.cells->data().velocity;
          EXPECT_EQ(of_rows.size(), of_cells.size());
          for (std::size_t l = 0; l < of_rows.size(); ++l)
            {
              SCOPED_TRACE("level " + std::to_string(l));
              EXPECT_EQ(of_cells[l].rowless() != nullptr, l > 0);
              for (int by_cells = 0; seed == 1 && by_cells < 2; ++by_cells)
                {
                  in_double[by_cells].emplace_back(device, (by_cells ? of_cells : of_rows)[l]);
                  in_float[by_cells].emplace_back(device, (by_cells ? of_cells : of_rows)[l]);
                }
              const auto scale = compare_rows(matrix_on_host(of_cells[l]), matrix_on_host(of_rows[l]));
              compare_products(device, in_double[0][l], in_double[1][l], scale);
              compare_products(device, in_float[0][l], in_float[1][l], scale);
              levels_without_cells += l > 0 && levels.rows->velocity.space(l).n_cells() == 0;
            }
          EXPECT_EQ(levels.rows->space().n_hanging() > 0, name == "adaptive");
        }
      if (name != "small" && (device.communicator().size() > 1 || name != "uniform")) // no grid
        compare_small_clusters(device,
                               dynamic_cast<const CellMatrix &>(*levels.cells->data().velocity.back().rowless()));
    }
  device.communicator().sum(&levels_without_cells, 1);
  EXPECT_EQ(levels_without_cells > 0., device.communicator().size() > 1);
}
} // namespace

TEST(CellsOnRanks, AreRows)
{
  compare_levels(Device::host(1, Communicator(MPI_COMM_WORLD)));
}

TEST_F(CudaRanks, CellsAreRows)
{
  compare_levels(device);
}
