#pragma once

#include "base/array.h"

#include <deal.II/base/auto_derivative_function.h>
#include <deal.II/base/function_parser.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Expressions as a function that threads may evaluate at once: it has a FunctionParser for each of them, as one that
/// they share takes a lock at every value.
template <int dim>
class ParsedFunction : public dealii::AutoDerivativeFunction<dim>
{
public:
  /// Throws deal.II's exceptions, also for names that are unknown. Not to be called by several threads at once.
  ParsedFunction(const std::vector<std::string> &expressions, const std::string &variables, bool time_dependent);

  double value(const dealii::Point<dim> &p, unsigned int component = 0) const override;
  void   set_time(double t) override;
  /// The value at a time of the calling thread's own; value() has it in this thread from then on.
  double value_at(double t, const dealii::Point<dim> &p) const;

private:
  dealii::FunctionParser<dim> &parser() const; // of the calling thread

  std::vector<std::unique_ptr<dealii::FunctionParser<dim>>> of_thread;
};

/// Functions given in parameter files, read by muParser (deal.II's FunctionParser): pi, the operators and functions of
/// muParser, and the variables named below. Components are separated by semicolons. `key` names the parameter in
/// messages; an expression that cannot be evaluated, an assignment and random numbers are InputErrors. They are parsed
/// outside parallel regions only: RunError says so.

/// A function of x, y, z and t with n_components components, those of `text` (split_components).
template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_function(const std::string &key, const std::string &text,
                                                    unsigned int n_components);

/// A function of one number alone, which has this name in it.
std::unique_ptr<ParsedFunction<1>> parse_function_of(const std::string &name, const std::string &key,
                                                     const std::string &text);

/// A function of t alone.
std::function<double(double)> parse_function_of_time(const std::string &key, const std::string &text);

/// A scalar function of a gradient: the variables u_x, u_y, u_z, which stand at the place of a position, and h, at that
/// of the time.
template <int dim>
std::unique_ptr<ParsedFunction<dim>> parse_function_of_gradient(const std::string &key, const std::string &text);

/// InputError where parse_function has one, in `dim` = 2 or 3 dimensions.
void check_expression(const std::string &key, const std::string &text, unsigned int n_components, unsigned int dim);

/// The first n_components of the expressions that `text` has between semicolons. Fewer are an InputError, and so are
/// more, but for the third one of a vector in 2D.
std::vector<std::string> split_components(const std::string &key, const std::string &text, unsigned int n_components);

/// The numbers that `text` has between semicolons; none where one of them is no number.
std::vector<double> split_numbers(const std::string &text);

/// Expressions by boundary id, 'id: ..., id: ...': commas in brackets belong to an expression, and so does every
/// further colon. What stands for an id and is no number, `id_of` translates, where it is given.
/// Throws InputError for what is no id, and for an id that occurs twice.
std::map<unsigned int, std::string>
split_by_boundary(const std::string &key, const std::string &text,
                  const std::function<unsigned int(const std::string &name)> &id_of = nullptr);

/// Whether an expression contains the variable t.
bool depends_on_time(const std::string &text);

/// values[c n + i] = f_c(t, x_i) on all threads, where points[d n + i] is coordinate d of x_i; host memory.
template <int dim>
void evaluate_at_points(ParsedFunction<dim> &f, double t, const Array<double> &points, double *values);
} // namespace adamant
