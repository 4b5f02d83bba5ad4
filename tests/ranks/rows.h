#pragma once

#include "base/exchange_plan.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// Matrices whose rows and columns are named by places, so that matrices of several ranks can be compared with one
/// rank's.
namespace test
{
using namespace dealii;
using adamant::Array;
using adamant::CSRMatrix;

const MPI_Comm    world = MPI_COMM_WORLD;
const UpdateFlags flags = update_values | update_gradients | update_JxW_values;

// A mesh with hanging nodes between several levels; it does not depend on the number of ranks.
template <int dim>
std::unique_ptr<Triangulation<dim>> adaptive_mesh(MPI_Comm comm)
{
  auto mesh = std::make_unique<parallel::distributed::Triangulation<dim>>(comm);
  GridGenerator::subdivided_hyper_cube(*mesh, 2, 0., 1., true);
  mesh->refine_global(2);
  for (unsigned int cycle = 0; cycle < (dim == 2 ? 4 : 2); ++cycle)
    {
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->is_locally_owned() && std::hash<std::string>()(cell->id().to_string()) % 100 < (dim == 2 ? 20 : 10))
          cell->set_refine_flag();
      adamant::execute_refinement(*mesh);
    }
  return mesh;
}

// Of an unknown or a point: component and place, which do not depend on numbers. A hanging vertex of quadratic elements
// lies where the middle of the coarse cell's edge does: the one is free.
using Key = std::array<long, 4>;
using Row = std::map<Key, double>;

template <int dim>
Key key(const double *points, std::size_t n, std::size_t i, int component)
{
  Key k{{component, 0, 0, 0}};
  for (int d = 0; d < dim; ++d)
    k[d + 1] = std::lround(1e9 * points[d * n + i]);
  return k;
}

template <int dim>
std::vector<int> components_of(const adamant::LevelSpace<dim> &space)
{
  std::vector<int> component(space.n_dofs());
  for (int c = 0; c < space.n_cells(); ++c)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      component[space.cell_dofs(c)[i]] = static_cast<int>(space.element().system_to_component_index(i).first);
  return component;
}

// The keys of the owned DoFs that `dofs` lists.
template <int dim>
std::vector<Key> keys_of(const adamant::LevelSpace<dim> &space, const Array<int> &dofs)
{
  const auto       points    = adamant::support_points(space, MappingQ1<dim>(), dofs);
  const auto       component = components_of(space);
  std::vector<Key> keys;
  for (std::size_t k = 0; k < dofs.size(); ++k)
    keys.push_back(key<dim>(points.data(), dofs.size(), k, component[dofs[k]] + (space.is_free(dofs[k]) ? 10 : 0)));
  return keys;
}

template <int dim>
std::vector<Key> keys_of(const adamant::LevelSpace<dim> &space)
{
  Array<int> all(space.n_owned());
  std::iota(all.begin(), all.end(), 0);
  return keys_of(space, all);
}

// The rows of a matrix by the keys of its owned rows and columns.
inline std::map<Key, Row> rows_of(const CSRMatrix<double> &A, const std::vector<Key> &rows, std::vector<Key> columns)
{
  if (A.ghosts) // the ghosts' keys come as any other values do
    {
      Array<double> parts[4];
      for (int p = 0; p < 4; ++p)
        {
          for (const auto &k : columns)
            parts[p].push_back(static_cast<double>(k[p]));
          parts[p] = adamant::with_ghosts(*A.ghosts, std::move(parts[p]));
        }
      columns.resize(parts[0].size());
      for (std::size_t i = 0; i < columns.size(); ++i)
        for (int p = 0; p < 4; ++p)
          columns[i][p] = std::lround(parts[p][i]);
    }
  std::map<Key, Row> result;
  EXPECT_EQ(static_cast<std::size_t>(A.n_rows), rows.size());
  EXPECT_EQ(static_cast<std::size_t>(A.n_cols), columns.size());
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      {
        EXPECT_TRUE(k == A.row_start[i] || A.column[k - 1] < A.column[k]) << "columns should ascend";
        result[rows[i]][columns[A.column[k]]] = A.value[k];
      }
  return result;
}

inline void expect_same_rows(const std::map<Key, Row> &found, const std::map<Key, Row> &expected,
                             const std::string &what)
{
  const unsigned long n_rows = Utilities::MPI::sum<unsigned long>(found.size(), world); // before any rank may give up
  EXPECT_EQ(n_rows, expected.size()) << what << ": each row should be on one rank";
  double scale = 0; // of all rows: those whose entries cancel hold what rounding leaves
  for (const auto &[key, row] : expected)
    for (const auto &[column, value] : row)
      scale = std::max(scale, std::abs(value));
  for (const auto &[key, row] : found)
    {
      const auto other = expected.find(key);
      ASSERT_NE(other, expected.end()) << what << ": one rank has no such row";
      double largest = 1e-3 * scale;
      for (const auto &[column, value] : other->second)
        largest = std::max(largest, std::abs(value));
      ASSERT_EQ(row.size(), other->second.size()) << what << ": entries of the row at " << key[1] << ' ' << key[2];
      for (const auto &[column, value] : row)
        {
          const auto entry = other->second.find(column);
          ASSERT_NE(entry, other->second.end()) << what << ": one rank has no entry there";
          ASSERT_NEAR(value, entry->second, 1e-13 * largest) << what;
        }
    }
}

// A function of place and component at the owned unknowns, or of quadrature points.
inline Array<double> sample(const std::vector<Key> &keys)
{
  Array<double> values;
  for (const auto &k : keys)
    values.push_back(std::sin(1e-9 * (k[1] + 3. * k[2] + 7. * k[3]) + k[0]));
  return values;
}

/// A field with its system matrix on all levels.
template <int dim>
struct Problem
{
  Problem(MPI_Comm comm, const FiniteElement<dim> &fe)
    : mesh(adaptive_mesh<dim>(comm))
    , quadrature(fe.degree + 1)
    , meshes(*mesh, {5, 8})
    , u(meshes, "u", fe, {{0, ComponentMask()}, {dim, ComponentMask()}})
    , A("A", u, unknowns(u), mapping, quadrature, flags, transport, adamant::Levels::all)
  {
    A.update();
  }

  std::vector<adamant::LevelData> levels() const { return levels_of(u, A); }

  static void transport(const adamant::CellContext<dim> &cell, FullMatrix<double> &local)
  {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) +=
            ((cell.component(i) == cell.component(j) ? 1. : 0.3) * (cell.gradient(i, q) * cell.gradient(j, q)) +
             cell.value(i, q) * cell.gradient(j, q)[0]) *
            cell.JxW(q);
  }

  std::vector<Key> keys_of_quadrature_points() const
  {
    const auto        points = adamant::quadrature_points(u.finest(), mapping, quadrature);
    const std::size_t n      = points.size() / dim;
    std::vector<Key>  keys;
    for (std::size_t i = 0; i < n; ++i)
      keys.push_back(key<dim>(points.data(), n, i, 0));
    return keys;
  }

  std::unique_ptr<Triangulation<dim>> mesh;
  MappingQ1<dim>                      mapping;
  QGauss<dim>                         quadrature;
  adamant::LevelMeshes<dim>           meshes;
  adamant::Field<dim>                 u;
  adamant::Form<dim>                  A;
};
} // namespace test
