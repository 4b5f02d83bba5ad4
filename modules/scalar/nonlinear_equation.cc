#include "scalar/nonlinear_equation.h"

#include "base/communicator.h"
#include "coefficients/derivative.h"
#include "coefficients/expression_text.h"
#include "coefficients/level_points.h"
#include "coefficients/values_at_points.h"
#include "fem/forms/assembly_tables.h"
#include "fem/spaces/field.h"

#include <deal.II/base/types.h>

#include <algorithm>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
// The texts in a material: k, c and f, or k, c and with Newton's method their derivatives.
std::vector<std::string> texts_in(const NonlinearTerms &terms, unsigned int material, bool jacobian, bool newton)
{
  const std::string k = terms.conductivity.in(material), c = terms.capacity.in(material), f = terms.source.in(material);
  if (!jacobian)
    return {k, c, f};
  return newton ? std::vector<std::string>{k, c, derivative(k, "u"), derivative(c, "u"), derivative(f, "u")} :
                  std::vector<std::string>{k, c};
}

bool depends_on_solution(const Coefficient &term)
{
  return !term.all([](const std::string &text) { return !depends_on(text, "u"); });
}

// Appends the first n of the integrals of ∇φ_j . ∇φ_i, of φ_j φ_i, and of φ_j ∂_d φ_i over a cell.
template <int dim>
void add_integrals(const dealii::FEValues<dim> &values, int n, Array<double> &result)
{
  for (int k = 0; k < n; ++k)
    for (const unsigned int i : values.dof_indices())
      for (const unsigned int j : values.dof_indices())
        {
          double sum = 0.;
          for (const unsigned int q : values.quadrature_point_indices())
            sum += (k == 0 ?
                      values.shape_grad(i, q) * values.shape_grad(j, q) :
                      values.shape_value(j, q) * (k == 1 ? values.shape_value(i, q) : values.shape_grad(i, q)[k - 2])) *
                   values.JxW(q);
          result.push_back(sum);
        }
}
} // namespace

void NonlinearTerms::manufacture(const std::string &exact, unsigned int dim)
{
  const auto source_in = [&](unsigned int material) {
    const std::string k = substitute(conductivity.in(material), "u", exact);
    std::string       f = "(" + substitute(capacity.in(material), "u", exact) + ")*" + derivative(exact, "t");
    for (unsigned int d = 0; d < dim; ++d)
      {
        const std::string x(1, "xyz"[d]);
        f += "-" + derivative("(" + k + ")*" + derivative(exact, x), x);
      }
    return f;
  };
  std::set<unsigned int> materials;
  for (const Coefficient *coefficient : {&conductivity, &capacity})
    for (const auto &entry : coefficient->by_material())
      materials.insert(entry.first);
  constexpr unsigned int elsewhere = dealii::numbers::invalid_material_id;
  std::string            list;
  const auto             add = [&](const std::string &name, unsigned int material) {
    if (conductivity.has(material) && capacity.has(material))
      list += (list.empty() ? "" : ", ") + name + source_in(material);
  };
  for (const auto material : materials)
    add(std::to_string(material) + ": ", material);
  add("", elsewhere);
  source = Coefficient(source.key(), list, [](const std::string &name) { return std::stoul(name); });
}

template <int dim>
NonlinearEquation<dim>::NonlinearEquation(const Device &device, Unknown<dim> &unknown,
                                          const dealii::Mapping<dim> &mapping, const NonlinearTerms &terms, bool newton,
                                          Products products)
  : device(device)
  , unknown(unknown)
  , mapping(mapping)
  , newton(newton)
  , capacity_of_u(depends_on_solution(terms.capacity))
  , on_levels(device, unknown.field())
{
  for (const Coefficient *term : {&terms.conductivity, &terms.capacity, &terms.source})
    term->check_materials(unknown.space().communicator(), materials_of(unknown.space()));
  list_points(terms);
  std::map<unsigned int, std::string> minus_slopes;
  for (const auto &[id, q] : terms.flux)
    if (newton)
      minus_slopes[id] = "-(" + derivative(q, "u") + ")";
    else
      minus_slopes[id] = terms.exchange.count(id) > 0 ? terms.exchange.at(id) : "0";
  for (std::size_t l = 0; l < levels.size() && !terms.flux.empty(); ++l)
    faces.push_back(make_faces(l, minus_slopes));
  if (!terms.flux.empty())
    {
      flux = std::make_unique<Faces>(make_faces(levels.size() - 1, terms.flux));
      load = flux->faces.load();
    }
  const auto times = [&unknown](const auto &factor) {
    return unknown.matrix("S", ColumnKind::quadrature_points, integral<dim>(factor));
  };
  S = times([](const auto &cell, auto i, auto q) { return cell.value(i, q); });
  for (int d = 0; d < dim; ++d)
    S_slope.push_back(times([d](const auto &cell, auto i, auto q) { return cell.gradient(i, q)[d]; }));
  J           = unknown.system("J", nullptr);
  const int n = newton && depends_on_solution(terms.conductivity) ? 2 + dim : 2;
  by_cells    = matrices_by_cells<dim>(
    device, unknown.field(), products,
    [&](std::size_t level) {
      return matrices_of_shapes<dim>(unknown.field().space(level), mapping,
                                     [n](const auto &values, auto &result) { add_integrals(values, n, result); });
    },
    n);
  J->take({by_cells.begin(), by_cells.end()});
  std::size_t most_cells = 0;
  for (std::size_t l = 0; l < by_cells.size(); ++l)
    if (by_cells[l])
      most_cells = std::max<std::size_t>(most_cells, unknown.field().space(l).n_cells());
  means = Vector<double>(device, to_index(n * most_cells, "means in cells"));
}

// Lists the quadrature points of all levels for J, and the finest level's for F.
template <int dim>
void NonlinearEquation<dim>::list_points(const NonlinearTerms &terms)
{
  const auto                                      &field = unknown.field();
  const LevelPoints<dim>                           at(field, mapping, unknown.quadrature);
  std::map<unsigned int, std::vector<std::string>> of_jacobian, of_residual;
  for (const unsigned int material : std::set<unsigned int>(at.material.begin(), at.material.end()))
    {
      of_jacobian[material] = texts_in(terms, material, true, newton);
      of_residual[material] = texts_in(terms, material, false, newton);
    }
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    levels.emplace_back(device, field.space(l), mapping, unknown.quadrature);
  first_point           = at.first;
  const std::string key = "the equation's terms";
  finest                = std::make_unique<AtPoints>(device, levels.back().n_points());
  const auto of_finest  = at.material.begin() + first_point[levels.size() - 1];
  finest->terms         = {device, key, of_residual, {of_finest, at.material.end()}, at.points_of(levels.size() - 1)};
  density               = Vector<double>(device, levels.back().n_points());
  all                   = std::make_unique<AtPoints>(device, first_point.back());
  all->terms            = {device, key, of_jacobian, at.material, at.points};
}

template <int dim>
typename NonlinearEquation<dim>::Faces
NonlinearEquation<dim>::make_faces(std::size_t level, const std::map<unsigned int, std::string> &text_of) const
{
  std::set<unsigned int>                           ids;
  std::map<unsigned int, std::vector<std::string>> texts;
  for (const auto &[id, text] : text_of)
    {
      ids.insert(id);
      texts[id] = {text};
    }
  BoundaryFaces<dim>      of_level(device, unknown.field().space(level), mapping, ids);
  FunctionOfSolution<dim> function(device, "the flux", texts, of_level.boundaries(), of_level.points());
  auto                    evaluation = of_level.evaluation();
  Vector<double>          u(device, of_level.n_points());
  return {std::move(of_level), std::move(evaluation), std::move(function), std::move(u)};
}

// Stores values at the points of a level, the first of which has the number `first`.
template <int dim>
void NonlinearEquation<dim>::store(std::size_t level, AtPoints &at, int first, bool difference) const
{
  const auto              &points = levels[level];
  const StoreSolution<dim> to     = {(difference ? at.w : at.u).data() + first,
                                 difference ? nullptr : at.gradient.data() + first, at.u.size()};
  device.for_each(points.n_points(),
                  AtQuadraturePoints<dim, StoreSolution<dim>>{points.view(), on_levels[level].data(), 1, 0, to});
}

template <int dim>
void NonlinearEquation<dim>::residual(double t, double dt, const Vector<double> &u, const Vector<double> &w,
                                      Vector<double> &r)
{
  const std::size_t top = levels.size() - 1;
  const int         n   = levels[top].n_points();
  on_levels.update_finest(w);
  store(top, *finest, 0, true);
  on_levels.update_finest(u);
  store(top, *finest, 0, false);
  finest->terms.evaluate(t, finest->u);
  device.for_each(n,
                  ResidualAtPoint<dim>{
                    {finest->terms.values().data(), n}, finest->w.data(), dt, density.data(), finest->gradient.data()});
  device.multiply(-1., S, density, 0., r);
  for (int d = 0; d < dim; ++d)
    device.multiply(-1., S_slope[d], finest->gradient.part(d * n, n), 1., r);
  if (flux)
    {
      device.multiply(1., flux->evaluation, on_levels[top], 0., flux->u);
      flux->function.evaluate(t, flux->u);
      device.multiply(dt, load, flux->function.values(), 1., r);
    }
}

template <int dim>
void NonlinearEquation<dim>::linearize(double t, double dt, double a0, const Vector<double> &u, const Vector<double> &w)
{
  if (newton && capacity_of_u)
    {
      on_levels.update(w);
      for (std::size_t l = 0; l < levels.size(); ++l)
        store(l, *all, first_point[l], true);
    }
  on_levels.update(u);
  for (std::size_t l = 0; l < levels.size(); ++l)
    store(l, *all, first_point[l], false);
  all->terms.evaluate(t, all->u);
  for (std::size_t l = 0; l < faces.size(); ++l)
    {
      auto &of_level = faces[l];
      device.multiply(1., of_level.evaluation, on_levels[l], 0., of_level.u);
      of_level.function.evaluate(t, of_level.u);
      of_level.faces.integrate(of_level.function.values());
    }
  const int  n_q     = static_cast<int>(unknown.quadrature.size());
  const auto factors = [&](std::size_t l) {
    const long      n = first_point.back(), first = first_point[l];
    const PointView terms = {all->terms.values().data() + first, n}, gradient = {all->gradient.data() + first, n},
                    difference = {all->w.data() + first, n};
    return JacobianFactors{a0, dt, terms, gradient, difference, newton};
  };
  J->update(device, [&](std::size_t l) {
    return NonlinearKernel<dim>(factors(l),
                                faces.empty() ? FaceMatricesView{nullptr, nullptr, 0} : faces[l].faces.matrices(), n_q);
  });
  for (std::size_t l = 0; l < by_cells.size(); ++l)
    if (by_cells[l])
      {
        const int n_cells = unknown.field().space(l).n_cells(), n = by_cells[l]->mesh().n_coefficients();
        device.for_each(n_cells, MeansOfCell(factors(l), n_q, n_cells, n, means.data()));
        for (int i = 0; i < n; ++i)
          by_cells[l]->set(means.part(i * n_cells, n_cells), i);
      }
}

template <int dim>
void NonlinearEquation<dim>::check_terms(const NonlinearTerms &terms) const
{
  const Communicator  ranks = unknown.space().communicator();
  const Array<double> at    = to_host(all->terms.values());
  const std::size_t   n     = first_point.back();
  const auto          check = [&](const std::string &key, std::size_t first, std::size_t end, bool positive) {
    const Array<double> values(at.begin() + first * n, at.begin() + end * n);
    require_numbers(ranks, key + ", at the initial values,", values);
    const bool good = !positive || std::all_of(values.begin(), values.end(), [](double value) { return value >= 0.; });
    require_on_all(ranks, good ? "" : key + " is negative at the initial values");
  };
  check(terms.conductivity.key(), 0, 1, true);
  check(terms.capacity.key(), 1, 2, true);
  for (const auto &level : faces)
    require_numbers(ranks, "the derivative of Flux or Robin with respect to u, at the initial values,",
                    to_host(level.function.values()));
  if (newton)
    check("a derivative of Conductivity, Heat capacity or Source with respect to u", 2, 5, false);
}

template class NonlinearEquation<2>;
template class NonlinearEquation<3>;
} // namespace adamant
