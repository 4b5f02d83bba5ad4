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

// E depends on the place, the Poisson ratio is one number or depends on it, too. In 2D they have no z.
inline ElasticMaterials stiff_places(const std::string &poisson, bool means, const std::string &z = "z")
{
  const auto coefficient = [](const std::string &text) {
    return adamant::CoefficientFunction(adamant::Coefficient("key", text, nullptr));
  };
  ElasticMaterials materials{};
  materials.of_place = std::make_shared<const adamant::ElasticCoefficients>(adamant::ElasticCoefficients{
    coefficient("1+9*(x+0.3*y)^2*" + z), coefficient(poisson), coefficient("1"), coefficient("0"), coefficient("1")});
  materials.means    = means;
  return materials;
}

template <int dim>
struct Body
{
  explicit Body(std::unique_ptr<Triangulation<dim>> mesh_, const adamant::LevelMeshOptions &options)
    : mesh(std::move(mesh_))
    , meshes(*mesh, options)
  {
    adamant::DirichletBoundary dirichlet;
    dirichlet[0] = ComponentMask(dim, true);
    dirichlet[3] = ComponentMask(dim, false);
    dirichlet[3].set(1, true);
    u = std::make_unique<adamant::Field<dim>>(meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim), dirichlet);
  }

  adamant::Form<dim> form(const ElasticMaterials &materials) const
  {
    return {"K",
            *u,
            adamant::unknowns(*u),
            mapping,
            QGauss<dim>(2),
            update_values | update_gradients | update_JxW_values | update_quadrature_points,
            [&materials](const CellContext<dim> &cell, FullMatrix<double> &local) {
              const adamant::ElasticIntegrals<dim> integrals(cell, materials);
              adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
                const auto K = integrals.stiffness(a, b);
                for (unsigned int c = 0; c < dim; ++c)
                  for (unsigned int d = 0; d < dim; ++d)
                    entry(c, d) += K[c][d];
              });
            },
            adamant::Levels::all};
  }

  std::unique_ptr<Triangulation<dim>>  mesh;
  MappingQ1<dim>                       mapping;
  adamant::LevelMeshes<dim>            meshes;
  std::unique_ptr<adamant::Field<dim>> u;
};
} // namespace test
