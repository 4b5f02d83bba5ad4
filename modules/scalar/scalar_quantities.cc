#include "scalar/scalar_quantities.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/types.h>

#include <memory>

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
  require(dim == 2 || !depends_on_time(text), "Output/Statistics: flux in three dimensions needs ", key,
          " without t; it is ", text);
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
} // namespace

template <int dim>
Quantity<dim> diffusive_flux(const Coefficient &diffusion, const double &time)
{
  static constexpr auto                                elsewhere = dealii::numbers::invalid_material_id;
  std::map<unsigned int, std::vector<OfSolution<dim>>> of;
  for (const auto &[material, text] : diffusion.by_material())
    of[material] = parse_entries<dim>(diffusion, material);
  if (diffusion.has(elsewhere))
    of[elsewhere] = parse_entries<dim>(diffusion, elsewhere);
  const auto value = [of = std::move(of), &time](const PointState<dim> &state) {
    const auto  found   = of.find(state.material);
    const auto &entries = found == of.end() ? of.at(elsewhere) : found->second;
    const auto  entry   = [&](std::size_t k) { return entries[k](state.point, state.value[0], time); };
    if (entries.size() == 1)
      return -entry(0) * (state.gradient[0] * state.normal);
    dealii::SymmetricTensor<2, dim> tensor;
    std::size_t                     k = 0;
    for (int d = 0; d < dim; ++d)
      for (int e = d; e < dim; ++e)
        tensor[d][e] = entry(k++);
    return -(tensor * state.gradient[0] * state.normal);
  };
  return {"flux", value, true};
}

template decltype(diffusive_flux<2>) diffusive_flux<2>;
template decltype(diffusive_flux<3>) diffusive_flux<3>;
} // namespace adamant
