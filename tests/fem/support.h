#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/forms/cell_context.h"
#include "fem/functions/points.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

/// What the tests of the deal.II side share.
namespace test
{
using namespace dealii;

inline double random_number(std::mt19937 &random)
{
  return random() / 4294967296.;
}

inline Vector<double> random_vector(unsigned int n, unsigned int seed)
{
  std::mt19937   random(seed);
  Vector<double> x(n);
  for (auto &value : x)
    value = 2. * random_number(random) - 1.;
  return x;
}

/// Refines and coarsens random cells, and always the cell at one random point, so that the levels spread.
template <int dim>
void refine_randomly(Triangulation<dim> &mesh, unsigned int cycles, double share, unsigned int seed)
{
  std::mt19937 random(seed);
  Point<dim>   point;
  for (unsigned int d = 0; d < dim; ++d)
    point[d] = 0.05 + 0.9 * random_number(random);
  for (unsigned int cycle = 0; cycle < cycles; ++cycle)
    {
      auto   nearest  = mesh.begin_active();
      double distance = 1e300;
      for (const auto &cell : mesh.active_cell_iterators())
        {
          const double r = random_number(random);
          if (r < share)
            cell->set_refine_flag();
          else if (r > 0.7 && cell->level() > 0)
            cell->set_coarsen_flag();
          if (const double d = cell->center().distance(point); d < distance)
            {
              distance = d;
              nearest  = cell;
            }
        }
      nearest->clear_coarsen_flag();
      nearest->set_refine_flag();
      mesh.execute_coarsening_and_refinement();
    }
}

/// The unit square or cube, randomly refined. Hanging nodes stand between at least five levels of cells.
template <int dim>
void make_random_mesh(Triangulation<dim> &mesh, unsigned int seed)
{
  GridGenerator::hyper_cube(mesh, 0., 1., true); // boundary ids 0, ..., 2 dim - 1
  mesh.refine_global(dim == 2 ? 2 : 1);
  refine_randomly(mesh, dim == 2 ? 6 : 5, dim == 2 ? 0.15 : 0.05, seed);
  std::set<int> hanging;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (!cell->at_boundary(f) && cell->neighbor_is_coarser(f))
        hanging.insert(cell->level());
  ASSERT_GE(hanging.size(), 4u) << "the random mesh should have hanging nodes at four levels, seed " << seed;
}

/// The unit square or cube in equal cells, with boundary ids; with `hanging`, cells at x, y = 1 are refined once more.
template <int dim>
void make_corner_mesh(Triangulation<dim> &mesh, unsigned int refinements, bool hanging)
{
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(refinements);
  if (!hanging)
    return;
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->center()[0] > 0.5 && cell->center()[1] > 0.3)
      cell->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
}

/// Point number i of n, with coordinate d in coordinates[d n + i].
template <int dim>
Point<dim> point_of(const adamant::Array<double> &coordinates, std::size_t i)
{
  Point<dim> x;
  for (int d = 0; d < dim; ++d)
    x[d] = coordinates[d * (coordinates.size() / dim) + i];
  return x;
}

/// The values f(x, component) at the nodes of a space, continuous at hanging nodes.
template <int dim, class F>
adamant::Array<double> values_at_nodes(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping, const F &f)
{
  const auto     points = adamant::support_points(space, mapping);
  Vector<double> values(space.n_owned());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        const int dof = space.cell_dofs(cell)[i];
        values[dof]   = f(point_of<dim>(points, dof), space.element().system_to_component_index(i).first);
      }
  space.hanging_nodes.distribute(values);
  return {values.begin(), values.end()};
}

/// A box of two coarse cells that is periodic in x and in the last direction, refined at random.
template <int dim>
void make_periodic_mesh(Triangulation<dim> &mesh, unsigned int seed)
{
  std::vector<unsigned int> cells(dim, 1);
  cells[1] = 2;
  Point<dim> far;
  for (int d = 0; d < dim; ++d)
    far[d] = 1.;
  GridGenerator::subdivided_hyper_rectangle(mesh, cells, Point<dim>(), far, true);
  std::vector<GridTools::PeriodicFacePair<typename Triangulation<dim>::cell_iterator>> pairs;
  GridTools::collect_periodic_faces(mesh, 0, 1, 0, pairs);
  GridTools::collect_periodic_faces(mesh, 2 * dim - 2, 2 * dim - 1, dim - 1, pairs);
  mesh.add_periodicity(pairs);
  mesh.refine_global(1);
  refine_randomly(mesh, dim == 2 ? 4 : 2, 0.15, seed);
}

template <int dim>
std::vector<std::unique_ptr<FiniteElement<dim>>> elements()
{
  std::vector<std::unique_ptr<FiniteElement<dim>>> list;
  list.push_back(std::make_unique<FE_Q<dim>>(1));
  list.push_back(std::make_unique<FE_Q<dim>>(2));
  list.push_back(std::make_unique<FESystem<dim>>(FE_Q<dim>(1), dim));
  return list;
}

/// Inhomogeneous and different in each component.
template <int dim>
class SmoothFunction : public Function<dim>
{
public:
  explicit SmoothFunction(unsigned int n_components = 1)
    : Function<dim>(n_components)
  {}
  double value(const Point<dim> &p, unsigned int component = 0) const override
  {
    return std::sin(2. * p[0] + component) + p[1] * p[dim - 1] - 0.3 * component;
  }
};

/// The values g of a function at the prescribed DoFs of a scalar space.
template <int dim>
Vector<double> prescribed_values_of(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping,
                                    const Function<dim> &function)
{
  const auto     points = adamant::support_points(space, mapping, space.prescribed);
  Vector<double> g(space.prescribed.size());
  for (unsigned int k = 0; k < g.size(); ++k)
    {
      Point<dim> p;
      for (unsigned int d = 0; d < dim; ++d)
        p[d] = points[d * g.size() + k];
      g[k] = function.value(p);
    }
  return g;
}

/// A mesh of make_random_mesh to be shared.
template <int dim>
std::shared_ptr<Triangulation<dim>> random_mesh(unsigned int seed)
{
  auto mesh = std::make_shared<Triangulation<dim>>();
  make_random_mesh(*mesh, seed);
  return mesh;
}

/// deal.II's constraints for the same space: hanging nodes, then Dirichlet values.
template <int dim>
AffineConstraints<double> dealii_constraints(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping,
                                             const adamant::DirichletBoundary &dirichlet, const Function<dim> &values)
{
  AffineConstraints<double> constraints;
  DoFTools::make_hanging_node_constraints(space.dof_handler(), constraints);
  for (const auto &[id, mask] : dirichlet)
    VectorTools::interpolate_boundary_values(mapping, space.dof_handler(), id, values, constraints, mask);
  constraints.close();
  return constraints;
}

/// deal.II's FEValues as a kernel reads a CellContext, so that tests write an integrand once.
template <int dim>
struct DealiiCell
{
  using Cell = typename DoFHandler<dim>::active_cell_iterator;

  const Cell           &cell() const { return dealii_cell; }
  auto                  quadrature_point_indices() const { return fe_values.quadrature_point_indices(); }
  auto                  dof_indices() const { return fe_values.dof_indices(); }
  double                value(unsigned int i, unsigned int q) const { return fe_values.shape_value(i, q); }
  const Tensor<1, dim> &gradient(unsigned int i, unsigned int q) const { return fe_values.shape_grad(i, q); }
  unsigned int component(unsigned int i) const { return fe_values.get_fe().system_to_component_index(i).first; }
  double       JxW(unsigned int q) const { return fe_values.JxW(q); }

  const Cell          &dealii_cell;
  const FEValues<dim> &fe_values;
};

/// (∇φ_j, ∇φ_i), as a kernel.
template <int dim, typename Cell = adamant::CellContext<dim>>
void laplace(const Cell &cell, FullMatrix<double> &local)
{
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
}

/// y = A x.
inline Vector<double> multiply(const adamant::CSRMatrix<double> &A, const Vector<double> &x)
{
  Vector<double> y(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      y[i] += A.value[k] * x[A.column[k]];
  return y;
}

/// Largest difference over the largest entry of `expected`.
inline double relative_difference(const Vector<double> &found, const Vector<double> &expected)
{
  Vector<double> difference(found);
  difference -= expected;
  return difference.linfty_norm() / std::max(expected.linfty_norm(), 1e-300);
}

inline void expect_close(const Vector<double> &found, const Vector<double> &expected, double tolerance,
                         const std::string &what)
{
  ASSERT_EQ(found.size(), expected.size()) << what;
  EXPECT_GT(expected.linfty_norm(), 0.) << what << ": the reference is zero, which tests nothing";
  EXPECT_LE(relative_difference(found, expected), tolerance) << what;
}
} // namespace test
