#pragma once

#include <deal.II/base/function_parser.h>

#include <functional>
#include <memory>
#include <string>

namespace adamant
{
/// Functions given in parameter files, read by muParser (deal.II's FunctionParser): pi, the operators and functions of
/// muParser, and the variables named below. Components are separated by semicolons. `key` names the parameter in messages;
/// an expression that cannot be evaluated is an InputError.

/// A function of x, y, z and t with n_components components, those of `text`; further ones are ignored.
template <int dim>
std::unique_ptr<dealii::FunctionParser<dim>> parse_function(const std::string &key, const std::string &text,
                                                            unsigned int n_components);

/// A function of t alone.
std::function<double(double)> parse_function_of_time(const std::string &key, const std::string &text);
} // namespace adamant
