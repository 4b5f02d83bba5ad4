// Values at points against deal.II's own function, and zeros along boundaries.
#include "base/exceptions.h"
#include "evaluation/point_values.h"
#include "evaluation/samples.h"
#include "fem/support.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>

using namespace test;
using adamant::LevelSpace;

namespace
{
template <int dim>
void compare_points(const FiniteElement<dim> &fe, unsigned int seed)
{
  SCOPED_TRACE(fe.get_name());
  const MappingQ1<dim>    mapping;
  const LevelSpace<dim>   space(random_mesh<dim>(seed), fe, {});
  std::mt19937            random(seed);
  std::vector<Point<dim>> points(20); // the last ones are corners and the centre
  for (auto &point : points)
    for (unsigned int d = 0; d < dim; ++d)
      point[d] = random_number(random);
  points[17] = Point<dim>();
  for (unsigned int d = 0; d < dim; ++d)
    {
      points[18][d] = 1.;
      points[19][d] = 0.5;
    }
  // A function of the space, continuous across hanging nodes.
  Vector<double> u = random_vector(space.n_dofs(), seed);
  space.hanging_nodes.distribute(u);
  const unsigned int n      = fe.n_components();
  const auto         N      = adamant::evaluation_matrix("key", space, mapping, points, n);
  const auto         values = multiply(N, u);
  ASSERT_EQ(values.size(), points.size() * n);
  for (std::size_t p = 0; p < points.size(); ++p)
    {
      Vector<double> expected(n);
      VectorTools::point_value(mapping, space.dof_handler(), u, points[p], expected);
      for (unsigned int c = 0; c < n; ++c)
        EXPECT_NEAR(values[p * n + c], expected[c], 1e-12) << "component " << c << " at " << points[p];
    }
  for (int i = 0; i < N.n_rows; ++i)
    for (auto k = N.row_start[i] + 1; k < N.row_start[i + 1]; ++k)
      ASSERT_LT(N.column[k - 1], N.column[k]) << "columns ascend, row " << i;
}

TEST(Points, AgainstDealii)
{
  for (const auto &fe : elements<2>())
    compare_points<2>(*fe, 5);
  for (const auto &fe : elements<3>())
    compare_points<3>(*fe, 6);
}

TEST(Points, OutsideTheMesh)
{
  const MappingQ1<2>  mapping;
  const LevelSpace<2> space(random_mesh<2>(7), FE_Q<2>(1), {});
  try
    {
      adamant::evaluation_matrix<2>("Section/key", space, mapping, {Point<2>(0.5, 0.5), Point<2>(0.5, 1.25)}, 1);
      FAIL() << "expected InputError";
    }
  catch (const adamant::InputError &error)
    {
      EXPECT_EQ(std::string(error.what()), "Section/key: the point (0.5 1.25) lies outside the mesh");
    }
}

using Points2 = std::vector<std::vector<double>>;

// Faces in any order and direction; at (0.4, 0) they disagree, and at (0, 0) the corner's value is zero.
TEST(Zeros, BetweenAndAtVertices)
{
  const std::vector<double> ends  = {0.4, 0, 1, 0, 0, 0, 0.4, 0, -3, 0.6, 0, 1, 1, 0, 4, 0.6, 0, 1};
  const auto                zeros = adamant::zeros_between(ends);
  ASSERT_EQ(zeros.size(), 1u); // -1 at 0.4 and 1 at 0.6
  EXPECT_NEAR(zeros[0][0], 0.5, 1e-14);
  const std::vector<double> at_vertex = {0, 0, -1, 0.5, 0, 0, 1, 0, 2, 0.5, 0, 0};
  EXPECT_EQ(adamant::zeros_between(at_vertex), (Points2{{0.5, 0}}));
  EXPECT_TRUE(adamant::zeros_between({0, 0, 1, 1, 0, 0}).empty()) << "a boundary's end is no zero";
  EXPECT_TRUE(adamant::zeros_between({}).empty());
}
} // namespace
