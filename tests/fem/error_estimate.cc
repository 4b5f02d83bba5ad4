// Kelly's estimate against deal.II's own.
#include "fem/functions/error_estimate.h"

#include "fem/meshes/mesh.h"
#include "fem/spaces/level_space.h"
#include "fem/support.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/numerics/error_estimator.h>

#include <cmath>
#include <limits>
#include <omp.h>

using namespace test;

namespace
{
template <int dim>
void compare(const Triangulation<dim> &mesh, const FiniteElement<dim> &fe, const Mapping<dim> &mapping,
             const ComponentMask &components, const std::string &what, double tolerance = 2e-7)
{
  const adamant::LevelSpace<dim> space({&mesh, [](const auto *) {}}, fe, {});
  const auto                     random = random_vector(space.n_owned(), 5);
  Vector<float>                  expected(mesh.n_active_cells());
  KellyErrorEstimator<dim>::estimate(mapping, space.dof_handler(), QGauss<dim - 1>(fe.degree + 1), {},
                                     adamant::nodal_vector(space, random.begin()), expected, components);
  const int threads_before = omp_get_max_threads();
  for (const int threads : {1, 3})
    {
      omp_set_num_threads(threads);
      const auto found = adamant::estimate_errors(space, mapping, random.begin(), components);
      ASSERT_EQ(found.size(), expected.size());
      ASSERT_GT(expected.linfty_norm(), 0.);
      for (unsigned int cell = 0; cell < found.size(); ++cell)
        ASSERT_NEAR(found[cell], expected[cell], tolerance * expected[cell])
          << what << ", " << fe.get_name() << ", cell " << cell << ", " << threads << " threads";
    }
  omp_set_num_threads(threads_before);
}

template <int dim>
void compare_on_adaptive_meshes()
{
  for (const bool distributed : {false, true})
    {
      const auto mesh = adamant::create_mesh<dim>(adamant::Communicator(), distributed);
      GridGenerator::hyper_cube(*mesh);
      adamant::refine_global(*mesh, 2);
      if (!distributed)
        refine_randomly(*mesh, dim == 2 ? 5 : 3, 0.1, 7);
      for (const auto &fe : elements<dim>())
        compare(*mesh, *fe, MappingQ1<dim>(), {}, distributed ? "p4est" : "serial");
    }
}
} // namespace

TEST(ErrorEstimate, IsThatOfDealII2D)
{
  compare_on_adaptive_meshes<2>();
}
TEST(ErrorEstimate, IsThatOfDealII3D)
{
  compare_on_adaptive_meshes<3>();
}

// No two cells of one shape, and in 3D faces in all orientations. Where the two sides of a hanging face have different
// normals, deal.II takes that of the other cell for each cell's gradient.
TEST(ErrorEstimate, OnCurvedMeshes)
{
  Triangulation<2> disk;
  GridGenerator::hyper_ball(disk);
  disk.refine_global(2);
  refine_randomly(disk, 3, 0.1, 30);
  compare(disk, FE_Q<2>(2), MappingQ<2>(2), {}, "disk");
  compare(disk, FE_Q<2>(1), MappingQ1<2>(), {}, "disk of straight cells");
  Triangulation<3> shell;
  GridGenerator::hyper_shell(shell, Point<3>(), 0.5, 1., 12);
  shell.refine_global(1);
  compare(shell, FE_Q<3>(1), MappingQ<3>(2), {}, "shell");
  refine_randomly(shell, 1, 0.1, 31);
  compare(shell, FE_Q<3>(1), MappingQ<3>(2), {}, "shell with hanging nodes", 2e-3);
}

TEST(ErrorEstimate, OfSomeComponents)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 8);
  const FESystem<2> fe(FE_Q<2>(1), 3);
  compare(mesh, fe, MappingQ1<2>(), ComponentMask({true, false, true}), "two of three");
}

// Of f = h: in a rectangle, in one that is turned, and in a box; on a mesh of several shapes.
TEST(GradientIndicators, HaveTheLongestEdge)
{
  const auto expect = [](const auto &mesh, const auto &fe, const auto &mapping, const std::vector<double> &edges) {
    constexpr int                  dim = std::decay_t<decltype(mesh)>::dimension;
    const adamant::LevelSpace<dim> space({&mesh, [](const auto *) {}}, fe, {});
    const Vector<double>           u(space.n_owned());
    const auto                     h =
      adamant::gradient_indicators<dim>(space, mapping, u.begin(), [](const Point<dim> &, double h) { return h; });
    ASSERT_EQ(h.size(), edges.size());
    for (unsigned int cell = 0; cell < h.size(); ++cell)
      EXPECT_NEAR(h[cell], edges[cell], 1e-6 * edges[cell]) << "cell " << cell;
  };
  Triangulation<2> rectangles;
  GridGenerator::subdivided_hyper_rectangle(rectangles, {{1., 1.25, 0.1}, {0.2}}, Point<2>(), Point<2>(2.35, 0.2));
  expect(rectangles, FE_Q<2>(1), MappingQ1<2>(), {1., 1.25, 0.2});
  GridTools::rotate(0.7, rectangles);
  expect(rectangles, FE_Q<2>(2), MappingQ1<2>(), {1., 1.25, 0.2});
  Triangulation<3> box;
  GridGenerator::hyper_rectangle(box, Point<3>(), Point<3>(0.5, 2., 0.1));
  expect(box, FE_Q<3>(1), MappingQ1<3>(), {2.});
}

TEST(GradientIndicators, AreInfiniteWhereTheFunctionIsNoNumber)
{
  Triangulation<2> mesh;
  GridGenerator::subdivided_hyper_rectangle(mesh, {{1., 0.5}, {0.2}}, Point<2>(), Point<2>(1.5, 0.2));
  const adamant::LevelSpace<2> space({&mesh, [](const auto *) {}}, FE_Q<2>(1), {});
  const Vector<double>         u(space.n_owned());
  const auto                   values = adamant::gradient_indicators<2>(
    space, MappingQ1<2>(), u.begin(), [](const Point<2> &, double h) { return h > 0.7 ? std::nan("") : h; });
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_FLOAT_EQ(values[1], 0.5);
}
