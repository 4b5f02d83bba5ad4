#include "elasticity/springs.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"

#include <deal.II/base/numbers.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace adamant
{
namespace
{
constexpr const char *key = "Problem/Springs";

// k, or k_n; k_t.
template <int dim>
using Stiffness = std::pair<std::unique_ptr<ParsedFunction<dim>>, unsigned int>;

template <int dim>
Stiffness<dim> parse_stiffness(const std::string &text)
{
  const auto n = static_cast<unsigned int>(split_outside_brackets(text, ';').size());
  return {parse_function<dim>(key, text, n), n};
}

template <int dim>
dealii::Tensor<2, dim> stiffness_at(const Stiffness<dim> &of, const dealii::Point<dim> &x,
                                    const dealii::Tensor<1, dim> &normal, std::string &fault)
{
  const double           k_n = of.first->value(x, 0), k_t = of.second > 1 ? of.first->value(x, 1) : k_n;
  dealii::Tensor<2, dim> k = (k_n - k_t) * outer_product(normal, normal);
  for (int d = 0; d < dim; ++d)
    k[d][d] += k_t;
  if (!(k_n >= 0. && k_t >= 0. && k_n + k_t < 1e300))
    fault = std::string(key) + " has values that are negative or no numbers";
  return k;
}
} // namespace

void check_springs(const std::string &key, const std::string &text, unsigned int dim)
{
  const auto n = split_outside_brackets(text, ';').size();
  require(n <= 2, key, " = ", text, ": ", n, " expressions; there should be one, k, or two, k_n; k_t");
  check_expression(key, text, static_cast<unsigned int>(n), dim);
  require(!depends_on_time(text), key, " = ", text, " contains t, but springs do not depend on the time");
}

template <int dim>
Springs<dim>::Springs(const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                      const std::map<unsigned int, std::string> &text_of, bool axial)
{
  if (text_of.empty())
    return;
  const auto                            &element = field.element().base_element(0); // of one component
  dealii::FEFaceValues<dim>              values(mapping, element, dealii::QGauss<dim - 1>(element.degree + 1),
                                                dealii::update_values | dealii::update_JxW_values |
                                                  dealii::update_quadrature_points | dealii::update_normal_vectors);
  std::map<unsigned int, Stiffness<dim>> k;
  for (const auto &[id, text] : text_of)
    k[id] = parse_stiffness<dim>(text);
  std::string fault;
  levels.resize(field.n_levels());
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (int c = 0; c < field.space(l).n_cells(); ++c)
      {
        const typename dealii::Triangulation<dim>::cell_iterator cell = field.space(l).active_cells()[c];
        for (const unsigned int f : cell->face_indices())
          if (const auto found = cell->at_boundary(f) ? k.find(boundary_id(cell->face(f))) : k.end(); found != k.end())
            {
              values.reinit(cell, f);
              for (const unsigned int q : values.quadrature_point_indices())
                {
                  const auto  &x     = values.quadrature_point(q);
                  auto        &point = levels[l][c].emplace_back();
                  const double JxW   = values.JxW(q) * (axial ? 2. * dealii::numbers::PI * x[0] : 1.);
                  point.k            = JxW * stiffness_at(found->second, x, values.normal_vector(q), fault);
                  for (const unsigned int i : values.dof_indices())
                    point.shape.push_back(values.shape_value(i, q));
                }
            }
      }
  require_on_all(field.finest().communicator(), fault);
}

template <int dim>
dealii::Tensor<2, dim> Springs<dim>::stiffness(const CellContext<dim> &cell, unsigned int a, unsigned int b) const
{
  dealii::Tensor<2, dim> sum;
  const auto            &of_cells = levels[cell.level()];
  if (const auto found = of_cells.find(cell.cell_number()); found != of_cells.end())
    for (const auto &point : found->second)
      sum += point.shape[cell.node(a)] * point.shape[cell.node(b)] * point.k;
  return sum;
}

template <int dim>
void Springs<dim>::add_products(const LevelSpace<dim> &space, std::size_t level, const std::vector<Array<double>> &u,
                                Array<double> &products) const
{
  if (empty())
    return;
  double largest = 0.;
  for (const auto &[cell, points] : levels[level])
    for (const auto &point : points)
      largest = std::max(largest, point.k.norm());
  space.communicator().max(&largest, 1);
  for (const auto &[cell, points] : levels[level])
    for (const auto &point : points)
      {
        std::vector<dealii::Tensor<1, dim>> at_point(u.size());
        for (std::size_t k = 0; k < u.size(); ++k)
          for (unsigned int a = 0; a < point.shape.size(); ++a)
            for (unsigned int d = 0; d < dim; ++d)
              at_point[k][d] +=
                point.shape[a] * u[k][space.cell_dofs(cell)[space.element().component_to_system_index(d, a)]];
        for (std::size_t k = 0; k < u.size() && largest > 0.; ++k)
          for (std::size_t l = 0; l < u.size(); ++l)
            products[k * u.size() + l] += at_point[k] * (point.k / largest * at_point[l]);
      }
}

template class Springs<2>;
template class Springs<3>;
} // namespace adamant
