#include "elasticity/elasticity_parameters.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "frame/start_up.h"

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
  add_parameter("Plane", plane, "In two dimensions: plane strain, or plane stress as in a thin plate", prm,
                dealii::Patterns::Selection("strain|stress"));
  parse_parameters_call_back.connect([this, &mesh_file] { read_materials(mesh_file); });
  add_parameter(
    "Materials", of_ids,
    "Constants of cells with other material ids, in place of the constants above: 'id: E; nu; rho, id: ...'");
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
  ElasticMaterials all = {young > 0. ? of_young(young, poisson, density) : ElasticMaterial{lambda, mu, density}, by_id};
  if (plane_stress())
    {
      all.elsewhere = all.elsewhere.in_plane_stress();
      for (auto &[id, material] : all.by_id)
        material = material.in_plane_stress();
    }
  return all;
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

SolidBoundaries::SolidBoundaries(const MeshFileParameters &mesh_file)
  : ParameterAcceptor("/Problem")
{
  parse_parameters_call_back.connect([this, &mesh_file] {
    const auto split = [&](const std::string &key, const std::string &text) {
      return split_by_boundary(key, text, mesh_file.boundaries(key));
    };
    traction  = split("Problem/Traction", tractions);
    pressure  = split("Problem/Pressure", pressures);
    dirichlet = split("Problem/Dirichlet boundaries", held);
  });
  add_parameter("Traction", tractions,
                "g per area, by boundary id: 'id: g_x; g_y; g_z, id: ...', expressions of x, y, z");
  add_parameter("Pressure", pressures, "p against the boundary, by id: 'id: p, id: ...', expressions of x, y, z");
  add_parameter(
    "Dirichlet boundaries", held,
    "The boundaries where the displacement is prescribed, with its components: 'id: xyz, id: y, ...'. The sides of the "
    "box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z); boundaries of a mesh from a file may have names");
}

void SolidBoundaries::check(unsigned int dim, bool stationary, bool box) const
{
  const std::string axes = std::string("xyz").substr(0, dim);
  const auto        has  = [&](unsigned int id) { return !box || id < 2 * dim; };
  std::string       prescribed_somewhere;
  for (const auto &[id, components] : dirichlet)
    {
      require(!box || id < 6, "Problem: the box has no boundary ", id, "; its sides are 0 to 5, in 2D 0 to 3");
      require(!components.empty() && components.find_first_not_of("xyz") == std::string::npos,
              "Problem/Dirichlet boundaries: '", components, "' of boundary ", id, " should name components, as xyz");
      require(!has(id) || components.find_first_of(axes) != std::string::npos, "Problem/Dirichlet boundaries: '",
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
  for (const char axis : axes)
    require(!stationary || prescribed_somewhere.find(axis) != std::string::npos,
            "Problem/Dirichlet boundaries: a stationary solution needs the component ", axis, " prescribed somewhere");
}

template <int dim>
void SolidBoundaries::add_pressures(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
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
                  local[space.cell_dofs(c)[i]] -= found->second->value(values.quadrature_point(q)) * values.JxW(q) *
                                                  values.normal_vector(q)[d] * values.shape_value(i, q);
          }
  const auto owned = space.sum_local(std::move(local));
  std::transform(owned.begin(), owned.begin() + static_cast<long>(F.size()), F.begin(), F.begin(), std::plus<>());
}

template void SolidBoundaries::add_pressures(const LevelSpace<2> &, const dealii::Mapping<2> &, Array<double> &) const;
template void SolidBoundaries::add_pressures(const LevelSpace<3> &, const dealii::Mapping<3> &, Array<double> &) const;

SolidOutputParameters::SolidOutputParameters(const MeshFileParameters &mesh_file)
  : EvaluationParameters(mesh_file,
                         "u_x, u_y, u_z (u: each of them), displacement, von_mises or stress_xx, ...; on boundaries "
                         "force, the stress times the outer normal by quadrature",
                         "the displacement is recorded in each step", "displacement and stresses of the last state are")
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
