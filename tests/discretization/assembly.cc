// Assembled matrices against deal.II's own assembly, and the Galerkin identity between levels.
#include "discretization/forms/hierarchy.h"
#include "support.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_matrix.h>

#include <cstring>
#include <omp.h>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace test;
using adamant::Assembly;
using adamant::Columns;
using adamant::DirichletBoundary;
using adamant::LevelSpace;

namespace
{
const UpdateFlags flags = update_values | update_gradients | update_JxW_values;

// A nonsymmetric operator that couples the components; its diffusion jumps with the material.
template <int dim>
void cell_matrix(const typename DoFHandler<dim>::active_cell_iterator &cell, const FEValues<dim> &fe_values,
                 double diffusion, FullMatrix<double> &local)
{
  const auto  &fe     = fe_values.get_fe();
  const double lambda = diffusion * (1. + cell->material_id());
  for (const unsigned int q : fe_values.quadrature_point_indices())
    for (const unsigned int i : fe_values.dof_indices())
      for (const unsigned int j : fe_values.dof_indices())
        {
          const unsigned int ci = fe.system_to_component_index(i).first, cj = fe.system_to_component_index(j).first;
          const auto        &grad_i = fe_values.shape_grad(i, q), &grad_j = fe_values.shape_grad(j, q);
          double             sum = 0.1 * fe_values.shape_value(i, q) * grad_j[dim - 1];
          if (ci == cj)
            sum += lambda * (grad_i * grad_j) + fe_values.shape_value(i, q) * fe_values.shape_value(j, q);
          else
            sum += 0.2 * grad_i[ci % dim] * grad_j[cj % dim];
          local(i, j) += sum * fe_values.JxW(q);
        }
}

// Row, column and value of all entries that are not zero.
std::vector<std::tuple<int, int, double>> nonzero_entries(const adamant::CSRMatrix<double> &A)
{
  std::vector<std::tuple<int, int, double>> entries;
  for (int i = 0; i < A.n_rows; ++i)
    for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      if (A.value[k] != 0.)
        entries.emplace_back(i, A.column[k], A.value[k]);
  return entries;
}

template <int dim>
struct Problem
{
  Problem(std::shared_ptr<Triangulation<dim>> mesh, const FiniteElement<dim> &fe, const Mapping<dim> &mapping)
    : mapping(mapping.clone())
    , quadrature(fe.degree + 1)
    , space(mesh, fe, dirichlet)
    , zero(fe.n_components())
    , homogeneous(dealii_constraints(space, mapping, dirichlet, zero))
  {}

  // deal.II's matrix of all cells, with these constraints.
  void assemble(const AffineConstraints<double> &constraints, SparsityPattern &pattern, SparseMatrix<double> &A) const
  {
    const auto            &dofs = space.dof_handler();
    DynamicSparsityPattern dynamic(dofs.n_dofs());
    DoFTools::make_sparsity_pattern(dofs, dynamic, constraints);
    pattern.copy_from(dynamic);
    A.reinit(pattern);
    const unsigned int                   n = dofs.get_fe().n_dofs_per_cell();
    FEValues<dim>                        fe_values(*mapping, dofs.get_fe(), quadrature, flags);
    FullMatrix<double>                   local(n, n);
    std::vector<types::global_dof_index> indices(n);
    for (const auto &cell : dofs.active_cell_iterators())
      {
        fe_values.reinit(cell);
        local = 0.;
        cell_matrix<dim>(cell, fe_values, 1., local);
        cell->get_dof_indices(indices);
        constraints.distribute_local_to_global(local, indices, A);
      }
  }

  const DirichletBoundary       dirichlet = {{0, ComponentMask()}};
  std::unique_ptr<Mapping<dim>> mapping;
  const QGauss<dim>             quadrature;
  LevelSpace<dim>               space;
  Functions::ZeroFunction<dim>  zero;
  AffineConstraints<double>     homogeneous;
};

template <int dim>
void compare(const Problem<dim> &problem, const std::string &what)
{
  SCOPED_TRACE(what);
  const auto &space = problem.space;
  const int   n = space.n_dofs(), n_q = problem.quadrature.size();
  ASSERT_GT(space.B.n_cols, 0);

  Assembly<dim> assembly(space, *problem.mapping, problem.quadrature, flags,
                         {Columns::unknowns, Columns::dofs, Columns::prescribed, Columns::quadrature_points});
  assembly.assemble([&](const auto &cell, const auto &fe_values, auto &local) {
    for (int m = 0; m < 3; ++m)
      cell_matrix<dim>(cell, fe_values, 1., local[m]);
    for (const unsigned int q : fe_values.quadrature_point_indices())
      for (const unsigned int i : fe_values.dof_indices())
        local[3](i, q) += fe_values.shape_value(i, q) * fe_values.JxW(q);
  });
  const auto &A = assembly.matrices[0];

  // The system matrix: free rows as deal.II condenses them, the identity elsewhere.
  SparsityPattern      pattern, full_pattern;
  SparseMatrix<double> condensed, full;
  problem.assemble(problem.homogeneous, pattern, condensed);
  double largest = 0, difference = 0;
  for (int i = 0; i < n; ++i)
    {
      if (!space.is_free(i))
        {
          for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
            ASSERT_EQ(A.value[k], A.column[k] == i ? 1. : 0.) << "constrained row " << i << " is one of the identity";
          ASSERT_EQ(adamant::entry(A, i, i), 1.) << "constrained row " << i;
          continue;
        }
      for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        {
          ASSERT_TRUE(k == A.row_start[i] || A.column[k - 1] < A.column[k]) << "columns ascend, row " << i;
          difference = std::max(difference, std::abs(A.value[k] - condensed.el(i, A.column[k])));
        }
      for (auto e = condensed.begin(i); e != condensed.end(i); ++e)
        {
          largest    = std::max(largest, std::abs(e->value()));
          difference = std::max(difference, std::abs(e->value() - adamant::entry(A, i, static_cast<int>(e->column()))));
        }
    }
  EXPECT_LE(difference, 1e-13 * largest) << "system matrix";

  // The others by their products: Hᵀ of deal.II's matrix without constraints.
  AffineConstraints<double> none;
  none.close();
  problem.assemble(none, full_pattern, full);
  const auto condense = [&](Vector<double> y) {
    problem.homogeneous.condense(y);
    problem.homogeneous.set_zero(y);
    return y;
  };
  Vector<double> y(n);
  const auto u = random_vector(n, 3), g = random_vector(space.B.n_cols, 4), f = random_vector(space.n_cells() * n_q, 5);
  full.vmult(y, u);
  expect_close(multiply(assembly.matrices[1], u), condense(y), 1e-13, "Columns::dofs");
  AffineConstraints<double> values;
  for (int k = 0; k < space.B.n_cols; ++k)
    {
      values.add_line(space.prescribed[k]);
      values.set_inhomogeneity(space.prescribed[k], g[k]);
    }
  values.close();
  Vector<double> extended(n);
  values.distribute(extended);
  space.hanging_nodes.distribute(extended);
  full.vmult(y, extended);
  expect_close(multiply(assembly.matrices[2], g), condense(y), 1e-13, "Columns::prescribed");

  FEValues<dim> fe_values(*problem.mapping, space.dof_handler().get_fe(), problem.quadrature, flags);
  std::vector<types::global_dof_index> indices(space.dofs_per_cell());
  y = 0.;
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      fe_values.reinit(cell);
      cell->get_dof_indices(indices);
      for (int q = 0; q < n_q; ++q)
        for (int i = 0; i < space.dofs_per_cell(); ++i)
          y[indices[i]] += f[cell->active_cell_index() * n_q + q] * fe_values.shape_value(i, q) * fe_values.JxW(q);
    }
  expect_close(multiply(assembly.matrices[3], f), condense(y), 1e-13, "Columns::quadrature_points");
}

template <int dim>
void set_materials(Triangulation<dim> &mesh)
{
  for (const auto &cell : mesh.active_cell_iterators())
    cell->set_material_id(cell->center()[0] + cell->center()[1] < 0.9 ? 0 : 3);
}

template <int dim>
void compare_on_adaptive_meshes()
{
  unsigned int seed = 20;
  for (const auto &fe : elements<dim>())
    {
      if (dim == 3 && fe->degree == 2)
        continue; // 2D has it
      auto mesh = std::make_shared<Triangulation<dim>>();
      make_random_mesh(*mesh, ++seed);
      set_materials(*mesh);
      compare(Problem<dim>(mesh, *fe, MappingQ1<dim>()), fe->get_name());
    }
}

TEST(Assembly, AdaptiveMeshes2D)
{
  compare_on_adaptive_meshes<2>();
}
TEST(Assembly, AdaptiveMeshes3D)
{
  compare_on_adaptive_meshes<3>();
}

// All cells share their shape functions there, not their materials.
TEST(Assembly, UniformMeshWithMaterials)
{
  auto square = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_cube(*square);
  square->refine_global(4);
  set_materials(*square);
  compare(Problem<2>(square, FE_Q<2>(2), MappingQ1<2>()), "square");
  auto cube = std::make_shared<Triangulation<3>>();
  GridGenerator::hyper_cube(*cube);
  cube->refine_global(2);
  set_materials(*cube);
  compare(Problem<3>(cube, FE_Q<3>(1), MappingQ1<3>()), "cube");
}

TEST(Assembly, CurvedMapping)
{
  auto disk = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_ball(*disk);
  disk->refine_global(1);
  refine_randomly(*disk, 3, 0.1, 30);
  compare(Problem<2>(disk, FE_Q<2>(2), MappingQ<2>(2)), "disk");
  auto ball = std::make_shared<Triangulation<3>>();
  GridGenerator::hyper_ball(*ball);
  refine_randomly(*ball, 2, 0.1, 31);
  compare(Problem<3>(ball, FE_Q<3>(1), MappingQ<3>(2)), "ball");
}

// Where components do not couple, their matrix is that of all DoFs without its zeros.
TEST(Assembly, ComponentsApart)
{
  auto mesh = std::make_shared<Triangulation<3>>();
  make_random_mesh(*mesh, 33);
  const Problem<3> problem(mesh, FESystem<3>(FE_Q<3>(1), 2), MappingQ1<3>());
  Assembly<3>      assembly(problem.space, *problem.mapping, problem.quadrature, flags,
                            {Columns::dofs, Columns::component_dofs});
  assembly.assemble([](const auto &, const auto &fe_values, auto &local) {
    const auto &fe = fe_values.get_fe();
    for (auto &matrix : local)
      for (const unsigned int q : fe_values.quadrature_point_indices())
        for (const unsigned int i : fe_values.dof_indices())
          for (const unsigned int j : fe_values.dof_indices())
            if (const unsigned int c = fe.system_to_component_index(i).first;
                c == fe.system_to_component_index(j).first)
              matrix(i, j) += (1. + c) * fe_values.shape_value(i, q) * fe_values.shape_value(j, q) * fe_values.JxW(q);
  });
  const auto found = nonzero_entries(assembly.matrices[1]);
  EXPECT_EQ(found, nonzero_entries(assembly.matrices[0]));
  EXPECT_EQ(found.size(), static_cast<std::size_t>(assembly.matrices[1].n_nonzeros())) << "expected no zeros stored";
}

// Values to the last bit for any number of threads, and anew with other coefficients.
TEST(Assembly, ThreadsAndReassembly)
{
  auto mesh = std::make_shared<Triangulation<3>>();
  make_random_mesh(*mesh, 32);
  const Problem<3> problem(mesh, FE_Q<3>(1), MappingQ1<3>());
  const int        threads_before = omp_get_max_threads();
  const auto       assembler      = [](double diffusion) {
    return [diffusion](const auto &cell, const auto &fe_values, auto &local) {
      cell_matrix<3>(cell, fe_values, diffusion, local[0]);
    };
  };
  const auto make = [&] {
    return Assembly<3>(problem.space, *problem.mapping, problem.quadrature, flags, {Columns::unknowns});
  };
  const auto expect_equal = [](const adamant::CSRMatrix<double> &a, const adamant::CSRMatrix<double> &b,
                               const char *what) {
    ASSERT_EQ(a.n_nonzeros(), b.n_nonzeros());
    ASSERT_GT(a.n_nonzeros(), 0);
    EXPECT_EQ(0, std::memcmp(a.column.data(), b.column.data(), a.column.size() * sizeof(int))) << what;
    EXPECT_EQ(0, std::memcmp(a.value.data(), b.value.data(), a.value.size() * sizeof(double))) << what;
  };
  omp_set_num_threads(1);
  auto one = make();
  one.assemble(assembler(1.));
  for (const int threads : {2, 3})
    {
      omp_set_num_threads(threads);
      auto several = make();
      several.assemble(assembler(1.));
      expect_equal(several.matrices[0], one.matrices[0], "threads");
      several.assemble(assembler(2.));
      auto fresh = make();
      fresh.assemble(assembler(2.));
      expect_equal(several.matrices[0], fresh.matrices[0], "new coefficients");
      EXPECT_NE(0, std::memcmp(fresh.matrices[0].value.data(), one.matrices[0].value.data(),
                               one.matrices[0].value.size() * sizeof(double)))
        << "the coefficients should matter";
    }
  omp_set_num_threads(threads_before);
}

TEST(Assembly, ExceptionsReachTheCaller)
{
  auto mesh = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_cube(*mesh);
  mesh->refine_global(4);
  const Problem<2> problem(mesh, FE_Q<2>(1), MappingQ1<2>());
  Assembly<2>      assembly(problem.space, *problem.mapping, problem.quadrature, flags, {Columns::unknowns});
  try
    {
      assembly.assemble([](const auto &cell, const auto &, auto &) {
        if (cell->active_cell_index() == 200)
          throw std::domain_error("bad material");
      });
      FAIL() << "std::domain_error expected";
    }
  catch (const std::domain_error &error)
    {
      EXPECT_STREQ(error.what(), "bad material");
    }
}

// R A P = A_coarse for Laplace: the spaces are nested, on adaptive meshes too.
template <int dim>
void galerkin(Triangulation<dim> &mesh, const FiniteElement<dim> &fe, const std::string &what)
{
  SCOPED_TRACE(what + ", " + fe.get_name());
  adamant::Hierarchy<dim> hierarchy(mesh, fe, {{0, ComponentMask()}}, dim == 2 ? 4 : 8); // one free node at least
  hierarchy.assemble(
    MappingQ1<dim>(), QGauss<dim>(fe.degree + 1), flags, [](const auto &, const auto &fe_values, auto &local) {
      for (const unsigned int q : fe_values.quadrature_point_indices())
        for (const unsigned int i : fe_values.dof_indices())
          for (const unsigned int j : fe_values.dof_indices())
            local[0](i, j) += fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
    });
  ASSERT_GE(hierarchy.n_levels(), 3u);
  for (std::size_t l = 1; l < hierarchy.n_levels(); ++l)
    {
      const auto &fine = hierarchy.data()[l], &coarse = hierarchy.data()[l - 1];
      auto        x = random_vector(coarse.matrix.n_rows, 9);
      for (int i = 0; i < coarse.matrix.n_rows; ++i)
        if (!hierarchy.space(l - 1).is_free(i))
          x[i] = 0.;
      expect_close(multiply(fine.restriction, multiply(fine.matrix, multiply(fine.prolongation, x))),
                   multiply(coarse.matrix, x), 1e-12, "level " + std::to_string(l));
    }
}

template <int dim>
void galerkin_on_all_meshes()
{
  Triangulation<dim> uniform, adaptive;
  GridGenerator::hyper_cube(uniform);
  uniform.refine_global(dim == 2 ? 5 : 4);
  galerkin(uniform, FE_Q<dim>(1), "uniform");
  make_random_mesh(adaptive, 40);
  galerkin(adaptive, FE_Q<dim>(1), "adaptive");
  if (dim == 2)
    galerkin(adaptive, FE_Q<dim>(2), "adaptive");
}

TEST(Assembly, GalerkinIdentity2D)
{
  galerkin_on_all_meshes<2>();
}
TEST(Assembly, GalerkinIdentity3D)
{
  galerkin_on_all_meshes<3>();
}
} // namespace
