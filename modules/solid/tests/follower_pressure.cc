// Pressures that follow the faces of a deformed body: their resultants, and their part of the tangent.
#include "body.h"

#include "solid/pressed_faces.h"

#include <map>
#include <utility>
#include <vector>

using namespace test;
using adamant::test::DeviceTest;

namespace
{
// The part of the shell 1 <= |x| <= 2 where no coordinate is negative, with symmetry at its plane sides. Side 0 is
// inside, where a pressure acts.
template <int dim>
struct Shell : Body<dim>
{
  Shell(const adamant::Device &device, const SolidEnergy &energy, unsigned int degree, unsigned int refinements)
    : Body<dim>(device, std::make_unique<MappingQ<dim>>(degree))
  {
    GridGenerator::quarter_hyper_shell(this->mesh, Point<dim>(), 1., 2., dim == 2 ? 1 : 3);
    for (const auto &face : this->mesh.active_face_iterators())
      if (face->at_boundary())
        {
          const auto middle = face->center();
          face->set_boundary_id(middle.norm() < 1. ? 0 : 1);
          for (unsigned int d = 0; d < dim; ++d)
            if (std::abs(middle[d]) < 1e-10)
              face->set_boundary_id(2 + d);
        }
    this->mesh.refine_global(refinements);
    adamant::DirichletBoundary dirichlet;
    for (unsigned int d = 0; d < dim; ++d)
      {
        dirichlet[2 + d] = ComponentMask(dim, false);
        dirichlet[2 + d].set(d, true);
      }
    this->setup({energy}, degree, dirichlet, true, {0}, 1000); // systems are solved exactly
  }

  // Finds equilibrium under the pressure p; returns the displacement of the point (1, 0, ...) along x.
  double inflate(double p)
  {
    this->deformation->set_pressures({p});
    equilibrate(*this, adamant::Precision::float64);
    const auto u = to_host(this->state.part(0, this->field->size()));
    const auto X = adamant::support_points(this->field->space(), this->mapping,
                                           adamant::numbers_below(this->field->space().n_dofs()));
    const auto n = X.size() / dim;
    for (std::size_t i = 0; i < n; ++i)
      if (std::abs(X[i] - 1.) < 1e-10)
        {
          double others = 0.;
          for (unsigned int d = 1; d < dim; ++d)
            others += std::abs(X[d * n + i]);
          if (others < 1e-10 && std::abs(u[i]) > 1e-3) // the component x
            return u[i];
        }
    return 0.;
  }
};

class FollowerPressure : public DeviceTest
{
protected:
  // The sum of all nodal forces, in which stresses cancel.
  template <int dim>
  static Tensor<1, dim> resultant(Body<dim> &body)
  {
    body.deformation->residual(body.state, 0., body.load, body.r);
    const auto    &space  = body.field->space();
    const auto     forces = to_host(body.deformation->forces_of_cells());
    Tensor<1, dim> sum;
    for (std::size_t i = 0; i < forces.size(); ++i)
      sum[space.element().system_to_component_index(i % space.dofs_per_cell()).first] += forces[i];
    return sum;
  }

  template <int dim>
  void check_resultants(unsigned int degree) const
  {
    std::vector<unsigned int> sides;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      sides.push_back(id);
    Body<dim> body(device, {energies[0]}, degree, true, 0.05, false, sides);
    body.deformation->set_pressures(std::vector<double>(2 * dim, 1.5));
    body.set([](const Point<dim> &x, unsigned int c) { return wave(x, c); });
    EXPECT_LT(resultant(body).norm(), 1e-13 * mu);
    // The right side alone, at rest and turned by 90 degrees.
    std::vector<double> one(2 * dim, 0.);
    one[1] = 1.5;
    body.deformation->set_pressures(one);
    body.state.set_zero();
    Tensor<1, dim> expected;
    expected[0] = 1.5;
    EXPECT_LT((resultant(body) - expected).norm(), 1e-12);
    body.set([](const Point<dim> &x, unsigned int c) { return (c == 0 ? -x[1] : c == 1 ? x[0] : x[c]) - x[c]; });
    expected[0] = 0.;
    expected[1] = 1.5;
    EXPECT_LT((resultant(body) - expected).norm(), 1e-12);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, FollowerPressure, adamant::test::all_places, adamant::test::place_name);

TEST_P(FollowerPressure, ResultantsOfClosedSurfacesAndOfASide)
{
  for (const unsigned int degree : {1u, 2u})
    check_resultants<2>(degree);
  check_resultants<3>(1);
}

// The forces of faces are polynomials of u, also where a coarse cell is flat: det F = 0.
template <int dim>
void check_flat_cell()
{
  const adamant::Device device = adamant::Device::host(1);
  Body<dim>             body(device, {energies[0]}, 1, true);
  const auto           &space = body.host->space(0);
  ASSERT_EQ(space.n_cells(), 1);
  adamant::PressedFaces<dim> faces(device, space, body.mapping, {0, 1, 3});
  const DeviceVector         p(device, Array<double>{0.7, -0.3, 1.1});
  const int                  n = space.dofs_per_cell();
  const auto                 X = adamant::support_points(space, body.mapping, adamant::numbers_below(space.n_dofs()));
  Array<double>              u(space.n_dofs(), 0.);
  for (int i = 0; i < n; ++i)
    if (space.element().system_to_component_index(i).first == 1) // y becomes 0
      u[space.cell_dofs(0)[i]] = -X[space.n_dofs() + space.cell_dofs(0)[i]];
  const auto force = [&](const Array<double> &at, int a, unsigned int c) {
    faces.update(DeviceVector(device, at), p);
    const auto view     = faces.view();
    double     sum[dim] = {};
    view.add_forces(0, a, view.traction, sum);
    return sum[c];
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      {
        const auto [c, a]   = space.element().system_to_component_index(i);
        const auto [d, b]   = space.element().system_to_component_index(j);
        Array<double> after = u, before = u;
        after[space.cell_dofs(0)[j]] += 0.5;
        before[space.cell_dofs(0)[j]] -= 0.5;
        const double expected = force(after, a, c) - force(before, a, c);
        force(u, a, c);
        double row[dim] = {};
        if (c == 0)
          faces.view().template add_tangent<0>(0, a, b, row);
        else if (c == 1)
          faces.view().template add_tangent<1>(0, a, b, row);
        else
          faces.view().template add_tangent<dim - 1>(0, a, b, row);
        EXPECT_NEAR(row[d], expected, 1e-14) << i << ' ' << j;
      }
}

TEST(PressedFaces, TangentOfAFlatCell)
{
  check_flat_cell<2>();
  check_flat_cell<3>();
}

TEST_P(FollowerPressure, TangentAgainstDifferences)
{
  for (const unsigned int degree : {1u, 2u})
    {
      Body<2> body(device, {energies[0]}, degree, false, 0.05, degree == 2, {1, 3});
      body.deformation->set_pressures({0.3 * mu, -0.2 * mu});
      check_tangent(body);
    }
  Body<3> body(device, {energies[3]}, 1, false, 0.05, false, {3, 5});
  body.deformation->set_pressures({0.3 * mu, -0.2 * mu});
  check_tangent(body);
}

// Sides 0, 2 and 4 slide in their planes, side 1 has a given motion along x, and the others are free.
TEST_P(FollowerPressure, OpenEdgesMakeTheTangentUnsymmetric)
{
  const auto symmetric = [](auto &body, const std::vector<double> &p) {
    return body.deformation->symmetric_with(p, body.g);
  };
  Body<2> square(device, {energies[0]}, 1, false, 0., false, {3});
  EXPECT_TRUE(symmetric(square, {1.}));
  Body<3> one_side(device, {energies[0]}, 1, false, 0., false, {3});
  EXPECT_FALSE(symmetric(one_side, {1.}));
  Body<3> two_sides(device, {energies[0]}, 1, false, 0., false, {3, 5});
  EXPECT_TRUE(symmetric(two_sides, {1., 1.}));
  EXPECT_FALSE(symmetric(two_sides, {1., 2.}));
  two_sides.set([](const Point<3> &x, unsigned int c) { return wave(x, c); }); // planes of symmetry are none any more
  EXPECT_FALSE(symmetric(two_sides, {1., 1.}));
}
// The largest |A - Aᵀ| over the largest |A|.
double asymmetry(const adamant::CSRMatrix<double> &A)
{
  std::map<std::pair<int, int>, double> entries;
  double                                most = 0., difference = 0.;
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      entries[{i, A.column[k]}] = A.value[k];
  for (const auto &[place, value] : entries)
    {
      const auto other = entries.find({place.second, place.first});
      most             = std::max(most, std::abs(value));
      difference       = std::max(difference, std::abs(value - (other == entries.end() ? 0. : other->second)));
    }
  return difference / most;
}

// The tangent of each level has the pressure's part, which an open side shows.
TEST_P(FollowerPressure, MatricesOfAllLevels)
{
  for (const bool open : {false, true})
    {
      Body<3> body(device, {energies[0]}, 1, false, 0., false,
                   open ? std::vector<unsigned int>{3} : std::vector<unsigned int>{3, 5});
      body.set([](const Point<3> &x, unsigned int c) { return 0.1 * x[c] * (c == 0 ? 1. : 1. + x[0] * x[1] * x[2]); });
      body.deformation->set_pressures(std::vector<double>(open ? 1 : 2, 0.25 * mu));
      body.deformation->residual(body.state, 0., body.load, body.r);
      body.deformation->linearize(body.state);
      const auto levels = adamant::levels_of(*body.host, body.deformation->tangent());
      ASSERT_GT(levels.size(), 2u);
      for (const auto &level : levels)
        if (open)
          EXPECT_GT(asymmetry(adamant::matrix_on_host(level)), 1e-3);
        else
          EXPECT_LT(asymmetry(adamant::matrix_on_host(level)), 1e-13);
    }
}

// A tube in plane strain and a sphere of a nearly incompressible material, against closed forms for an incompressible
// one. An independent program has the same errors of a tube.
TEST_P(FollowerPressure, InflatedTubeAndSphere)
{
  const SolidEnergy energy = StoredEnergy{StoredEnergy::neo_hooke, {1.}, 1e6};
  const double      q1[] = {1.26e-2, 3.13e-3}, q2[] = {1.7e-5, 6e-7};
  for (unsigned int k = 0; k < 2; ++k)
    {
      EXPECT_NEAR(std::abs(Shell<2>(device, energy, 1, 2 + k).inflate(0.42822841) - 0.5), q1[k], 0.01 * q1[k]);
      EXPECT_NEAR(std::abs(Shell<2>(device, energy, 2, 2 + k).inflate(0.42822841) - 0.5), q2[k], 0.1 * q2[k]);
    }
  double sphere[3];
  for (unsigned int k = 0; k < 3; ++k)
    sphere[k] = Shell<3>(device, energy, k == 2 ? 2 : 1, k % 2).inflate(0.75543312) - 0.5;
  EXPECT_NEAR(sphere[1] / sphere[0], 0.25, 0.05);
  EXPECT_LT(std::abs(sphere[2]), 5e-3);
}
} // namespace
