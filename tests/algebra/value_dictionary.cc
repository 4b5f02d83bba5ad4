#include "algebra/value_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using adamant::RoundedValue;

namespace
{
const double unit = adamant::rounding_unit(1.5);

// What rounding makes of a value in a row whose largest one has this unit.
RoundedValue rounded(double value, double unit)
{
  return {std::rint(value / unit) * unit, unit};
}
} // namespace

TEST(ValueDictionary, UnitIs48BitsOfTheLargest)
{
  EXPECT_EQ(adamant::rounding_unit(1), std::ldexp(1., -48));
  EXPECT_EQ(adamant::rounding_unit(1.99), std::ldexp(1., -48));
  EXPECT_EQ(adamant::rounding_unit(2), std::ldexp(1., -47));
  EXPECT_EQ(adamant::rounding_unit(0), std::ldexp(1., -48));
  EXPECT_EQ(adamant::rounding_unit(1e-300), 0.) << "expected no rounding where units may underflow";
  EXPECT_EQ(adamant::rounding_unit(INFINITY), 0.);
  EXPECT_EQ(adamant::rounding_unit(NAN), adamant::rounding_unit(0));
}

// Values in the middle between two units, which rounding errors move to either side.
TEST(ValueDictionary, NeighboursBecomeOne)
{
  std::vector<RoundedValue> values;
  for (int k = 0; k < 100; ++k)
    for (const double sign : {-1., 1.})
      for (const double error : {-0.25, 0.25})
        values.push_back(rounded(sign * (0.5 + (10 * k + 0.5) * unit) + error * unit, unit));
  const auto dictionary = adamant::value_dictionary(values);
  ASSERT_EQ(dictionary.size(), 200u) << "expected one place for each pair";
  EXPECT_TRUE(std::is_sorted(dictionary.begin(), dictionary.end()));
  for (const RoundedValue &v : values)
    EXPECT_LE(std::abs(dictionary[adamant::code_of(v.value, dictionary.data(), 200)] - v.value), unit);
}

// Two units apart, or a unit of another, larger row apart, they are different.
TEST(ValueDictionary, OthersStayApart)
{
  EXPECT_EQ(adamant::value_dictionary({{1, unit}, {1 + 2 * unit, unit}}).size(), 2u);
  EXPECT_EQ(adamant::value_dictionary({{1, unit}, {1 + 4 * unit, 4 * unit}}).size(), 2u);
  EXPECT_EQ(adamant::value_dictionary({{1e-320, 0}, {2e-320, 0}}).size(), 2u);
  EXPECT_EQ(adamant::value_dictionary({{-unit, unit}, {0, unit}, {unit, unit}}), std::vector<double>({0.}));
  EXPECT_EQ(adamant::value_dictionary({{0.5, unit}, {-0.5, unit}, {0.25, unit}}),
            std::vector<double>({-0.5, 0.25, 0.5}));
}

TEST(ValueDictionary, CodeIsTheNearest)
{
  const std::vector<float> dictionary = {-1, 0, 0.5, 4};
  const auto               code       = [&](float value) { return adamant::code_of(value, dictionary.data(), 4); };
  EXPECT_EQ(code(-3), 0);
  EXPECT_EQ(code(-1), 0);
  EXPECT_EQ(code(-0.4f), 1);
  EXPECT_EQ(code(0.3f), 2);
  EXPECT_EQ(code(0.5f), 2);
  EXPECT_EQ(code(2.2f), 2);
  EXPECT_EQ(code(2.3f), 3);
  EXPECT_EQ(code(9), 3);
}
