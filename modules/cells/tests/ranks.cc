// Matrices by cells of a scalar field, of stiffness, mass and transport, agree with rows on every level and on several
// ranks.
#include "cells/products.h"
#include "cells_on_ranks.h"
#include "fem/forms/form.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "ranks/cuda_ranks.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>

#include <string>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <int dim>
double stiffness_at(const dealii::Point<dim> &center)
{
  return 1. + 9. * center.square();
}

template <int dim>
double mass_at(const dealii::Point<dim> &center)
{
  return 200. + 100. * std::sin(5. * center[0]);
}

template <int dim>
dealii::Tensor<1, dim> transport_at(const dealii::Point<dim> &center)
{
  dealii::Tensor<1, dim> b = center;
  b[0]                     = -3. * center[1];
  return b;
}

template <int dim>
void compare_levels(const Device &device, const std::string &name)
{
  SCOPED_TRACE(name + ", dimension " + std::to_string(dim));
  LevelMeshOptions options;
  options.cells_per_rank            = 10;
  const auto                   mesh = mesh_on_ranks<dim>(name);
  LevelMeshes<dim>             meshes(*mesh, options);
  const dealii::MappingQ1<dim> mapping;
  const Field<dim>             field(meshes, "u", dealii::FE_Q<dim>(1), {{0, dealii::ComponentMask(1, true)}});
  const auto                   kernel = [](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
    const auto center = cell.cell()->center();
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        for (const unsigned int q : cell.quadrature_point_indices())
          {
            double along = 0., transport = 0.;
            for (int d = 0; d < dim; ++d)
              {
                along += cell.gradient(i, q)[d] * cell.gradient(j, q)[d];
                transport += transport_at<dim>(center)[d] * cell.gradient(i, q)[d];
              }
            local(i, j) += (stiffness_at<dim>(center) * along +
                            mass_at<dim>(center) * cell.value(i, q) * cell.value(j, q) + cell.value(j, q) * transport) *
                           cell.JxW(q);
          }
  };
  Form<dim> rows("K", field, unknowns(field), mapping, dealii::QGauss<dim>(2),
                 dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, kernel, Levels::all);
  rows.update();
  const auto cells = matrices_by_cells<dim>(
    device, field, Products::cells,
    [&](std::size_t level) {
      return matrices_of_shapes<dim>(field.space(level), mapping, [](const auto &values, Array<double> &result) {
        for (int k = 0; k < 2 + dim; ++k)
          for (const unsigned int i : values.dof_indices())
            for (const unsigned int j : values.dof_indices())
              {
                double sum = 0.;
                for (const unsigned int q : values.quadrature_point_indices())
                  {
                    const auto   slope = values.shape_grad(i, q);
                    const double value = values.shape_value(j, q);
                    sum += values.JxW(q) * (k == 0 ? slope * values.shape_grad(j, q) :
                                            k == 1 ? value * values.shape_value(i, q) :
                                                     value * slope[k - 2]);
                  }
                result.push_back(sum);
              }
      });
    },
    2 + dim);
  const auto of_rows = levels_of(field, rows);
  for (std::size_t l = 1; l < of_rows.size(); ++l)
    {
      SCOPED_TRACE("level " + std::to_string(l));
      if (name == "turned") // transport has the other sign there, unlike stiffness and mass
        {
          EXPECT_EQ(cells[l], nullptr);
          continue;
        }
      ASSERT_NE(cells[l], nullptr);
      const auto &space = field.space(l);
      for (int k = 0; k < 2 + dim; ++k)
        {
          Array<double> factor;
          for (const auto &cell : space.active_cells())
            factor.push_back(k == 0 ? stiffness_at<dim>(cell->center()) :
                             k == 1 ? mass_at<dim>(cell->center()) :
                                      transport_at<dim>(cell->center())[k - 2]);
          cells[l]->set(Vector<double>(device, factor), k);
        }
      LevelData of_cells        = of_rows[l];
      of_cells.values           = std::shared_ptr<const RowlessMatrix>(cells[l]);
      const auto          scale = compare_rows(cells[l]->rows(), of_rows[l].matrix());
      DeviceLevel<double> rows_there(device, of_rows[l]), cells_there(device, of_cells);
      compare_products(device, rows_there, cells_there, scale);
      if (name == "adaptive" && l + 1 == of_rows.size())
        compare_small_clusters(device, *cells[l]);
    }
}

void compare_all(const Device &device)
{
  compare_levels<2>(device, "turned");
  for (const std::string name : {"uniform", "adaptive", "small"})
    {
      compare_levels<2>(device, name);
      if (name != "uniform") // which the adaptive mesh's coarser levels are
        compare_levels<3>(device, name);
    }
}
} // namespace

TEST(CellsOnRanks, OfAScalarFieldAreThoseOfRows)
{
  compare_all(Device::host(1, Communicator(MPI_COMM_WORLD)));
}

TEST_F(CudaRanks, CellsOfAScalarFieldAreThoseOfRows)
{
  compare_all(device);
}
