// Several fields on the same level meshes, forms of two of them against deal.II's own assembly, and what a kernel sees
// of its cell.
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "fem/support.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_matrix.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace test;
using adamant::Array;
using adamant::CellContext;
using adamant::CSRMatrix;
using adamant::DirichletBoundary;
using adamant::Field;
using adamant::Form;
using adamant::LevelMeshes;
using adamant::Levels;
using adamant::LevelSpace;

namespace
{
const UpdateFlags flags = update_values | update_gradients | update_JxW_values;

// ∫ ψ_k (∂_c φ_j + a φ_j / (1 + c)), c the component of φ_j and a of the cell's material: no entry vanishes by
// symmetry.
template <int dim, typename Cell, typename Scalar, typename Vector>
double coupling(const Cell &cell, const Scalar &psi, const Vector &phi, unsigned int k, unsigned int j, double a)
{
  double sum = 0;
  for (const unsigned int q : cell.quadrature_point_indices())
    {
      const unsigned int c = phi.component(j);
      sum += psi.value(k, q) * (phi.gradient(j, q)[c % dim] + a / (1. + c) * phi.value(j, q)) * cell.JxW(q);
    }
  return sum;
}

template <typename Cell>
double coefficient(const Cell &cell)
{
  return 1. + adamant::material_id(cell);
}

// A field u of degree 2 and a field p of degree 1, prescribed on different parts of the boundary, on one adaptive mesh.
template <int dim>
struct TwoFields
{
  TwoFields(const FiniteElement<dim> &velocity, unsigned int seed)
    : quadrature(3)
    , meshes(with_materials(mesh, seed), {1})
    , u(meshes, "velocity", velocity, {{0, ComponentMask()}, {3, ComponentMask()}})
    , p(meshes, "pressure", FE_Q<dim>(1), {{1, ComponentMask()}})
    , B("B", p, unknowns(u), mapping, quadrature, flags, divergence, Levels::all)
    , Bt("Bt", u, unknowns(p), mapping, quadrature, flags, gradient, Levels::all)
  {}

  static Triangulation<dim> &with_materials(Triangulation<dim> &mesh, unsigned int seed)
  {
    make_random_mesh(mesh, seed);
    for (const auto &cell : mesh.active_cell_iterators())
      cell->set_material_id(cell->center()[0] < 0.4 ? 2 : 0);
    return mesh;
  }

  static void divergence(const CellContext<dim> &cell, FullMatrix<double> &local)
  {
    for (const unsigned int k : cell.rows().dof_indices())
      for (const unsigned int j : cell.columns().dof_indices())
        local(k, j) = coupling<dim>(cell, cell.rows(), cell.columns(), k, j, coefficient(cell.cell()));
  }
  static void gradient(const CellContext<dim> &cell, FullMatrix<double> &local)
  {
    for (const unsigned int j : cell.rows().dof_indices())
      for (const unsigned int k : cell.columns().dof_indices())
        local(j, k) = coupling<dim>(cell, cell.columns(), cell.rows(), k, j, coefficient(cell.cell()));
  }

  Triangulation<dim> mesh;
  MappingQ1<dim>     mapping;
  QGauss<dim>        quadrature;
  LevelMeshes<dim>   meshes;
  Field<dim>         u, p;
  Form<dim>          B, Bt;
};

// deal.II's B of one level: rows condensed by the constraints of p, columns by the constraints of u.
template <int dim>
void assemble_with_dealii(const TwoFields<dim> &fields, std::size_t level, const AffineConstraints<double> &of_p,
                          const AffineConstraints<double> &of_u, SparsityPattern &pattern, SparseMatrix<double> &B)
{
  const auto        &p_dofs = fields.p.space(level).dof_handler(), &u_dofs = fields.u.space(level).dof_handler();
  const unsigned int n_p = p_dofs.get_fe().n_dofs_per_cell(), n_u = u_dofs.get_fe().n_dofs_per_cell();
  std::vector<types::global_dof_index> rows(n_p), columns(n_u);
  DynamicSparsityPattern               dynamic(p_dofs.n_dofs(), u_dofs.n_dofs());
  const auto                           for_each_cell = [&](const auto &action) {
    for (const auto &cell : p_dofs.active_cell_iterators())
      {
        const typename DoFHandler<dim>::active_cell_iterator u_cell(&p_dofs.get_triangulation(), cell->level(),
                                                                                              cell->index(), &u_dofs);
        cell->get_dof_indices(rows);
        u_cell->get_dof_indices(columns);
        action(cell, u_cell);
      }
  };
  for_each_cell(
    [&](const auto &, const auto &) { of_p.add_entries_local_to_global(rows, of_u, columns, dynamic, true); });
  pattern.copy_from(dynamic);
  B.reinit(pattern);
  FEValues<dim>      p_values(fields.mapping, p_dofs.get_fe(), fields.quadrature, flags);
  FEValues<dim>      u_values(fields.mapping, u_dofs.get_fe(), fields.quadrature, flags);
  FullMatrix<double> local(n_p, n_u);
  for_each_cell([&](const auto &cell, const auto &u_cell) {
    p_values.reinit(cell);
    u_values.reinit(u_cell);
    const DealiiCell<dim> p{cell, p_values}, u{u_cell, u_values};
    for (unsigned int k = 0; k < n_p; ++k)
      for (unsigned int j = 0; j < n_u; ++j)
        local(k, j) = coupling<dim>(p, p, u, k, j, coefficient(cell));
    of_p.distribute_local_to_global(local, rows, of_u, columns, B);
  });
}

template <int dim>
AffineConstraints<double> homogeneous(const LevelSpace<dim> &space, const Mapping<dim> &mapping,
                                      const DirichletBoundary &dirichlet)
{
  return dealii_constraints(space, mapping, dirichlet,
                            Functions::ZeroFunction<dim>(space.dof_handler().get_fe().n_components()));
}

// Compares each entry of the one with the other, and the other way round; entries that one of them lacks are zero.
template <typename IsZeroRow, typename IsZeroColumn>
void expect_same_entries(const CSRMatrix<double> &found, const SparseMatrix<double> &expected,
                         const IsZeroRow &is_zero_row, const IsZeroColumn &is_zero_column)
{
  ASSERT_EQ(found.n_rows, static_cast<int>(expected.m()));
  ASSERT_EQ(found.n_cols, static_cast<int>(expected.n()));
  double largest = 0;
  for (const auto &entry : expected)
    largest = std::max(largest, std::abs(entry.value()));
  const double tolerance = 1e-13 * largest;
  for (int i = 0; i < found.n_rows; ++i)
    {
      for (auto k = found.row_start[i]; k < found.row_start[i + 1]; ++k)
        {
          ASSERT_TRUE(k == found.row_start[i] || found.column[k - 1] < found.column[k]) << "columns ascend, row " << i;
          ASSERT_NEAR(found.value[k], expected.el(i, found.column[k]), tolerance) << "row " << i;
          ASSERT_TRUE(found.value[k] == 0. || !(is_zero_row(i) || is_zero_column(found.column[k])))
            << "no identity on constrained rows or columns, row " << i;
        }
      for (auto e = expected.begin(i); e != expected.end(i); ++e)
        ASSERT_NEAR(e->value(), adamant::entry(found, i, static_cast<int>(e->column())), tolerance) << "row " << i;
    }
}

void expect_transposed(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  ASSERT_EQ(A.n_rows, B.n_cols);
  ASSERT_EQ(A.n_cols, B.n_rows);
  double largest = 0;
  for (const double value : A.value)
    largest = std::max(largest, std::abs(value));
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      ASSERT_NEAR(A.value[k], adamant::entry(B, A.column[k], i), 1e-15 * largest) << "row " << i;
}

template <int dim>
void compare_two_fields(const FiniteElement<dim> &velocity, unsigned int seed)
{
  SCOPED_TRACE(velocity.get_name() + ", seed " + std::to_string(seed));
  TwoFields<dim> fields(velocity, seed);
  fields.B.update();
  fields.Bt.update();
  ASSERT_GE(fields.meshes.size(), 4u);
  EXPECT_GT(fields.u.finest().n_hanging(), 0);
  for (std::size_t level = 0; level < fields.meshes.size(); ++level)
    {
      SCOPED_TRACE("level " + std::to_string(level));
      const auto          &u = fields.u.space(level), &p = fields.p.space(level);
      SparsityPattern      pattern;
      SparseMatrix<double> expected;
      assemble_with_dealii(fields, level, homogeneous(p, fields.mapping, {{1, ComponentMask()}}),
                           homogeneous(u, fields.mapping, {{0, ComponentMask()}, {3, ComponentMask()}}), pattern,
                           expected);
      const auto &B = *fields.B.matrix(level), &Bt = *fields.Bt.matrix(level);
      expect_same_entries(
        B, expected, [&](int i) { return !p.is_free(i); }, [&](int j) { return !u.is_free(j); });
      expect_transposed(B, Bt);
      expect_transposed(Bt, B);
    }
}

TEST(TwoFields, AgainstDealII2D)
{
  compare_two_fields<2>(FE_Q<2>(2), 60);
  compare_two_fields<2>(FESystem<2>(FE_Q<2>(2), 2), 61);
}
TEST(TwoFields, AgainstDealII3D)
{
  compare_two_fields<3>(FE_Q<3>(2), 62);
  compare_two_fields<3>(FESystem<3>(FE_Q<3>(1), 3), 63);
}

// The other columns: nodal and prescribed values of the velocity, with the rows of the pressure.
TEST(TwoFields, ValuesOfTheOtherField)
{
  const TwoFields<2>        fields(FESystem<2>(FE_Q<2>(2), 2), 64);
  const auto               &u = fields.u.finest(), &p = fields.p.finest();
  AffineConstraints<double> none;
  none.close();
  SparsityPattern      pattern;
  SparseMatrix<double> full;
  assemble_with_dealii(fields, fields.meshes.size() - 1, homogeneous(p, fields.mapping, {{1, ComponentMask()}}), none,
                       pattern, full);
  const auto matrix = [&](const adamant::Columns<2> &columns, unsigned long &n_calls) {
    std::vector<unsigned int> calls(u.n_cells(), 0);
    Form<2> form("C", fields.p, columns, fields.mapping, fields.quadrature, flags, [&](const auto &cell, auto &local) {
      adamant::write_atomically(calls[cell.cell_number()], 1);
      TwoFields<2>::divergence(cell, local);
    });
    form.update();
    n_calls = std::accumulate(calls.begin(), calls.end(), 0ul);
    return form.finest();
  };
  unsigned long  n_calls = 0;
  Vector<double> expected(p.n_dofs());
  const auto     values = random_vector(u.n_dofs(), 5), g = random_vector(u.B.n_cols, 6);
  full.vmult(expected, values);
  expect_close(multiply(*matrix(nodal_values(fields.u), n_calls), values), expected, 1e-13, "nodal values");
  EXPECT_EQ(n_calls, static_cast<unsigned long>(u.n_cells()));

  full.vmult(expected, multiply(u.B, g));
  expect_close(multiply(*matrix(prescribed_values(fields.u), n_calls), g), expected, 1e-13, "prescribed values");
  EXPECT_GT(n_calls, 0u);
  EXPECT_LT(n_calls, u.n_cells() / 2u) << "cells without prescribed values are left out";
}

TEST(Field, RowsOfANode)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 65);
  const LevelMeshes<2> meshes(mesh, {16});
  const MappingQ1<2>   mapping;
  const auto           expect = [&](const FiniteElement<2> &element, int node_size) {
    const Field<2> field(meshes, "u", element);
    const auto    &space = field.finest();
    EXPECT_EQ(field.node_size(), node_size) << element.get_name();
    // The rows of a node lie at one place, and belong to component 0, 1, ...
    Array<int>                all(space.n_dofs());
    std::vector<unsigned int> component(space.n_dofs());
    std::iota(all.begin(), all.end(), 0);
    const auto x = adamant::support_points(space, mapping, all);
    for (int cell = 0; cell < space.n_cells(); ++cell)
      for (int i = 0; i < space.dofs_per_cell(); ++i)
        component[space.cell_dofs(cell)[i]] = element.system_to_component_index(i).first;
    for (int i = 0; i < space.n_dofs(); ++i)
      {
        ASSERT_NEAR(x[i], x[i / node_size * node_size], 1e-12);
        ASSERT_NEAR(x[space.n_dofs() + i], x[space.n_dofs() + i / node_size * node_size], 1e-12);
        ASSERT_TRUE(node_size == 1 || component[i] == static_cast<unsigned int>(i % node_size)) << "DoF " << i;
      }
  };
  expect(FE_Q<2>(2), 1);
  expect(FESystem<2>(FE_Q<2>(1), 3), 3);
  expect(FESystem<2>(FE_Q<2>(2), 2), 2);
  expect(FESystem<2>(FE_Q<2>(3), 2), 2);
  expect(FESystem<2>(FE_Q<2>(2), 1, FE_Q<2>(2), 1), 2);
  expect(FESystem<2>(FE_Q<2>(2), 2, FE_Q<2>(1), 1), 1);
  expect(FESystem<2>(FESystem<2>(FE_Q<2>(2), 1, FE_Q<2>(1), 1), 2), 1);
}

// A field on the second finest mesh has the levels below it.
TEST(Field, OnACoarserMesh)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 66);
  const LevelMeshes<2> meshes(mesh, {16});
  ASSERT_GE(meshes.size(), 3u);
  const std::size_t top = meshes.size() - 2;
  const Field<2>    u(meshes, "u", FE_Q<2>(2)), p(meshes, "p", FE_Q<2>(1), {}, top);
  EXPECT_EQ(u.n_levels(), meshes.size());
  EXPECT_EQ(p.n_levels(), top + 1);
  EXPECT_EQ(&p.finest(), &p.space(top));
  EXPECT_EQ(&p.finest().dof_handler().get_triangulation(),
            adamant::CellList<2>::as_active(meshes[top].cells)->mesh().get());
  EXPECT_EQ(p.prolongation(top)->n_rows, p.finest().n_dofs());
  EXPECT_EQ(p.prolongation(top), p.prolongation(top)) << "made once";
  EXPECT_THROW(p.space(top + 1), adamant::RunError);
  EXPECT_THROW(Field<2>(meshes, "q", FE_Q<2>(1), {}, meshes.size()), adamant::RunError);

  const MappingQ1<2> mapping;
  const QGauss<2>    quadrature(2);
  EXPECT_THROW(Form<2>("B", p, unknowns(u), mapping, quadrature, flags, laplace<2>), adamant::RunError);
  const LevelMeshes<2> others(mesh, {16});
  const Field<2>       elsewhere(others, "v", FE_Q<2>(2));
  EXPECT_THROW(Form<2>("B", u, unknowns(elsewhere), mapping, quadrature, flags, laplace<2>), adamant::RunError);
}

TEST(Form, SaysWhatItHasNot)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(3);
  const LevelMeshes<2> meshes(mesh, {4});
  const Field<2>       u(meshes, "u", FE_Q<2>(1));
  const MappingQ1<2>   mapping;
  const QGauss<2>      quadrature(2);
  Form<2>              A("A", u, unknowns(u), mapping, quadrature, flags, laplace<2>);
  EXPECT_THROW(A.finest(), adamant::RunError) << "before the first update";
  A.update();
  EXPECT_EQ(A.finest()->n_rows, 81);
  EXPECT_THROW(A.matrix(0), adamant::RunError) << "of the finest level only";
  EXPECT_THROW(levels_of(u, A), adamant::RunError);
  Form<2> E("E", u, nodal_values(u), mapping, quadrature, flags, laplace<2>, Levels::all);
  E.update();
  EXPECT_THROW(levels_of(u, E), adamant::RunError) << "no system matrix";
  Form<2> points("S", u, unknowns(u), mapping, quadrature, flags,
                 [](const auto &cell, auto &) { cell.quadrature_point(0); });
  EXPECT_THROW(points.update(), adamant::RunError) << "quadrature points were not asked for";
}

TEST(CellContext, KnowsItsCellLevelAndPoints)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 67);
  const LevelMeshes<2> meshes(mesh, {16});
  const Field<2>       u(meshes, "u", FE_Q<2>(1));
  const MappingQ1<2>   mapping;
  const QGauss<2>      quadrature(2);
  int                  wrong = 0;
  Form<2>              form(
                 "looks around", u, unknowns(u), mapping, quadrature, flags | update_quadrature_points,
                 [&](const CellContext<2> &cell, FullMatrix<double> &) {
      const auto &space = u.space(cell.level());
      Point<2>    centre;
      for (const unsigned int q : cell.quadrature_point_indices())
        centre += 0.25 * cell.quadrature_point(q);
      const bool right = cell.n_quadrature_points() == 4 && cell.dofs_per_cell() == 4 &&
                         cell.cell() == space.active_cells()[cell.cell_number()] &&
                         cell.rows().dofs() == space.cell_dofs(cell.cell_number()) &&
                         centre.distance(cell.cell()->center()) < 1e-12;
#pragma omp atomic
      wrong += !right;
    },
    Levels::all);
  form.update();
  EXPECT_EQ(wrong, 0);
}
} // namespace
