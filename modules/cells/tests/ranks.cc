// Matrices by cells of a scalar field, of stiffness and mass, agree with rows on every level and on several ranks.
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

// Appends the integrals of ∇φ_j . ∇φ_i, times k, and of φ_j φ_i, times m, or the sum of both.
template <class Values, class Add>
void integrate(const Values &values, double k, double m, const Add &add)
{
  for (const unsigned int i : values.dof_indices())
    for (const unsigned int j : values.dof_indices())
      for (const unsigned int q : values.quadrature_point_indices())
        add(i, j,
            (k * (values.shape_grad(i, q) * values.shape_grad(j, q)) +
             m * (values.shape_value(i, q) * values.shape_value(j, q))) *
              values.JxW(q));
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
            double along = 0.;
            for (int d = 0; d < dim; ++d)
              along += cell.gradient(i, q)[d] * cell.gradient(j, q)[d];
            local(i, j) +=
              (stiffness_at(center) * along + mass_at(center) * cell.value(i, q) * cell.value(j, q)) * cell.JxW(q);
          }
  };
  Form<dim> rows("K", field, unknowns(field), mapping, dealii::QGauss<dim>(2),
                 dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, kernel, Levels::all);
  rows.update();
  const auto cells = matrices_by_cells<dim>(
    device, field, Products::cells,
    [&](std::size_t level) {
      return matrices_of_shapes<dim>(field.space(level), mapping, [](const auto &values, Array<double> &result) {
        for (const double mass : {0., 1.})
          {
            const std::size_t first = result.size(), n = values.dofs_per_cell;
            result.resize(first + n * n, 0.);
            integrate(values, 1. - mass, mass,
                      [&](unsigned int i, unsigned int j, double value) { result[first + n * i + j] += value; });
          }
      });
    },
    2);
  const auto of_rows = levels_of(field, rows);
  for (std::size_t l = 1; l < of_rows.size(); ++l)
    {
      SCOPED_TRACE("level " + std::to_string(l));
      ASSERT_NE(cells[l], nullptr);
      const auto   &space = field.space(l);
      Array<double> stiffness, mass;
      for (const auto &cell : space.active_cells())
        {
          stiffness.push_back(stiffness_at(cell->center()));
          mass.push_back(mass_at(cell->center()));
        }
      cells[l]->set(Vector<double>(device, stiffness), 0);
      cells[l]->set(Vector<double>(device, mass), 1);
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
  for (const std::string name : {"uniform", "adaptive", "small"})
    {
      compare_levels<2>(device, name);
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
