#include "coefficients/expression_text.h"

#include "base/exceptions.h"

#include <algorithm>
#include <regex>

namespace adamant
{
namespace
{
std::string without_blanks_around(const std::string &text)
{
  const auto first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}
} // namespace

std::vector<std::string> split_outside_brackets(const std::string &text, char separator)
{
  std::vector<std::string> parts(1);
  int                      depth = 0;
  for (const char c : text)
    {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == separator && depth == 0)
        parts.emplace_back();
      else
        parts.back() += c;
    }
  std::transform(parts.begin(), parts.end(), parts.begin(), without_blanks_around);
  return parts;
}

std::string name_of_entry(const std::string &entry)
{
  const auto end = entry.find_first_of(":?");
  return end == std::string::npos || entry[end] == '?' ? "" : without_blanks_around(entry.substr(0, end));
}

void check_entry(const std::string &key, const std::string &list, const std::string &expressions,
                 const std::function<void(const std::string &)> &action)
{
  try
    {
      action(expressions);
    }
  catch (const InputError &error)
    {
      const std::string message = error.what(), about = key + " = " + expressions;
      if (list == expressions)
        throw;
      throw InputError(key + " = " + list + ": the entry '" + expressions + "'" +
                       (message.compare(0, about.size(), about) == 0 ? message.substr(about.size()) : ": " + message));
    }
}

bool depends_on(const std::string &expression, const std::string &name)
{
  return std::regex_search(expression, std::regex("\\b" + name + "\\b"));
}

bool is_constant(const std::string &expression)
{
  return !depends_on(expression, "[xyztu]");
}

std::string substitute(const std::string &expression, const std::string &name, const std::string &by)
{
  return std::regex_replace(expression, std::regex("\\b" + name + "\\b"), "(" + by + ")");
}
} // namespace adamant
