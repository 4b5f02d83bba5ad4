#include "base/exceptions.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>

namespace adamant
{
namespace
{
std::size_t edit_distance(const std::string &a, const std::string &b)
{
  const auto               lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 1; i <= a.size(); ++i)
    {
      std::size_t diagonal = row[0];
      row[0]               = i;
      for (std::size_t j = 1; j <= b.size(); ++j)
        {
          const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
          diagonal                      = row[j];
          row[j]                        = std::min({substituted, row[j] + 1, row[j - 1] + 1});
        }
    }
  return row[b.size()];
}
} // namespace

std::vector<std::string> nearest_names(const std::string &name, const std::vector<std::string> &known,
                                       std::size_t count)
{
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto &candidate : known)
    if (const std::size_t d = edit_distance(name, candidate); 2 * d <= std::max(name.size(), candidate.size()))
      ranked.emplace_back(d, candidate);
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
    names.push_back(ranked[i].second);
  return names;
}

std::string did_you_mean(const std::string &name, const std::vector<std::string> &known)
{
  const auto  names = nearest_names(name, known);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "; did you mean '" : i + 1 == names.size() ? "' or '" : "', '") + names[i];
  return names.empty() ? text : text + "'?";
}

int to_index(std::size_t size, const char *what)
{
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw IndexOverflow(std::string(what) + ": " + std::to_string(size) +
                        " does not fit the 32-bit indices of the sparse matrices (2147483647 at most)");
  return static_cast<int>(size);
}
} // namespace adamant
