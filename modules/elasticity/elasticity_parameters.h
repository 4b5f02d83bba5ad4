#pragma once

#include "coefficients/coefficient.h"
#include "coefficients/level_points.h"
#include "elasticity/elastic_material.h"
#include "elasticity/supports.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "meshes/mesh_file.h"
#include "meshes/mesh_input.h"
#include "meshes/mesh_shapes.h"

#include <deal.II/base/function.h>
#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Refines a box in steps l = 1, ..., n_steps: cells whose centre has its first n_coordinates coordinates below 2^-l
/// times the box's lengths. The value 1 refines towards a face, 2 an edge, 3 a vertex (Liebchen et al., Section 5.2), 0
/// all cells.
template <int dim>
void refine_towards_origin(dealii::Triangulation<dim> &mesh, const std::vector<double> &lengths,
                           unsigned int n_coordinates, unsigned int n_steps)
{
  for (unsigned int l = 1; l <= n_steps; ++l)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        {
          bool near = cell->is_locally_owned();
          for (unsigned int d = 0; d < n_coordinates; ++d)
            near = near && cell->center()[d] < std::ldexp(lengths[d], -static_cast<int>(l));
          if (near)
            cell->set_refine_flag();
        }
      execute_refinement(mesh);
    }
}

/// Parameters of the mesh of a box (0,L_x) x (0,L_y) x (0,L_z), or of a rectangle, and of its refinement, in any
/// section.
struct BoxParameters : dealii::ParameterAcceptor
{
  explicit BoxParameters(const std::string &section = "/Discretization"); ///< as in ParameterAcceptor

  std::vector<double>       lengths             = {1., 1., 1.};
  std::vector<unsigned int> coarse_cells        = {1, 1, 1};
  unsigned int              uniform_refinements = 3, refinement_steps = 2;
  std::string               refinement      = "edge", coordinates;
  double                    refine_fraction = 0.1;

  bool by_estimate() const { return refinement == "kelly"; } ///< whether refinement_steps follow `make`

  /// Throws InputError unless each dimension has a positive length and number of cells, and the unknowns can be
  /// counted. These are n_components components of elements of this degree, after the uniform refinements.
  void check(unsigned int dim, unsigned int n_components, unsigned int degree) const;
  /// Returns whether the point has dim coordinates or more, and lies in the box or on its boundary. With "coordinates"
  /// that map the box, its shape is unknown and only the number is tested.
  bool contains(const std::vector<double> &point, unsigned int dim) const;

  /// Makes the unrefined mesh from an empty one; sides have the boundary ids 0, 1 (x), 2, 3 (y), 4, 5 (z).
  template <int dim>
  void make_coarse(dealii::Triangulation<dim> &mesh) const
  {
    if (!coordinates.empty()) // before the work of refining
      refuse_moved_vertices(section + "/Coordinates", is_distributed(mesh));
    dealii::Point<dim> far_corner;
    std::copy_n(lengths.begin(), dim, &far_corner[0]);
    make_box({coarse_cells.begin(), coarse_cells.begin() + dim}, dealii::Point<dim>(), far_corner, mesh);
  }
  /// Refines it and moves its vertices.
  template <int dim>
  void refine(dealii::Triangulation<dim> &mesh) const
  {
    const std::string key = section + "/Coordinates";
    refine_global(mesh, uniform_refinements);
    const std::map<std::string, unsigned int> n_coordinates{{"uniform", 0}, {"face", 1}, {"edge", 2}, {"vertex", dim}};
    if (!by_estimate())
      refine_towards_origin(mesh, lengths, n_coordinates.at(refinement), refinement_steps);
    if (!coordinates.empty())
      move_vertices(key, *parse_function<dim>(key, coordinates, dim), mesh);
  }

private:
  std::string section;
};

/// Returns the components prescribed on each boundary, from texts such as {{0, "xyz"}, {2, "n"}}. The letters x, y, z
/// stand for the components 0, 1, 2 of each vector of dim components in the element, and n for the normal one.
template <int dim>
DirichletBoundary prescribed_axes(const std::map<unsigned int, std::string> &axes,
                                  const dealii::FiniteElement<dim>          &element)
{
  DirichletBoundary dirichlet;
  for (const auto &[id, text] : axes)
    {
      dealii::ComponentMask mask(element.n_components(), false);
      for (unsigned int c = 0; c < element.n_components(); ++c)
        mask.set(c, text.find("xyz"[c % dim]) != std::string::npos);
      if (mask.n_selected_components() > 0)
        dirichlet[id] = mask;
      if (text.find('n') != std::string::npos)
        dirichlet.normal.insert(id);
    }
  return dirichlet;
}
/// The coefficients of elastic materials: each is a number, an expression of x, y, z or a list by material.
class ElasticMaterialParameters : public dealii::ParameterAcceptor
{
public:
  /// `mesh_file` knows the names of materials: make it before this object, and let it outlive this object.
  explicit ElasticMaterialParameters(const MeshFileParameters &mesh_file);

  ElasticMaterials materials() const;
  Plane plane() const { return plane_ == "axial" ? Plane::axial : plane_ == "stress" ? Plane::stress : Plane::strain; }
  bool  is_thermal() const { return !expansion.is_zero() && !temperature.is_zero(); }
  bool  are_constant() const; ///< in each material
  /// Throws InputError for mistakes that show without a mesh.
  void check(unsigned int dim, bool with_density) const;
  /// Throws InputError on all ranks unless the lists fit to the materials of the mesh, and radii are positive. All
  /// ranks call it together.
  template <int dim>
  void check(const LevelSpace<dim> &space) const;

private:
  std::vector<const Coefficient *> all() const { return {&young, &poisson, &density, &expansion, &temperature}; }

  std::map<std::string, std::string> texts; // by key
  Coefficient                        young, poisson, density, expansion, temperature;
  std::string                        plane_ = "strain";
};

/// Section "Problem": conditions on a solid, which are prescribed components of the displacement on boundaries and at
/// supports, tractions, pressures and springs.
class SolidBoundaries : public dealii::ParameterAcceptor
{
public:
  /// `mesh_file` knows the names of boundaries: make it before this object, and let it outlive this object. Without
  /// `small_deformations` there are no parameters of pressures, springs and supports.
  explicit SolidBoundaries(const MeshFileParameters &mesh_file, bool small_deformations = true);

  std::map<unsigned int, std::string> dirichlet;                   ///< components such as "xyz" or "n" by id, once read
  std::map<unsigned int, std::string> traction, pressure, springs; ///< expressions by boundary id, once read
  Supports                            supports;                    ///< once read

  std::set<unsigned int> held_normally() const ///< the boundaries where u . n = 0
  {
    std::set<unsigned int> ids;
    for (const auto &[id, components] : dirichlet)
      if (components.find('n') != std::string::npos)
        ids.insert(id);
    return ids;
  }
  /// Throws InputError where the parameters do not fit together, or where a stationary solution would not be unique. Of
  /// another mesh than a box, only check(mesh) knows the boundaries.
  void check(unsigned int dim, bool stationary, bool box, bool axial) const;
  /// Throws InputError where the mesh lacks one of the boundaries, or has an edge in one that is held normally. With
  /// `box` sides count that a box of this dimension has.
  template <int dim>
  void check(const dealii::Triangulation<dim> &mesh, bool box = false) const
  {
    for (const auto &[id, components] : dirichlet)
      if (!box || id < 2 * dim)
        check_boundaries("Problem/Dirichlet boundaries", {id}, mesh);
    for (const auto id : held_normally())
      check_edges("Problem/Dirichlet boundaries", mesh, id);
    for (const auto &[id, text] : traction)
      check_boundaries("Problem/Traction", {id}, mesh);
    for (const auto &[id, text] : pressure)
      check_boundaries("Problem/Pressure", {id}, mesh);
    for (const auto &[id, text] : springs)
      check_boundaries("Problem/Springs", {id}, mesh);
  }

  /// Returns what is prescribed on boundaries and at supports; `lengths` is the extent of the mesh.
  template <int dim>
  DirichletBoundary prescribed(const dealii::FiniteElement<dim> &element, const std::vector<double> &lengths) const
  {
    auto dirichlet     = prescribed_axes(this->dirichlet, element);
    dirichlet.at_point = supports.at<dim>(element.n_components(), *std::max_element(lengths.begin(), lengths.end()));
    return dirichlet;
  }
  /// Throws InputError on all ranks for supports that meet no node, or where nothing holds a stationary body.
  template <int dim>
  void check_supports(const Field<dim> &field, const dealii::Mapping<dim> &mapping, const std::vector<double> &lengths,
                      const Springs<dim> &foundations, bool stationary, bool axial) const
  {
    if (!supports.empty())
      supports.require_nodes(field.finest(), mapping, *std::max_element(lengths.begin(), lengths.end()));
    if (stationary)
      require_no_rigid_motion(supports.empty() ? "Problem/Dirichlet boundaries" : "Problem/Supports", field, mapping,
                              foundations, held_normally(), axial);
  }

  /// Returns the load F_i = ∫ f . φ_i + ∫ g . φ_i - ∫ p n . φ_i of a body force f, the tractions g and the pressures p
  /// (n: the outer normal); see load_vector. With `axial` symmetry all integrals have the factor 2 pi r. Throws
  /// InputError on all ranks where the force's materials do not fit to the mesh.
  template <int dim>
  Array<double> load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Coefficient &f,
                     bool axial) const;

private:
  template <int dim>
  void add_pressures(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, bool axial,
                     Array<double> &F) const;

  std::string tractions, pressures, springs_, supports_, held = "0: xyz, 1: xyz, 2: xyz, 3: xyz, 4: xyz, 5: xyz";
};

/// Section "Output" of a solid: points and lines of interest, with dim coordinates or more for each point.
struct SolidOutputParameters : EvaluationParameters
{
  explicit SolidOutputParameters(const MeshFileParameters &mesh_file);

  std::vector<std::vector<double>> stress_points;

  /// Throws InputError for a point outside of the box, or with too few coordinates; `box` is null for other meshes.
  void check(unsigned int dim, const BoxParameters *box) const;
};
} // namespace adamant
