#pragma once

#include <string>

namespace adamant
{
std::string version();      ///< version of adamant, e.g. "0.1.0"
std::string git_revision(); ///< short hash of the commit that was built, with "+" where files had changed
} // namespace adamant
