#pragma once

#include "elasticity/elastic_material.h"
#include "expressions/expressions.h"
#include "fem/forms/integrals.h"
#include "fem/meshes/mesh.h"
#include "meshes/mesh_file.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/function.h>
#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/grid_generator.h>
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

  /// Makes the mesh from an empty one; sides have the boundary ids 0, 1 (x), 2, 3 (y), 4, 5 (z).
  template <int dim>
  void make(dealii::Triangulation<dim> &mesh) const
  {
    const std::string key = section + "/Coordinates";
    if (!coordinates.empty()) // before the work of refining
      refuse_moved_vertices(key, is_distributed(mesh));
    dealii::Point<dim> far_corner;
    std::copy_n(lengths.begin(), dim, &far_corner[0]);
    dealii::GridGenerator::subdivided_hyper_rectangle(
      mesh, std::vector<unsigned int>(coarse_cells.begin(), coarse_cells.begin() + dim), dealii::Point<dim>(),
      far_corner, true);
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

/// Elastic materials as parameters of any section: one by its Lame parameters or by Young's modulus and Poisson's
/// ratio, and others for cells of some material ids.
class ElasticMaterialParameters : public dealii::ParameterAcceptor
{
public:
  /// `mesh_file` knows the names of materials: make it before this object, and let it outlive this object.
  explicit ElasticMaterialParameters(const MeshFileParameters &mesh_file, const std::string &section = "/Problem");

  ElasticMaterials materials() const;
  bool             plane_stress() const { return plane == "stress"; }
  /// Throws InputError unless each material is stable and, where `with_density` is set, each density positive.
  void check(bool with_density) const;

private:
  void read_materials(const MeshFileParameters &mesh_file);

  std::string                                           section;
  double                                                lambda = 8e4, mu = 2e4, young = 0., poisson = 0., density = 1.;
  std::string                                           of_ids, plane = "strain";
  std::map<dealii::types::material_id, ElasticMaterial> by_id;
};

/// Section "Problem": conditions on the boundaries of a solid, which are prescribed components of the displacement,
/// tractions and pressures.
class SolidBoundaries : public dealii::ParameterAcceptor
{
public:
  /// `mesh_file` knows the names of boundaries: make it before this object, and let it outlive this object.
  explicit SolidBoundaries(const MeshFileParameters &mesh_file);

  std::map<unsigned int, std::string> dirichlet; ///< components such as "xyz" by id, once the parameters are read
  std::map<unsigned int, std::string> traction, pressure; ///< expressions by boundary id, once read

  /// Throws InputError where the parameters do not fit together, or where a stationary solution would not be unique. Of
  /// another mesh than a box, only check(mesh) knows the boundaries.
  void check(unsigned int dim, bool stationary, bool box) const;
  /// Throws InputError where the mesh lacks one of the boundaries.
  template <int dim>
  void check(const dealii::Triangulation<dim> &mesh) const
  {
    for (const auto &[id, components] : dirichlet)
      check_boundaries("Problem/Dirichlet boundaries", {id}, mesh);
    for (const auto &[id, text] : traction)
      check_boundaries("Problem/Traction", {id}, mesh);
    for (const auto &[id, text] : pressure)
      check_boundaries("Problem/Pressure", {id}, mesh);
  }

  /// Returns the load F_i = ∫ f . φ_i + ∫ g . φ_i - ∫ p n . φ_i of a body force f, the tractions g and the pressures p
  /// (n: the outer normal); see load_vector.
  template <int dim>
  Array<double> load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     const dealii::Function<dim> &f) const
  {
    std::vector<std::unique_ptr<dealii::Function<dim>>>                 functions;
    std::map<dealii::types::boundary_id, const dealii::Function<dim> *> g;
    for (const auto &[id, text] : traction)
      g[id] = functions.emplace_back(parse_function<dim>("Problem/Traction", text, dim)).get();
    const unsigned int n = space.element().degree + 1; // points in each direction
    auto               F = load_vector(space, mapping, dealii::QGauss<dim>(n), dealii::QGauss<dim - 1>(n), f, g);
    if (!pressure.empty())
      add_pressures(space, mapping, F);
    return F;
  }

private:
  template <int dim>
  void add_pressures(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, Array<double> &F) const;

  std::string tractions, pressures, held = "0: xyz, 1: xyz, 2: xyz, 3: xyz, 4: xyz, 5: xyz";
};

/// Section "Output" of a solid: points and lines of interest, with dim coordinates or more for each point.
struct SolidOutputParameters : dealii::ParameterAcceptor
{
  SolidOutputParameters();

  std::vector<std::vector<double>> points, stress_points, profiles; ///< a profile has two points
  unsigned int                     profile_points = 101;

  /// Throws InputError for a point outside of the box, or with too few coordinates; `box` is null for other meshes.
  void check(unsigned int dim, const BoxParameters *box) const;
  /// Returns the points where the displacement is recorded: the given ones, else the middle of the unit box.
  std::vector<std::vector<double>> displacement_points(unsigned int dim, const BoxParameters *box) const;
};

/// Returns the components prescribed on each boundary, from texts such as {{0, "xyz"}, {2, "y"}}. The letters x, y, z
/// stand for the components 0, 1, 2 of each vector of dim components in the element.
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
    }
  return dirichlet;
}
} // namespace adamant
