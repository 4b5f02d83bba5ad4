// Nodal values over a change of their mesh, and the cells that are flagged for it.
#include "discretization/meshes/mesh_change.h"

#include "discretization/fields/nodal_values.h"
#include "discretization/meshes/flag_cells.h"
#include "support.h"

#include <deal.II/base/function_lib.h>
#include <deal.II/base/mpi.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>

using namespace test;

namespace
{
template <int dim>
std::shared_ptr<const Triangulation<dim>> shared(const Triangulation<dim> &mesh)
{
  return {&mesh, [](const auto *) {}};
}

// The Monomial x^p y^p z^p.
template <int dim>
Functions::Monomial<dim> monomial(double exponent)
{
  Tensor<1, dim> exponents;
  for (int d = 0; d < dim; ++d)
    exponents[d] = exponent;
  return Functions::Monomial<dim>(exponents);
}

// Polynomials of the space go through refinement and coarsening unchanged, several vectors of two spaces at once.
template <int dim>
void expect_polynomials_are_kept(bool distributed)
{
  const auto mesh = adamant::create_mesh<dim>(adamant::Communicator(), distributed);
  GridGenerator::hyper_cube(*mesh);
  adamant::refine_global(*mesh, 2);
  const MappingQ1<dim> mapping;
  for (int change = 0; change < 3; ++change)
    {
      const FE_Q<dim> linear(1), quadratic(2);
      const auto      values = [&](const adamant::LevelSpace<dim> &space, double exponent) {
        return adamant::nodal_values(space, mapping, monomial<dim>(exponent));
      };
      Point<dim> centre;
      centre[0] = 0.2 + 0.3 * change;
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->center().distance(centre) < 0.4)
          cell->set_refine_flag();
        else
          cell->set_coarsen_flag();
      adamant::MeshChange<dim> both(*mesh);
      EXPECT_TRUE(both.any());
      {
        const adamant::LevelSpace<dim> q1(shared(*mesh), linear, {}), q2(shared(*mesh), quadratic, {});
        both.keep(q1, values(q1, 1.).data());
        both.keep(q2, values(q2, 2.).data());
        both.keep(q1, values(q1, 0.).data());
        both.prepare();
      } // the spaces are gone
      both.execute();
      const adamant::LevelSpace<dim> q1(shared(*mesh), linear, {}), q2(shared(*mesh), quadratic, {});
      const auto                     expect = [&](const adamant::LevelSpace<dim> &space, double exponent) {
        const auto taken = both.take(space), expected = values(space, exponent);
        ASSERT_EQ(taken.size(), expected.size());
        for (std::size_t i = 0; i < taken.size(); ++i)
          ASSERT_NEAR(taken[i], expected[i], 1e-13) << "x^" << exponent << ", DoF " << i << ", change " << change;
      };
      expect(q1, 1.);
      expect(q2, 2.);
      expect(q1, 0.);
      EXPECT_THROW(both.take(q1), adamant::RunError) << "nothing is left";
    }
}

TEST(MeshChange, KeepsPolynomials)
{
  expect_polynomials_are_kept<2>(false);
  expect_polynomials_are_kept<3>(false);
  expect_polynomials_are_kept<2>(true);
  expect_polynomials_are_kept<3>(true);
}

TEST(MeshChange, NothingFlaggedIsNoChange)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  EXPECT_FALSE(adamant::MeshChange<2>(mesh).any());
}

struct Flags
{
  int refine = 0, coarsen = 0;
};

// 16 cells with indicators 1, 2, ..., 16 times a factor.
Flags flags(double refine, double coarsen, adamant::FractionsOf of, double factor = 1.)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  dealii::Vector<float> indicators(16);
  for (unsigned int i = 0; i < 16; ++i)
    indicators[i] = static_cast<float>(factor * (i + 1));
  adamant::flag_cells(mesh, indicators, refine, coarsen, of);
  Flags n;
  for (const auto &cell : mesh.active_cell_iterators())
    {
      n.refine += cell->refine_flag_set() ? 1 : 0; // which way, for deal.II
      n.coarsen += cell->coarsen_flag_set() ? 1 : 0;
    }
  return n;
}

TEST(FlagCells, FractionsOfCellsAndOfTheError)
{
  const auto cells = flags(0.25, 0.5, adamant::FractionsOf::cells);
  EXPECT_EQ(cells.refine, 4);
  EXPECT_EQ(cells.coarsen, 8);
  // The squares' sum is 1496: 16² + 15² + 14² = 677 of it are less than half; 1² + ... + 7² = 140 less than a tenth.
  const auto error = flags(0.5, 0.1, adamant::FractionsOf::error);
  EXPECT_EQ(error.refine, 4);
  EXPECT_EQ(error.coarsen, 8);
  const auto scaled = flags(0.5, 0.1, adamant::FractionsOf::error, 1e-20);
  EXPECT_EQ(scaled.refine, 4) << "the scale of the indicators does not matter";
  const auto none = flags(0., 0., adamant::FractionsOf::cells);
  EXPECT_EQ(none.refine + none.coarsen, 0);
  const auto zero = flags(0.5, 0.5, adamant::FractionsOf::cells, 0.);
  EXPECT_EQ(zero.refine, 0) << "a solution that is resolved everywhere is not refined";
}
} // namespace
