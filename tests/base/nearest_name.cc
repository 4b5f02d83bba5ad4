#include "base/exceptions.h"

#include <gtest/gtest.h>

using namespace adamant;

namespace
{
const std::vector<std::string> known = {"Smoother", "Smoothing steps", "Damping", "Precision", "Preconditioner"};

using Names = std::vector<std::string>;
} // namespace

TEST(NearestName, FindsATypo)
{
  EXPECT_EQ(nearest_names("Smother", known).at(0), "Smoother");
  EXPECT_EQ(nearest_names("Dampign", known), Names{"Damping"});
}

TEST(NearestName, IgnoresCase)
{
  EXPECT_EQ(nearest_names("DAMPING", known), Names{"Damping"});
}

TEST(NearestName, NearestFirstAndNoMoreThanAskedFor)
{
  const Names abc = {"abcx", "abcxy", "abc", "abcdefghijk"};
  EXPECT_EQ(nearest_names("abc", abc), (Names{"abc", "abcx", "abcxy"}));
  EXPECT_EQ(nearest_names("abc", abc, 1), Names{"abc"});
}

TEST(NearestName, NothingNear)
{
  EXPECT_TRUE(nearest_names("zzzzzzzz", known).empty());
  EXPECT_TRUE(nearest_names("anything", {}).empty());
  EXPECT_TRUE(nearest_names("", known).empty());
}

TEST(NearestName, Sentence)
{
  EXPECT_EQ(did_you_mean("zzzzzzzz", known), "");
  EXPECT_EQ(did_you_mean("Dampign", known), "; did you mean 'Damping'?");
  EXPECT_EQ(did_you_mean("ab", {"ab", "abc"}), "; did you mean 'ab' or 'abc'?");
  EXPECT_EQ(did_you_mean("abcd", {"abcd", "abce", "abcef"}), "; did you mean 'abcd', 'abce' or 'abcef'?");
}
