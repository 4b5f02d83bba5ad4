#pragma once

#include <functional>
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

/// Calls action(expressions) with an entry's expressions in the list `list` of the parameter `key`. An InputError about
/// `key = expressions` then names the list and the entry: `key = list: the entry 'expressions' ...`.
void check_entry(const std::string &key, const std::string &list, const std::string &expressions,
                 const std::function<void(const std::string &expressions)> &action);

/// Returns whether an expression contains the variable `name`.
bool depends_on(const std::string &expression, const std::string &name);
/// Returns whether an expression contains none of the variables x, y, z, t, u.
bool is_constant(const std::string &expression);

/// Returns the expression in which `by`, in brackets, stands in place of the variable `name`.
std::string substitute(const std::string &expression, const std::string &name, const std::string &by);
} // namespace adamant
