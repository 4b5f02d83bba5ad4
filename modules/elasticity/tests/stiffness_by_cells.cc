// The stiffness by cells against the rows that a form assembles from the integrals of each cell.
#include "elasticity/stiffness_by_cells.h"
#include "elastic_body.h"
#include "operators/device_level.h"
#include "support/devices.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

using namespace test;
using adamant::Products;

namespace
{
class StiffnessByCells : public adamant::test::DeviceTest
{
};

// Boxes; in 2D they are flat, 1 to 150.
template <int dim>
Body<dim> body_in_serial(bool adaptive)
{
  auto mesh = std::make_unique<Triangulation<dim>>();
  if constexpr (dim == 2)
    GridGenerator::subdivided_hyper_rectangle(*mesh, {3, 1}, Point<2>(), Point<2>(2.1, 0.0046), true);
  else
    GridGenerator::subdivided_hyper_rectangle(*mesh, {3, 1, 2}, Point<3>(), Point<3>(2.1, 0.9, 1.7), true);
  mesh->refine_global(1);
  if (adaptive)
    refine_randomly(*mesh, 2, 0.3, 5);
  mesh->refine_global(1);
  return Body<dim>(std::move(mesh), {16});
}

double largest_difference(const adamant::CSRMatrix<double> &A, const adamant::CSRMatrix<double> &B)
{
  double largest = 0., size = 0.;
  for (const unsigned int seed : {1, 2, 3})
    {
      const auto x  = random_vector(A.n_cols, seed);
      const auto Ax = adamant::product(A, adamant::Array<double>(x.begin(), x.end())),
                 Bx = adamant::product(B, adamant::Array<double>(x.begin(), x.end()));
      for (std::size_t i = 0; i < Ax.size(); ++i)
        {
          largest = std::max(largest, std::abs(Ax[i] - Bx[i]));
          size    = std::max(size, std::abs(Bx[i]));
        }
    }
  return largest / size;
}

int n_coefficients(const adamant::RowlessMatrix *matrix)
{
  return dynamic_cast<const adamant::CellMatrix &>(*matrix).mesh().n_coefficients();
}

template <int dim>
void compare_with_rows(const adamant::Device &device, bool adaptive, int variant)
{
  const bool        b_bar   = variant % 2 == 1;
  const std::string poisson = variant < 2 ? "0.3" : "0.1+0.18*x*y";
  SCOPED_TRACE((adaptive ? "adaptive, nu = " : "uniform, nu = ") + poisson + (b_bar ? ", b_bar" : "") + ", dimension " +
               std::to_string(dim));
  const auto body = body_in_serial<dim>(adaptive);
  EXPECT_EQ(body.u->finest().n_hanging() > 0, adaptive);
  auto materials  = stiff_places(poisson, true, dim == 2 ? "(x+0.2)" : "z");
  materials.b_bar = b_bar;
  auto rows = body.form(materials), cells = body.form(materials);
  rows.update();
  cells.take(stiffness_by_cells(device, *body.u, body.mapping, materials, Products::cells));
  cells.update();
  const auto of_rows = levels_of(*body.u, rows), of_cells = levels_of(*body.u, cells);
  const bool possible = device.matrix_format() == adamant::MatrixFormat::compressed;
  ASSERT_GE(of_rows.size(), 2u);
  for (std::size_t l = 0; l < of_rows.size(); ++l)
    {
      ASSERT_EQ(of_cells[l].rowless() != nullptr, possible && l > 0);
      if (of_cells[l].rowless() != nullptr)
        {
          EXPECT_EQ(n_coefficients(of_cells[l].rowless()), variant < 2 ? 1 : 2);
        }
      EXPECT_LT(largest_difference(matrix_on_host(of_cells[l]), matrix_on_host(of_rows[l])), 1e-14) << "level " << l;
    }
}
} // namespace

TEST_P(StiffnessByCells, EqualsRowsOfMeans)
{
  for (const bool adaptive : {false, true})
    for (const int variant : {0, 1, 2, 3})
      {
        compare_with_rows<2>(device, adaptive, variant);
        compare_with_rows<3>(device, adaptive, variant);
      }
}

// Cells next to each other have any of forty materials, of one Poisson ratio or of as many.
TEST_P(StiffnessByCells, FortyMaterials)
{
  const auto   body   = body_in_serial<3>(true);
  unsigned int number = 0;
  for (const auto &cell : body.mesh->active_cell_iterators())
    cell->set_material_id(number++ % 40);
  ElasticMaterials alike{{3., 2., 1.}}, different{{3., 2., 1.}};
  for (unsigned int id = 1; id < 40; ++id)
    {
      alike.by_id[id]     = {3. * id, 2. * id, 1.};
      different.by_id[id] = {200. / id, 2. + std::sin(id), 1.};
    }
  for (const auto &[materials, n] : {std::pair(alike, 1), std::pair(different, 2)})
    {
      auto rows = body.form(materials);
      rows.update();
      const auto cells = stiffness_by_cells(device, *body.u, body.mapping, materials, Products::cells);
      if (device.matrix_format() != adamant::MatrixFormat::compressed)
        GTEST_SKIP() << "products by cells need compressed matrices";
      for (std::size_t l = 1; l < cells.size(); ++l)
        {
          ASSERT_NE(cells[l], nullptr) << "level " << l;
          EXPECT_EQ(n_coefficients(cells[l].get()), n);
          EXPECT_LT(largest_difference(cells[l]->rows(), *rows.matrix(l)), 1e-14) << "level " << l;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, StiffnessByCells, adamant::test::all_places, adamant::test::place_name);
