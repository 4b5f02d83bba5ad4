#pragma once

// A box of elastic materials, whose stiffness a form assembles from the integrals of each cell.

#include "elasticity/stiffness.h"
#include "fem/forms/form.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "fem/support.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>

#include <memory>
#include <string>
#include <utility>

namespace test
{
using adamant::CellContext, adamant::ElasticMaterials;

// E depends on the place, the Poisson ratio is one number or depends on it, too.
inline ElasticMaterials stiff_places(const std::string &poisson, bool means)
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
  explicit Body(std::unique_ptr<Triangulation<3>> mesh_, const adamant::LevelMeshOptions &options)
    : mesh(std::move(mesh_))
    , meshes(*mesh, options)
  {
    adamant::DirichletBoundary dirichlet;
    dirichlet[0] = ComponentMask(3, true);
    dirichlet[3] = ComponentMask(std::vector<bool>{false, true, false});
    u            = std::make_unique<adamant::Field<3>>(meshes, "u", FESystem<3>(FE_Q<3>(1), 3), dirichlet);
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

  std::unique_ptr<Triangulation<3>>  mesh;
  MappingQ1<3>                       mapping;
  adamant::LevelMeshes<3>            meshes;
  std::unique_ptr<adamant::Field<3>> u;
};
} // namespace test
