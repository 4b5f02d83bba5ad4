#pragma once

#include <deal.II/base/exceptions.h>

#include <string>

namespace adamant
{
/// Returns deal.II's message of an error, in one line and without the frame around it.
std::string message_of(const dealii::ExceptionBase &error);

/// Returns the words of `text` with one blank between them.
std::string in_one_line(const std::string &text);
} // namespace adamant
