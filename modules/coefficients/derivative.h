#pragma once

#include <string>

namespace adamant
{
/// Returns the derivative of an expression with respect to one of its variables, as an expression. Comparisons,
/// rounding and signs have the derivative zero: where an expression jumps, that is left out. Where a root or power has
/// an infinite slope, zero stands for it. Throws InputError for a function that it does not know and for what is no
/// expression.
std::string derivative(const std::string &expression, const std::string &variable);
} // namespace adamant
