// What boundaries bear is in balance with loads and pressures, also where nodes beside them hang on theirs.
#include "body.h"

#include "solid/reactions.h"

#include <map>
#include <vector>

using namespace test;
using adamant::Resultant;
using adamant::test::DeviceTest;

namespace
{
Resultant &operator+=(Resultant &sum, const Resultant &other)
{
  sum.force += other.force;
  sum.moment += other.moment;
  return sum;
}

class Reactions : public DeviceTest
{
protected:
  template <int dim>
  static std::map<unsigned int, Resultant> of(Body<dim> &body, const Array<double> &load, bool clamped)
  {
    adamant::DirichletBoundary held;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (clamped || id % 2 == 0 || id == 1)
        {
          held[id] = ComponentMask(dim, clamped);
          held[id].set(id / 2, true);
        }
    body.deformation->residual(body.state, 0., body.load, body.r);
    return adamant::Reactions<dim>(body.device, body.field->space(), body.mapping, held, load)
      .resultants(body.deformation->forces_of_cells(), 2., body.state.part(0, body.field->size()));
  }

  // The resultant of forces at the nodes of cells, in which stresses cancel, less twice the loads of nodes.
  template <int dim>
  static Resultant of_all(Body<dim> &body, const Array<double> &load)
  {
    const auto &space = body.field->space();
    const auto  n     = static_cast<std::size_t>(space.n_owned());
    const auto  u     = to_host(body.state.part(0, body.field->size()));
    const auto  X     = adamant::support_points(space, body.mapping);
    Resultant   sum;
    const auto  add = [&](int dof, double value) {
      Tensor<1, 3> force, place;
      force[dof % dim] = value;
      for (unsigned int d = 0; d < dim; ++d)
        place[d] = X[d * n + dof] + u[dof - dof % dim + d];
      sum += {force, cross_product_3d(place, force)};
    };
    body.deformation->residual(body.state, 0., body.load, body.r);
    const auto forces = to_host(body.deformation->forces_of_cells());
    for (std::size_t i = 0; i < forces.size(); ++i)
      add(space.cell_dofs(static_cast<int>(i / space.dofs_per_cell()))[i % space.dofs_per_cell()], forces[i]);
    for (std::size_t i = 0; i < n; ++i)
      add(static_cast<int>(i), -2. * load[i]);
    return sum;
  }

  template <int dim>
  void check_balance(unsigned int degree) const
  {
    SCOPED_TRACE(std::to_string(dim) + " dimensions, degree " + std::to_string(degree));
    Body<dim>     body(device, {energies[0]}, degree, false, 0.05, degree == 2, {3});
    Array<double> load(body.field->size());
    for (std::size_t i = 0; i < load.size(); ++i)
      load[i] = 0.01 * mu * std::sin(1. + 3. * double(i)) / double(load.size());
    body.set([](const Point<dim> &x, unsigned int c) { return c == 0 ? 0.1 * x[0] * (1. + x[1]) : 0.; });
    body.deformation->set_pressures({0.05 * mu});
    auto of_unknowns = adamant::transposed_product(body.field->space().owned_H(), load);
    for (double &value : of_unknowns)
      value *= 2.;
    body.load = DeviceVector(device, of_unknowns);
    ASSERT_GT(body.field->space().n_hanging(), 0);
    equilibrate(body, adamant::Precision::float64);
    const auto expected = of_all(body, load);
    EXPECT_GT(expected.force.norm(), 0.01 * mu);
    EXPECT_GT(expected.moment.norm(), 0.001 * mu);
    for (const bool all_components : {false, true}) // those that are free bear nothing
      {
        Resultant sum;
        for (const auto &[id, resultant] : of(body, load, all_components))
          {
            sum += resultant;
            for (unsigned int d = 0; d < dim; ++d)
              EXPECT_TRUE(all_components || d == id / 2 || resultant.force[d] == 0.) << id;
          }
        EXPECT_LT((sum.force - expected.force).norm(), 1e-10 * mu);
        EXPECT_LT((sum.moment - expected.moment).norm(), 1e-10 * mu);
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Reactions, adamant::test::all_places, adamant::test::place_name);

TEST_P(Reactions, AreInBalanceWithLoadsAndPressures)
{
  check_balance<2>(1);
  check_balance<2>(2);
  check_balance<3>(1);
}

// Each side bears its own stress, with no part of its neighbours'.
TEST_P(Reactions, OfSidesUnderTension)
{
  Body<3> body(device, {energies[1]}, 1, false, 0.05);
  body.set([](const Point<3> &x, unsigned int c) { return c == 0 ? 0.5 * x[0] : 0.; });
  equilibrate(body, adamant::Precision::float64);
  const auto   reactions = of(body, Array<double>(body.field->size(), 0.), false);
  const double P         = tension(energies[1], 1.5);
  for (unsigned int id : {0u, 1u, 2u, 4u})
    {
      Tensor<1, 3> expected;
      expected[0] = id == 0 ? -P : id == 1 ? P : 0.;
      EXPECT_LT((reactions.at(id).force - expected).norm(), 1e-10 * P) << id;
    }
}
} // namespace
