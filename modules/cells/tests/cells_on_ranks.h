#pragma once

// Levels by cells on several ranks are compared with levels by rows.

#include "algebra/functors.h"
#include "cells/cell_matrix.h"
#include "fem/meshes/mesh.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "operators/device_level.h"
#include "operators/linear_operator.h"

#include <deal.II/distributed/tria.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>

namespace adamant
{
namespace test
{
// A number in [0, 1) that depends on the text alone.
inline double random_of(const std::string &text)
{
  return static_cast<double>(std::hash<std::string>()(text) % 1000) / 1000.;
}

// The mesh "small" has as many cells that a rank has none on its second level.
template <int dim = 3>
std::unique_ptr<dealii::Triangulation<dim>> mesh_on_ranks(const std::string &name)
{
  auto mesh = std::make_unique<dealii::parallel::distributed::Triangulation<dim>>(MPI_COMM_WORLD);
  if (name == "small")
    dealii::GridGenerator::hyper_cube(*mesh, 0., 1., true);
  else if (name == "turned") // squares that meet in a vertex; the second one's axes point backwards
    {
      if constexpr (dim == 2)
        {
          std::vector<dealii::CellData<2>> cells(2);
          cells[0].vertices = {0, 1, 2, 3};
          cells[1].vertices = {6, 5, 4, 3};
          mesh->create_triangulation({{0., 0.}, {1., 0.}, {0., 1.}, {1., 1.}, {2., 1.}, {1., 2.}, {2., 2.}}, cells, {});
        }
    }
  else if constexpr (dim == 2)
    dealii::GridGenerator::subdivided_hyper_rectangle(*mesh, {3, 2}, {}, {2.1, 0.017}, true);
  else
    dealii::GridGenerator::subdivided_hyper_rectangle(*mesh, {3, 1, 2}, {}, {2.1, 0.9, 1.7}, true);
  mesh->refine_global(1);
  for (int cycle = 0; cycle < (name == "adaptive" ? 2 : 0); ++cycle)
    {
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->is_locally_owned() && random_of(cell->id().to_string()) < 0.2)
          cell->set_refine_flag();
      execute_refinement(*mesh);
    }
  mesh->refine_global(1);
  return mesh;
}

// The entries of row i by their global columns.
inline std::map<std::uint64_t, double> row_of(const CSRMatrix<double> &A, int i)
{
  std::map<std::uint64_t, double> row;
  for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
    row[A.ghosts ? A.ghosts->global(A.column[k]) : A.column[k]] = A.value[k];
  return row;
}

// Compares all rows; entries that one of the matrices does not store are zero. Returns the sum of each row's entries,
// without their signs.
inline Array<double> compare_rows(const CSRMatrix<double> &found, const CSRMatrix<double> &expected)
{
  Array<double> sums(expected.n_rows, 0.);
  EXPECT_EQ(found.n_rows, expected.n_rows);
  for (int i = 0; i < expected.n_rows; ++i)
    {
      const auto a = row_of(found, i), b = row_of(expected, i);
      for (const auto &[column, value] : b)
        sums[i] += std::abs(value);
      for (const auto &[column, value] : a)
        EXPECT_NEAR(value, b.count(column) > 0 ? b.at(column) : 0., 1e-14 * sums[i]) << "row " << i;
      for (const auto &[column, value] : b)
        EXPECT_TRUE(a.count(column) > 0 || std::abs(value) <= 1e-14 * sums[i]) << "row " << i;
    }
  return sums;
}

template <typename Number>
Vector<Number> random_vector(const Device &device, int n, int seed)
{
  Array<double> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = std::sin(1. + seed + 1.7 * i);
  return Vector<Number>(device, values);
}

template <typename Number>
void expect_near(const Vector<Number> &found, const Vector<Number> &expected, const Array<double> &scale,
                 const std::string &what)
{
  const auto a = to_host(found), b = to_host(expected);
  for (std::size_t i = 0; i < b.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 100. * std::numeric_limits<Number>::epsilon() * scale[i % scale.size()])
      << what << ", entry " << i;
}

// Products, residuals and steps of smoothers, of the values that a level has now.
template <typename Number>
void compare_products(const Device &device, DeviceLevel<Number> &rows, DeviceLevel<Number> &cells,
                      const Array<double> &scale)
{
  rows.update();
  cells.update();
  const int      n = rows.A.n_rows(), n_components = rows.node_size;
  const auto     x = random_vector<Number>(device, n, 1), b = random_vector<Number>(device, n, 2);
  Vector<Number> y(device, n), again(device, n), expected(device, n);
  Vector<Number> d[2] = {Vector<Number>(device, n), Vector<Number>(device, n)};
  device.multiply(Number(1), rows.A, x, Number(0), expected);
  device.multiply(Number(1), cells.A, x, Number(0), y);
  expect_near(y, expected, scale, "the product");
  device.multiply(Number(1), cells.A, x, Number(0), again);
  EXPECT_EQ(to_host(y), to_host(again));
  device.copy(b, y);
  device.copy(b, expected);
  device.multiply(Number(-2), rows.A, x, Number(1), expected);
  device.multiply(Number(-2), cells.A, x, Number(1), y);
  expect_near(y, expected, scale, "the sum");
  device.residual(rows.A, x, b, expected);
  device.residual(cells.A, x, b, y);
  expect_near(y, expected, scale, "the residual");
  for (const int node_size : {1, n_components})
    {
      Vector<Number> D, D_of_cells;
      update_inverse_diagonal(rows, node_size, D);
      update_inverse_diagonal(cells, node_size, D_of_cells);
      const auto values = to_host(D), of_cells = to_host(D_of_cells);
      EXPECT_EQ(values.size(), of_cells.size());
      for (std::size_t i = 0; i < values.size() && i < of_cells.size(); ++i)
        EXPECT_NEAR(of_cells[i], values[i], 1e4 * std::numeric_limits<Number>::epsilon() * (1. + std::abs(values[i])));
      for (const auto *level : {&rows, &cells})
        {
          Vector<Number>            &to = level == &rows ? expected : y;
          const JacobiUpdate<Number> update{
            Number(0.4), Number(0.7), D.data(), b.data(), x.data(), b.data(), d[level == &rows].data(), to.data()};
          if (node_size == 1)
            device.for_each_row(level->A, x, JacobiStep<Number>(update));
          else
            device.for_each_row(level->A, x, NodeJacobiStep<Number>(node_size, n / node_size, update));
        }
      expect_near(y, expected, Array<double>(1, 100.), "the step by blocks of " + std::to_string(node_size));
      expect_near(d[0], d[1], Array<double>(1, 100.), "the correction by blocks of " + std::to_string(node_size));
    }
}

// Clusters so small that some read ghosts and some do not.
inline void compare_small_clusters(const Device &device, const CellMatrix &level)
{
  const int   most_values = level.mesh().n_components * (level.mesh().dim == 2 ? 150 : 334);
  CellMatrix  cells(device, level.mesh(), most_values);
  const auto &mesh            = cells.mesh();
  const int   n               = cells.n_rows();
  const auto  clusters        = make_clusters(mesh, most_values);
  double      n_with_cells[2] = {}; // that read no ghosts, and at the border
  for (std::size_t k = 0; k < clusters.cluster.size(); ++k)
    n_with_cells[static_cast<int>(k) < clusters.n_inner ? 0 : 1] += clusters.cluster[k].shape.n_cells > 0;
  device.communicator().sum(n_with_cells, 2);
  EXPECT_GT(n_with_cells[0], 0.);
  EXPECT_EQ(n_with_cells[1] > 0., device.communicator().size() > 1);
  for (const int seed : {1, 2})
    {
      for (int i = 0; i < mesh.n_coefficients(); ++i)
        {
          Array<double> of_cells(mesh.n_own_cells());
          for (std::size_t cell = 0; cell < of_cells.size(); ++cell)
            of_cells[cell] = 2. + std::sin(seed + 1.3 * cell + 2. * i);
          cells.set(Vector<double>(device, of_cells), i);
        }
      const auto           entries = cells.rows();
      const Matrix<double> A(device, cells), rows(device, entries, mesh.n_components);
      const auto           scale    = compare_rows(entries, entries); // the sums of the rows
      const auto           x        = random_vector<double>(device, n, seed);
      const auto           in_float = random_vector<float>(device, n, seed);
      Vector<double>       y(device, n), expected(device, n), copy(device, n);
      device.multiply(1., rows, x, 0., expected);
      device.multiply(1., A, x, 0., y);
      expect_near(y, expected, scale, "the product");
      device.copy(in_float, copy);
      device.multiply(1., rows, copy, 0., expected);
      MatrixOperator(A, device).multiply_float(in_float, y);
      expect_near(y, expected, scale, "the product with float");
    }
}
} // namespace test
} // namespace adamant
