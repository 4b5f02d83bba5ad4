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

/// Returns whether an expression contains the variable `name`.
bool depends_on(const std::string &expression, const std::string &name);
/// Returns whether an expression contains none of the variables x, y, z, t, u.
bool is_constant(const std::string &expression);

/// Returns the expression in which `by`, in brackets, stands in place of the variable `name`.
std::string substitute(const std::string &expression, const std::string &name, const std::string &by);

/// Returns the derivative of an expression with respect to one of its variables, as an expression. Comparisons,
/// rounding and signs have the derivative zero: where an expression jumps, that is left out. Where a root or power has
/// an infinite slope, zero stands for it. Throws InputError for a function that it does not know and for what is no
/// expression.
std::string derivative(const std::string &expression, const std::string &variable);
} // namespace adamant
