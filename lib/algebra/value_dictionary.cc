#include "algebra/value_dictionary.h"

#include <algorithm>
#include <tuple>

namespace adamant
{
std::vector<double> value_dictionary(std::vector<FoundValue> values, std::size_t most)
{
  std::sort(values.begin(), values.end(), [](const auto &a, const auto &b) {
    return std::make_tuple(-a.count, std::abs(a.value), a.value) <
           std::make_tuple(-b.count, std::abs(b.value), b.value);
  });
  std::vector<FoundValue> kept;
  for (const FoundValue &v : values)
    {
      if (std::none_of(kept.begin(), kept.end(),
                       [&v](const FoundValue &k) { return std::abs(v.value - k.value) <= std::min(v.unit, k.unit); }))
        kept.push_back(v);
      if (kept.size() > most)
        return {};
    }
  std::vector<double> dictionary;
  for (const FoundValue &k : kept)
    dictionary.push_back(k.value);
  std::sort(dictionary.begin(), dictionary.end());
  return dictionary;
}
} // namespace adamant
