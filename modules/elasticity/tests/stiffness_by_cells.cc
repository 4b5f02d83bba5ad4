// The stiffness by cells against the rows that a form assembles from the integrals of each cell.
#include "elasticity/stiffness_by_cells.h"
#include "elasticity/stiffness.h"
#include "fem/forms/form.h"
#include "fem/support.h"
#include "operators/device_level.h"
#include "support/devices.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

using namespace test;
using adamant::CellContext, adamant::ElasticMaterials, adamant::Products;

namespace
{
class StiffnessByCells : public adamant::test::DeviceTest
{
};

// E depends on the place, the Poisson ratio is one number.
ElasticMaterials stiff_places(const std::string &poisson, bool means)
{
  const auto coefficient = [](const std::string &text) {
    return adamant::CoefficientFunction(adamant::Coefficient("key", text, nullptr));
  };
  ElasticMaterials materials{};
  materials.of_place = std::make_shared<const adamant::ElasticCoefficients>(adamant::ElasticCoefficients{
    coefficient("1+9*(x+0.3*y)^2*z"), coefficient(poisson), coefficient("1"), coefficient("0"), coefficient("1")});
  materials.means    = means;
  return materials;
}

struct Body
{
  explicit Body(bool adaptive)
  {
    GridGenerator::subdivided_hyper_rectangle(mesh, {3, 1, 2}, Point<3>(), Point<3>(2.1, 0.9, 1.7), true);
    mesh.refine_global(1);
    if (adaptive)
      refine_randomly(mesh, 2, 0.3, 5);
    mesh.refine_global(1);
    adamant::DirichletBoundary dirichlet;
    dirichlet[0] = ComponentMask(3, true);
    dirichlet[3] = ComponentMask(std::vector<bool>{false, true, false});
    meshes       = std::make_unique<adamant::LevelMeshes<3>>(mesh, adamant::LevelMeshOptions{16});
    u            = std::make_unique<adamant::Field<3>>(*meshes, "u", FESystem<3>(FE_Q<3>(1), 3), dirichlet);
  }

  adamant::Form<3> form(const ElasticMaterials &materials) const
  {
    return {"K",
            *u,
            adamant::unknowns(*u),
            mapping,
            QGauss<3>(2),
            update_values | update_gradients | update_JxW_values | update_quadrature_points,
            [&materials](const CellContext<3> &cell, FullMatrix<double> &local) {
              const adamant::ElasticIntegrals<3> integrals(cell, materials);
              adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
                const auto K = integrals.stiffness(a, b);
                for (unsigned int c = 0; c < 3; ++c)
                  for (unsigned int d = 0; d < 3; ++d)
                    entry(c, d) += K[c][d];
              });
            },
            adamant::Levels::all};
  }

  Triangulation<3>                         mesh;
  MappingQ1<3>                             mapping;
  std::unique_ptr<adamant::LevelMeshes<3>> meshes;
  std::unique_ptr<adamant::Field<3>>       u;
};

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
} // namespace

TEST_P(StiffnessByCells, EqualsRowsOfMeans)
{
  for (const bool adaptive : {false, true})
    for (const bool b_bar : {false, true})
      {
        SCOPED_TRACE(std::string(adaptive ? "adaptive" : "uniform") + (b_bar ? ", b_bar" : ""));
        const Body body(adaptive);
        EXPECT_EQ(body.u->finest().n_hanging() > 0, adaptive);
        auto materials  = stiff_places("0.3", true);
        materials.b_bar = b_bar;
        auto rows = body.form(materials), cells = body.form(materials);
        rows.update();
        cells.take(stiffness_by_cells(device, *body.u, body.mapping, materials, Products::cells));
        cells.update();
        const auto of_rows = levels_of(*body.u, rows), of_cells = levels_of(*body.u, cells);
        const bool possible = device.matrix_format() == adamant::MatrixFormat::compressed;
        ASSERT_GE(of_rows.size(), 3u);
        for (std::size_t l = 0; l < of_rows.size(); ++l)
          {
            EXPECT_EQ(of_cells[l].rowless() != nullptr, possible && l > 0);
            EXPECT_LT(largest_difference(matrix_on_host(of_cells[l]), matrix_on_host(of_rows[l])), 1e-14)
              << "level " << l;
          }
      }
}

// Cells next to each other have any of forty materials; two Poisson ratios cannot go by cells.
TEST_P(StiffnessByCells, OnePoissonRatio)
{
  Body         body(true);
  unsigned int number = 0;
  for (const auto &cell : body.mesh.active_cell_iterators())
    cell->set_material_id(number++ % 40);
  ElasticMaterials alike{{3., 2., 1.}}, different{{3., 2., 1.}, {{7, {5., 1., 1.}}}};
  for (const unsigned int id : {1, 7, 13, 22, 30, 39})
    alike.by_id[id] = {3. * id, 2. * id, 1.};
  auto rows = body.form(alike);
  rows.update();
  const auto cells = stiffness_by_cells(device, *body.u, body.mapping, alike, Products::cells);
  if (device.matrix_format() != adamant::MatrixFormat::compressed)
    return;
  for (std::size_t l = 1; l < cells.size(); ++l)
    ASSERT_NE(cells[l], nullptr) << "level " << l;
  for (std::size_t l = 1; l < cells.size(); ++l)
    EXPECT_LT(largest_difference(cells[l]->rows(), *rows.matrix(l)), 1e-14) << "level " << l;
  EXPECT_THROW(stiffness_by_cells(device, *body.u, body.mapping, different, Products::cells), adamant::InputError);
  EXPECT_THROW(stiffness_by_cells(device, *body.u, body.mapping, stiff_places("0.3+0.01*x", true), Products::cells),
               adamant::InputError);
  for (const auto &one : stiffness_by_cells(device, *body.u, body.mapping, different, Products::automatic))
    EXPECT_EQ(one, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Devices, StiffnessByCells, adamant::test::all_places, adamant::test::place_name);
