#include "scalar/function_of_solution.h"

#include "algebra/compiled_kernel.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "coefficients/expression_text.h"
#include "coefficients/translation.h"
#include "expressions/expressions.h"

#include <deal.II/base/point.h>

#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <regex>
#include <utility>

namespace adamant
{
namespace
{
// muParser has room for three coordinates and the time. The parser's time is u. In two dimensions t is the third
// coordinate; in three it is written into the text.
constexpr bool has_room(int dim)
{
  return dim == 2;
}

std::shared_ptr<ParsedFunction<3>> parse_at(int dim, const std::string &key, const std::string &text, double t)
{
  if (has_room(dim))
    return parse_scalar<3>("x,y,t,u", key, text);
  char              digits[32]; // as few as tell t from other numbers
  const auto        end = std::to_chars(digits, digits + sizeof digits, t).ptr;
  const std::string number(digits, end);
  return parse_scalar<3>("x,y,z,u", key, substitute(text, "t", number));
}

// Evaluates expressions on the host: of these, only what depends on u or, at a new time, on t.
template <int dim>
class HostFunction
{
public:
  HostFunction(const std::string &key, const std::vector<std::string> &texts)
    : key(key)
    , texts(texts)
    , parsed(texts.size())
  {}

  void operator()(double t, const double *places, double *values, std::size_t n)
  {
    for (std::size_t c = 0; c < texts.size(); ++c)
      {
        const bool of_u = depends_on(texts[c], "u"), first = parsed[c] == nullptr,
                   moved = depends_on(texts[c], "t") && t != last_time;
        if (first || (moved && !has_room(dim)))
          parsed[c] = parse_at(dim, key, texts[c], t);
        if (of_u || first || moved)
          parallel_for(n, [&, f = parsed[c].get()](std::size_t i) {
            dealii::Point<3> point(0., 0., t);
            for (int d = 0; d < dim; ++d)
              point[d] = places[d * n + i];
            values[c * n + i] = f->value_at(places[dim * n + i], point);
          });
      }
    last_time = t;
  }

private:
  const std::string                               key;
  const std::vector<std::string>                  texts;
  std::vector<std::shared_ptr<ParsedFunction<3>>> parsed;
  double                                          last_time = 0.;
};
} // namespace

void check_function_of_solution(const std::string &key, const std::string &text, unsigned int dim)
{
  const std::regex time("\\bt\\b");
  const auto       n_times = std::distance(std::sregex_iterator(text.begin(), text.end(), time), {});
  require(text.size() + (has_room(static_cast<int>(dim)) ? 0 : 22 * n_times) < 20000, key, ": the expression has ",
          text.size(),
          " characters, more than muParser takes; sources that are made of other expressions grow with them");
  parse_at(static_cast<int>(dim), key, text, 0.);
}

template <int dim>
FunctionOfSolution<dim>::FunctionOfSolution(const Device &device, const std::string &key,
                                            const std::map<unsigned int, std::vector<std::string>> &text_of,
                                            const Array<unsigned int> &region, const Array<double> &points)
  : device(device)
  , n(static_cast<int>(region.size()))
  , result(device, to_index(text_of.empty() ? 0 : region.size() * text_of.begin()->second.size(), "values at points"))
{
  std::map<std::vector<std::string>, Array<int>> points_of;
  for (std::size_t i = 0; i < region.size(); ++i)
    points_of[text_of.at(region[i])].push_back(static_cast<int>(i));
  for (const auto &[texts, chosen] : points_of)
    parts.push_back(make_part(device, key, texts, chosen, points, points_of.size() == 1));
}

template <int dim>
typename FunctionOfSolution<dim>::Part
FunctionOfSolution<dim>::make_part(const Device &device, const std::string &key, const std::vector<std::string> &texts,
                                   const Array<int> &chosen, const Array<double> &points, bool all)
{
  const std::size_t n = points.size() / dim, n_part = chosen.size(), n_texts = texts.size();
  Array<double>     places((dim + 1) * n_part, 0.);
  Array<int>        place(n, -1);
  for (std::size_t i = 0; i < n_part; ++i)
    {
      place[chosen[i]] = static_cast<int>(i);
      for (int d = 0; d < dim; ++d)
        places[d * n_part + i] = points[d * n + chosen[i]];
    }
  Part part;
  part.places = Vector<double>(device, places);
  part.values = Vector<double>(device, static_cast<int>(n_texts * n_part));
  if (!all)
    {
      part.gather  = Matrix<double>(device, matrix_of_rows(static_cast<int>(n_part), static_cast<int>(n),
                                                           [&](int i, Row &row) { row.emplace_back(chosen[i], 1.); }));
      part.scatter = Matrix<double>(
        device, matrix_of_rows(static_cast<int>(n_texts * n), static_cast<int>(n_texts * n_part), [&](int i, Row &row) {
          if (const int k = place[i % n]; k >= 0)
            row.emplace_back(static_cast<int>(i / n * n_part + k), 1.);
        }));
    }
  const auto on_host = std::make_shared<HostFunction<dim>>(key, texts);
  if (!device.traits().separate_memory)
    part.evaluate = [on_host, n_part](double t, const Vector<double> &at, Vector<double> &values) {
      (*on_host)(t, at.data(), values.data(), n_part);
    };
  else
    try
      {
        const CompiledKernel kernel(device, point_kernel(texts, dim, true), "at_points");
        part.evaluate = [kernel, n_part](double t, const Vector<double> &at, Vector<double> &values) {
          kernel(static_cast<int>(n_part), at.data(), t, values.data());
        };
      }
    catch (const RunError &reason)
      {
        std::cout << key << ": evaluated on the host, and uploaded each time: " << reason.what() << std::endl;
        const auto result = std::make_shared<Array<double>>(n_texts * n_part);
        part.evaluate     = [on_host, result, n_part](double t, const Vector<double> &at, Vector<double> &values) {
          (*on_host)(t, to_host(at).data(), result->data(), n_part);
          values.upload(result->data());
        };
      }
  return part;
}

template <int dim>
void FunctionOfSolution<dim>::evaluate(double t, const Vector<double> &u)
{
  const bool all = parts.size() == 1;
  if (!all)
    result.set_zero();
  for (auto &part : parts)
    {
      const int n_part = part.places.size() / (dim + 1);
      auto      at     = part.places.part(dim * n_part, n_part);
      if (all)
        device.copy(u, at);
      else
        device.multiply(1., part.gather, u, 0., at);
      part.evaluate(t, part.places, all ? result : part.values);
      if (!all)
        device.multiply(1., part.scatter, part.values, 1., result);
    }
}

template class FunctionOfSolution<2>;
template class FunctionOfSolution<3>;
} // namespace adamant
