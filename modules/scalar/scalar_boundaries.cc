#include "scalar/scalar_boundaries.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "expressions/expressions.h"
#include "fem/forms/cell_rows.h"
#include "fem/ranks/distributed_rows.h"
#include "frame/parameters/mesh_input.h"
#include "scalar/coefficient.h"
#include "scalar/expression_text.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/utilities.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
ScalarBoundaries::ScalarBoundaries(const MeshFileParameters &mesh_file, const std::string &built_in)
  : ParameterAcceptor("/Problem")
  , values(built_in)
  , built_in(built_in)
{
  add_parameter("Boundary values", values,
                "Prescribed values, an expression of x, y, z, t for all boundaries without flux or Robin's condition" +
                  (built_in.empty() ? "" : ", or " + built_in) +
                  "; or a list 'id: expression, ...': no flux passes boundaries in none of the lists");
  add_parameter("Flux", fluxes,
                "The flux into the domain, lambda times the normal derivative: 'id: expression, ...' of x, y, z, t");
  add_parameter("Robin", robins,
                "'id: alpha; u_out, ...': the flux into the domain is -alpha (u - u_out), expressions of x, y, z, t");
  parse_parameters_call_back.connect([this, &mesh_file] { read(mesh_file); });
}

void ScalarBoundaries::read(const MeshFileParameters &mesh_file)
{
  const auto list = [&](const std::string &key, const std::string &text) {
    return split_by_boundary("Problem/" + key, text, mesh_file.boundaries("Problem/" + key));
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
      require(two.size() == 2, "Problem/Robin = ", id, ": ", text, ": it should have alpha and u_out, as in '", id,
              ": 5; 20'");
      exchange[id] = two[0];
      outside[id]  = two[1];
      require(flux.count(id) == 0, "Problem/Robin has boundary ", id, ", which Problem/Flux has, too");
    }
  for (const auto &[id, text] : prescribed)
    require(flux.count(id) + exchange.count(id) == 0, "Problem/Boundary values has boundary ", id, ", which Problem/",
            flux.count(id) > 0 ? "Flux" : "Robin", " has, too");
}

bool ScalarBoundaries::exchange_depends_on_time() const
{
  return std::any_of(exchange.begin(), exchange.end(), [](const auto &entry) { return depends_on_time(entry.second); });
}

void ScalarBoundaries::check(unsigned int dim) const
{
  const auto check_all = [dim](const std::string &key, const std::map<unsigned int, std::string> &expressions) {
    for (const auto &[id, text] : expressions)
      check_expression("Problem/" + key, text, 1, dim);
  };
  check_all("Boundary values", prescribed);
  check_all("Flux", flux);
  check_all("Robin", exchange);
  check_all("Robin", outside);
  if (everywhere && !is_built_in())
    check_expression("Problem/Boundary values", *everywhere, 1, dim);
}

template <int dim>
DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<dim> &mesh) const
{
  const auto check_ids = [&mesh](const std::string &key, const std::map<unsigned int, std::string> &expressions) {
    std::set<unsigned int> ids;
    for (const auto &entry : expressions)
      ids.insert(entry.first);
    check_boundaries("Problem/" + key, ids, mesh);
  };
  check_ids("Boundary values", prescribed);
  check_ids("Flux", flux);
  check_ids("Robin", exchange);
  DirichletBoundary result;
  for (const auto id : boundary_ids(mesh))
    if (everywhere ? flux.count(id) + exchange.count(id) == 0 : prescribed.count(id) > 0)
      result[id] = dealii::ComponentMask();
  return result;
}

template <int dim>
ValuesAtPoints ScalarBoundaries::values_at(const Device &device, const LevelSpace<dim> &space,
                                           const Array<double> &points) const
{
  const std::string                   key = "Problem/Boundary values";
  const std::size_t                   n   = points.size() / dim;
  Array<unsigned int>                 region(n, 0);
  bool                                varies  = everywhere && depends_on_time(*everywhere);
  std::map<unsigned int, std::string> text_of = prescribed;
  if (everywhere)
    text_of = {{0, *everywhere}};
  else
    for (auto entry = prescribed.rbegin(); entry != prescribed.rend(); ++entry)
      {
        varies                 = varies || depends_on_time(entry->second);
        const auto on_boundary = space.on_boundary(entry->first);
        for (std::size_t i = 0; i < n; ++i)
          if (on_boundary[space.prescribed[i]] != 0)
            region[i] = entry->first;
      }
  return {device, n, function_of_regions<dim>(device, key, text_of, region, 1, points), varies, key};
}

namespace
{
// Calls action(cell number, face values) for each face of the level on one of the boundaries `text_of`. One thread does
// it, as boundaries are small; the rank's cells are met in order.
template <int dim, class Action>
void for_each_face(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                   const std::map<unsigned int, std::string> &text_of, const Action &action)
{
  dealii::FEFaceValues<dim> values(mapping, space.element(), dealii::QGauss<dim - 1>(space.element().degree + 1),
                                   dealii::update_values | dealii::update_JxW_values |
                                     dealii::update_quadrature_points);
  for (int c = 0; c < space.n_cells(); ++c)
    {
      const typename dealii::Triangulation<dim>::cell_iterator cell = space.active_cells()[c];
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          if (const auto id = boundary_id(cell->face(f)); text_of.count(id) > 0)
            {
              values.reinit(cell, f);
              action(c, id, values);
            }
    }
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
  std::vector<Row>                row_of(space.n_dofs());
  std::vector<dealii::Point<dim>> places;
  Array<unsigned int>             region;
  for_each_face<dim>(space, mapping, text_of, [&](int cell, unsigned int id, const auto &values) {
    const int first = static_cast<int>(places.size());
    for (const unsigned int q : values.quadrature_point_indices())
      {
        places.push_back(values.quadrature_point(q));
        region.push_back(id);
      }
    for_each_row_of_cell(space, cell, [&](int i, int row, double weight) {
      for (const unsigned int q : values.quadrature_point_indices())
        row_of[row].emplace_back(first + static_cast<int>(q), weight * values.shape_value(i, q) * values.JxW(q));
    });
  });
  const int     n = static_cast<int>(places.size());
  Array<double> points(dim * places.size());
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < dim; ++d)
      points[std::size_t(d) * n + i] = places[i][d];
  auto           local   = matrix_of_rows(space.n_dofs(), n, [&](int row, Row &entries) {
    entries = row_of[row];
    compress(entries);
  });
  const MPI_Comm comm    = space.partition().get_mpi_communicator();
  const auto     columns = make_partitioner(owned_range(n, comm), {}, comm);
  integrals.emplace(device, sum_rows(std::move(local), space.partition(), *columns));
  bool varies = false;
  for (const auto &entry : text_of)
    varies = varies || depends_on_time(entry.second);
  const std::string key = boundaries.outside.empty() ? "Problem/Flux" : "Problem/Flux or Problem/Robin";
  values = {device, places.size(), function_of_regions<dim>(device, key, text_of, region, 1, points), varies, key};
}

template <int dim>
void BoundaryLoad<dim>::add(double factor, double t, Vector<double> &rhs)
{
  if (integrals)
    rhs.device().multiply(factor, *integrals, values.at(t), 1., rhs);
}

template <int dim>
RobinMatrices<dim>::RobinMatrices(const Device &device, const LevelSpace<dim> &space,
                                  const dealii::Mapping<dim> &mapping, const ScalarBoundaries &boundaries)
  : device(device)
  , space(space)
  , mapping(mapping)
  , boundaries(boundaries)
  , number(boundaries.exchange.empty() ? 0 : space.n_cells(), -1)
{
  if (boundaries.exchange.empty())
    return;
  for_each_face<dim>(space, mapping, boundaries.exchange, [&](int cell, unsigned int, const auto &) {
    if (number[cell] < 0)
      number[cell] = n_matrices++;
  });
  number_on_device = List<int>(device, number);
}

template <int dim>
void RobinMatrices<dim>::evaluate(double t)
{
  std::map<unsigned int, std::unique_ptr<ParsedFunction<dim>>> alpha;
  for (const auto &[id, text] : boundaries.exchange)
    {
      alpha[id] = parse_function<dim>("Problem/Robin", text, 1);
      alpha[id]->set_time(t);
    }
  const int     n = space.dofs_per_cell();
  Array<double> sums(std::size_t(n_matrices) * n * n, 0.);
  for_each_face<dim>(space, mapping, boundaries.exchange, [&](int cell, unsigned int id, const auto &values) {
    double *const of_cell = sums.data() + std::size_t(number[cell]) * n * n;
    for (const unsigned int q : values.quadrature_point_indices())
      {
        const double factor = alpha[id]->value(values.quadrature_point(q)) * values.JxW(q);
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < n; ++b)
            of_cell[a * n + b] += factor * values.shape_value(a, q) * values.shape_value(b, q);
      }
  });
  require_numbers(space.communicator(), "Problem/Robin", sums);
  entries = Vector<double>(device, sums);
}

template <int dim>
FaceMatricesView RobinMatrices<dim>::view() const
{
  return {number.empty() ? nullptr : number_on_device.data(), entries.data(), space.dofs_per_cell()};
}

template class BoundaryLoad<2>;
template class BoundaryLoad<3>;
template class RobinMatrices<2>;
template class RobinMatrices<3>;
template DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<2> &) const;
template DirichletBoundary ScalarBoundaries::dirichlet(const dealii::Triangulation<3> &) const;
template ValuesAtPoints ScalarBoundaries::values_at(const Device &, const LevelSpace<2> &, const Array<double> &) const;
template ValuesAtPoints ScalarBoundaries::values_at(const Device &, const LevelSpace<3> &, const Array<double> &) const;
} // namespace adamant
