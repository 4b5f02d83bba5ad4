#include "scalar/scalar_quantities.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
using OfSolution = std::function<double(const dealii::Point<dim> &point, double u, double t)>;

template <int dim>
OfSolution<dim> parse(const std::string &key, const std::string &text)
{
  if (!depends_on(text, "u"))
    {
      const std::shared_ptr<ParsedFunction<dim>> f = parse_function<dim>(key, text, 1);
      return [f](const dealii::Point<dim> &p, double, double t) { return f->value_at(t, p); };
    }
  require(dim == 2 || !depends_on_time(text), "Output: flux in three dimensions needs ", key, " without t; it is ",
          text);
  const std::shared_ptr<ParsedFunction<3>> f = parse_scalar<3>(dim == 2 ? "x,y,t,u" : "x,y,z,u", key, text);
  return [f](const dealii::Point<dim> &p, double u, double t) {
    return f->value_at(u, dealii::Point<3>(p[0], p[1], dim == 2 ? t : p[dim - 1]));
  };
}

// Returns the entries of Λ: one, or a symmetric tensor's upper half, row by row.
template <int dim>
std::vector<OfSolution<dim>> parse_entries(const Coefficient &diffusion, unsigned int material)
{
  std::vector<OfSolution<dim>> entries;
  for (const auto &text : split_outside_brackets(diffusion.in(material), ';'))
    entries.push_back(parse<dim>(diffusion.key(), text));
  return entries;
}

// The flux -Λ ∇u.
template <int dim>
using Flux = std::function<dealii::Tensor<1, dim>(const PointState<dim> &state)>;

template <int dim>
Flux<dim> diffusive_flux(const Coefficient &diffusion, const double &time)
{
  static constexpr auto                                elsewhere = dealii::numbers::invalid_material_id;
  std::map<unsigned int, std::vector<OfSolution<dim>>> of;
  for (const auto &[material, text] : diffusion.by_material())
    of[material] = parse_entries<dim>(diffusion, material);
  if (diffusion.has(elsewhere))
    of[elsewhere] = parse_entries<dim>(diffusion, elsewhere);
  return [of = std::move(of), &time](const PointState<dim> &state) {
    const auto  found   = of.find(state.material);
    const auto &entries = found == of.end() ? of.at(elsewhere) : found->second;
    const auto  entry   = [&](std::size_t k) { return entries[k](state.point, state.value[0], time); };
    if (entries.size() == 1)
      return -entry(0) * state.gradient[0];
    dealii::SymmetricTensor<2, dim> tensor;
    std::size_t                     k = 0;
    for (int d = 0; d < dim; ++d)
      for (int e = d; e < dim; ++e)
        tensor[d][e] = entry(k++);
    return -(tensor * state.gradient[0]);
  };
}
} // namespace

template <int dim>
std::vector<Quantity<dim>> scalar_quantities(const Coefficient *diffusion, const double &time)
{
  std::vector<Quantity<dim>> quantities;
  for (int d = 0; d < dim; ++d)
    quantities.push_back(
      {std::string("gradient_") + "xyz"[d], [d](const PointState<dim> &state) { return state.gradient[0][d]; }});
  if (diffusion == nullptr)
    return quantities;
  const auto flux = diffusive_flux<dim>(*diffusion, time);
  quantities.push_back({"flux", [flux](const PointState<dim> &state) { return flux(state) * state.normal; }, true});
  for (int d = 0; d < dim; ++d)
    quantities.push_back(
      {std::string("flux_") + "xyz"[d], [flux, d](const PointState<dim> &state) { return flux(state)[d]; }});
  return quantities;
}

template decltype(scalar_quantities<2>) scalar_quantities<2>;
template decltype(scalar_quantities<3>) scalar_quantities<3>;
} // namespace adamant
