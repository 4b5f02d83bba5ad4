#include "coefficients/values_at_points.h"

#include "algebra/compiled_kernel.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "coefficients/translation.h"
#include "expressions/expressions.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <regex>

namespace adamant
{
namespace
{
template <int dim>
using Parsed = std::shared_ptr<ParsedFunction<dim>>;

// Evaluated on the host for another device, which a line says.
template <int dim>
PointFunction uploaded_function(const Device &device, const std::string &key, const Parsed<dim> &parsed,
                                unsigned int n_components, const Array<double> &points, const std::string &why)
{
  const auto          on_host  = std::make_shared<Array<double>>(points.size() / dim * n_components);
  const PointFunction function = [parsed, points, on_host](double t, Vector<double> &values) {
    evaluate_at_points(*parsed, t, points, on_host->data());
    values.upload(on_host->data());
  };
  Vector<double> values(device, static_cast<int>(on_host->size()));
  const auto     start = std::chrono::steady_clock::now();
  function(0., values);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << key << " is evaluated on the host, " << elapsed.count() << " s and " << 8 * on_host->size()
            << " bytes to the GPU each time: " << why << std::endl;
  return function;
}
} // namespace

template <int dim>
PointFunction function_at_points(const Device &device, const std::string &key, const std::string &text,
                                 unsigned int n_components, const Array<double> &points)
{
  const Parsed<dim> parsed = parse_function<dim>(key, text, n_components);
  if (!device.traits().separate_memory)
    return
      [parsed, points](double t, Vector<double> &values) { evaluate_at_points(*parsed, t, points, values.data()); };
  try
    {
      const CompiledKernel kernel(device, point_kernel(split_components(key, text, n_components), dim), "at_points");
      const auto           on_device = std::make_shared<Vector<double>>(device, points);
      return [kernel, on_device](double t, Vector<double> &values) {
        kernel(on_device->size() / dim, on_device->data(), t, values.data());
      };
    }
  catch (const RunError &reason)
    {
      return uploaded_function<dim>(device, key, parsed, n_components, points, reason.what());
    }
}

NumberFunction function_of_numbers(const Device &device, const std::string &key, const std::vector<std::string> &texts,
                                   const std::vector<std::string> &names)
{
  const std::size_t      k = names.size();
  std::vector<Parsed<3>> parsed;
  for (const auto &text : texts)
    parsed.push_back(parse_function_of(names, key, text));
  const NumberFunction on_host = [parsed, k](const Vector<double> &numbers, Vector<double> &values) {
    const auto        from = to_host(numbers);
    const std::size_t n    = from.size() / k;
    Array<double>     result(parsed.size() * n);
    for (std::size_t c = 0; c < parsed.size(); ++c)
      parallel_for(n, [&, f = parsed[c].get()](std::size_t i) {
        dealii::Point<3> first;
        for (std::size_t d = 0; d < std::min<std::size_t>(k, 3); ++d)
          first[d] = from[d * n + i];
        result[c * n + i] = f->value_at(k == 4 ? from[3 * n + i] : 0., first);
      });
    values.upload(result.data());
  };
  if (!device.traits().separate_memory)
    return on_host;
  try
    {
      std::vector<std::string> of_xyzu = texts;
      for (auto &text : of_xyzu)
        for (std::size_t d = 0; d < k; ++d)
          text = std::regex_replace(text, std::regex("\\b" + names[d] + "\\b"), std::string(1, "xyzu"[d]));
      const CompiledKernel kernel(device, point_kernel(of_xyzu, std::min<int>(k, 3), k == 4), "at_points");
      return [kernel, k](const Vector<double> &numbers, Vector<double> &values) {
        kernel(numbers.size() / static_cast<int>(k), numbers.data(), 0., values.data());
      };
    }
  catch (const RunError &reason)
    {
      std::cout << key << " is evaluated on the host: " << reason.what() << std::endl;
      return on_host;
    }
}

void require_numbers(const Communicator &ranks, const std::string &key, const Array<double> &values)
{
  const bool good = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  require_on_all(ranks, good ? "" : key + " has values that are no numbers");
}

template PointFunction function_at_points<2>(const Device &, const std::string &, const std::string &, unsigned int,
                                             const Array<double> &);
template PointFunction function_at_points<3>(const Device &, const std::string &, const std::string &, unsigned int,
                                             const Array<double> &);
} // namespace adamant
