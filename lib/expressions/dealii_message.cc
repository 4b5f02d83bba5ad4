#include "expressions/dealii_message.h"

#include <sstream>

namespace adamant
{
std::string message_of(const dealii::ExceptionBase &error)
{
  std::ostringstream text;
  error.print_info(text);
  return in_one_line(text.str());
}

std::string in_one_line(const std::string &text)
{
  std::istringstream in(text);
  std::string        line;
  for (std::string word; in >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}
} // namespace adamant
