#include "scalar/scalar_boundaries.h"

#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"
#include "meshes/mesh_input.h"
#include "scalar/function_of_solution.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The boundaries with an expression.
std::set<unsigned int> ids_of(const std::map<unsigned int, std::string> &text_of)
{
  std::set<unsigned int> ids;
  for (const auto &entry : text_of)
    ids.insert(entry.first);
  return ids;
}
} // namespace

ScalarBoundaries::ScalarBoundaries(const MeshFileParameters &mesh_file, const std::string &built_in,
                                   const std::string &section, bool of_solution, bool has_robin)
  : ParameterAcceptor("/" + section)
  , values(built_in)
  , section(section)
  , built_in(built_in)
  , of_solution(of_solution)
{
  const std::string variables = of_solution ? "u, x, y, z, t" : "x, y, z, t";
  add_parameter("Boundary values", values,
                "Prescribed values, an expression of x, y, z, t for all boundaries without flux" +
                  std::string(has_robin ? " or Robin's condition" : "") + (built_in.empty() ? "" : ", or " + built_in) +
                  "; or a list 'id: expression, ...': no flux passes boundaries in none of the lists");
  add_parameter("Flux", fluxes,
                "The flux into the domain, lambda times the normal derivative: 'id: expression, ...' of " + variables);
  if (has_robin)
    add_parameter("Robin", robins,
                  "'id: alpha; u_out, ...': the flux into the domain is -alpha (u - u_out), expressions of " +
                    variables);
  parse_parameters_call_back.connect([this, &mesh_file] { read(mesh_file); });
}

void ScalarBoundaries::read(const MeshFileParameters &mesh_file)
{
  const auto list = [&](const std::string &key, const std::string &text) {
    return split_by_boundary(section + "/" + key, text, mesh_file.boundaries(section + "/" + key));
  };
  flux       = list("Flux", fluxes);
  prescribed = {};
  everywhere.reset();
  if (const bool is_list = !name_of_entry(values).empty() || dealii::Utilities::trim(values).empty(); is_list)
    prescribed = list("Boundary values", values);
  else
    everywhere = values;
  exchange = outside = {};
  for (const auto &[id, text] : list("Robin", robins))
    {
      const auto two = split_outside_brackets(text, ';');
      require(two.size() == 2, section, "/Robin = ", id, ": ", text, ": it should have alpha and u_out, as in '", id,
              ": 5; 20'");
      exchange[id] = two[0];
      outside[id]  = two[1];
      require(flux.count(id) == 0, section, "/Robin has boundary ", id, ", which ", section, "/Flux has, too");
    }
  for (const auto &[id, text] : prescribed)
    require(flux.count(id) + exchange.count(id) == 0, section, "/Boundary values has boundary ", id, ", which ",
            section, "/", flux.count(id) > 0 ? "Flux" : "Robin", " has, too");
}

bool ScalarBoundaries::exchange_depends_on_time() const
{
  return std::any_of(exchange.begin(), exchange.end(), [](const auto &entry) { return depends_on_time(entry.second); });
}

bool ScalarBoundaries::vary() const
{
  return (everywhere && depends_on_time(*everywhere)) ||
         std::any_of(prescribed.begin(), prescribed.end(),
                     [](const auto &entry) { return depends_on_time(entry.second); });
}

bool ScalarBoundaries::are_zero() const
{
  const auto is_zero = [](const std::string &text) { return split_numbers(text) == std::vector<double>{0.}; };
  return (!everywhere || is_zero(*everywhere)) &&
         std::all_of(prescribed.begin(), prescribed.end(), [&](const auto &entry) { return is_zero(entry.second); });
}

std::map<unsigned int, std::string> ScalarBoundaries::fluxes_of_solution() const
{
  auto all = flux;
  for (const auto &[id, alpha] : exchange)
    all[id] = "-(" + alpha + ")*(u-(" + outside.at(id) + "))";
  return all;
}

void ScalarBoundaries::check(unsigned int dim) const
{
  const auto check_all = [&](const std::string &name, const std::string &list,
                             const std::map<unsigned int, std::string> &expressions) {
    const std::string key = section + "/" + name;
    for (const auto &entry : expressions)
      check_entry(key, list, entry.second, [&](const std::string &text) {
        if (of_solution && name != "Boundary values")
          check_function_of_solution(key, text, dim);
        else
          check_expression(key, text, 1, dim);
      });
  };
  check_all("Boundary values", values, prescribed);
  check_all("Flux", fluxes, flux);
  check_all("Robin", robins, exchange);
  check_all("Robin", robins, outside);
  if (everywhere && !is_built_in())
    check_expression(section + "/Boundary values", *everywhere, 1, dim);
}

template <int dim>
DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<dim> &mesh) const
{
  check_boundaries(section + "/Boundary values", ids_of(prescribed), mesh);
  check_boundaries(section + "/Flux", ids_of(flux), mesh);
  check_boundaries(section + "/Robin", ids_of(exchange), mesh);
  DirichletBoundary result;
  for (const auto id : boundary_ids(mesh))
    if (everywhere ? flux.count(id) + exchange.count(id) == 0 : prescribed.count(id) > 0)
      result[id] = dealii::ComponentMask();
  return result;
}

template <int dim>
ValuesAtPoints ScalarBoundaries::values_at(const Device &device, const LevelSpace<dim> &space, const Array<int> &nodes,
                                           const Array<double> &points) const
{
  const std::string                   key = this->key("Boundary values");
  const std::size_t                   n   = points.size() / dim;
  Array<unsigned int>                 region(n, 0);
  std::map<unsigned int, std::string> text_of = prescribed;
  if (everywhere)
    text_of = {{0, *everywhere}};
  else
    for (auto entry = prescribed.rbegin(); entry != prescribed.rend(); ++entry)
      {
        const auto on_boundary = space.on_boundary(entry->first);
        for (std::size_t i = 0; i < n; ++i)
          if (on_boundary[nodes[i]] != 0)
            region[i] = entry->first;
      }
  return {device, n, function_of_regions<dim>(device, key, text_of, region, 1, points), vary(), key};
}

namespace
{
// The expressions' values at the points of the faces.
template <int dim>
ValuesAtPoints values_on(const Device &device, const std::string &key, const BoundaryFaces<dim> &faces,
                         const std::map<unsigned int, std::string> &text_of)
{
  const bool varies =
    std::any_of(text_of.begin(), text_of.end(), [](const auto &entry) { return depends_on_time(entry.second); });
  return {device, std::size_t(faces.n_points()),
          function_of_regions<dim>(device, key, text_of, faces.boundaries(), 1, faces.points()), varies, key};
}
} // namespace

template <int dim>
BoundaryLoad<dim>::BoundaryLoad(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const ScalarBoundaries &boundaries)
{
  if (!boundaries.has_load())
    return;
  auto text_of = boundaries.flux;
  for (const auto &[id, text] : boundaries.outside)
    text_of[id] = "(" + boundaries.exchange.at(id) + ")*(" + text + ")";
  const BoundaryFaces<dim> faces(device, space, mapping, ids_of(text_of));
  integrals.emplace(faces.load());
  const std::string key = boundaries.key("Flux") + (boundaries.outside.empty() ? "" : " or " + boundaries.key("Robin"));
  values                = values_on(device, key, faces, text_of);
}

template <int dim>
void BoundaryLoad<dim>::add(double factor, double t, Vector<double> &rhs)
{
  if (integrals)
    rhs.device().multiply(factor, *integrals, values.at(t), 1., rhs);
}

template <int dim>
std::map<unsigned int, Vector<double>> flux_weights(const Device &device, const LevelSpace<dim> &space,
                                                    const dealii::Mapping<dim> &mapping,
                                                    const ScalarBoundaries     &boundaries)
{
  std::map<unsigned int, Vector<double>> result;
  Array<unsigned char>                   taken(space.n_owned(), 0);
  const Vector<double>                   all(device, Array<double>(space.n_owned(), 1.));
  for (const auto &[id, components] : boundaries.dirichlet(space.triangulation()))
    {
      const BoundaryFaces<dim> faces(device, space, mapping, {id});
      Vector<double>           sizes(device, space.n_owned());
      device.multiply(1., faces.load(), Vector<double>(device, Array<double>(faces.n_points(), 1.)), 0., sizes);
      const double  area = device.dot(sizes, all);
      const auto    on   = space.on_boundary(id);
      Array<double> weights(space.n_owned(), 0.);
      for (int i = 0; i < space.n_owned(); ++i)
        if (on[i] != 0 && !std::exchange(taken[i], 1))
          weights[i] = 1. / area;
      result.emplace(id, Vector<double>(device, weights));
    }
  return result;
}

template <int dim>
RobinMatrices<dim>::RobinMatrices(const Device &device, const LevelSpace<dim> &space,
                                  const dealii::Mapping<dim> &mapping, const ScalarBoundaries &boundaries)
  : faces(device, space, mapping, ids_of(boundaries.exchange))
  , alpha(values_on(device, boundaries.key("Robin"), faces, boundaries.exchange))
{}

template std::map<unsigned int, Vector<double>> flux_weights(const Device &, const LevelSpace<2> &,
                                                             const dealii::Mapping<2> &, const ScalarBoundaries &);
template std::map<unsigned int, Vector<double>> flux_weights(const Device &, const LevelSpace<3> &,
                                                             const dealii::Mapping<3> &, const ScalarBoundaries &);
template class BoundaryLoad<2>;
template class BoundaryLoad<3>;
template class RobinMatrices<2>;
template class RobinMatrices<3>;
template DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<2> &) const;
template DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<3> &) const;
template ValuesAtPoints    ScalarBoundaries::values_at(const Device &, const LevelSpace<2> &, const Array<int> &,
                                                       const Array<double> &) const;
template ValuesAtPoints    ScalarBoundaries::values_at(const Device &, const LevelSpace<3> &, const Array<int> &,
                                                       const Array<double> &) const;
} // namespace adamant
