#include "elasticity/elastic_material.h"

#include "base/exceptions.h"
#include "fem/functions/points.h"

#include <deal.II/base/quadrature_lib.h>

#include <algorithm>

#include <sstream>
#include <string>

namespace adamant
{
namespace
{
template <typename... Parts>
std::string text_of(const Parts &...parts)
{
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}
} // namespace

ElasticMaterial ElasticCoefficients::at(dealii::types::material_id id, const dealii::Point<3> &x, Plane plane) const
{
  const double          E = young(id, x), nu = poisson(id, x);
  const ElasticMaterial material = {E * nu / ((1. + nu) * (1. - 2. * nu)), E / (2. * (1. + nu)), density(id, x),
                                    expansion(id, x) * temperature(id, x)};
  return plane == Plane::stress ? material.in_plane_stress() : material;
}

ElasticMaterial mean_of(const std::vector<ElasticMaterial> &materials)
{
  ElasticMaterial mean{0., 0., 0., 0., materials.front().plane_stress};
  for (const auto &one : materials)
    for (double ElasticMaterial::*of :
         {&ElasticMaterial::lambda, &ElasticMaterial::mu, &ElasticMaterial::density, &ElasticMaterial::thermal_strain})
      mean.*of += one.*of / static_cast<double>(materials.size());
  return mean;
}

std::string fault_of_material(double young, double poisson, double density, bool with_density)
{
  if (!(young > 0. && std::isnormal(young * young))) // norms take its square
    return text_of("Young modulus = ", young,
                   young > 0. ? ": double precision does not hold its square" : ": it has to be positive");
  if (!(poisson > -1. && poisson < 0.5))
    return text_of("Poisson ratio = ", poisson,
                   ": it has to lie above -1 and below 0.5 (an incompressible material, nu = 0.5, needs a mixed "
                   "formulation with a pressure, which this program does not have)");
  if (with_density && !(density > 0.))
    return text_of("Density = ", density, ": it has to be positive where time steps are taken");
  return "";
}

template <int dim>
MaterialExtremes extremes(const ElasticMaterials &materials, const LevelSpace<dim> &space,
                          const dealii::Mapping<dim> &mapping, bool with_density)
{
  double     largest[2] = {0., 0.};
  const auto add        = [&](const ElasticMaterial &material) {
    if (material.mu > 0.) // where every id is listed, there is no material elsewhere
      {
        largest[0] = std::max(largest[0], material.density > 0. ? material.wave_speed_squared() : 0.);
        largest[1] = std::max(largest[1], material.lambda / material.mu);
      }
  };
  add(materials.elsewhere);
  for (const auto &entry : materials.by_id)
    add(entry.second);
  std::string fault;
  if (!materials.is_constant())
    {
      const dealii::QGauss<dim> quadrature(space.element().degree + 1);
      const auto                points = quadrature_points(space, mapping, quadrature);
      const auto               &of     = *materials.of_place;
      const std::size_t         n      = points.size() / dim;
      for (std::size_t i = 0; i < n && fault.empty(); ++i)
        {
          const auto             id = material_id(space.active_cells()[static_cast<int>(i / quadrature.size())]);
          const dealii::Point<3> x(points[i], points[n + i], dim == 3 ? points[(dim - 1) * n + i] : 0.);
          fault = fault_of_material(of.young(id, x), of.poisson(id, x), of.density(id, x), with_density);
          if (fault.empty() && !std::isfinite(of.expansion(id, x) * of.temperature(id, x)))
            fault = "Thermal expansion and Temperature change have values that are no numbers";
          if (!fault.empty())
            fault = text_of("Problem/", fault, ", at (", x[0], ", ", x[1], dim == 3 ? ", " : "",
                            dim == 3 ? text_of(x[2]) : "", ")");
          add(of.at(id, x, materials.plane));
        }
    }
  require_on_all(space.communicator(), fault);
  space.communicator().max(largest, 2);
  return {largest[0], largest[1]};
}

template MaterialExtremes extremes(const ElasticMaterials &, const LevelSpace<2> &, const dealii::Mapping<2> &, bool);
template MaterialExtremes extremes(const ElasticMaterials &, const LevelSpace<3> &, const dealii::Mapping<3> &, bool);
} // namespace adamant
