#include "elasticity/elastic_material_parameters.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"

namespace adamant
{
namespace
{
ElasticMaterial of_young(double young, double poisson, double density)
{
  return {young * poisson / ((1. + poisson) * (1. - 2. * poisson)), young / (2. * (1. + poisson)), density};
}

// `name` ends the parameter's name.
void check_poisson(const std::string &section, const std::string &name, double poisson)
{
  require(poisson > -1. && poisson < 0.5, section, "/", name, " = ", poisson,
          ": it has to lie above -1 and below 0.5 (an incompressible material, nu = 0.5, needs a mixed formulation "
          "with a pressure, which this program does not have)");
}
} // namespace

ElasticMaterialParameters::ElasticMaterialParameters(const MeshFileParameters &mesh_file, const std::string &section)
  : ParameterAcceptor(section)
  , section(section.substr(section.find_first_not_of('/')))
{
  add_parameter("Lame lambda", lambda, "First Lame parameter");
  add_parameter("Lame mu", mu, "Second Lame parameter, the shear modulus");
  add_parameter("Young modulus", young, "E; where it is not 0, E and nu replace the Lame parameters", prm,
                dealii::Patterns::Double(0));
  add_parameter("Poisson ratio", poisson, "nu, used with E only; below 0.5");
  add_parameter("Density", density, "rho", prm, dealii::Patterns::Double(0));
  parse_parameters_call_back.connect([this, &mesh_file] { read_materials(mesh_file); });
  add_parameter("Materials", of_ids,
                "Those of cells with other material ids, in place of the one above: 'id: E; nu; rho, id: ...'");
}

void ElasticMaterialParameters::read_materials(const MeshFileParameters &mesh_file)
{
  const std::string key = section + "/Materials";
  by_id.clear();
  for (const auto &[id, text] : split_by_boundary(key, of_ids, mesh_file.materials(key)))
    {
      const auto numbers = split_numbers(text);
      require(numbers.size() == 3 && numbers[0] > 0., key, ": '", text, "' of material ", id,
              " should be three numbers, E; nu; rho, with E > 0");
      check_poisson(section, "Materials: nu of material " + std::to_string(id), numbers[1]);
      by_id[id] = of_young(numbers[0], numbers[1], numbers[2]);
    }
}

ElasticMaterials ElasticMaterialParameters::materials() const
{
  return {young > 0. ? of_young(young, poisson, density) : ElasticMaterial{lambda, mu, density}, by_id};
}

void ElasticMaterialParameters::check(bool with_density) const
{
  if (young > 0.)
    check_poisson(section, "Poisson ratio", poisson);
  require(young > 0. || (mu > 0. && 3. * lambda + 2. * mu > 0.), section, "/Lame lambda = ", lambda, ", Lame mu = ", mu,
          ": a stable material has mu > 0 and lambda > -2/3 mu");
  require(!with_density || density > 0., section, "/Density has to be positive where time steps are taken");
  for (const auto &[id, material] : by_id)
    require(!with_density || material.density > 0., section, "/Materials: the density of material ", id,
            " has to be positive where time steps are taken");
}
} // namespace adamant
