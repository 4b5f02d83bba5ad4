// Constraint matrices H, B against AffineConstraints; prolongation against deal.II's matrix-free global coarsening.
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "fem/support.h"

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/multigrid/mg_transfer_global_coarsening.h>

using namespace test;
using adamant::DirichletBoundary;
using adamant::LevelSpace;

namespace
{
// All of boundary 0; of boundary 3 the last component only.
template <int dim>
DirichletBoundary partly_prescribed(const FiniteElement<dim> &fe)
{
  ComponentMask last(fe.n_components(), false);
  last.set(fe.n_components() - 1, true);
  return {{0, ComponentMask()}, {3, last}};
}

template <int dim>
void compare_constraints(const FiniteElement<dim> &fe, unsigned int seed)
{
  SCOPED_TRACE(fe.get_name() + ", seed " + std::to_string(seed));
  const MappingQ1<dim>      mapping;
  const auto                dirichlet = partly_prescribed(fe);
  const LevelSpace<dim>     space(random_mesh<dim>(seed), fe, dirichlet);
  const SmoothFunction<dim> values(fe.n_components());
  const auto                homogeneous =
    dealii_constraints(space, mapping, dirichlet, Functions::ZeroFunction<dim>(fe.n_components()));
  const auto inhomogeneous = dealii_constraints(space, mapping, dirichlet, values);

  const Vector<double> x      = random_vector(space.n_dofs(), seed);
  unsigned int         n_free = 0;
  for (int i = 0; i < space.n_dofs(); ++i)
    {
      ASSERT_EQ(space.is_free(i), !homogeneous.is_constrained(i)) << "DoF " << i;
      n_free += space.is_free(i);
    }
  EXPECT_LT(n_free, space.n_dofs() - space.prescribed.size()) << "there should be hanging nodes";

  Vector<double> expected(x);
  homogeneous.distribute(expected);
  expect_close(multiply(space.H, x), expected, 1e-14, "H x");

  // Prescribed values where the space says its prescribed DoFs lie.
  const auto                           points = adamant::support_points(space, mapping, space.prescribed);
  const int                            n      = space.B.n_cols;
  Vector<double>                       g(n);
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  std::vector<unsigned int>            component(space.n_dofs());
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      cell->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        component[indices[i]] = fe.system_to_component_index(i).first;
    }
  ASSERT_GT(n, 0);
  for (int k = 0; k < n; ++k)
    {
      Point<dim> p;
      for (unsigned int d = 0; d < dim; ++d)
        p[d] = points[d * n + k];
      g[k] = values.value(p, component[space.prescribed[k]]);
    }
  expected = x;
  inhomogeneous.distribute(expected);
  Vector<double> u = multiply(space.H, x);
  u += multiply(space.B, g);
  expect_close(u, expected, 1e-13, "H x + B g");

  for (const types::boundary_id id : {0, 1, 3})
    {
      const auto found  = space.on_boundary(id);
      const auto wanted = DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {id});
      EXPECT_GT(wanted.n_elements(), 0u);
      for (int i = 0; i < space.n_dofs(); ++i)
        ASSERT_EQ(found[i], wanted.is_element(i) ? 1 : 0) << "DoF " << i << ", boundary " << id;
    }

  Vector<double> again(x);
  space.hanging_nodes.distribute(again);
  AffineConstraints<double> hanging;
  DoFTools::make_hanging_node_constraints(space.dof_handler(), hanging);
  hanging.close();
  expected = x;
  hanging.distribute(expected);
  expect_close(again, expected, 1e-14, "the hanging nodes' own constraints");
}

// The space gives the numbers of its DoFHandler, which shares DoFs between cells in its own way. The constraints at
// hanging nodes are deal.II's.
template <int dim>
void compare_numbers(const std::shared_ptr<const Triangulation<dim>> &mesh, const FiniteElement<dim> &fe)
{
  SCOPED_TRACE(fe.get_name());
  const LevelSpace<dim>                space(mesh, fe, {});
  const auto                          &dofs = space.dof_handler();
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  ASSERT_EQ(static_cast<int>(dofs.n_dofs()), space.n_dofs());
  for (const auto &cell : dofs.active_cell_iterators())
    {
      cell->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        ASSERT_EQ(static_cast<int>(indices[i]), space.cell_dofs(space.cell_number(cell))[i])
          << "DoF " << i << " of cell " << cell->id();
    }
  AffineConstraints<double> hanging;
  DoFTools::make_hanging_node_constraints(dofs, hanging);
  hanging.close();
  EXPECT_GT(hanging.n_constraints(), 0u) << "there should be hanging nodes";
  EXPECT_EQ(space.hanging_nodes.n_constraints(), hanging.n_constraints());
  const Vector<double> x = random_vector(space.n_dofs(), 3);
  Vector<double>       found(x), expected(x);
  space.hanging_nodes.distribute(found);
  hanging.distribute(expected);
  expect_close(found, expected, 1e-14, "values at hanging nodes");
}

// Two cubes of which one is turned or mirrored in all ways, and a ball.
std::vector<std::shared_ptr<const Triangulation<3>>> meshes_of_any_orientation()
{
  std::vector<std::shared_ptr<const Triangulation<3>>> meshes;
  for (unsigned int ways = 0; ways < 16; ++ways)
    {
      auto mesh = std::make_shared<Triangulation<3>>();
      GridGenerator::non_standard_orientation_mesh(*mesh, (ways & 1) != 0, (ways & 2) != 0, (ways & 4) != 0, true);
      mesh->refine_global(1);
      for (const auto &cell : mesh->active_cell_iterators())
        if ((cell->center()[0] < 0.5) == ((ways & 8) != 0))
          cell->set_refine_flag();
      mesh->execute_coarsening_and_refinement();
      meshes.push_back(mesh);
    }
  auto ball = std::make_shared<Triangulation<3>>();
  GridGenerator::hyper_ball(*ball);
  refine_randomly(*ball, 4, 0.1, 7);
  meshes.push_back(ball);
  return meshes;
}

// P of all levels at once against MGTwoLevelTransfer, and R = Pᵀ entry by entry.
template <int dim>
void compare_transfer(const FiniteElement<dim> &fe, unsigned int seed)
{
  SCOPED_TRACE(fe.get_name() + ", seed " + std::to_string(seed));
  using DistributedVector = LinearAlgebra::distributed::Vector<double>;
  Triangulation<dim> mesh;
  make_random_mesh(mesh, seed);
  const auto                         dirichlet = partly_prescribed(fe);
  const adamant::LevelMeshes<dim>    meshes(mesh, {1});
  const adamant::Field<dim>          field(meshes, "u", fe, dirichlet);
  const MappingQ1<dim>               mapping;
  const Functions::ZeroFunction<dim> zero(fe.n_components());
  ASSERT_GE(field.n_levels(), 5u);
  for (std::size_t l = 1; l < field.n_levels(); ++l)
    {
      const auto &fine = field.space(l), &coarse = field.space(l - 1);
      const auto &P = *field.prolongation(l), &R = *field.restriction(l);
      ASSERT_EQ(P.n_rows, fine.n_dofs());
      ASSERT_EQ(P.n_cols, coarse.n_dofs());

      MGTwoLevelTransfer<dim, DistributedVector> transfer;
      transfer.reinit(fine.dof_handler(), coarse.dof_handler(), dealii_constraints(fine, mapping, dirichlet, zero),
                      dealii_constraints(coarse, mapping, dirichlet, zero));
      DistributedVector    from(P.n_cols), to(P.n_rows);
      const Vector<double> x = random_vector(P.n_cols, seed);
      std::copy(x.begin(), x.end(), from.begin());
      transfer.prolongate_and_add(to, from);
      Vector<double> expected(P.n_rows);
      std::copy(to.begin(), to.end(), expected.begin());
      if (expected.linfty_norm() > 0.) // on the coarsest levels every DoF may be prescribed
        expect_close(multiply(P, x), expected, 1e-12, "P x to level " + std::to_string(l));

      ASSERT_EQ(R.n_rows, P.n_cols);
      ASSERT_EQ(R.n_cols, P.n_rows);
      ASSERT_EQ(R.n_nonzeros(), P.n_nonzeros());
      for (int i = 0; i < R.n_rows; ++i)
        for (auto k = R.row_start[i]; k < R.row_start[i + 1]; ++k)
          {
            ASSERT_TRUE(k == R.row_start[i] || R.column[k - 1] < R.column[k]) << "columns of R ascend";
            ASSERT_EQ(R.value[k], adamant::entry(P, R.column[k], i));
          }
    }
}

template <int dim>
void for_all_elements(void (*test)(const FiniteElement<dim> &, unsigned int))
{
  unsigned int seed = 10;
  for (const auto &fe : elements<dim>())
    test(*fe, ++seed);
}

// On all levels any function of the space has equal values at two points that are one, and constants come to finer
// levels as they are.
template <int dim>
void expect_periodic(unsigned int degree, unsigned int seed)
{
  SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree) + ", seed " + std::to_string(seed));
  Triangulation<dim> mesh;
  make_periodic_mesh(mesh, seed);
  const MappingQ1<dim>            mapping;
  const adamant::LevelMeshes<dim> meshes(mesh, {1});
  const FE_Q<dim>                 fe(degree);
  const adamant::Field<dim>       field(meshes, "u", fe);
  EXPECT_EQ(meshes[0].cells->size(), 2u);
  std::mt19937 random(seed);
  for (std::size_t level = 0; level < field.n_levels(); ++level)
    {
      const auto          &space = field.space(level);
      const Vector<double> u     = multiply(space.H, random_vector(space.n_dofs(), seed));
      for (int k = 0; k < 10; ++k)
        for (const int d : {0, dim - 1})
          {
            Point<dim> here;
            for (int c = 0; c < dim; ++c)
              here[c] = random_number(random);
            here[d]    = 0.;
            auto there = here;
            there[d]   = 1.;
            EXPECT_NEAR(VectorTools::point_value(mapping, space.dof_handler(), u, here),
                        VectorTools::point_value(mapping, space.dof_handler(), u, there), 1e-12)
              << "level " << level << " at (" << here << ")";
          }
      if (level == 0)
        continue;
      Vector<double> ones(field.space(level - 1).n_dofs());
      ones                         = 1.;
      const Vector<double> at_fine = multiply(space.H, multiply(*field.prolongation(level), ones));
      for (const double value : at_fine)
        ASSERT_NEAR(value, 1., 1e-13) << "level " << level;
    }
}

template <int dim>
double flux_through(const LevelSpace<dim> &space, const Vector<double> &u, types::boundary_id id)
{
  const MappingQ1<dim>        mapping;
  FEFaceValues<dim>           at_face(mapping, space.element(), QGauss<dim - 1>(space.element().degree + 1),
                                      update_values | update_normal_vectors | update_JxW_values);
  std::vector<Tensor<1, dim>> values(at_face.n_quadrature_points);
  double                      flux = 0.;
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f) && cell->face(f)->boundary_id() == id)
        {
          at_face.reinit(cell, f);
          at_face[FEValuesExtractors::Vector(0)].get_function_values(u, values);
          for (const unsigned int q : at_face.quadrature_point_indices())
            flux += values[q] * at_face.normal_vector(q) * at_face.JxW(q);
        }
  return flux;
}

// A part of a shell with hanging nodes: nothing flows through its outer side (1) and a straight one (2), though they
// meet in an edge and the normals of faces differ.
template <int dim>
void expect_impermeable(unsigned int degree)
{
  SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
  auto mesh = std::make_shared<Triangulation<dim>>();
  GridGenerator::quarter_hyper_shell(*mesh, Point<dim>(), 0.5, 1., 0, true);
  mesh->refine_global(dim == 2 ? 2 : 1);
  refine_randomly(*mesh, 2, 0.2, 3);
  const FESystem<dim> fe(FE_Q<dim>(degree), dim);
  DirichletBoundary   dirichlet = {{0, ComponentMask()}};
  dirichlet.normal              = {1, 2};
  const LevelSpace<dim> space(mesh, fe, dirichlet);
  const Vector<double>  u = multiply(space.H, random_vector(space.n_dofs(), 7));
  for (const types::boundary_id id : {1, 2})
    EXPECT_NEAR(flux_through(space, u, id), 0., 1e-14) << "boundary " << id;
  EXPECT_GT(std::abs(flux_through(space, u, 3)), 1e-6) << "this side lets through";
  // Of a node's components one follows from the others, two at an edge.
  const auto on_side = space.on_boundary(1);
  int        n_free = 0, n_slip = 0;
  for (int node = 0; node < space.n_dofs() / dim; ++node)
    if (on_side[dim * node] != 0)
      {
        ++n_slip;
        for (int d = 0; d < dim; ++d)
          n_free += space.is_free(dim * node + d);
      }
  EXPECT_GT(n_slip, 4);
  EXPECT_GT(n_free, n_slip / 3 * (dim - 1));
  EXPECT_LE(n_free, n_slip * (dim - 1));
}

TEST(LevelSpace, PeriodicFaces)
{
  for (const unsigned int seed : {1, 2, 3})
    for (const unsigned int degree : {1, 2})
      {
        expect_periodic<2>(degree, seed);
        expect_periodic<3>(degree, seed);
      }
}
TEST(LevelSpace, NothingFlowsThroughSidesOfAnyDirection)
{
  for (const unsigned int degree : {1, 2})
    {
      expect_impermeable<2>(degree);
      expect_impermeable<3>(degree);
    }
}
TEST(LevelSpace, ConstraintMatrices2D)
{
  for_all_elements<2>(compare_constraints<2>);
}
TEST(LevelSpace, ConstraintMatrices3D)
{
  for_all_elements<3>(compare_constraints<3>);
}
TEST(LevelSpace, NumbersAndHangingNodesOfAnyOrientation2D)
{
  auto disk = std::make_shared<Triangulation<2>>();
  GridGenerator::hyper_ball(*disk);
  refine_randomly(*disk, 5, 0.15, 5);
  for (const auto &fe : elements<2>())
    compare_numbers<2>(disk, *fe);
  compare_numbers<2>(disk, FESystem<2>(FE_Q<2>(2), 2, FE_Q<2>(1), 1));
  compare_numbers<2>(disk, FE_Q<2>(3)); // two DoFs on a line: by deal.II's DoFHandler
}
TEST(LevelSpace, NumbersAndHangingNodesOfAnyOrientation3D)
{
  for (const auto &mesh : meshes_of_any_orientation())
    {
      for (const auto &fe : elements<3>())
        compare_numbers<3>(mesh, *fe);
      compare_numbers<3>(mesh, FESystem<3>(FE_Q<3>(2), 3, FE_Q<3>(1), 1));
    }
}
TEST(Transfer, AgainstDealII2D)
{
  for_all_elements<2>(compare_transfer<2>);
}
TEST(Transfer, AgainstDealII3D)
{
  for_all_elements<3>(compare_transfer<3>);
}
} // namespace
