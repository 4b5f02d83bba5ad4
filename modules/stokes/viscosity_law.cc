#include "stokes/viscosity_law.h"

#include "base/exceptions.h"
#include "coefficients/derivative.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"

#include <algorithm>

namespace adamant
{
namespace
{
const std::vector<std::string> all_names = {"T", "c", "depth", "strain"};

std::vector<std::string> names_in(const std::string &text)
{
  std::vector<std::string> names;
  for (const auto &name : all_names)
    if (depends_on(text, name))
      names.push_back(name);
  return names.empty() ? std::vector<std::string>{"depth"} : names;
}

std::vector<std::string> components(const std::string &text)
{
  if (!depends_on(text, "strain"))
    return {text};
  return {text, derivative(text, "strain")};
}
} // namespace

ViscosityLaw::ViscosityLaw(const Device &device, const std::string &key, const std::string &text)
  : of(names_in(text))
  , function(function_of_numbers(device, key, components(text), of))
{}

void ViscosityLaw::check(const std::string &key, const std::string &text, bool has_temperature)
{
  parse_function_of(all_names, key, text);
  require(has_temperature || !adamant::depends_on(text, "T"), key, " = ", text,
          ": T is the temperature, but there is none; the section Temperature gives one");
  for (const auto &component : components(text))
    parse_function_of(all_names, key, component);
}

bool ViscosityLaw::depends_on(const std::string &name) const
{
  return std::find(of.begin(), of.end(), name) != of.end();
}
} // namespace adamant
