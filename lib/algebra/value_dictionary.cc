#include "algebra/value_dictionary.h"

#include <algorithm>

namespace adamant
{
std::vector<double> value_dictionary(std::vector<RoundedValue> values)
{
  constexpr double a_unit = 1.5; // units of different rows differ by factors of two
  std::sort(values.begin(), values.end(),
            [](const auto &a, const auto &b) { return std::abs(a.value) < std::abs(b.value); });
  std::vector<RoundedValue> kept;
  for (const RoundedValue &v : values)
    {
      const auto beyond = std::find_if(kept.rbegin(), kept.rend(), [&v](const RoundedValue &k) {
        return std::abs(v.value) - std::abs(k.value) > a_unit * v.unit;
      });
      if (std::none_of(kept.rbegin(), beyond, [&v](const RoundedValue &k) {
            return std::abs(v.value - k.value) <= a_unit * std::min(v.unit, k.unit);
          }))
        kept.push_back(v);
    }
  std::vector<double> dictionary;
  for (const RoundedValue &k : kept)
    dictionary.push_back(k.value);
  std::sort(dictionary.begin(), dictionary.end());
  return dictionary;
}
} // namespace adamant
