// Assembled matrices against deal.II's own assembly, and the Galerkin identity between levels.
#include "fem/forms/form.h"
#include "algebra/cell_sums.h"
#include "fem/spaces/field.h"
#include "fem/support.h"
#include "operators/level_data.h"

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
using adamant::CellContext;
using adamant::DirichletBoundary;
using adamant::Field;
using adamant::Form;
using adamant::LevelMeshes;
using adamant::Levels;

namespace
{
const UpdateFlags flags = update_values | update_gradients | update_JxW_values;

// A nonsymmetric operator that couples the components; its diffusion jumps with the material. `cell` has shape
// functions as a CellContext has them.
template <int dim, typename Cell>
void cell_matrix(const Cell &cell, double diffusion, FullMatrix<double> &local)
{
  const double lambda = diffusion * (1. + adamant::material_id(cell.cell()));
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        {
          const unsigned int ci = cell.component(i), cj = cell.component(j);
          const auto        &grad_i = cell.gradient(i, q), &grad_j = cell.gradient(j, q);
          double             sum = 0.1 * cell.value(i, q) * grad_j[dim - 1];
          if (ci == cj)
            sum += lambda * (grad_i * grad_j) + cell.value(i, q) * cell.value(j, q);
          else
            sum += 0.2 * grad_i[ci % dim] * grad_j[cj % dim];
          local(i, j) += sum * cell.JxW(q);
        }
}

// Row, column and value of all entries that are not zero.
std::vector<std::tuple<int, int, double>> nonzero_entries(const adamant::CSRMatrix<double> &A)
{
  std::vector<std::tuple<int, int, double>> entries;
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      if (A.value[k] != 0.)
        entries.emplace_back(i, A.column[k], A.value[k]);
  return entries;
}

template <int dim>
struct Problem
{
  Problem(std::shared_ptr<Triangulation<dim>> mesh_, const FiniteElement<dim> &fe, const Mapping<dim> &mapping)
    : mesh(std::move(mesh_))
    , mapping(mapping.clone())
    , quadrature(fe.degree + 1)
    , meshes(*mesh, {adamant::finest_level_only})
    , u(meshes, "u", fe, dirichlet)
    , space(u.finest())
    , zero(fe.n_components())
    , homogeneous(dealii_constraints(space, mapping, dirichlet, zero))
  {}

  // The matrix of a form that has been updated.
  template <typename Kernel>
  adamant::CSRMatrix<double> matrix(const adamant::Columns<dim> &columns, const Kernel &kernel) const
  {
    Form<dim> form("A", u, columns, *mapping, quadrature, flags, kernel);
    form.update();
    return *form.finest();
  }

  // Of values at quadrature points with the matrix as sums over cells, 2 S f + y with y = -S f.
  template <typename Kernel>
  Vector<double> product_of_sums(const Kernel &kernel, const Vector<double> &f) const
  {
    const Form<dim>         form("S", u, adamant::quadrature_points<dim>(), *mapping, quadrature, flags, kernel);
    const auto              device = adamant::Device::host(2);
    const auto              S      = make_matrix(device, form.sums_over_cells());
    adamant::Vector<double> values(device, f.size()), y(device, space.n_dofs());
    values.upload(f.begin());
    device.multiply(-1., S, values, 0., y);
    device.multiply(2., S, values, 1., y);
    return adamant::to_host<Vector<double>>(y);
  }

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
        cell_matrix<dim>(DealiiCell<dim>{cell, fe_values}, 1., local);
        cell->get_dof_indices(indices);
        constraints.distribute_local_to_global(local, indices, A);
      }
  }

  const DirichletBoundary             dirichlet = {{0, ComponentMask()}};
  std::shared_ptr<Triangulation<dim>> mesh;
  std::unique_ptr<Mapping<dim>>       mapping;
  const QGauss<dim>                   quadrature;
  LevelMeshes<dim>                    meshes;
  Field<dim>                          u;
  const adamant::LevelSpace<dim>     &space;
  Functions::ZeroFunction<dim>        zero;
  AffineConstraints<double>           homogeneous;
};

template <int dim>
void compare(const Problem<dim> &problem, const std::string &what)
{
  SCOPED_TRACE(what);
  const auto &space = problem.space;
  const int   n = space.n_dofs(), n_q = problem.quadrature.size();
  ASSERT_GT(space.B.n_cols, 0);

  const auto operator_kernel = [](const CellContext<dim> &cell, FullMatrix<double> &local) {
    cell_matrix<dim>(cell, 1., local);
  };
  const auto A             = problem.matrix(unknowns(problem.u), operator_kernel);
  const auto on_nodes      = problem.matrix(nodal_values(problem.u), operator_kernel);
  const auto on_prescribed = problem.matrix(prescribed_values(problem.u), operator_kernel);
  const auto source        = [](const CellContext<dim> &cell, FullMatrix<double> &local) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        local(i, q) += cell.value(i, q) * cell.JxW(q);
  };
  const auto on_points = problem.matrix(adamant::quadrature_points<dim>(), source);

  // The system matrix: free rows as deal.II condenses them, the identity elsewhere.
  SparsityPattern      pattern, full_pattern;
  SparseMatrix<double> condensed, full;
  problem.assemble(problem.homogeneous, pattern, condensed);
  double largest = 0, difference = 0;
  for (int i = 0; i < n; ++i)
    {
      if (!space.is_free(i))
        {
          for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
            ASSERT_EQ(A.value[k], A.column[k] == i ? 1. : 0.) << "constrained row " << i << " is one of the identity";
          ASSERT_EQ(adamant::entry(A, i, i), 1.) << "constrained row " << i;
          continue;
        }
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
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
  expect_close(multiply(on_nodes, u), condense(y), 1e-13, "nodal values");
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
  expect_close(multiply(on_prescribed, g), condense(y), 1e-13, "prescribed values");

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
  expect_close(multiply(on_points, f), condense(y), 1e-13, "quadrature points");
  expect_close(problem.product_of_sums(source, f), condense(y), 1e-13, "sums over cells");
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
  if (dim == 2)
    {
      auto mesh = std::make_shared<Triangulation<dim>>();
      make_random_mesh(*mesh, ++seed);
      set_materials(*mesh);
      compare(Problem<dim>(mesh, FESystem<dim>(FE_Q<dim>(2), dim, FE_Q<dim>(1), 1), MappingQ1<dim>()), "mixed");
    }
}

TEST(Form, AdaptiveMeshes2D)
{
  compare_on_adaptive_meshes<2>();
}
TEST(Form, AdaptiveMeshes3D)
{
  compare_on_adaptive_meshes<3>();
}

// All cells share their shape functions there, not their materials.
TEST(Form, UniformMeshWithMaterials)
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

TEST(Form, CurvedMapping)
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
TEST(Form, ComponentsApart)
{
  auto mesh = std::make_shared<Triangulation<3>>();
  make_random_mesh(*mesh, 33);
  const Problem<3> problem(mesh, FESystem<3>(FE_Q<3>(1), 2), MappingQ1<3>());
  const auto       kernel = [](const CellContext<3> &cell, FullMatrix<double> &local) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          if (const unsigned int c = cell.component(i); c == cell.component(j))
            local(i, j) += (1. + c) * cell.value(i, q) * cell.value(j, q) * cell.JxW(q);
  };
  const auto apart = problem.matrix(nodal_values_by_component(problem.u), kernel);
  const auto found = nonzero_entries(apart);
  EXPECT_EQ(found, nonzero_entries(problem.matrix(nodal_values(problem.u), kernel)));
  EXPECT_EQ(found.size(), static_cast<std::size_t>(apart.n_nonzeros())) << "expected no zeros stored";
}

// Values to the last bit for any number of threads, and anew with other coefficients.
TEST(Form, ThreadsAndReassembly)
{
  auto mesh = std::make_shared<Triangulation<3>>();
  make_random_mesh(*mesh, 32);
  const Problem<3> problem(mesh, FE_Q<3>(1), MappingQ1<3>());
  const int        threads_before = omp_get_max_threads();
  const auto       make           = [&](const double &diffusion) {
    return std::make_unique<Form<3>>(
      "A", problem.u, unknowns(problem.u), *problem.mapping, problem.quadrature, flags,
      [&diffusion](const CellContext<3> &cell, FullMatrix<double> &local) { cell_matrix<3>(cell, diffusion, local); });
  };
  const auto expect_equal = [](const adamant::CSRMatrix<double> &a, const adamant::CSRMatrix<double> &b,
                               const char *what) {
    ASSERT_EQ(a.n_nonzeros(), b.n_nonzeros());
    ASSERT_GT(a.n_nonzeros(), 0);
    EXPECT_EQ(0, std::memcmp(a.column.data(), b.column.data(), a.column.size() * sizeof(int))) << what;
    EXPECT_EQ(0, std::memcmp(a.value.data(), b.value.data(), a.value.size() * sizeof(double))) << what;
  };
  const double one_and_only = 1., two = 2.;
  omp_set_num_threads(1);
  const auto one = make(one_and_only);
  one->update();
  for (const int threads : {2, 3})
    {
      omp_set_num_threads(threads);
      double     diffusion = 1.;
      const auto several   = make(diffusion);
      several->update();
      const auto matrix = several->finest();
      expect_equal(*matrix, *one->finest(), "threads");
      diffusion = 2.;
      several->update();
      EXPECT_EQ(matrix, several->finest()) << "the matrix stays the same object";
      const auto fresh = make(two);
      fresh->update();
      expect_equal(*matrix, *fresh->finest(), "new coefficients");
      EXPECT_NE(0, std::memcmp(fresh->finest()->value.data(), one->finest()->value.data(),
                               one->finest()->value.size() * sizeof(double)))
        << "the coefficients should matter";
      several->release();
      EXPECT_THROW(several->finest(), adamant::RunError);
      several->update();
      EXPECT_NE(matrix, several->finest()) << "a matrix that is held elsewhere is not written to after release";
      expect_equal(*several->finest(), *matrix, "after release");
    }
  omp_set_num_threads(threads_before);
}

// Where cells share matrices whole rows are summed, else one cell after the other: the same sums, to the bit.
template <int dim>
void expect_rows_as_by_cells()
{
  using Local           = FullMatrix<double>;
  const auto at_columns = [](const CellContext<dim> &cell, bool by_cells, bool points, Local &local) {
    const double one = by_cells && cell.cell_number() < 0 ? 2. : 1.; // whoever asks for the number has a cell's own
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        if (points)
          local(i, q) += one * cell.value(i, q) * cell.JxW(q);
        else
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += one *
                           (cell.gradient(i, q) * cell.gradient(j, q) + cell.value(i, q) * cell.gradient(j, q)[0]) *
                           (1. + cell.component(i) + 3. * cell.component(j)) * (1. + cell.material_id()) * cell.JxW(q);
  };
  for (const auto &element : elements<dim>())
    for (const bool random : {true, false})
      {
        auto mesh = std::make_shared<Triangulation<dim>>();
        if (random)
          make_random_mesh(*mesh, 41);
        else
          {
            GridGenerator::hyper_cube(*mesh);
            mesh->refine_global(dim == 2 ? 4 : 3);
          }
        for (const auto &cell : mesh->active_cell_iterators())
          cell->set_material_id(cell->center()[0] < 0.4 ? 0 : 1);
        const Problem<dim> problem(mesh, *element, MappingQ1<dim>());
        const auto         compare = [&](const adamant::Columns<dim> &columns, const char *what) {
          const bool points  = columns.field == nullptr;
          const auto by_rows = problem.matrix(
                               columns, [&](const auto &cell, auto &local) { at_columns(cell, false, points, local); }),
                     by_cells = problem.matrix(
                               columns, [&](const auto &cell, auto &local) { at_columns(cell, true, points, local); });
          ASSERT_GT(by_rows.n_nonzeros(), 0) << what;
          ASSERT_EQ(by_rows.n_nonzeros(), by_cells.n_nonzeros()) << what;
          for (std::int64_t k = 0; k < by_rows.n_nonzeros(); ++k)
            ASSERT_EQ(by_rows.value[k], by_cells.value[k]) << element->get_name() << ", " << what << ", entry " << k;
        };
        compare(unknowns(problem.u), "unknowns");
        compare(nodal_values(problem.u), "nodal values");
        compare(nodal_values_by_component(problem.u), "by component");
        compare(prescribed_values(problem.u), "prescribed values");
        compare(adamant::quadrature_points<dim>(), "points");
        for (const bool by_cells : {false, true}) // of shapes, of cells
          {
            const auto kernel = [&](const auto &cell, auto &local) { at_columns(cell, by_cells, true, local); };
            const auto S      = problem.matrix(adamant::quadrature_points<dim>(), kernel);
            const auto f      = random_vector(S.n_cols, 6);
            expect_close(problem.product_of_sums(kernel, f), multiply(S, f), 1e-13, "sums over cells");
          }
      }
}

TEST(Form, RowsAndCellsSumAlike)
{
  expect_rows_as_by_cells<2>();
  expect_rows_as_by_cells<3>();
}

// Cells of one shape share a local matrix where the kernel asks for nothing else of them, whatever it has asked before.
TEST(Form, CellsOfOneShapeShareTheirMatrix)
{
  auto mesh = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_cube(*mesh);
  mesh->refine_global(4);
  const Problem<2> problem(mesh, FE_Q<2>(1), MappingQ1<2>());
  const int        threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto calls = [&](const auto &asks) {
    int        n = 0;
    const auto A = problem.matrix(unknowns(problem.u), [&](const CellContext<2> &cell, FullMatrix<double> &local) {
      ++n;
      const double weight = asks(cell);
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += weight * (cell.gradient(i, q) * cell.gradient(j, q)) * cell.JxW(q);
    });
    double sum = 0;
    for (int i = 0; i < A.n_rows; ++i)
      sum += entry(A, i, i);
    return std::make_pair(n, sum);
  };
  const auto shared = calls([](const auto &cell) { return cell.diameter() * std::sqrt(128.); });
  EXPECT_EQ(shared.first, 1);
  // A factor that is 1 in each cell, so that the matrix does not change.
  const auto expect_own = [&](const auto &asks, const char *what) {
    const auto own = calls(asks);
    EXPECT_EQ(own.first, 256 + 1) << what << ": expected once each, after a first one that has shown it";
    EXPECT_NEAR(own.second, shared.second, 1e-12 * shared.second) << what;
  };
  expect_own([](const auto &cell) { return cell.cell()->material_id() + 1.; }, "the cell");
  expect_own([](const auto &cell) { return cell.cell_number() * 0. + 1.; }, "its number");
  expect_own([](const auto &cell) { return cell.rows().dofs()[0] * 0. + 1.; }, "its DoFs");
  const auto of_copy = [](const auto functions) { return functions.dofs()[0] * 0. + 1.; };
  expect_own([&](const auto &cell) { return of_copy(cell.rows()); }, "the DoFs of a copy of its rows");
  expect_own([&](const auto &cell) { return of_copy(cell.columns()); }, "the DoFs of a copy of its columns");
  expect_own([](const auto cell) { return cell.cell_number() * 0. + 1.; }, "the number of a copy");
  omp_set_num_threads(threads_before);
}

TEST(Form, ExceptionsReachTheCaller)
{
  auto mesh = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_cube(*mesh);
  mesh->refine_global(4);
  const Problem<2> problem(mesh, FE_Q<2>(1), MappingQ1<2>());
  try
    {
      problem.matrix(unknowns(problem.u), [](const CellContext<2> &cell, FullMatrix<double> &) {
        if (cell.cell()->active_cell_index() == 200)
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
  const LevelMeshes<dim> meshes(mesh, {dim == 2 ? 4u : 8u}); // one free node at least
  const Field<dim>       u(meshes, "u", fe, {{0, ComponentMask()}});
  const MappingQ1<dim>   mapping;
  Form<dim> form("A", u, unknowns(u), mapping, QGauss<dim>(fe.degree + 1), flags, laplace<dim>, Levels::all);
  form.update();
  const auto levels = levels_of(u, form);
  ASSERT_GE(levels.size(), 3u);
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const auto &fine = levels[l], &coarse = levels[l - 1];
      auto        x = random_vector(coarse.n_rows(), 9);
      for (int i = 0; i < coarse.n_rows(); ++i)
        if (!u.space(l - 1).is_free(i))
          x[i] = 0.;
      expect_close(multiply(*fine.restriction, multiply(fine.matrix(), multiply(*fine.prolongation, x))),
                   multiply(coarse.matrix(), x), 1e-12, "level " + std::to_string(l));
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

TEST(Form, GalerkinIdentity2D)
{
  galerkin_on_all_meshes<2>();
}
TEST(Form, GalerkinIdentity3D)
{
  galerkin_on_all_meshes<3>();
}
} // namespace
