#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// Functions for expressions as text; expressions.h evaluates them.

/// Returns the parts of a text between separators outside of brackets, without blanks around them.
std::vector<std::string> split_outside_brackets(const std::string &text, char separator);

/// Returns the name or id in front of an entry `name: expression`, or an empty text for an entry that has none. The
/// colon of `a ? b : c` belongs to the expression.
std::string name_of_entry(const std::string &entry);

/// Returns whether an expression contains none of the variables x, y, z, t.
bool is_constant(const std::string &expression);

/// Returns an expression for the derivative of `expression` with respect to the variable x, y or z, by a central
/// difference with this step. Its error is of the size of step², and of the rounding of values over the step.
std::string derivative(const std::string &expression, char variable, double step);
} // namespace adamant
