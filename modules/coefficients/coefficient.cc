#include "coefficients/coefficient.h"

#include "algebra/matrix.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "coefficients/expression_text.h"

#include <deal.II/base/point.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace adamant
{
Coefficient::Coefficient(const std::string &key, const std::string &text,
                         const std::function<unsigned int(const std::string &)> &id_of, Components components)
  : key_(key)
  , whole(text)
{
  const bool commas_between_components =
    components == Components::vector && text.find(';') == std::string::npos && name_of_entry(text).empty();
  std::vector<std::string> entries;
  for (const auto &part : split_outside_brackets(text, ','))
    {
      bool first = true; // of the parts between semicolons
      for (const auto &component : split_outside_brackets(part, ';'))
        {
          const bool begins = entries.empty() || (first ? !commas_between_components : components == Components::one) ||
                              !name_of_entry(component).empty();
          if (begins)
            entries.push_back(component);
          else
            entries.back() += "; " + component;
          first = false;
        }
    }
  for (const auto &entry : entries)
    {
      require(!entry.empty() || entries.size() == 1, key, " = ", text, ": an entry of the list is empty");
      add(entry, id_of);
    }
}

void Coefficient::add(const std::string &entry, const std::function<unsigned int(const std::string &)> &id_of)
{
  const std::string name = name_of_entry(entry);
  if (name.empty())
    {
      require(!elsewhere, key_, " = ", whole, ": '", entry, "' and '", elsewhere.value_or(""),
              "' both have no material in front, as in 'steel: 1'");
      elsewhere = entry;
      return;
    }
  const bool        number      = name.size() < 10 && name.find_first_not_of("0123456789") == std::string::npos;
  const auto        id          = number ? static_cast<unsigned int>(std::stoul(name)) : id_of(name);
  const std::string expressions = dealii::Utilities::trim(entry.substr(entry.find(':') + 1));
  require(!expressions.empty(), key_, " = ", whole, ": the entry '", entry, "' has no expression");
  require(of.emplace(id, expressions).second, key_, " = ", whole, ": material ", name, " occurs twice");
}

const std::string &Coefficient::in(unsigned int material) const
{
  const auto found = of.find(material);
  require(found != of.end() || elsewhere.has_value(), key_, " = ", whole, ": there is no entry for material ", material,
          ", and none without a material");
  return found != of.end() ? found->second : *elsewhere;
}

void Coefficient::check_materials(const Communicator &ranks, const std::set<unsigned int> &of_rank) const
{
  std::string fault;
  try
    {
      for (const unsigned int material : of_rank)
        (void)in(material);
    }
  catch (const InputError &error)
    {
      fault = error.what();
    }
  require_on_all(ranks, fault);
  for (const auto &entry : of)
    {
      double n_ranks = static_cast<double>(of_rank.count(entry.first));
      ranks.sum(&n_ranks, 1);
      require(n_ranks > 0., key_, " = ", whole, ": the mesh has no material ", entry.first);
    }
}

Coefficient Coefficient::changed(const std::function<std::string(const std::string &)> &change) const
{
  Coefficient result = *this;
  for (auto &entry : result.of)
    entry.second = change(entry.second);
  if (elsewhere)
    result.elsewhere = change(*elsewhere);
  return result;
}

bool Coefficient::all(const std::function<bool(const std::string &)> &condition) const
{
  return (!elsewhere || condition(*elsewhere)) &&
         std::all_of(of.begin(), of.end(), [&](const auto &entry) { return condition(entry.second); });
}

void Coefficient::check(const std::function<void(const std::string &)> &action) const
{
  (void)all([&](const std::string &expressions) {
    check_entry(key_, of.empty() ? expressions : whole, expressions, action);
    return true;
  });
}

bool Coefficient::is_constant() const
{
  return all([](const std::string &text) { return adamant::is_constant(text); });
}

bool Coefficient::depends_on_time() const
{
  return !all([](const std::string &text) { return !adamant::depends_on_time(text); });
}

bool Coefficient::is_zero() const
{
  return all([](const std::string &text) {
    const auto numbers = split_numbers(text);
    return !numbers.empty() && std::count(numbers.begin(), numbers.end(), 0.) == std::ptrdiff_t(numbers.size());
  });
}

std::optional<double> Coefficient::number() const
{
  if (!is_constant())
    return {};
  std::vector<double> numbers;
  check([&](const std::string &text) { numbers.push_back(constant_values(key_, text, 1)[0]); });
  return std::count(numbers.begin(), numbers.end(), numbers[0]) == std::ptrdiff_t(numbers.size()) ?
           std::optional<double>(numbers[0]) :
           std::nullopt;
}

template <int dim>
CoefficientFunctions<dim>::CoefficientFunctions(const Coefficient &coefficient, unsigned int n_components)
  : of(coefficient, [&](const std::string &text) -> std::shared_ptr<ParsedFunction<dim>> {
    return parse_function<dim>(coefficient.key(), text, n_components);
  })
{}

template <int dim>
Array<double> CoefficientFunctions<dim>::at(double t, const Array<double> &points,
                                            const Array<unsigned int> &material) const
{
  const std::size_t n = material.size();
  of.for_each([t](const auto &function) { function->set_time(t); });
  const unsigned int n_components = n > 0 ? in(material[0]).n_components : 0;
  Array<double>      values(n_components * n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    {
      dealii::Point<dim> x;
      for (int d = 0; d < dim; ++d)
        x[d] = points[d * n + i];
      for (unsigned int c = 0; c < n_components; ++c)
        values[c * n + i] = in(material[i]).value(x, c);
    }
  return values;
}

template class CoefficientFunctions<2>;
template class CoefficientFunctions<3>;

CoefficientFunction::CoefficientFunction(const Coefficient &coefficient)
  : of(coefficient, [&](const std::string &text) -> Entry {
    if (adamant::is_constant(text))
      return {constant_values(coefficient.key(), text, 1)[0], nullptr};
    return {0., parse_function<3>(coefficient.key(), text, 1)};
  })
{}

double CoefficientFunction::operator()(unsigned int material, const dealii::Point<3> &x) const
{
  const Entry &entry = of.in(material);
  return entry.function ? entry.function->value(x) : entry.constant;
}

std::vector<double> constant_values(const std::string &key, const std::string &text, unsigned int n_components)
{
  const auto          function = parse_function<3>(key, text, n_components);
  std::vector<double> values;
  for (unsigned int c = 0; c < n_components; ++c)
    values.push_back(function->value(dealii::Point<3>(), c));
  return values;
}

namespace
{
// Some of the points, and the matrix that puts values there to their places.
struct PointsOfText
{
  PointFunction                   function;
  std::shared_ptr<Vector<double>> values;
  Matrix<double>                  places;
};

template <int dim>
std::shared_ptr<PointsOfText> points_of_text(const Device &device, const std::string &key, const std::string &text,
                                             const Array<int> &chosen, unsigned int n_components,
                                             const Array<double> &points)
{
  const std::size_t n = points.size() / dim, n_chosen = chosen.size();
  Array<double>     of_chosen(dim * n_chosen);
  Array<int>        place(n, -1);
  for (std::size_t i = 0; i < n_chosen; ++i)
    {
      place[chosen[i]] = static_cast<int>(i);
      for (int d = 0; d < dim; ++d)
        of_chosen[d * n_chosen + i] = points[d * n + chosen[i]];
    }
  const int  n_rows    = to_index(n_components * n, "values at points");
  const auto to_places = matrix_of_rows(n_rows, static_cast<int>(n_components * n_chosen), [&](int row, Row &entries) {
    if (const int i = place[row % n]; i >= 0)
      entries.emplace_back(static_cast<int>(row / n * n_chosen + i), 1.);
  });
  return std::make_shared<PointsOfText>(
    PointsOfText{function_at_points<dim>(device, key, text, n_components, of_chosen),
                 std::make_shared<Vector<double>>(device, static_cast<int>(n_components * n_chosen)),
                 Matrix<double>(device, to_places)});
}
} // namespace

template <int dim>
PointFunction function_of_regions(const Device &device, const std::string &key,
                                  const std::map<unsigned int, std::string> &text_of, const Array<unsigned int> &region,
                                  unsigned int n_components, const Array<double> &points)
{
  std::map<std::string, Array<int>> of_text; // the points
  for (std::size_t i = 0; i < region.size(); ++i)
    of_text[text_of.at(region[i])].push_back(static_cast<int>(i));
  if (of_text.empty())
    return [](double, Vector<double> &) {};
  if (of_text.size() == 1)
    return function_at_points<dim>(device, key, of_text.begin()->first, n_components, points);
  std::vector<std::shared_ptr<PointsOfText>> parts;
  for (const auto &[text, chosen] : of_text)
    parts.push_back(points_of_text<dim>(device, key, text, chosen, n_components, points));
  return [device, parts](double t, Vector<double> &values) {
    values.set_zero();
    for (const auto &part : parts)
      {
        part->function(t, *part->values);
        device.multiply(1., part->places, *part->values, 1., values);
      }
  };
}

template <int dim>
PointFunction function_of_materials(const Device &device, const Coefficient &coefficient,
                                    const Array<unsigned int> &material, unsigned int n_components,
                                    const Array<double> &points)
{
  std::map<unsigned int, std::string> text_of;
  for (const unsigned int one : std::set<unsigned int>(material.begin(), material.end()))
    text_of[one] = coefficient.in(one);
  return function_of_regions<dim>(device, coefficient.key(), text_of, material, n_components, points);
}

template PointFunction function_of_materials<2>(const Device &, const Coefficient &, const Array<unsigned int> &,
                                                unsigned int, const Array<double> &);
template PointFunction function_of_materials<3>(const Device &, const Coefficient &, const Array<unsigned int> &,
                                                unsigned int, const Array<double> &);
template PointFunction function_of_regions<2>(const Device &, const std::string &,
                                              const std::map<unsigned int, std::string> &, const Array<unsigned int> &,
                                              unsigned int, const Array<double> &);
template PointFunction function_of_regions<3>(const Device &, const std::string &,
                                              const std::map<unsigned int, std::string> &, const Array<unsigned int> &,
                                              unsigned int, const Array<double> &);
} // namespace adamant
