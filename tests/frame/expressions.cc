// Expressions of parameter files: values on the host, and the C++ that they are translated to for the GPU, which the
// host's compiler compiles here (NVRTC in tests/algebra).
#include "expressions/expressions.h"

#include "base/exceptions.h"
#include "coefficients/translation.h"
#include "coefficients/values_at_points.h"
#include "support/expressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <tuple>
#include <unistd.h>

using namespace adamant;

namespace
{
using Values = std::vector<double>;

// Points with coordinates in (-3, 3), some of them equal; by coordinates.
Array<double> random_points(std::size_t n)
{
  std::mt19937                     engine(5);
  std::uniform_real_distribution<> coordinate(-3., 3.);
  Array<double>                    points(3 * n);
  for (double &x : points)
    x = coordinate(engine);
  for (std::size_t i = 0; i < n; i += 7)
    points[n + i] = points[i] = std::round(points[i]);
  return points;
}

// A random expression that muParser takes; `depth` operators at most above each other.
std::string random_expression(std::mt19937 &engine, int depth)
{
  const auto pick = [&](const std::vector<std::string> &from) { return from[engine() % from.size()]; };
  const auto sub  = [&] { return random_expression(engine, depth - 1); };
  if (depth == 0)
    return pick({"x", "y", "z", "t", "1", "0.5", "3", "pi", "2.25"});
  switch (engine() % 8)
    {
      case 0:
        return pick({"sin", "cos", "atan", "tanh", "abs", "sign", "rint", "erfc", "int", "floor"}) + "(" + sub() + ")";
      case 1: return pick({"min", "max", "sum", "avg"}) + "(" + sub() + ", " + sub() + ", " + sub() + ")";
      case 2:
        return "(" + sub() + pick({"<", ">", "<=", ">=", "==", "!="}) + sub() + " ? " + sub() + " : " + sub() + ")";
      case 3: return "(" + sub() + ")^" + pick({"2", "3", "4"});
      case 4: return pick({"-", "+"}) + "(" + sub() + ")";
      case 5:
        return "(((" + sub() + ")" + pick({"|", "&"}) + "(" + sub() + "))" + pick({"&&", "||"}) + "(" + sub() + "<" +
               sub() + "))";
      default: // without brackets: precedence decides
        return sub() + pick({" + ", " - ", " * ", "*", "/(1.5+cos(x))*"}) + sub();
    }
}

// The values of the translated expressions, compiled by the host's compiler: result[e][i].
std::vector<Values> translated_values(const std::vector<std::string> &texts, double t, const Array<double> &points)
{
  const auto folder = std::filesystem::temp_directory_path() / ("adamant_expressions_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string source = (folder / "f.cc").string(), library = (folder / "f.so").string();
  std::ofstream(source) << "#include <cmath>\n#define __device__\n"
                        << point_function(texts)
                        << "extern \"C\" void evaluate(double x, double y, double z, double t, double *f)\n"
                           "{ point_function(x, y, z, t, f, 1); }\n";
  const std::string command =
    std::string(HOST_COMPILER) + " -O1 -ffp-contract=off -w -shared -fPIC -o " + library + " " + source;
  EXPECT_EQ(std::system(command.c_str()), 0) << "expected that this compiles: " << command;
  void *handle = dlopen(library.c_str(), RTLD_NOW);
  std::filesystem::remove_all(folder);
  if (handle == nullptr)
    throw std::runtime_error(dlerror());
  const auto        f = reinterpret_cast<void (*)(double, double, double, double, double *)>(dlsym(handle, "evaluate"));
  const std::size_t n = points.size() / 3;
  std::vector<Values> result(texts.size(), Values(n));
  Values              at_point(texts.size());
  for (std::size_t i = 0; i < n; ++i)
    {
      f(points[i], points[n + i], points[2 * n + i], t, at_point.data());
      for (std::size_t e = 0; e < texts.size(); ++e)
        result[e][i] = at_point[e];
    }
  dlclose(handle);
  return result;
}

void expect_same_values(const std::vector<std::string> &texts, double tolerance)
{
  const double        t      = 0.7;
  const auto          points = random_points(100);
  const auto          n      = points.size() / 3;
  std::vector<Values> actual = translated_values(texts, t, points);
  for (std::size_t e = 0; e < texts.size(); ++e)
    {
      Values expected(n);
      evaluate_at_points(*parse_function<3>("f", texts[e], 1), t, points, expected.data());
      for (std::size_t i = 0; i < n; ++i)
        {
          if (expected[i] == actual[e][i] || (std::isnan(expected[i]) && std::isnan(actual[e][i])))
            continue;
          ASSERT_NEAR(actual[e][i], expected[i], tolerance * std::abs(expected[i]))
            << texts[e] << " at (" << points[i] << ", " << points[n + i] << ", " << points[2 * n + i]
            << "), translated: " << point_function({texts[e]});
        }
    }
}

TEST(Expressions, EveryOperatorAndFunctionTranslated)
{
  expect_same_values(test::expressions, 1e-15);
}

TEST(Expressions, RandomOnesTranslated)
{
  std::mt19937             engine(1);
  std::vector<std::string> texts;
  for (int k = 0; k < 500; ++k)
    texts.push_back(random_expression(engine, 1 + k % 4));
  expect_same_values(texts, 1e-11);
}

TEST(Expressions, WhatHasNoCounterpartIsSaid)
{
  for (const auto &text : test::untranslatable)
    {
      EXPECT_NO_THROW(parse_function<3>("f", text, 1)) << text;
      EXPECT_THROW(point_function({text}), RunError) << text;
    }
  const std::string deep(5000, '(');
  EXPECT_THROW(point_function({deep + "x" + std::string(5000, ')')}), RunError) << "nested too deeply";
  std::string chain = "x", choices;
  for (int k = 0; k < 2000; ++k)
    {
      chain += "^x";
      choices += "x?1:";
    }
  EXPECT_THROW(point_function({chain}), RunError) << "nested too deeply";
  EXPECT_THROW(point_function({choices + "2"}), RunError) << "nested too deeply";
}

// muParser would take the last number.
TEST(Expressions, ACommaIsNoDecimalPoint)
{
  for (const char *text : {"1,5", "x + (1,5)*y", "2*(x, y)", "0; 0,5", "if(x<1, 2, 3), 4", "max (x, y) + 0,5"})
    try
      {
        parse_function<2>("Section/key", text, std::string(text).find(';') == std::string::npos ? 1 : 2);
        ADD_FAILURE() << "expected an InputError for " << text;
      }
    catch (const InputError &error)
      {
        EXPECT_EQ(std::string(error.what()).find("Section/key = " + std::string(text)), 0u) << error.what();
        EXPECT_NE(std::string(error.what()).find("decimal point"), std::string::npos) << error.what();
      }
  for (const char *text : {"max(x, (y))", "if (x<1, min(x,y,2), 3)", "2*max ((x), y)", "max(x, max(1, 2))"})
    EXPECT_NO_THROW(parse_function<2>("key", text, 1)) << text;
  EXPECT_THROW(parse_function_of({"c"}, "key", "1,5"), InputError);
  EXPECT_THROW(parse_function_of_time("key", "t, 1"), InputError);
  EXPECT_THROW(parse_scalar<2>("u_x,u_y,h", "key", "0,5*h"), InputError);
}

TEST(Expressions, AssignmentsAndRandomNumbersAreRefused)
{
  const auto expect = [](const std::string &text, const std::string &what) {
    try
      {
        parse_function<2>("Section/key", text, 1);
        ADD_FAILURE() << "expected an InputError for " << text;
      }
    catch (const InputError &error)
      {
        EXPECT_EQ(std::string(error.what()).find("Section/key = " + text + ": '" + text + "' " + what), 0u)
          << error.what();
      }
  };
  for (const char *text : {"x=1", "x = y", "1+(x=y)", "t=-1", "x=1<y", "y>x=1"})
    expect(text, "assigns a value");
  for (const char *text : {"rand()", "2*rand ( )", "x+rand_seed(1)"})
    expect(text, "has random numbers");
  for (const char *text : {"x==1", "x == -1", "x<=1", "x>=1", "x!=1", "(x)==(y)<=(t)"})
    EXPECT_NO_THROW(parse_function<2>("key", text, 1)) << text;
  EXPECT_THROW(parse_function<2>("key", "x; y=1", 2), InputError);
  EXPECT_THROW(parse_function_of({"c"}, "key", "c=1"), InputError);
  EXPECT_THROW(parse_function_of_time("key", "rand()"), InputError);
  EXPECT_THROW(parse_scalar<3>("u_x,u_y,u_z,h", "key", "h=1"), InputError);
}

// A vector of three components serves in 2D, too.
TEST(Expressions, SurplusComponentsAreRefused)
{
  EXPECT_NO_THROW(check_expression("key", "x; y; z", 2, 2));
  for (const auto &[text, n_components, dim] : std::vector<std::tuple<std::string, unsigned int, unsigned int>>{
         {"1; 2", 1, 2}, {"1; 2; 3", 1, 3}, {"x; y; 0; 0", 2, 2}, {"x; y; z; t", 3, 3}})
    try
      {
        check_expression("Section/key", text, n_components, dim);
        ADD_FAILURE() << "expected an InputError for " << text;
      }
    catch (const InputError &error)
      {
        EXPECT_EQ(std::string(error.what()).find("Section/key = " + text + ": "), 0u) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(n_components) + " are needed"), std::string::npos);
      }
  EXPECT_THROW(parse_function_of({"c"}, "key", "1; 2"), InputError);
  EXPECT_THROW(parse_scalar<2>("u_x,u_y,h", "key", "u_x; u_y"), InputError);
}

// Parsing takes std::cerr's buffer away for a moment, which several threads would do at once.
TEST(Expressions, AreParsedOutsideParallelRegions)
{
  auto *const buffer    = std::cerr.rdbuf();
  int         n_refused = 0;
#pragma omp parallel num_threads(4) reduction(+ : n_refused)
  for (int k = 0; k < 20; ++k)
    try
      {
        parse_function<2>("key", "x", 1);
      }
    catch (const RunError &)
      {
        ++n_refused;
      }
  EXPECT_EQ(n_refused, 80);
  EXPECT_EQ(std::cerr.rdbuf(), buffer);
  EXPECT_THROW(parse_function<2>("key", "x+", 1), InputError);
  EXPECT_EQ(std::cerr.rdbuf(), buffer) << "after a mistake";
  EXPECT_NO_THROW(parse_function<2>("key", "x", 1));
}

// Each thread has a time of its own.
TEST(Expressions, AtTimesOfThreads)
{
  const auto f       = parse_scalar<2>("u_x,u_y,h", "key", "h + 10*u_x + 100*u_y");
  double     largest = 0.;
#pragma omp parallel for reduction(max : largest)
  for (int k = 0; k < 1000; ++k)
    largest = std::max(largest, std::abs(f->value_at(k, dealii::Point<2>(1., 2.)) - (k + 210.)));
  EXPECT_EQ(largest, 0.);
}

TEST(Expressions, DependenceOnTime)
{
  for (const char *text : {"t", "x*t", "sin(t)", "1;t", "2+t^2"})
    EXPECT_TRUE(depends_on_time(text)) << text;
  for (const char *text : {"x", "tan(x)", "sqrt(y)", "1; 2"})
    EXPECT_FALSE(depends_on_time(text)) << text;
}

TEST(Expressions, ByBoundary)
{
  using Map = std::map<unsigned int, std::string>;
  EXPECT_EQ(split_by_boundary("key", ""), Map());
  EXPECT_EQ(split_by_boundary("key", " 3: 1; 0"), (Map{{3, "1; 0"}}));
  EXPECT_EQ(split_by_boundary("key", "0: if(x<1, min(y,z), 2); 0, 10 : x>0 ? 1 : 2; 0"),
            (Map{{0, "if(x<1, min(y,z), 2); 0"}, {10, "x>0 ? 1 : 2; 0"}}));
  for (const char *text : {"1", "x: 1", "1: 2, ", "1: 2, 1: 3", "-1: 2", "123456: 1", ": 1", "1: 2, 3"})
    EXPECT_THROW(split_by_boundary("key", text), InputError) << text;
}

TEST(Expressions, OfANumber)
{
  const Device   device = Device::host(2);
  Vector<double> c(device, Array<double>{0., 0.5, 1.}), values(device, 3);
  function_of_numbers(device, "key", {"10^(2*c) + cos(c)"}, {"c"})(c, values);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(values.data()[i], std::pow(100., 0.5 * i) + std::cos(0.5 * i), 1e-12);
  for (const char *text : {"x", "c+", "t*c"})
    EXPECT_THROW(function_of_numbers(device, "key", {text}, {"c"}), InputError) << text;
}

// Two components of four numbers, at two points.
TEST(Expressions, OfFourNumbers)
{
  const Device         device = Device::host(2);
  const Vector<double> numbers(device, Array<double>{1., 2., 3., 4., 5., 6., 7., 8.});
  Vector<double>       values(device, 4);
  function_of_numbers(device, "key", {"T + 10*c + 100*depth + 1000*strain", "c"},
                      {"T", "c", "depth", "strain"})(numbers, values);
  EXPECT_EQ(to_host(values), (Array<double>{7531., 8642., 3., 4.}));
}

TEST(Expressions, WithoutTimeAreEvaluatedOnce)
{
  const Device device = Device::host(1);
  for (const bool in_time : {false, true})
    {
      int            calls = 0;
      ValuesAtPoints values(
        device, 3, [&](double t, Vector<double> &v) { v.upload(Array<double>(3, ++calls + t).data()); }, in_time);
      EXPECT_EQ(values.at(0.5).data()[2], 1.5);
      EXPECT_EQ(values.at(2.).data()[2], in_time ? 4. : 1.5);
      EXPECT_EQ(values.values().data()[0], in_time ? 4. : 1.5);
    }
}

// Values by components at points by coordinates, on any number of threads.
TEST(Expressions, AtPointsOnTheHost)
{
  const auto          full = random_points(1000);
  const Array<double> points(full.begin(), full.begin() + 2000);
  const Device        device = Device::host(2);
  const auto          f      = function_at_points<2>(device, "key", "x+10*y; t*x; ignored", 2, points);
  Vector<double>      values(device, 2000);
  for (const double t : {0.5, 2.})
    {
      f(t, values);
      for (int i = 0; i < 1000; ++i)
        {
          ASSERT_NEAR(values.data()[i], points[i] + 10. * points[1000 + i], 1e-13);
          ASSERT_NEAR(values.data()[1000 + i], t * points[i], 1e-13);
        }
    }
  for (const char *text : {"x", "x; y+", "x; u", "x; z"})
    try
      {
        function_at_points<2>(device, "Section/key", text, 2, points);
        ADD_FAILURE() << "expected an InputError for " << text;
      }
    catch (const InputError &error)
      {
        EXPECT_EQ(std::string(error.what()).find("Section/key = " + std::string(text)), 0u) << error.what();
      }
}
} // namespace
