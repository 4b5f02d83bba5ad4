#include "elasticity/supports.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"
#include "fem/functions/points.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/point.h>
#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace adamant
{
Supports::Supports(const std::string &key, const std::string &text)
  : key(key)
{
  for (const auto &entry : split_outside_brackets(text, ';'))
    {
      const auto colon = entry.rfind(':');
      if (entry.empty())
        continue;
      require(colon != std::string::npos, key, " = ", text, ": '", entry,
              "' has no components after a colon, as in 'x = 0, y = 1: xy'");
      Support support{entry.substr(0, colon), entry.substr(colon + 1), {}, ""};
      support.components.erase(std::remove(support.components.begin(), support.components.end(), ' '),
                               support.components.end());
      for (const auto &condition : split_outside_brackets(support.text, ','))
        {
          const auto at = condition.find_first_of("=<>");
          require(at != std::string::npos && at > 0, key, ": '", condition, "' compares nothing, as 'x = 0' does");
          const auto rest = condition.find_first_not_of('=', at + 1);
          require(rest != std::string::npos && condition.find_first_of("=<>", rest) == std::string::npos, key, ": '",
                  condition, "' should be one comparison, as 'x = 0' is");
          support.compared.push_back(condition.substr(0, at) + "; " + condition.substr(rest));
          support.relation += condition[at];
        }
      supports.push_back(support);
    }
}

void Supports::check(unsigned int dim) const
{
  const std::string axes = std::string("xyz").substr(0, dim);
  for (const auto &support : supports)
    {
      require(!support.components.empty() && support.components.find_first_not_of(axes) == std::string::npos, key,
              ": '", support.components, "' of '", support.text, "' should name components, as ", axes);
      for (const auto &text : support.compared)
        {
          check_expression(key, text, 2, dim);
          require(!depends_on_time(text), key, ": '", support.text, "' contains t, but supports stay where they are");
        }
    }
}

std::string Supports::components() const
{
  std::string all;
  for (const auto &support : supports)
    all += support.components;
  return all;
}

// Returns a function that is 0 where the conditions hold, and else the length of the vector of their differences.
template <int dim>
std::function<double(const double *)> Supports::defect(const std::string &key, const Support &support, double extent)
{
  std::vector<std::shared_ptr<ParsedFunction<dim>>> sides;
  for (const auto &text : support.compared)
    sides.push_back(parse_function<dim>(key, text, 2));
  return [sides, relation = support.relation, extent](const double *point) {
    dealii::Point<dim> x;
    std::copy_n(point, dim, &x[0]);
    double sum = 0.;
    for (std::size_t k = 0; k < sides.size(); ++k)
      {
        const double left = sides[k]->value(x, 0), right = sides[k]->value(x, 1),
                     wrong = relation[k] == '=' ? std::abs(left - right) :
                             relation[k] == '<' ? left - right :
                                                  right - left;
        if (!(wrong <= 1e-8 * std::max({std::abs(left), std::abs(right), extent})))
          sum += wrong * wrong;
      }
    return std::sqrt(sum);
  };
}

template <int dim>
std::function<unsigned int(const double *)> Supports::at(unsigned int n_components, double extent) const
{
  if (supports.empty())
    return nullptr;
  std::vector<std::pair<std::function<double(const double *)>, unsigned int>> all;
  for (const auto &support : supports)
    {
      unsigned int components = 0;
      for (unsigned int c = 0; c < n_components; ++c)
        if (support.components.find("xyz"[c % dim]) != std::string::npos)
          components |= 1u << c;
      all.emplace_back(defect<dim>(key, support, extent), components);
    }
  return [all](const double *x) {
    unsigned int components = 0;
    for (const auto &[defect, of_support] : all)
      if (defect(x) == 0.)
        components |= of_support;
    return components;
  };
}

template <int dim>
void Supports::require_nodes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, double extent) const
{
  const auto points  = support_points(space, mapping);
  const auto n       = points.size() / dim;
  const auto axis_of = adamant::components(space);
  for (const auto &support : supports)
    {
      const auto            far   = defect<dim>(key, support, extent);
      const auto            held  = [&](std::size_t i) { return space.H.row_start[i] == space.H.row_start[i + 1]; };
      double                least = std::numeric_limits<double>::max();
      std::array<double, 3> nearest{};
      for (std::size_t i = 0; i < n && least > 0.; ++i)
        if (const char axis = "xyz"[axis_of[i] % dim]; support.components.find(axis) != std::string::npos)
          {
            std::array<double, 3> x{};
            for (int d = 0; d < dim; ++d)
              x[d] = points[d * n + i];
            if (const double distance = far(x.data()); distance < least && (distance > 0. || held(i)))
              {
                least   = distance;
                nearest = x;
              }
          }
      double best = -least;
      space.communicator().max(&best, 1);
      std::ostringstream message;
      if (best < 0. && best == -least)
        message << key << ": no node of the mesh has " << support.text << "; the nearest one is ("
                << (dim == 3 ? listed(nearest[0], nearest[1], nearest[2]) : listed(nearest[0], nearest[1])) << ")";
      require_on_all(space.communicator(), message.str());
    }
}

namespace
{
// The rigid motions of a solid around a point of it, at most 1 large. With axial symmetry that along the axis is alone.
template <int dim>
struct RigidMotions
{
  std::vector<Array<double>> at_nodes; // of the owned DoFs
  std::vector<double>        largest;
  dealii::Point<dim>         c;
  const int                  first; // of all motions: translations along each axis, then rotations

  RigidMotions(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, bool axial)
    : at_nodes(rigid_body_modes(space, mapping))
    , c(space.triangulation().begin(0)->center()) // of a cell that all ranks know
    , first(axial ? 1 : 0)
  {
    for (std::size_t k = dim; k < at_nodes.size(); ++k) // from axis d to the next one
      for (std::size_t i = 0; i < at_nodes[k].size(); ++i)
        at_nodes[k][i] += c[(k + 1) % dim] * at_nodes[k - dim][i] - c[k - dim] * at_nodes[(k + 1) % dim][i];
    if (axial)
      at_nodes = {at_nodes[first]};
    for (auto &motion : at_nodes)
      {
        largest.push_back(0.);
        for (const double value : motion)
          largest.back() = std::max(largest.back(), std::abs(value));
        space.communicator().max(&largest.back(), 1);
        for (double &value : motion)
          value /= largest.back();
      }
  }
  // Of motion k at x, in the direction n.
  double along(int k, const dealii::Point<dim> &x, const dealii::Tensor<1, dim> &n) const
  {
    if (first + k < dim)
      return n[first + k];
    const int d = k - dim, e = (d + 1) % dim;
    return ((x[d] - c[d]) * n[e] - (x[e] - c[e]) * n[d]) / largest[k];
  }
};

// Adds what n motions do at one place to the sums over all places of the products of two motions.
void add_products(const Array<double> &violated, Array<double> &products)
{
  const std::size_t n = violated.size();
  for (std::size_t k = 0; k < n * n; ++k)
    products[k] += violated[k / n] * violated[k % n];
}

// Whether vectors with these products are linearly dependent, by Cholesky's pivots.
bool dependent(Array<double> products, int n)
{
  for (int k = 0; k < n; ++k)
    {
      if (products[k * n + k] < 1e-10)
        return true;
      for (int i = k + 1; i < n; ++i)
        for (int j = k + 1; j < n; ++j)
          products[i * n + j] -= products[i * n + k] * products[k * n + j] / products[k * n + k];
    }
  return false;
}

// Whether a level leaves a rigid motion: what the motions u violate at constrained DoFs, u - H u, on sides with u . n =
// 0, and do against springs is linearly dependent. The geometry has the normals, as normals of nodes hold a sphere.
template <int dim>
bool can_move(const Field<dim> &field, std::size_t level, const dealii::Mapping<dim> &mapping,
              const Springs<dim> &springs, const std::set<unsigned int> &held_normally, bool axial)
{
  const auto                &space = field.space(level);
  const RigidMotions<dim>    motions(space, mapping, axial);
  const int                  n = static_cast<int>(motions.at_nodes.size());
  Array<double>              products(n * n, 0.), violated(n);
  std::vector<Array<double>> constrained, local; // H u, and u also at DoFs of other ranks
  const auto                 H = space.owned_H();
  for (const auto &motion : motions.at_nodes)
    {
      constrained.push_back(product(H, motion));
      local.push_back(space.local_values(motion.data()));
    }
  Array<char> has_normal(space.n_owned(), 0);
  for (const auto id : held_normally)
    {
      const auto on_side = space.on_boundary(id);
      for (int i = 0; i < space.n_owned(); ++i)
        has_normal[i] |= static_cast<char>(on_side[i] != 0);
    }
  for (int i = 0; i < space.n_owned(); ++i)
    if (!space.is_free(i) && (has_normal[i] == 0 || H.row_start[i] == H.row_start[i + 1]))
      {
        for (int k = 0; k < n; ++k)
          violated[k] = motions.at_nodes[k][i] - constrained[k][i];
        add_products(violated, products);
      }
  for_each_normal<dim>(space.triangulation(), held_normally, [&](unsigned int, const auto &x, const auto &normal) {
    for (int k = 0; k < n; ++k)
      violated[k] = motions.along(k, x, normal);
    add_products(violated, products);
  });
  springs.add_products(space, level, local, products);
  space.communicator().sum(products.data(), n * n);
  return dependent(products, n);
}
} // namespace

template <int dim>
void require_no_rigid_motion(const std::string &key, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                             const Springs<dim> &springs, const std::set<unsigned int> &held_normally, bool axial)
{
  require(!can_move(field, field.n_levels() - 1, mapping, springs, held_normally, axial), key,
          ": with these conditions the solid can still move or turn as a rigid body");
  // On one rank multigrid begins on a finer level then.
  require(field.finest().communicator().size() == 1 || !can_move(field, 0, mapping, springs, held_normally, axial), key,
          ": the coarsest level of multigrid has too few nodes of the supports, so that the solid can turn there. Let "
          "the mesh before refinement have vertices at the supports, or raise Linear solver/Coarsest level cells");
}

template std::function<unsigned int(const double *)> Supports::at<2>(unsigned int, double) const;
template std::function<unsigned int(const double *)> Supports::at<3>(unsigned int, double) const;
template void Supports::require_nodes(const LevelSpace<2> &, const dealii::Mapping<2> &, double) const;
template void Supports::require_nodes(const LevelSpace<3> &, const dealii::Mapping<3> &, double) const;
template decltype(require_no_rigid_motion<2>) require_no_rigid_motion<2>;
template decltype(require_no_rigid_motion<3>) require_no_rigid_motion<3>;
} // namespace adamant
