#include "algebra/value_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using adamant::FoundValue;
using Values = std::vector<double>;

namespace
{
const double unit = adamant::rounding_unit<double>(1.5), ulp = std::numeric_limits<double>::epsilon();
} // namespace

TEST(ValueDictionary, UnitFollowsTheLargest)
{
  EXPECT_EQ(adamant::rounding_unit<double>(1), 16 * ulp);
  EXPECT_EQ(adamant::rounding_unit<double>(1.99), 16 * ulp);
  EXPECT_EQ(adamant::rounding_unit<double>(2), 32 * ulp);
  EXPECT_EQ(adamant::rounding_unit<float>(1), 2 * std::numeric_limits<float>::epsilon());
  EXPECT_EQ(adamant::rounding_unit<double>(1e-300), 0.) << "expected none where units may underflow";
  EXPECT_EQ(adamant::rounding_unit<double>(INFINITY), 0.);
}

// Values that differ by rounding have one place, that of the most frequent one.
TEST(ValueDictionary, MostFrequentStandsForItsNeighbours)
{
  std::vector<FoundValue> values;
  Values                  frequent;
  for (int k = 0; k < 200; ++k)
    {
      frequent.push_back(0.5 + 100 * k * unit);
      for (int error = -3; error <= 3; ++error)
        values.push_back({frequent.back() + error * ulp, unit, error == 0 ? 1000 : 1});
    }
  const auto dictionary = adamant::value_dictionary(values, 256);
  EXPECT_EQ(dictionary, frequent);
  for (const FoundValue &v : values)
    EXPECT_LE(std::abs(dictionary[adamant::code_of(v.value, dictionary.data(), 200)] - v.value), 3 * ulp);
}

// More than a unit apart, or a unit of another, larger row apart, they are different.
TEST(ValueDictionary, OthersStayApart)
{
  const auto of = [](const std::vector<FoundValue> &values) { return adamant::value_dictionary(values, 256); };
  EXPECT_EQ(of({{1, unit, 5}, {1 + 2 * unit, unit, 5}}).size(), 2u);
  EXPECT_EQ(of({{1, unit, 5}, {1 + 4 * unit, 4 * unit, 5}}).size(), 2u);
  EXPECT_EQ(of({{1e-320, 0, 5}, {2e-320, 0, 5}}).size(), 2u);
  EXPECT_EQ(of({{-unit, unit, 1}, {0, unit, 1}, {unit, unit, 1}}), Values({0.})) << "expected the smallest of equals";
  EXPECT_EQ(of({{0.5, unit, 1}, {-0.5, unit, 1}, {0.25, unit, 1}}), Values({-0.5, 0.25, 0.5}));
}

TEST(ValueDictionary, TooManyAreNone)
{
  std::vector<FoundValue> values;
  for (int k = 0; k < 257; ++k)
    values.push_back({1. * k, unit, 1});
  EXPECT_TRUE(adamant::value_dictionary(values, 256).empty());
  EXPECT_EQ(adamant::value_dictionary(values, 257).size(), 257u);
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
