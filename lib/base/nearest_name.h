#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// Returns the names in `known` that are closest to `name` by edit distance, ignoring case: at most `count`, nearest
/// first. No name is returned that differs in more than half of its letters.
std::vector<std::string> nearest_names(const std::string &name, const std::vector<std::string> &known,
                                       std::size_t count = 3);

/// Returns "; did you mean 'a' or 'b'?", or an empty text where no name is near.
std::string did_you_mean(const std::string &name, const std::vector<std::string> &known);
} // namespace adamant
