#include "expressions/expressions.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"

#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <omp.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <regex>
#include <sstream>

namespace adamant
{
std::string message_of(const dealii::ExceptionBase &error)
{
  std::stringstream text;
  error.print_info(text);
  std::string line;
  for (std::string word; text >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

namespace
{
// deal.II also writes what muParser says to std::cerr; the exception tells it. The stream is everybody's, so that
// threads must not do this at once: the last one would leave it without a buffer.
struct SilentErrors
{
  std::streambuf *const buffer = std::cerr.rdbuf(nullptr);
  ~SilentErrors() { std::cerr.rdbuf(buffer); }
};

// muParser takes "1,5" for the list of 1 and 5, and its last number for the value.
bool has_comma_outside_functions(const std::string &text)
{
  std::vector<bool> of_function = {false}; // for each open bracket
  char              before      = ' ';     // the last character that is no blank
  for (const char c : text)
    {
      if (c == '(')
        of_function.push_back(std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_');
      else if (c == ')' && of_function.size() > 1)
        of_function.pop_back();
      else if (c == ',' && !of_function.back())
        return true;
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        before = c;
    }
  return false;
}

// What is wrong with an expression that muParser accepts; empty: nothing.
std::string hidden_mistake(const std::string &text)
{
  if (has_comma_outside_functions(text))
    return "has a comma that separates no arguments of a function; numbers have a decimal point";
  if (std::regex_search(text, std::regex("[^<>=!]=[^=]")))
    return "assigns a value; '==' compares";
  if (std::regex_search(text, std::regex("\\brand(_seed)?\\b")))
    return "has random numbers, which would be others on other threads and ranks and after a restart";
  return "";
}

template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse(const std::string &key, const std::string &text,
                                           const std::vector<std::string> &expressions, const std::string &variables,
                                           bool time_dependent)
{
  if (omp_in_parallel() != 0)
    throw RunError(key + ": an expression is parsed in a parallel region");
  for (const auto &expression : expressions)
    if (const std::string mistake = hidden_mistake(expression); !mistake.empty())
      throw InputError(key + " = " + text + ": '" + dealii::Utilities::trim(expression) + "' " + mistake);
  try
    {
      const SilentErrors silent;
      return std::make_unique<ParsedFunction<dim>>(expressions, variables, time_dependent);
    }
  catch (const dealii::ExceptionBase &error)
    {
      throw InputError(key + " = " + text + ": " + message_of(error));
    }
}
} // namespace

template <int dim>
ParsedFunction<dim>::ParsedFunction(const std::vector<std::string> &expressions, const std::string &variables,
                                    bool time_dependent)
  : dealii::AutoDerivativeFunction<dim>(1e-8, expressions.size()) // the step of FunctionParser
{
  for (int thread = 0; thread < std::max(omp_get_max_threads(), 1); ++thread)
    {
      of_thread.push_back(std::make_unique<dealii::FunctionParser<dim>>(expressions.size()));
      of_thread.back()->initialize(variables, expressions, {{"pi", dealii::numbers::PI}}, time_dependent);
    }
  for (unsigned int c = 0; c < expressions.size(); ++c) // unknown names show when they are evaluated
    (void)value(dealii::Point<dim>(), c);
}

template <int dim>
dealii::FunctionParser<dim> &ParsedFunction<dim>::parser() const
{
  return *of_thread[omp_get_thread_num() % of_thread.size()];
}

template <int dim>
double ParsedFunction<dim>::value(const dealii::Point<dim> &p, unsigned int component) const
{
  return parser().value(p, component);
}

template <int dim>
double ParsedFunction<dim>::value_at(double t, const dealii::Point<dim> &p) const
{
  parser().set_time(t);
  return parser().value(p);
}

template <int dim>
void ParsedFunction<dim>::set_time(double t)
{
  dealii::Function<dim>::set_time(t);
  for (const auto &parser : of_thread)
    parser->set_time(t);
}

std::vector<std::string> split_components(const std::string &key, const std::string &text, unsigned int n_components)
{
  std::vector<std::string> expressions = dealii::Utilities::split_string_list(text, ';');
  if (expressions.size() < n_components || expressions.size() > (n_components == 1 ? 1 : std::max(n_components, 3U)))
    throw InputError(key + " = " + text + ": " + std::to_string(expressions.size()) +
                     " components, separated by ';', but " + std::to_string(n_components) + " are needed");
  expressions.resize(n_components);
  return expressions;
}

template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_function(const std::string &key, const std::string &text,
                                                    unsigned int n_components)
{
  return parse<dim>(key, text, split_components(key, text, n_components), dim == 2 ? "x,y,t" : "x,y,z,t", true);
}

template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_scalar(const char *names, const std::string &key, const std::string &text)
{
  return parse<dim>(key, text, {text}, names, true);
}

std::unique_ptr<ParsedFunction<3>> parse_function_of(const std::vector<std::string> &names, const std::string &key,
                                                     const std::string &text)
{
  std::string all = names[0];
  for (std::size_t i = 1; i < 4; ++i) // the parser has four variables, always
    all += "," + (i < names.size() ? names[i] : "unused_" + std::to_string(i));
  return parse<3>(key, text, {text}, all, true);
}

std::function<double(double)> parse_function_of_time(const std::string &key, const std::string &text)
{
  const std::shared_ptr<ParsedFunction<3>> function = parse_function_of({"t"}, key, text);
  return [function](double t) { return function->value(dealii::Point<3>(t, 0., 0.)); };
}

std::vector<double> split_numbers(const std::string &text)
{
  try
    {
      return dealii::Utilities::string_to_double(dealii::Utilities::split_string_list(text, ';'));
    }
  catch (const dealii::ExceptionBase &)
    {
      return {};
    }
}

std::map<unsigned int, std::string> split_by_boundary(const std::string &key, const std::string &text,
                                                      const std::function<unsigned int(const std::string &)> &id_of)
{
  std::vector<std::string> entries(1);
  int                      depth = 0; // of brackets
  for (const char c : text)
    {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0)
        entries.emplace_back();
      else
        entries.back() += c;
    }
  std::map<unsigned int, std::string> functions;
  if (entries.size() == 1 && dealii::Utilities::trim(text).empty())
    return functions;
  for (const auto &entry : entries)
    {
      const auto        colon  = entry.find(':');
      const std::string id     = dealii::Utilities::trim(entry.substr(0, colon));
      const bool        number = id.size() < 6 && id.find_first_not_of("0123456789") == std::string::npos;
      if (colon == std::string::npos || id.empty() || (!number && !id_of))
        throw InputError(key + " = " + text + ": 'id: expressions' is expected, not '" +
                         dealii::Utilities::trim(entry) + "'");
      if (!functions.emplace(number ? std::stoul(id) : id_of(id), dealii::Utilities::trim(entry.substr(colon + 1)))
             .second)
        throw InputError(key + " = " + text + ": boundary " + id + " occurs twice");
    }
  return functions;
}

void check_expression(const std::string &key, const std::string &text, unsigned int n_components, unsigned int dim)
{
  if (dim == 2)
    parse_function<2>(key, text, n_components);
  else
    parse_function<3>(key, text, n_components);
}

bool depends_on_time(const std::string &text)
{
  return std::regex_search(text, std::regex("\\bt\\b"));
}

template <int dim>
void evaluate_at_points(ParsedFunction<dim> &f, double t, const Array<double> &points, double *values)
{
  const std::size_t n = points.size() / dim;
  f.set_time(t);
  parallel_for(n, [&](std::size_t i) {
    dealii::Point<dim> point;
    for (int d = 0; d < dim; ++d)
      point[d] = points[d * n + i];
    for (unsigned int c = 0; c < f.n_components; ++c)
      values[c * n + i] = f.value(point, c);
  });
}

template class ParsedFunction<2>;
template class ParsedFunction<3>;
template void evaluate_at_points(ParsedFunction<2> &, double, const Array<double> &, double *);
template void evaluate_at_points(ParsedFunction<3> &, double, const Array<double> &, double *);
template std::unique_ptr<ParsedFunction<2>> parse_scalar(const char *, const std::string &, const std::string &);
template std::unique_ptr<ParsedFunction<3>> parse_scalar(const char *, const std::string &, const std::string &);
template std::unique_ptr<ParsedFunction<2>> parse_function(const std::string &, const std::string &, unsigned int);
template std::unique_ptr<ParsedFunction<3>> parse_function(const std::string &, const std::string &, unsigned int);
} // namespace adamant
