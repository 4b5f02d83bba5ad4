// Patches of nodes around vertices, and harmonic interpolation between levels.
#include "fem/forms/patches.h"

#include "fem/forms/form.h"
#include "fem/support.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <map>

using namespace test;
using adamant::Patches;

namespace
{
std::set<int> nodes_of(const Patches &patches, int k)
{
  return {patches.node.begin() + patches.start[k], patches.node.begin() + patches.start[k + 1]};
}

// On 4 x 4 or 4 x 4 x 4 cells without Dirichlet boundaries a patch around each of the inner vertices: with 3 nodes a
// direction, and one more where the cells touch the boundary.
template <int dim>
void compare_uniform()
{
  auto mesh = std::make_shared<Triangulation<dim>>();
  GridGenerator::subdivided_hyper_cube(*mesh, 4);
  const adamant::LevelSpace<dim> space(mesh, FESystem<dim>(FE_Q<dim>(2), dim), {});
  const auto                     patches = adamant::make_patches(space, adamant::PatchKind::vertices);
  ASSERT_EQ(patches.size(), std::pow(3, dim));
  std::map<std::size_t, int> sizes;
  for (int k = 0; k < patches.size(); ++k)
    ++sizes[nodes_of(patches, k).size()];
  EXPECT_EQ(sizes[std::size_t(std::pow(3, dim))], 1) << "in the middle";
  EXPECT_EQ(sizes[std::size_t(std::pow(4, dim))], std::pow(2, dim)) << "at corners";
}

// On a random mesh with prescribed boundaries, from the cells that each free node acts on.
template <int dim>
void compare_random(unsigned int degree)
{
  SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
  auto mesh = std::make_shared<Triangulation<dim>>();
  make_random_mesh(*mesh, 3);
  const adamant::LevelSpace<dim> space(mesh, FESystem<dim>(FE_Q<dim>(degree), dim), {{0, ComponentMask()}});
  std::map<int, std::set<int>>   cells;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        const int dof = space.cell_dofs(cell)[i];
        for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
          cells[space.H.column[k] / dim].insert(cell);
      }
  const auto inside = [&](int a, int b) {
    return std::includes(cells[b].begin(), cells[b].end(), cells[a].begin(), cells[a].end());
  };
  const auto    patches = adamant::make_patches(space, adamant::PatchKind::vertices);
  std::set<int> covered;
  for (int k = 0; k < patches.size(); ++k)
    {
      const auto nodes = nodes_of(patches, k);
      covered.insert(nodes.begin(), nodes.end());
      // One of them is the vertex: the patch has exactly the nodes whose cells are its own.
      const bool found = std::any_of(nodes.begin(), nodes.end(), [&](int vertex) {
        return std::all_of(cells.begin(), cells.end(), [&](const auto &entry) {
          return inside(entry.first, vertex) == (nodes.count(entry.first) > 0);
        });
      });
      EXPECT_TRUE(found) << "patch " << k;
    }
  EXPECT_EQ(covered.size(), cells.size()) << "each free node should have a patch";
  EXPECT_LT(patches.size(), degree == 1 ? space.n_dofs() : space.n_dofs() / (dim * dim)) << "vertices only";
}

TEST(Patches, AroundVertices)
{
  compare_uniform<2>();
  compare_uniform<3>();
  for (const unsigned int degree : {1, 2})
    compare_random<2>(degree);
  compare_random<3>(1);
}

// Inside refined cells the values have no residual; elsewhere they are as they were.
template <int dim>
void compare_harmonic(unsigned int degree)
{
  SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
  Triangulation<dim> mesh;
  make_random_mesh(mesh, 5);
  const MappingQ1<dim>            mapping;
  const adamant::LevelMeshes<dim> meshes(mesh, {});
  const adamant::Field<dim>       u(meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim), {{1, ComponentMask()}});
  adamant::Form<dim>              A(
                 "A", u, adamant::unknowns(u), mapping, QGauss<dim>(degree + 1), update_gradients | update_JxW_values,
                 [](const adamant::CellContext<dim> &cell, FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += ((cell.component(i) == cell.component(j)) * (cell.gradient(i, q) * cell.gradient(j, q)) +
                            5. * cell.gradient(i, q)[cell.component(i)] * cell.gradient(j, q)[cell.component(j)]) *
                           cell.JxW(q);
    },
    adamant::Levels::all);
  A.update();
  auto levels = adamant::levels_of(u, A);
  adamant::make_harmonic(u, levels);
  std::size_t n_inside = 0;
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const Vector<double> x      = random_vector(levels[l].prolongation->n_cols, 7);
      const Vector<double> before = multiply(*u.prolongation(l), x), after = multiply(*levels[l].prolongation, x),
                           residual = multiply(levels[l].matrix(), after);
      // A node is inside a refined cell if all cells that it acts on are children of that cell.
      const auto                  &space     = u.space(l);
      const auto                  &fine_mesh = meshes[l];
      std::map<int, std::set<int>> parents;
      for (int cell = 0; cell < space.n_cells(); ++cell)
        for (int i = 0; i < space.dofs_per_cell(); ++i)
          {
            const int dof = space.cell_dofs(cell)[i];
            for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
              parents[space.H.column[k] / dim].insert(
                fine_mesh.child[cell] == adamant::LevelMesh<dim>::same_cell ? -1 - cell : fine_mesh.coarse_cell[cell]);
          }
      for (const auto &[node, cells] : parents)
        for (int c = 0; c < dim; ++c)
          if (cells.size() == 1 && *cells.begin() >= 0)
            {
              EXPECT_NEAR(residual[node * dim + c], 0., 1e-10);
              ++n_inside;
            }
          else
            EXPECT_EQ(before[node * dim + c], after[node * dim + c]) << "node " << node << " of level " << l;
      const Vector<double> y = random_vector(after.size(), 8);
      EXPECT_NEAR(y * after, multiply(*levels[l].restriction, y) * x, 1e-12 * after.size()) << "R should be Pᵀ";
    }
  EXPECT_GT(n_inside, 50u);
}

TEST(Patches, HarmonicInterpolation)
{
  compare_harmonic<2>(1);
  compare_harmonic<2>(2);
  compare_harmonic<3>(1);
}
} // namespace
