// Patches of nodes around vertices, and harmonic interpolation between levels.
#include "fem/forms/patches.h"

#include "fem/forms/form.h"
#include "fem/support.h"
#include "multigrid/harmonic_interpolation.h"
#include "multigrid/linear_solver.h"
#include "operators/device_level.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <map>

using namespace test;
using adamant::CSRMatrix;
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

// Levels of linear elasticity, with another modulus where x > 0.5. A boundary holds one component: rows of its nodes
// have different columns.
template <int dim>
class HarmonicLevels
{
public:
  HarmonicLevels(unsigned int degree, bool hanging_nodes)
    : meshes((make(hanging_nodes), mesh), {})
    , u(meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim), {{1, ComponentMask()}, {2, second_component()}})
    , form(
        "A", u, adamant::unknowns(u), mapping, QGauss<dim>(degree + 1),
        update_gradients | update_JxW_values | update_quadrature_points,
        [this](const adamant::CellContext<dim> &cell, FullMatrix<double> &local) {
          const double factor = cell.cell()->center()[0] > 0.5 ? modulus : 1.;
          for (const unsigned int q : cell.quadrature_point_indices())
            for (const unsigned int i : cell.dof_indices())
              for (const unsigned int j : cell.dof_indices())
                local(i, j) += factor * cell.JxW(q) *
                               ((cell.component(i) == cell.component(j)) * (cell.gradient(i, q) * cell.gradient(j, q)) +
                                5. * cell.gradient(i, q)[cell.component(i)] * cell.gradient(j, q)[cell.component(j)]);
        },
        adamant::Levels::all)
  {
    take_modulus(1.);
  }

  void take_modulus(double value)
  {
    modulus = value;
    form.update();
    levels = adamant::levels_of(u, form);
    adamant::make_harmonic(u, levels);
  }

private:
  static ComponentMask second_component()
  {
    ComponentMask mask(dim, false);
    mask.set(1, true);
    return mask;
  }
  void make(bool hanging_nodes)
  {
    if (dim == 2)
      make_random_mesh(mesh, 3);
    else
      make_corner_mesh(mesh, hanging_nodes ? 2 : 1, hanging_nodes);
  }

  Triangulation<dim> mesh;
  MappingQ1<dim>     mapping;
  double             modulus = 1.;

public:
  const adamant::LevelMeshes<dim> meshes;
  const adamant::Field<dim>       u;
  adamant::Form<dim>              form;
  std::vector<adamant::LevelData> levels;
};

// The nodes of level l all of whose cells are children of one refined cell.
template <int dim>
std::set<int> nodes_inside(const HarmonicLevels<dim> &of, std::size_t l)
{
  const auto                  &space = of.u.space(l);
  const auto                  &mesh  = of.meshes[l];
  std::map<int, std::set<int>> parents;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        const int dof = space.cell_dofs(cell)[i];
        for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
          parents[space.H.column[k] / dim].insert(
            mesh.child[cell] == adamant::LevelMesh<dim>::same_cell ? -1 - cell : mesh.coarse_cell[cell]);
      }
  std::set<int> nodes;
  for (const auto &[node, cells] : parents)
    if (cells.size() == 1 && *cells.begin() >= 0)
      nodes.insert(node);
  return nodes;
}

// P whose rows inside each cell are -A_ii⁻¹ A_ib P_b by deal.II's dense matrices; m unknowns a node.
FullMatrix<double> expected_P(const CSRMatrix<double> &A, const CSRMatrix<double> &P, const Patches &inside, int m)
{
  FullMatrix<double> expected(P.n_rows, P.n_cols);
  for (int row = 0; row < P.n_rows; ++row)
    for (auto k = P.row_start[row]; k < P.row_start[row + 1]; ++k)
      expected(row, P.column[k]) = P.value[k];
  for (int cell = 0; cell < inside.size(); ++cell)
    {
      std::map<int, unsigned int> place;
      for (const int node : nodes_of(inside, cell))
        for (int c = 0; c < m; ++c)
          place.emplace(node * m + c, place.size());
      if (place.empty())
        continue;
      FullMatrix<double> A_ii(place.size(), place.size()), right(place.size(), P.n_cols), rows(place.size(), P.n_cols);
      for (const auto &[row, i] : place)
        for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
          if (const auto j = place.find(A.column[k]); j != place.end())
            A_ii(i, j->second) = A.value[k];
          else
            for (auto e = P.row_start[A.column[k]]; e < P.row_start[A.column[k] + 1]; ++e)
              right(i, P.column[e]) -= A.value[k] * P.value[e];
      A_ii.gauss_jordan();
      A_ii.mmult(rows, right);
      for (const auto &[row, i] : place)
        for (int column = 0; column < P.n_cols; ++column)
          expected(row, column) = rows(i, column);
    }
  return expected;
}

double largest_difference(const CSRMatrix<double> &A, FullMatrix<double> B)
{
  for (int row = 0; row < A.n_rows; ++row)
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      B(row, A.column[k]) -= A.value[k];
  double largest = 0.;
  for (unsigned int row = 0; row < B.m(); ++row)
    for (unsigned int column = 0; column < B.n(); ++column)
      largest = std::max(largest, std::abs(B(row, column)));
  return largest;
}

class Harmonic : public adamant::test::DeviceTest
{
protected:
  // P of a level, from the values that A has now.
  CSRMatrix<double> P_of(adamant::HarmonicInterpolation &interpolation, const adamant::LevelData &level) const
  {
    interpolation.update(adamant::rows_on(device, level)->view());
    device.synchronize();
    CSRMatrix<double> P = level.harmonic->P, R = interpolation.R_pattern;
    P.value              = adamant::to_host(interpolation.P.values);
    R.value              = adamant::to_host(interpolation.R.values);
    const auto transpose = adamant::transpose(P);
    EXPECT_EQ(R.column, transpose.column);
    EXPECT_EQ(R.value, transpose.value);
    return P;
  }

  template <int dim>
  void compare(unsigned int degree, bool hanging_nodes)
  {
    SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
    HarmonicLevels<dim>                                          of(degree, hanging_nodes);
    std::vector<std::unique_ptr<adamant::HarmonicInterpolation>> updated;
    for (std::size_t l = 1; l < of.levels.size(); ++l)
      {
        updated.push_back(std::make_unique<adamant::HarmonicInterpolation>(device, *of.levels[l].harmonic, dim));
        (void)P_of(*updated.back(), of.levels[l]);
      }
    of.take_modulus(3.);
    std::size_t n_inside = 0;
    for (std::size_t l = 1; l < of.levels.size(); ++l)
      {
        const auto                     P      = P_of(*updated[l - 1], of.levels[l]);
        const auto                    &inside = of.levels[l].harmonic->inside;
        adamant::HarmonicInterpolation fresh(device, *of.levels[l].harmonic, dim);
        EXPECT_EQ(P_of(fresh, of.levels[l]).value, P.value) << "an update should give the bits of a fresh one";
        EXPECT_EQ(nodes_inside(of, l), std::set<int>(inside.node.begin(), inside.node.end()));
        EXPECT_LT(largest_difference(P, expected_P(of.levels[l].matrix(), *of.u.prolongation(l), inside, dim)), 1e-12);
        n_inside += inside.node.size();
      }
    EXPECT_GT(n_inside, 25u);
  }
};

TEST_P(Harmonic, InterpolationHasLeastEnergyInsideRefinedCells)
{
  compare<2>(1, true);
  compare<2>(2, true);
  compare<3>(1, true);
  compare<3>(2, false);
}

// A V-cycle that is updated gives the bits of a fresh one, whether or not the values of A change on the device. Both have
// an update, which chooses the smoother's eigenvalues.
TEST_P(Harmonic, UpdatedSolversGiveTheBitsOfFreshOnes)
{
  adamant::LinearSolverOptions options;
  options.multigrid.smoother.type      = "vertex_patches";
  options.multigrid.smoother.chebyshev = true;
  HarmonicLevels<2>    of(2, true);
  const Vector<double> b = random_vector(of.levels.back().n_rows(), 3);
  for (const bool on_device : {false, true})
    {
      std::vector<std::shared_ptr<adamant::CompressedRows>> rows;

      const auto make = [&](const adamant::Device &where) {
        auto levels = of.levels;
        rows.clear();
        for (auto &level : levels)
          if (on_device)
            {
              const auto pattern = std::get<adamant::SharedMatrix>(level.values);
              rows.push_back(std::make_shared<adamant::CompressedRows>(where, *pattern));
              rows.back()->values.upload(pattern->value.data());
              level.values = adamant::ValuesOnDevice{pattern, rows.back()};
            }
        return std::make_unique<adamant::LinearSolver>(where, levels, options);
      };
      const auto updated = [&](const adamant::Device &where, adamant::LinearSolver &solver) {
        solver.update(true);
        const adamant::Vector<double> v(where, adamant::Array<double>(b.begin(), b.end()));
        adamant::Vector<double>       z(where, v.size());
        solver.vmult(v, z);
        return adamant::to_host(z);
      };
      of.take_modulus(1.);
      const auto solver = make(device);
      const auto before = updated(device, *solver);
      of.take_modulus(300.);
      for (std::size_t l = 0; l < rows.size(); ++l)
        rows[l]->values.upload(of.levels[l].matrix().value.data());
      const auto after = updated(device, *solver);
      EXPECT_NE(after, before);
      EXPECT_EQ(after, updated(device, *make(device)));
      const auto threads = adamant::Device::host(3);
      if (place == adamant::test::Place::host)
        {
          EXPECT_EQ(after, updated(threads, *make(threads))) << "on more threads";
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Devices, Harmonic, adamant::test::all_places, adamant::test::place_name);
} // namespace
