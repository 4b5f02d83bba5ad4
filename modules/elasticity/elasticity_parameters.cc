#include "elasticity/elasticity_parameters.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"
#include "elasticity/springs.h"
#include "expressions/expressions.h"
#include "fem/forms/integrals.h"
#include "frame/start_up.h"

#include <deal.II/base/numbers.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace adamant
{
BoxParameters::BoxParameters(const std::string &section)
  : ParameterAcceptor(section)
  , section(section.substr(section.find_first_not_of('/')))
{
  add_parameter("Lengths", lengths, "Lengths of the box (0,Lx) x (0,Ly) x (0,Lz)");
  add_parameter("Coarse cells", coarse_cells, "Cells of the box in each direction, before refinement");
  using namespace dealii::Patterns;
  add_parameter("Uniform refinements", uniform_refinements, "Uniform refinements of the coarse cells", prm,
                Integer(0, 10));
  add_parameter("Refinement", refinement,
                "Step l = 1, 2, ... then refines all cells (uniform), or the cells whose centre has its first 1 "
                "(face), 2 (edge) or 3 (vertex) coordinates below 2^-l times the length. With kelly it refines the "
                "cells where a stationary solution has the largest errors after Kelly's estimator",
                prm, Selection("uniform|face|edge|vertex|kelly"));
  add_parameter("Refinement steps", refinement_steps, "Number of the steps that Refinement describes", prm,
                Integer(0, 20));
  add_parameter("Coordinates", coordinates,
                "Final place of the box's point (x, y, z): expressions separated by semicolons, as for graded cells; "
                "empty: it stays");
  add_parameter("Refine fraction", refine_fraction, "Fraction of the cells that each step of kelly refines", prm,
                Double(0., 1.));
}

void BoxParameters::check(unsigned int dim, unsigned int n_components, unsigned int degree) const
{
  require(lengths.size() >= dim && coarse_cells.size() >= dim, section,
          "/Lengths and Coarse cells need a value for each dimension");
  if (!coordinates.empty())
    check_expression(section + "/Coordinates", coordinates, dim, dim);
  const auto times      = uniform_refinements + (refinement == "uniform" ? refinement_steps : 0);
  double     n_unknowns = n_components;
  for (unsigned int d = 0; d < dim; ++d)
    {
      require(lengths[d] > 0. && coarse_cells[d] > 0, section, "/Lengths and Coarse cells have to be positive");
      n_unknowns *= degree * std::ldexp(coarse_cells[d], static_cast<int>(times)) + 1.;
    }
  require(n_unknowns <= most_unknowns(), section,
          ": these refinements give more unknowns than 32-bit indices can count");
}

bool BoxParameters::contains(const std::vector<double> &point, unsigned int dim) const
{
  bool inside = point.size() >= dim;
  for (unsigned int d = 0; inside && d < dim && coordinates.empty(); ++d)
    inside = point[d] >= 0. && point[d] <= lengths[d];
  return inside;
}

ElasticMaterialParameters::ElasticMaterialParameters(const MeshFileParameters &mesh_file)
  : ParameterAcceptor("/Problem")
{
  const std::string values =
    "; a number, an expression of x, y, z, or a list by material: 'id: ..., id: ..., elsewhere'";
  const auto add = [&](const char *key, const char *usual, const std::string &description) {
    add_parameter(key, texts[key] = usual, description + values);
  };
  add("Young modulus", "5.6e4", "E");
  add("Poisson ratio", "0.4", "nu, below 0.5");
  add("Density", "1", "rho");
  add("Thermal expansion", "0", "The strain by degree of Temperature change, equal in all directions");
  add("Temperature change", "1", "The temperature minus the one without thermal strain");
  add_parameter("Plane", plane_,
                "In two dimensions: plane strain, plane stress as in a thin plate, or axial symmetry, where x is the "
                "radius and y the axis",
                prm, dealii::Patterns::Selection("strain|stress|axial"));
  parse_parameters_call_back.connect([this, &mesh_file] {
    const auto read = [&](const char *name) {
      const std::string key = std::string("Problem/") + name;
      return Coefficient(key, texts.at(name), mesh_file.materials(key));
    };
    young       = read("Young modulus");
    poisson     = read("Poisson ratio");
    density     = read("Density");
    expansion   = read("Thermal expansion");
    temperature = read("Temperature change");
  });
}

bool ElasticMaterialParameters::are_constant() const
{
  const auto coefficients = all();
  return std::all_of(coefficients.begin(), coefficients.end(), [](const auto *one) { return one->is_constant(); });
}

ElasticMaterials ElasticMaterialParameters::materials() const
{
  ElasticMaterials materials{};
  materials.plane = plane();
  const auto of   = std::make_shared<const ElasticCoefficients>(
    ElasticCoefficients{CoefficientFunction(young), CoefficientFunction(poisson), CoefficientFunction(density),
                        CoefficientFunction(expansion), CoefficientFunction(temperature)});
  if (!are_constant())
    {
      materials.of_place = of;
      return materials;
    }
  const auto coefficients = all();
  const auto have         = [&](unsigned int id) {
    return std::all_of(coefficients.begin(), coefficients.end(), [id](const auto *one) { return one->has(id); });
  };
  if (have(dealii::numbers::invalid_material_id))
    materials.elsewhere = of->at(dealii::numbers::invalid_material_id, {}, materials.plane);
  for (const Coefficient *one : coefficients)
    for (const auto &entry : one->by_material())
      if (have(entry.first))
        materials.by_id[entry.first] = of->at(entry.first, {}, materials.plane);
  return materials;
}

void ElasticMaterialParameters::check(unsigned int dim, bool with_density) const
{
  for (const Coefficient *one : all())
    one->check([&](const std::string &text) {
      check_expression(one->key(), text, 1, dim);
      require(!depends_on_time(text), one->key(), " = ", text,
              " contains t, but only Problem/Load factor depends on the time");
      if (!is_constant(text) || one == &expansion || one == &temperature)
        return;
      const double      value = constant_values(one->key(), text, 1)[0];
      const std::string fault = fault_of_material(one == &young ? value : 1., one == &poisson ? value : 0.,
                                                  one == &density ? value : 1., with_density);
      require(fault.empty(), "Problem/", fault);
    });
  require(plane() == Plane::strain || dim == 2, "Problem/Plane = ", plane_, " is for two dimensions");
}

template <int dim>
void ElasticMaterialParameters::check(const LevelSpace<dim> &space) const
{
  for (const Coefficient *one : all())
    one->check_materials(space.communicator(), materials_of(space));
  double least = 0., most = 0.;
  for (const auto &cell : space.active_cells())
    for (const unsigned int v : cell->vertex_indices())
      {
        least = std::min(least, cell->vertex(v)[0]);
        most  = std::max(most, cell->vertex(v)[0]);
      }
  require_on_all(space.communicator(), plane() != Plane::axial || least >= -1e-10 * most ?
                                         "" :
                                         "Problem/Plane = axial: x is the radius, but the mesh has points with x < 0");
}

template void ElasticMaterialParameters::check(const LevelSpace<2> &) const;
template void ElasticMaterialParameters::check(const LevelSpace<3> &) const;

SolidBoundaries::SolidBoundaries(const MeshFileParameters &mesh_file, bool small_deformations)
  : ParameterAcceptor("/Problem")
{
  parse_parameters_call_back.connect([this, &mesh_file] {
    const auto split = [&](const std::string &key, const std::string &text) {
      return split_by_boundary(key, text, mesh_file.boundaries(key));
    };
    traction  = split("Problem/Traction", tractions);
    pressure  = split("Problem/Pressure", pressures);
    springs   = split("Problem/Springs", springs_);
    supports  = Supports("Problem/Supports", supports_);
    dirichlet = split("Problem/Dirichlet boundaries", held);
  });
  add_parameter("Traction", tractions,
                "g per area, by boundary id: 'id: g_x; g_y; g_z, id: ...', expressions of x, y, z");
  add_parameter(
    "Dirichlet boundaries", held,
    "The boundaries where the displacement is prescribed, with its components: 'id: xyz, id: y, ...'; with n it is "
    "zero "
    "along the normal, as on slanted or curved sides. The sides of the box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z); "
    "boundaries of a mesh from a file may have names");
  if (!small_deformations)
    return;
  add_parameter("Pressure", pressures, "p against the boundary, by id: 'id: p, id: ...', expressions of x, y, z");
  add_parameter(
    "Springs", springs_,
    "Elastic foundations with the traction -k u, by boundary: 'id: k, ...', or across and along the boundary: "
    "'id: k_n; k_t, ...'; expressions of x, y, z, stiffness by area");
  add_parameter(
    "Supports", supports_,
    "Components prescribed, as on Dirichlet boundaries, at nodes where conditions hold, as along a line or at "
    "a point: 'x = 0, y = 0: xy; x = 1, z < 2: y'");
}

void SolidBoundaries::check(unsigned int dim, bool stationary, bool box, bool axial) const
{
  const std::string axes                 = std::string("xyz").substr(0, dim);
  const auto        has                  = [&](unsigned int id) { return !box || id < 2 * dim; };
  std::string       prescribed_somewhere = supports.components();
  for (const auto &[id, components] : dirichlet)
    {
      require(!box || id < 6, "Problem: the box has no boundary ", id, "; its sides are 0 to 5, in 2D 0 to 3");
      require(!components.empty() && components.find_first_not_of("xyzn") == std::string::npos,
              "Problem/Dirichlet boundaries: '", components, "' of boundary ", id,
              " should name components, as xyz, or n for the normal one");
      require(!has(id) || components.find_first_of(axes + "n") != std::string::npos, "Problem/Dirichlet boundaries: '",
              components, "' of boundary ", id, " names none of the components ", axes);
      prescribed_somewhere += has(id) ? components : "";
    }
  const auto check_load = [&](const std::string &key, unsigned int id) {
    require(!box || id < 6, "Problem: the box has no boundary ", id, "; its sides are 0 to 5, in 2D 0 to 3");
    require(has(id), key, ": on boundary ", id, ", which only a cube has");
    require(dirichlet.count(id) == 0 || axes.find_first_not_of(dirichlet.at(id)) != std::string::npos, key,
            ": on boundary ", id, ", where Problem/Dirichlet boundaries prescribes all components");
  };
  for (const auto &entry : traction)
    check_load("Problem/Traction", entry.first);
  for (const auto &[id, text] : pressure)
    {
      check_load("Problem/Pressure", id);
      check_expression("Problem/Pressure", text, 1, dim);
    }
  for (const auto &[id, text] : springs)
    {
      check_load("Problem/Springs", id);
      check_springs("Problem/Springs", text, dim);
    }
  supports.check(dim);
  // The material around the axis holds the radial component; check_supports() looks at normals and springs.
  for (const char axis : axial ? "y" : axes)
    require(!stationary || !springs.empty() || prescribed_somewhere.find_first_of({axis, 'n'}) != std::string::npos,
            "Problem/Dirichlet boundaries: a stationary solution needs the component ", axis, " prescribed somewhere");
}

namespace
{
// A load by volume or area of a body with axial symmetry, whose integrals are over a half plane.
template <int dim>
class AroundTheAxis : public dealii::Function<dim>
{
public:
  AroundTheAxis(const dealii::Function<dim> &load)
    : dealii::Function<dim>(load.n_components)
    , load(load)
  {}
  double value(const dealii::Point<dim> &x, unsigned int component) const override
  {
    return 2. * dealii::numbers::PI * x[0] * load.value(x, component);
  }

private:
  const dealii::Function<dim> &load;
};
} // namespace

template <int dim>
Array<double> SolidBoundaries::load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                    const Coefficient &f, bool axial) const
{
  f.check_materials(space.communicator(), materials_of(space));
  const CoefficientFunctions<dim>                                     forces(f, dim);
  std::map<unsigned int, const dealii::Function<dim> *>               force_in;
  std::vector<std::unique_ptr<dealii::Function<dim>>>                 functions;
  std::map<dealii::types::boundary_id, const dealii::Function<dim> *> g;
  const auto around_the_axis = [&](const dealii::Function<dim> &load) -> const dealii::Function<dim> * {
    return axial ? functions.emplace_back(std::make_unique<AroundTheAxis<dim>>(load)).get() : &load;
  };
  for (const auto &[id, text] : traction)
    g[id] = around_the_axis(*functions.emplace_back(parse_function<dim>("Problem/Traction", text, dim)));
  for (const auto material : materials_of(space))
    force_in[material] = around_the_axis(forces.in(material));
  const unsigned int n           = space.element().degree + 1; // points in each direction
  const auto         in_material = [&](unsigned int material) -> const dealii::Function<dim>         &{
    return *force_in.at(material);
  };
  auto F = load_vector<dim>(space, mapping, dealii::QGauss<dim>(n), dealii::QGauss<dim - 1>(n), in_material, g);
  if (!pressure.empty())
    add_pressures(space, mapping, axial, F);
  return F;
}

template <int dim>
void SolidBoundaries::add_pressures(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, bool axial,
                                    Array<double> &F) const
{
  const auto               &fe = space.element();
  dealii::FEFaceValues<dim> values(mapping, fe, dealii::QGauss<dim - 1>(fe.degree + 1),
                                   dealii::update_values | dealii::update_quadrature_points |
                                     dealii::update_JxW_values | dealii::update_normal_vectors);
  std::map<unsigned int, std::unique_ptr<ParsedFunction<dim>>> p;
  for (const auto &[id, text] : pressure)
    p[id] = parse_function<dim>("Problem/Pressure", text, 1);
  Array<double> local(space.n_dofs(), 0.);
  for (int c = 0; c < space.n_cells(); ++c)
    for (const unsigned int f : space.active_cells()[c]->face_indices())
      if (const auto cell = space.active_cells()[c]; cell->at_boundary(f))
        if (const auto found = p.find(boundary_id(cell->face(f))); found != p.end())
          {
            values.reinit(cell, f);
            for (const unsigned int q : values.quadrature_point_indices())
              for (const unsigned int i : values.dof_indices())
                if (const unsigned int d = fe.system_to_component_index(i).first; d < dim)
                  local[space.cell_dofs(c)[i]] -=
                    found->second->value(values.quadrature_point(q)) * values.JxW(q) * values.normal_vector(q)[d] *
                    values.shape_value(i, q) * (axial ? 2. * dealii::numbers::PI * values.quadrature_point(q)[0] : 1.);
          }
  const auto owned = space.sum_local(std::move(local));
  std::transform(owned.begin(), owned.begin() + static_cast<long>(F.size()), F.begin(), F.begin(), std::plus<>());
}

template Array<double> SolidBoundaries::load(const LevelSpace<2> &, const dealii::Mapping<2> &, const Coefficient &,
                                             bool) const;
template Array<double> SolidBoundaries::load(const LevelSpace<3> &, const dealii::Mapping<3> &, const Coefficient &,
                                             bool) const;

SolidOutputParameters::SolidOutputParameters(const MeshFileParameters &mesh_file)
  : EvaluationParameters(mesh_file,
                         "u_x, u_y, u_z (u: each of them), displacement, von_mises or stress_xx, ...; on boundaries "
                         "force, the stress times the outer normal by quadrature",
                         "the displacement is recorded in each step", "displacement and stresses of the last state are",
                         {"stress", "strain", "von_mises"}, {"stress", "von_mises"})
{
  add_parameter("Stress points", stress_points,
                "Where the stresses of the last state are recorded: 'x, y, z; x, y, z; ...'");
  add_statistics_interval();
}

void SolidOutputParameters::check(unsigned int dim, const BoxParameters *box) const
{
  const auto check = [&](const char *key, const std::vector<std::vector<double>> &all) {
    for (const auto &point : all)
      require(point.size() >= dim && (box == nullptr || box->contains(point, dim)), key, ": the point (",
              dealii::Patterns::Tools::to_string(point),
              box != nullptr ? ") lies outside the box or has fewer than " : ") has fewer than ", dim, " coordinates");
  };
  check("Output/Points", points);
  check("Output/Stress points", stress_points);
  EvaluationParameters::check(dim);
}
} // namespace adamant
