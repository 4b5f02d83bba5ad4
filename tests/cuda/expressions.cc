// Expressions compiled for the GPU against muParser on the host.
#include "support/expressions.h"

#include "base/exceptions.h"
#include "coefficients/values_at_points.h"
#include "expressions/expressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace adamant;

namespace
{
using Values = std::vector<double>;

class CudaExpressions : public testing::Test
{
protected:
  void SetUp() override
  {
    try
      {
        device = Device::cuda();
      }
    catch (const RunError &reason)
      {
        GTEST_SKIP() << reason.what();
      }
  }
  Device device;

  // Coordinates in (-3, 3), some of them equal.
  static Array<double> make_points(int dim, int n)
  {
    Array<double> points(dim * std::size_t(n));
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = i % 7 == 0 ? double(i % 5) - 2. : 3. * std::sin(1.7 * double(i));
    return points;
  }

  template <int dim>
  void expect_the_hosts_values(const std::string &text, unsigned int n_components, double t)
  {
    const int  n        = 1000;
    const auto points   = make_points(dim, n);
    const auto compiled = function_at_points<dim>(device, "key", text, n_components, points);

    Vector<double> values(device, n * static_cast<int>(n_components));
    compiled(t, values);
    const Values actual = to_host<Values>(values);
    Values       expected(actual.size());
    evaluate_at_points(*parse_function<dim>("key", text, n_components), t, points, expected.data());
    for (std::size_t i = 0; i < actual.size(); ++i)
      if (actual[i] != expected[i] && !(std::isnan(actual[i]) && std::isnan(expected[i])))
        {
          ASSERT_NEAR(actual[i], expected[i], 1e-14 * std::abs(expected[i])) << text << ", value " << i;
        }
  }
};

TEST_F(CudaExpressions, EveryOperatorAndFunction)
{
  testing::internal::CaptureStdout();
  for (const auto &text : test::expressions)
    expect_the_hosts_values<3>(text, 1, 0.7);
  const std::string said = testing::internal::GetCapturedStdout();
  if (said.find("NVRTC, the CUDA toolkit's compiler library, cannot be loaded") != std::string::npos)
    GTEST_SKIP() << "evaluated on the host: " << said.substr(0, 300);
  EXPECT_EQ(said, "") << "expected that all are compiled";
}

TEST_F(CudaExpressions, ComponentsDimensionsAndTimes)
{
  for (const double t : {0., 0.5, 3.})
    {
      expect_the_hosts_values<2>("x+10*y; t*x; sin(y)", 3, t);
      expect_the_hosts_values<3>("z; t*x", 2, t);
    }
}

TEST_F(CudaExpressions, OfANumber)
{
  const std::string    text   = "10^(2*c) + cos(c)";
  const auto           points = make_points(1, 1000);
  const Vector<double> c(device, points);
  Vector<double>       values(device, 1000);
  function_of_numbers(device, "key", {text}, {"c"})(c, values);
  const Values actual = to_host<Values>(values);
  for (int i = 0; i < 1000; ++i)
    ASSERT_NEAR(actual[i], std::pow(100., points[i]) + std::cos(points[i]), 1e-13 * std::abs(actual[i]) + 1e-13);
}

TEST_F(CudaExpressions, OfFourNumbers)
{
  const Vector<double> numbers(device, Array<double>{1., 2., 3., 4., 5., 6., 7., 8.});
  Vector<double>       values(device, 4);
  function_of_numbers(device, "key", {"T + 10*c + 100*depth + 1000*strain", "c"},
                      {"T", "c", "depth", "strain"})(numbers, values);
  EXPECT_EQ(to_host<Values>(values), (Values{7531., 8642., 3., 4.}));
}

TEST_F(CudaExpressions, WithoutCompilerTheHostEvaluatesAndSaysSo)
{
  testing::internal::CaptureStdout();
  expect_the_hosts_values<2>("0*_pi+x; y", 2, 0.5);
  std::string said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("key is evaluated on the host"), std::string::npos) << said;
  EXPECT_NE(said.find("16000 bytes to the GPU each time"), std::string::npos) << said;
  EXPECT_NE(said.find("_pi"), std::string::npos) << said;
  setenv("ADAMANT_NVRTC", "/nowhere/libnvrtc.so", 1);
  testing::internal::CaptureStdout();
  expect_the_hosts_values<2>("x; y*t", 2, 0.5);
  unsetenv("ADAMANT_NVRTC");
  said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("/nowhere/libnvrtc.so"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "one line expected: " << said;
}
} // namespace
