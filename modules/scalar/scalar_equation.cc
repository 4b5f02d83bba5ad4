#include "scalar/scalar_equation.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "coefficients/derivative.h"
#include "coefficients/expression_text.h"
#include "coefficients/level_points.h"
#include "expressions/expressions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/spaces/field.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
unsigned int n_components(const std::string &expressions)
{
  return static_cast<unsigned int>(split_outside_brackets(expressions, ';').size());
}

std::string number_of(unsigned int row, unsigned int column, unsigned int dim, const std::vector<std::string> &upper)
{
  if (upper.size() == 1)
    return row == column ? upper[0] : "0";
  if (row > column)
    std::swap(row, column);
  return upper[row * dim - row * (row + 1) / 2 + column];
}
} // namespace

ScalarCoefficients::ScalarCoefficients(const MeshFileParameters &mesh_file)
  : ParameterAcceptor("/Problem")
{
  const std::string lists = "an expression of x, y, z, t, or a list by material: 'id: ..., id: ..., elsewhere'";
  add_parameter("Diffusion", diffusions,
                "lambda, " + lists + "; a symmetric tensor has its upper half, row by row, between semicolons");
  add_parameter("Transport", velocities,
                "b, " + lists + "; a component for each dimension, between semicolons; further ones are ignored");
  add_parameter("Reaction", reactions, "r, " + lists);
  add_parameter("Transport form", form, "b . grad u, or div(b u)", prm,
                dealii::Patterns::Selection("advective|conservative"));
  parse_parameters_call_back.connect([this, &mesh_file] {
    using Components = Coefficient::Components;
    const auto read  = [&](const std::string &name, const std::string &text, Components components) {
      const std::string key = "Problem/" + name;
      return Coefficient(key, text, mesh_file.materials(key), components);
    };
    diffusion = read("Diffusion", diffusions, Components::several);
    velocity  = read("Transport", velocities, Components::vector);
    reaction  = read("Reaction", reactions, Components::one);
  });
}

void ScalarCoefficients::check(unsigned int dim, unsigned int degree, bool upwind) const
{
  const unsigned int tensor = dim * (dim + 1) / 2;
  velocity.check([&](const std::string &text) { check_expression(velocity.key(), text, dim, dim); });
  reaction.check([&](const std::string &text) { check_expression(reaction.key(), text, 1, dim); });
  diffusion.check([&](const std::string &text) {
    const unsigned int n = n_components(text);
    require(n == 1 || n == tensor, diffusion.key(), " = ", text, ": ", n, " components; it should have one, or the ",
            tensor, " of a symmetric tensor's upper half",
            diffusion.by_material().empty() ? "" : "; a comma separates the value of all other materials");
    require(n == 1 || !upwind || degree == 1, diffusion.key(), " = ", text,
            ": upwind stabilisation of degree 2 needs a diffusion that is a number, not a tensor");
    check_expression(diffusion.key(), text, n, dim);
    if (is_constant(text) && n == 1)
      require(!(constant_values(diffusion.key(), text, 1)[0] < 0.), diffusion.key(), " = ", text, " is negative");
  });
}

bool ScalarCoefficients::are_constant() const
{
  return velocity.is_constant() && diffusion.is_constant() && reaction.is_constant();
}

bool ScalarCoefficients::depend_on_time() const
{
  return velocity.depends_on_time() || diffusion.depends_on_time() || reaction.depends_on_time();
}

template <int dim>
dealii::UpdateFlags ScalarEquation<dim>::flags(unsigned int degree, bool upwind)
{
  const auto flags = UnknownOptions().flags;
  return upwind && degree > 1 ? flags | dealii::update_hessians : flags;
}

template <int dim>
ScalarEquation<dim>::ScalarEquation(const Device &device, Unknown<dim> &unknown, const dealii::Mapping<dim> &mapping,
                                    const ScalarCoefficients &coefficients, const ScalarBoundaries &boundaries,
                                    bool upwind, bool with_source)
  : device(device)
  , unknown(unknown)
  , mapping(mapping)
  , coefficients(coefficients)
  , boundaries(boundaries)
  , with_source(with_source)
  , upwind(upwind && !coefficients.velocity.is_zero())
  , varying(!(coefficients.are_constant() && boundaries.exchange.empty()))
  , in_time(coefficients.depend_on_time() || boundaries.exchange_depends_on_time())
  , lifted(!boundaries.are_zero())
  , load(device, unknown.space(), mapping, boundaries)
{
  if (!coefficients.diffusion.all([](const std::string &text) { return n_components(text) == 1; }))
    places.n_diffusion = dim * (dim + 1) / 2;
  places.slope = this->upwind && !coefficients.diffusion.is_constant();
  for (const Coefficient *one : {&coefficients.velocity, &coefficients.diffusion, &coefficients.reaction})
    one->check_materials(unknown.space().communicator(), materials_of(unknown.space()));
  if (varying)
    make_points();
  else
    make_constants();
}

// The expressions of all values at a point, in the order of CoefficientPlaces.
template <int dim>
std::string ScalarEquation<dim>::text_in(unsigned int material) const
{
  const auto &c        = coefficients;
  const auto  velocity = split_components(c.velocity.key(), c.velocity.in(material), dim);
  const auto  upper    = split_outside_brackets(c.diffusion.in(material), ';');
  const auto  slope_of = [&](const std::string &text, int d) { return derivative(text, std::string(1, "xyz"[d])); };
  std::string text, reaction = "(" + c.reaction.in(material) + ")";
  for (int d = 0; d < dim; ++d)
    {
      text += velocity[d] + ";";
      if (c.conservative())
        reaction += "+" + slope_of(velocity[d], d);
    }
  text += reaction;
  for (int d = 0; d < dim; ++d)
    for (int e = d; e < dim; ++e)
      if (places.n_diffusion > 1 || d + e == 0)
        text += ";" + number_of(d, e, dim, upper);
  for (int d = 0; d < (places.slope ? dim : 0); ++d)
    {
      std::string slope = "0";
      for (int e = 0; e < dim; ++e)
        slope += "+" + slope_of(number_of(d, e, dim, upper), e);
      text += ";" + slope;
    }
  return text;
}

template <int dim>
void ScalarEquation<dim>::make_constants()
{
  constexpr unsigned int elsewhere = dealii::numbers::invalid_material_id;
  std::set<unsigned int> materials = {elsewhere};
  const auto             all       = {&coefficients.velocity, &coefficients.diffusion, &coefficients.reaction};
  for (const Coefficient *coefficient : all)
    for (const auto &entry : coefficient->by_material())
      materials.insert(entry.first);
  for (const auto material : materials)
    if (std::all_of(all.begin(), all.end(), [&](const Coefficient *one) { return one->has(material); }))
      {
        auto &of = constants_of[material];
        for (const auto &expression : split_outside_brackets(text_in(material), ';'))
          of.push_back(constant_values("Problem", expression, 1)[0]);
        check_values({of.begin(), of.end()});
      }
}

template <int dim>
const std::vector<double> &ScalarEquation<dim>::constants(unsigned int material) const
{
  const auto found = constants_of.find(material);
  return found != constants_of.end() ? found->second : constants_of.at(dealii::numbers::invalid_material_id);
}

// Lists the points of all levels, and makes the function of the values there.
template <int dim>
void ScalarEquation<dim>::make_points()
{
  const auto                         &field = unknown.field();
  const LevelPoints<dim>              at(field, mapping, unknown.quadrature);
  const std::size_t                   n = at.size();
  std::map<unsigned int, std::string> text_of;
  for (const unsigned int material : std::set<unsigned int>(at.material.begin(), at.material.end()))
    text_of[material] = text_in(material);
  function    = function_of_regions<dim>(device, "Problem/Transport, Diffusion and Reaction", text_of, at.material,
                                      n_values(), at.points);
  first_point = at.first;
  Array<double> size; // of the cell of each point
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      for (const auto &cell : field.space(l).active_cells())
        size.insert(size.end(), unknown.quadrature.size(),
                    cell->diameter() / (std::sqrt(dim) * field.element().degree));
      robin.emplace_back(device, field.space(l), mapping, boundaries);
      robin.back().evaluate(0.);
    }
  robin_old.emplace(device, unknown.space(), mapping, boundaries);
  values = Vector<double>(device, to_index(n_values() * n, "coefficients at points"));
  if (in_time)
    old_values = Vector<double>(device, values.size());
  if (upwind)
    {
      h       = Vector<double>(device, size);
      along   = Vector<double>(device, static_cast<int>(dim * n));
      product = Vector<double>(device, first_point.back() - first_point[first_point.size() - 2]);
    }
}

template <int dim>
void ScalarEquation<dim>::evaluate(double t)
{
  const int n = first_point.back();
  function(t, values);
  if (upwind)
    device.for_each(n, UpwindShift<dim>{{values.data(), n}, places, h.data(), along.data()});
  if (boundaries.exchange_depends_on_time())
    for (auto &level : robin)
      level.evaluate(t);
}

// Refuses values at points that cannot be.
template <int dim>
void ScalarEquation<dim>::check_values(const Array<double> &at) const
{
  const Communicator ranks = unknown.space().communicator();
  const std::size_t  n     = at.size() / n_values();
  const auto         one   = [&](const std::string &key, int first, int end) {
    require_numbers(ranks, key, Array<double>(at.begin() + first * n, at.begin() + end * n));
  };
  one(coefficients.velocity.key(), 0, dim);
  one(coefficients.reaction.key() + (coefficients.conservative() ? " or the divergence of Problem/Transport" : ""), dim,
      dim + 1);
  one(coefficients.diffusion.key(), dim + 1, n_values());
  bool good = true;
  for (std::size_t i = 0; i < n && good; ++i)
    {
      dealii::SymmetricTensor<2, dim> diffusion;
      for (int d = 0, k = dim + 1; d < dim; ++d)
        for (int e = d; e < dim; ++e)
          diffusion[d][e] = places.n_diffusion > 1 ? at[k++ * n + i] : d == e ? at[k * n + i] : 0.;
      const auto eigenvalue = dealii::eigenvalues(diffusion);
      good                  = eigenvalue[dim - 1] >= -1e-12 * std::abs(eigenvalue[0]);
    }
  require_on_all(ranks, good ? "" : coefficients.diffusion.key() + " is negative, or a tensor that is not positive");
}

template <int dim>
ScalarKernel<dim> ScalarEquation<dim>::kernel(std::size_t level, double mass, double stiffness) const
{
  const long n = first_point.back(), first = first_point[level];
  return {mass,
          stiffness,
          {values.data() + first, n},
          {upwind ? along.data() + first : nullptr, n},
          places,
          robin[level].view(),
          static_cast<int>(unknown.quadrature.size())};
}

template <int dim>
void ScalarEquation<dim>::compute(const StepWeights &weights, double t, double t_old)
{
  const std::size_t finest = unknown.field().n_levels() - 1;
  const bool        old    = in_time && weights.explicit_part != 0.;
  if (old)
    {
      function(t_old, old_values);
      robin_old->evaluate(t_old);
    }
  evaluate(t);
  system->update(device, [&](std::size_t l) { return kernel(l, 1., weights.implicit_part); });
  if (lifted)
    C_form->update(device, finest, kernel(finest, 1., weights.implicit_part));
  if (!E_changes())
    return;
  auto of_E = kernel(finest, 1., -weights.explicit_part);
  if (old)
    {
      of_E.coefficients.values = old_values.data() + first_point[finest];
      of_E.faces               = robin_old->view();
    }
  E_form->update(device, finest, of_E);
}

// The integrals of one cell where the coefficients are constant.
template <int dim>
void ScalarEquation<dim>::add_integrals(const CellContext<dim> &cell, double mass, double stiffness,
                                        dealii::FullMatrix<double> &local) const
{
  const auto             &of_material = constants(cell.material_id());
  const auto              shift       = shift_of(cell);
  const ScalarKernel<dim> kernel      = {
         mass, stiffness, {of_material.data(), 1}, {upwind ? &shift[0] : nullptr, 1}, places, {nullptr, nullptr, 0}, 1};
  const bool curved = upwind && cell.degree() > 1;
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        {
          double entry[1][1] = {};
          kernel({0, 0, static_cast<int>(i), static_cast<int>(j), cell.JxW(q), cell.value(i, q), cell.value(j, q),
                  &cell.gradient(i, q)[0], &cell.gradient(j, q)[0], curved ? trace(cell.hessian(j, q)) : 0.},
                 entry);
          local(i, j) += entry[0][0];
        }
}

// The vector τ b of a cell where the coefficients are constant; else zero.
template <int dim>
dealii::Tensor<1, dim> ScalarEquation<dim>::shift_of(const CellContext<dim> &cell) const
{
  dealii::Tensor<1, dim> shift;
  if (!upwind || varying)
    return shift;
  const double h = cell.diameter() / (std::sqrt(dim) * cell.degree());
  UpwindShift<dim>{{constants(cell.material_id()).data(), 1}, places, &h, &shift[0]}(0);
  return shift;
}

template <int dim>
void ScalarEquation<dim>::assemble(const StepWeights &weights, double t, double t_old, bool changes)
{
  now = weights;
  if (with_source)
    make_source_matrices();
  if (varying)
    {
      system = unknown.system("A", nullptr);
      C_form = unknown.form("C", ColumnKind::prescribed_values, nullptr);
      E_form = unknown.form("E", ColumnKind::nodal_values, nullptr);
      compute(weights, t, t_old);
      check_values(to_host(values));
      if (in_time && weights.explicit_part != 0.)
        check_values(to_host(old_values));
      E      = make_matrix(device, *E_form);
      E_made = true;
      if (lifted)
        C = make_matrix(device, *C_form);
      return;
    }
  const auto matrix = [this](const char *name, ColumnKind columns, double mass, double stiffness) {
    return unknown.matrix(name, columns,
                          [=](const auto &cell, auto &local) { add_integrals(cell, mass, stiffness, local); });
  };
  E   = matrix("E", ColumnKind::nodal_values, 1., -weights.explicit_part);
  C_M = matrix("C_M", ColumnKind::prescribed_values, 1., 0.);
  C_K = matrix("C_K", ColumnKind::prescribed_values, 0., 1.);
  system =
    unknown.system("A", [this](const auto &cell, auto &local) { add_integrals(cell, 1., now.implicit_part, local); });
  if (changes)
    system->update(device);
}

template <int dim>
void ScalarEquation<dim>::update(const StepWeights &weights, double t, double t_old)
{
  now = weights;
  if (!varying)
    return system->update(device);
  compute(weights, t, t_old);
  if (lifted)
    update_matrix(*C_form, C);
  if (E_changes())
    update_matrix(*E_form, E);
}

template <int dim>
void ScalarEquation<dim>::make_source_matrices()
{
  S = unknown.matrix("S", ColumnKind::quadrature_points, [this](const auto &cell, auto &local) {
    const auto shift = shift_of(cell);
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        local(i, q) = (cell.value(i, q) + shift * cell.gradient(i, q)) * cell.JxW(q);
  });
  S_along.clear();
  for (int d = 0; d < (upwind && varying ? dim : 0); ++d)
    S_along.push_back(unknown.matrix("S", ColumnKind::quadrature_points, [d](const auto &cell, auto &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          local(i, q) = cell.gradient(i, q)[d] * cell.JxW(q);
    }));
}

template <int dim>
void ScalarEquation<dim>::multiply(const Vector<double> &u, const Vector<double> &g, Vector<double> &rhs)
{
  device.multiply(1., E, u, 0., rhs);
  if (varying)
    return lifted ? device.multiply(-1., C, g, 1., rhs) : void();
  device.multiply(-1., C_M, g, 1., rhs);
  device.multiply(-now.implicit_part, C_K, g, 1., rhs);
}

template <int dim>
void ScalarEquation<dim>::add_source(double factor, const Vector<double> &f, Vector<double> &rhs)
{
  device.multiply(factor, S, f, 1., rhs);
  for (std::size_t d = 0; d < S_along.size(); ++d)
    {
      const std::size_t n = first_point.back(), first = first_point[first_point.size() - 2];
      device.for_each(f.size(), ProductAtPoints{f.data(), along.data() + d * n + first, product.data()});
      device.multiply(factor, S_along[d], product, 1., rhs);
    }
}

template class ScalarEquation<2>;
template class ScalarEquation<3>;
} // namespace adamant
