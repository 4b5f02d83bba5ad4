#include "application/expressions.h"

#include "base/exceptions.h"

#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <iostream>
#include <map>
#include <regex>
#include <sstream>

namespace adamant
{
namespace
{
// deal.II's message without its frame.
std::string message_of(const dealii::ExceptionBase &error)
{
  std::ostringstream text;
  error.print_info(text);
  const std::string message = std::regex_replace(text.str(), std::regex("\\s+"), " ");
  return message.substr(message.find_first_not_of(' '));
}

// deal.II also writes what muParser says to std::cerr; the exception tells it.
struct SilentErrors
{
  std::streambuf *const buffer = std::cerr.rdbuf(nullptr);
  ~SilentErrors() { std::cerr.rdbuf(buffer); }
};

template <int dim>
std::unique_ptr<dealii::FunctionParser<dim>> parse(const std::string &key, const std::string &text,
                                                   const std::vector<std::string> &expressions,
                                                   const std::string &variables, bool time_dependent)
{
  auto function = std::make_unique<dealii::FunctionParser<dim>>(expressions.size());
  try
    {
      const SilentErrors silent;
      function->initialize(variables, expressions, {{"pi", dealii::numbers::PI}}, time_dependent);
      for (unsigned int c = 0; c < expressions.size(); ++c) // unknown names show when they are evaluated
        (void)function->value(dealii::Point<dim>(), c);
    }
  catch (const dealii::ExceptionBase &error)
    {
      throw InputError(key + " = " + text + ": " + message_of(error));
    }
  return function;
}
} // namespace

template <int dim>
std::unique_ptr<dealii::FunctionParser<dim>> parse_function(const std::string &key, const std::string &text,
                                                            unsigned int n_components)
{
  std::vector<std::string> expressions = dealii::Utilities::split_string_list(text, ';');
  if (expressions.size() < n_components)
    throw InputError(key + " = " + text + ": " + std::to_string(expressions.size()) +
                     " components, separated by ';', but " + std::to_string(n_components) + " are needed");
  expressions.resize(n_components);
  return parse<dim>(key, text, expressions, dim == 2 ? "x,y,t" : "x,y,z,t", true);
}

std::function<double(double)> parse_function_of_time(const std::string &key, const std::string &text)
{
  const std::shared_ptr<dealii::FunctionParser<1>> function = parse<1>(key, text, {text}, "t", false);
  return [function](double t) { return function->value(dealii::Point<1>(t)); };
}

template std::unique_ptr<dealii::FunctionParser<2>> parse_function(const std::string &, const std::string &,
                                                                   unsigned int);
template std::unique_ptr<dealii::FunctionParser<3>> parse_function(const std::string &, const std::string &,
                                                                   unsigned int);
} // namespace adamant
