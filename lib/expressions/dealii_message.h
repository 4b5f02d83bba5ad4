#pragma once

#include <deal.II/base/exceptions.h>

#include <string>

namespace adamant
{
/// deal.II's message without its frame, in one line.
std::string message_of(const dealii::ExceptionBase &error);

/// The words of a text with a blank between them.
std::string in_one_line(const std::string &text);
} // namespace adamant
