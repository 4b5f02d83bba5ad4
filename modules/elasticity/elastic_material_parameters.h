#pragma once

#include "elasticity/elastic_material.h"
#include "frame/parameters/mesh_file.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Elastic materials as parameters of any section: one by its Lame parameters or by Young's modulus and Poisson's
/// ratio, and others for cells of some material ids.
class ElasticMaterialParameters : public dealii::ParameterAcceptor
{
public:
  /// `mesh_file` knows the names of materials: make it before this object, and let it outlive this object.
  explicit ElasticMaterialParameters(const MeshFileParameters &mesh_file, const std::string &section = "/Problem");

  ElasticMaterials materials() const;
  /// Throws InputError unless each material is stable and, where `with_density` is set, each density positive.
  void check(bool with_density) const;

private:
  void read_materials(const MeshFileParameters &mesh_file);

  std::string                                           section;
  double                                                lambda = 8e4, mu = 2e4, young = 0., poisson = 0., density = 1.;
  std::string                                           of_ids;
  std::map<dealii::types::material_id, ElasticMaterial> by_id;
};
} // namespace adamant
