#include "application/elastic_material_parameters.h"

#include "base/require.h"

namespace adamant
{
ElasticMaterialParameters::ElasticMaterialParameters(const std::string &section)
  : ParameterAcceptor(section)
  , section(section.substr(section.find_first_not_of('/')))
{
  add_parameter("Lame lambda", lambda, "First Lame parameter");
  add_parameter("Lame mu", mu, "Second Lame parameter, the shear modulus");
  add_parameter("Young modulus", young, "E; where it is not 0, E and nu replace the Lame parameters", prm,
                dealii::Patterns::Double(0));
  add_parameter("Poisson ratio", poisson, "nu, used with E only; below 0.5");
  add_parameter("Density", density, "rho", prm, dealii::Patterns::Double(0));
}

ElasticMaterial ElasticMaterialParameters::material() const
{
  if (young > 0.)
    return {young * poisson / ((1. + poisson) * (1. - 2. * poisson)), young / (2. * (1. + poisson)), density};
  return {lambda, mu, density};
}

void ElasticMaterialParameters::check(bool with_density) const
{
  require(young == 0. || (poisson > -1. && poisson < 0.5), section, "/Poisson ratio = ", poisson,
          ": it has to lie above -1 and below 0.5 (an incompressible material, nu = 0.5, needs a mixed formulation "
          "with a pressure, which this program does not have)");
  require(young > 0. || (mu > 0. && 3. * lambda + 2. * mu > 0.), section, "/Lame lambda = ", lambda, ", Lame mu = ", mu,
          ": a stable material has mu > 0 and lambda > -2/3 mu");
  require(!with_density || density > 0., section, "/Density has to be positive where time steps are taken");
}
} // namespace adamant
