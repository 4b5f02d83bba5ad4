#include "solvers/extrapolation.h"

#include "support/devices.h"

#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
class ExtrapolationTest : public DeviceTest
{
protected:
  // What is predicted for step `steps` from all before.
  std::vector<double> predicted(unsigned int order, int steps) const;
};
INSTANTIATE_TEST_SUITE_P(Devices, ExtrapolationTest, all_places, place_name);

// Polynomials in time, one for each entry: entry i is t^i - i.
double value(int i, double t)
{
  return std::pow(t, i) - i;
}

std::vector<double> ExtrapolationTest::predicted(unsigned int order, int steps) const
{
  Extrapolation       guess(device, order);
  std::vector<double> values(5);
  Vector<double>      x(device, 5);
  for (int step = 0; step < steps; ++step)
    {
      for (int i = 0; i < 5; ++i)
        values[i] = value(i, 0.5 * step);
      x.upload(values.data());
      guess.keep(x);
    }
  guess.predict(x);
  return values_of(x);
}
} // namespace

TEST_P(ExtrapolationTest, IsExactForPolynomialsBelowTheOrder)
{
  const int steps = 7;
  for (unsigned int order = 1; order <= 4; ++order)
    {
      const auto x = predicted(order, steps);
      for (int i = 0; i < 5; ++i)
        if (i < static_cast<int>(order))
          EXPECT_NEAR(x[i], value(i, 0.5 * steps), 1e-11) << "degree " << i << ", order " << order;
        else
          EXPECT_GT(std::abs(x[i] - value(i, 0.5 * steps)), 1e-3)
            << "degree " << i << ", order " << order << " cannot be exact";
    }
}

TEST_P(ExtrapolationTest, StartsWithTheOrderThatIsKnown)
{
  const auto one = predicted(3, 1), two = predicted(3, 2);
  for (int i = 0; i < 5; ++i)
    {
      EXPECT_EQ(one[i], value(i, 0.)) << "the only solution expected";
      EXPECT_NEAR(two[i], 2. * value(i, 0.5) - value(i, 0.), 1e-14) << "a straight line expected";
    }
}

TEST_P(ExtrapolationTest, IsZeroWithoutEarlierSolutions)
{
  for (const auto &x : {predicted(0, 5), predicted(2, 0)})
    for (const double entry : x)
      EXPECT_EQ(entry, 0.);
}
