#pragma once

#include "discretization/fields/elastic_material.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// An elastic material by its Lame parameters or by Young's modulus and Poisson's ratio, as parameters of any section.
class ElasticMaterialParameters : public dealii::ParameterAcceptor
{
public:
  explicit ElasticMaterialParameters(const std::string &section = "/Problem"); ///< as ParameterAcceptor has it

  ElasticMaterial material() const;
  /// Throws InputError unless the material is stable, and its density positive where it counts.
  void check(bool with_density) const;

private:
  std::string section;
  double      lambda = 8e4, mu = 2e4, young = 0., poisson = 0., density = 1.;
};
} // namespace adamant
