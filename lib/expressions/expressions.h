#pragma once

#include "base/array.h"

#include <deal.II/base/auto_derivative_function.h>
#include <deal.II/base/exceptions.h>
#include <deal.II/base/function.h>
#include <deal.II/base/function_parser.h>
#include <deal.II/base/point.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Expressions as a function that several threads may evaluate at once. It has one FunctionParser for each thread, as a
/// shared parser takes a lock at every value.
template <int dim>
class ParsedFunction : public dealii::AutoDerivativeFunction<dim>
{
public:
  /// Throws deal.II's exceptions for mistakes in `expressions`, also for unknown names. Only one thread may call it at
  /// a time.
  ParsedFunction(const std::vector<std::string> &expressions, const std::string &variables, bool time_dependent);

  double value(const dealii::Point<dim> &p, unsigned int component = 0) const override;
  void   set_time(double t) override;
  /// Returns component 0 at p and time t. From then on, value() takes this time in the calling thread.
  double value_at(double t, const dealii::Point<dim> &p) const;

private:
  dealii::FunctionParser<dim> &parser() const; // of the calling thread

  std::vector<std::unique_ptr<dealii::FunctionParser<dim>>> of_thread;
};

/// The functions below read expressions of parameter files with muParser (deal.II's FunctionParser). Expressions may
/// use pi, the operators and functions of muParser, and the variables named below. Semicolons separate components.
/// `key` names the parameter in messages. InputError is thrown for an expression that cannot be evaluated, an
/// assignment, and random numbers. RunError is thrown in parallel regions, where expressions cannot be parsed.

/// Returns the function of x, y, t and in 3D z with the n_components components that `text` gives (split_components).
template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_function(const std::string &key, const std::string &text,
                                                    unsigned int n_components);

/// Returns the function of one to four numbers that `text` gives, in which `names` stand for them. The first three are
/// passed as the position, the fourth is passed as the time.
std::unique_ptr<ParsedFunction<3>> parse_function_of(const std::vector<std::string> &names, const std::string &key,
                                                     const std::string &text);

/// Returns the function of t alone that `text` gives.
std::function<double(double)> parse_function_of_time(const std::string &key, const std::string &text);

/// Returns the scalar function that `text` gives of variables with these names, such as "u_x,u_y,h" for dim = 2. The
/// first dim ones are passed as the position, the last one is passed as the time.
template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_scalar(const char *names, const std::string &key, const std::string &text);

/// Throws InputError where parse_function does, in `dim` = 2 or 3 dimensions.
void check_expression(const std::string &key, const std::string &text, unsigned int n_components, unsigned int dim);

/// Returns the first n_components of the expressions that `text` has between semicolons. Throws InputError for fewer
/// expressions and for more, except that two components may come with a third one, which is ignored.
std::vector<std::string> split_components(const std::string &key, const std::string &text, unsigned int n_components);

/// Returns the numbers that `text` has between semicolons; the result is empty where one of them is no number.
std::vector<double> split_numbers(const std::string &text);

/// Returns the expression of each boundary id in a text of the form 'id: ..., id: ...'. Commas in round brackets and
/// further colons belong to an expression. Where `id_of` is given, it translates a name in the place of an id.
/// Throws InputError where an entry has no id, and for an id that occurs twice.
std::map<unsigned int, std::string>
split_by_boundary(const std::string &key, const std::string &text,
                  const std::function<unsigned int(const std::string &name)> &id_of = nullptr);

/// Returns whether an expression contains the variable t.
bool depends_on_time(const std::string &text);

/// Sets values[c n + i] = f_c(t, x_i) on all threads, where points[d n + i] is coordinate d of x_i. Both arrays are in
/// host memory.
template <int dim>
void evaluate_at_points(ParsedFunction<dim> &f, double t, const Array<double> &points, double *values);

/// Returns a functor, as the module coefficients takes it, as a function of deal.II.
template <int dim, class F>
std::unique_ptr<dealii::Function<dim>> dealii_function(const F &f)
{
  return std::make_unique<dealii::ScalarFunctionFromFunctionObject<dim>>(
    [f](const dealii::Point<dim> &p) { return f(&p[0]); });
}

/// Returns deal.II's message of an error, in one line and without the frame around it.
std::string message_of(const dealii::ExceptionBase &error);
} // namespace adamant
