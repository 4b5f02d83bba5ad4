// Derivatives of expressions, and functions of a solution. The program's tests have the equation.
#include "base/exceptions.h"
#include "coefficients/derivative.h"
#include "coefficients/expression_text.h"
#include "expressions/expressions.h"
#include "scalar/function_of_solution.h"
#include "support/errors.h"

#include <deal.II/base/point.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace adamant;

namespace
{
double value(const std::string &text, const dealii::Point<3> &p)
{
  return parse_function<3>("f", text, 1)->value(p);
}

// Against central differences.
void expect_derivatives(const std::string &text, const dealii::Point<3> &p)
{
  for (int d = 0; d < 3; ++d)
    {
      const double h     = 1e-5;
      auto         there = p, here = p;
      there[d] += h;
      here[d] -= h;
      const std::string slope    = derivative(text, std::string(1, "xyz"[d]));
      const double      expected = (value(text, there) - value(text, here)) / (2 * h), actual = value(slope, p),
                   size = std::abs(value(text, p)) + std::abs(expected) + 1.;
      EXPECT_NEAR(actual, expected, 1e-6 * size) << text << " by "
                                                 << "xyz"[d] << ": " << slope;
    }
}

TEST(Derivatives, DerivativesOfEveryFunctionAndOperator)
{
  const dealii::Point<3> p(0.3, 0.7, 1.2);
  for (const char *text : {"sin(x*y)",
                           "cos(x-z)",
                           "tan(x*y)",
                           "asin(x*y)",
                           "acos(x*y)",
                           "atan(x*z)",
                           "atan2(x, y*z)",
                           "sinh(x*y)",
                           "cosh(x*y)",
                           "tanh(x*y)",
                           "asinh(x*y)",
                           "acosh(1+x*y)",
                           "atanh(x*y)",
                           "exp(-x*y)",
                           "sqrt(1+x*z)",
                           "log(1+x*y)",
                           "ln(y+z)",
                           "log2(1+y)",
                           "log10(1+z)",
                           "pow(y, 2.5)",
                           "pow(y, x)",
                           "erfc(x*y)",
                           "cot(x+y)",
                           "csc(x+y)",
                           "sec(x*y)",
                           "abs(x-y)",
                           "sign(x)*y",
                           "floor(z)*x",
                           "ceil(z)*x",
                           "rint(z)*x",
                           "int(z)*x",
                           "min(x, y, z)*x",
                           "max(x*y, y*z, x)",
                           "sum(x, x*y, z)",
                           "avg(x, x*y, z)",
                           "if(x<0.5, x*y, z)",
                           "x<0.5 ? x*y : z",
                           "y<0.5 ? x*y : z<2 ? z*z : 0",
                           "-x^2",
                           "(-x)^2",
                           "2-x-y-z",
                           "x/y/z",
                           "x/(y*z)-x*y/z",
                           "x^y^z",
                           "2^x",
                           "x^-2",
                           "1e-1*x+.5*y-2.E0*z",
                           "(x>0.1&y>0.1)*z*z",
                           "(x>1|y>0.1)*z*z",
                           "pi*x",
                           "x^3-3*x^2*y+y^3",
                           "((x))",
                           "+x*-y",
                           "1/(1+exp(-10*(x-0.5)))",
                           "if(0.3, x*y, z)*x",
                           "if(0.7, x*y, z)*x",
                           "abs(x-y)^0.25*(x-y)",
                           "x^1.5*y",
                           "max(x, 0.1, 0.2, 0.25, y*0.1, 0.05, 0.01, 0.02, 0.03, 0.04, 0.06, 0.07, 0.08, z*0.1)"})
    expect_derivatives(text, p);
  const dealii::Point<3> zero(0., 0., 0.); // an infinite slope counts as zero there
  for (const char *text : {"abs(x)^0.25*x", "sqrt(abs(x))*x", "1+(x^2)^0.75", "x^(y+1)"})
    EXPECT_EQ(value(derivative(text, "x"), zero), 0.) << text;
  EXPECT_EQ(derivative("exp(y)", "x"), "0");
  EXPECT_EQ(derivative("x", "x"), "1");
  EXPECT_NEAR(value(derivative(derivative("x^4", "x"), "x"), p), 12 * 0.3 * 0.3, 1e-14);
}

std::string random_expression(std::mt19937 &engine, int depth)
{
  const auto pick = [&](const std::vector<std::string> &from) { return from[engine() % from.size()]; };
  const auto sub  = [&] { return random_expression(engine, depth - 1); };
  if (depth == 0)
    return pick({"x", "y", "z", "1", "0.5", "3", "pi", "2.25"});
  switch (engine() % 6)
    {
      case 0: return pick({"sin", "cos", "atan", "tanh", "exp", "erfc"}) + "(0.3*" + sub() + ")";
      case 1: return "(" + sub() + " < 0.77 ? " + sub() + " : " + sub() + ")";
      case 2: return "(" + sub() + ")^" + pick({"2", "3"});
      case 3: return pick({"-", "+"}) + "(" + sub() + ")";
      default: return sub() + pick({" + ", " - ", " * ", "*", "/(1.5+cos(x))*"}) + sub();
    }
}

TEST(Derivatives, DerivativesOfRandomExpressions)
{
  std::mt19937           engine(3);
  const dealii::Point<3> p(0.31, 0.72, 0.43);
  for (int k = 0; k < 300; ++k)
    expect_derivatives(random_expression(engine, 1 + k % 3), p);
}

TEST(Derivatives, WhatHasNoDerivativeIsSaid)
{
  for (const char *text : {"foo(x)", "x+", "(x", "x y", "sin(x, y)", "x=1", "x;y"})
    EXPECT_THROW(derivative(text, "x"), InputError) << text;
  EXPECT_THROW(derivative(std::string(1000, '(') + "x" + std::string(1000, ')'), "x"), InputError);
}

// They have the values of the expressions with u put into the text.
TEST(FunctionsOfSolutions, ValuesFollowUAndTime)
{
  const Device                                           device = Device::host(2);
  const std::vector<double>                              us     = {0.5, -1., 2.};
  const Array<double>                                    points = {0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3};
  const Array<unsigned int>                              region = {4, 7, 4};
  const std::map<unsigned int, std::vector<std::string>> texts  = {{4, {"u^2+x*y*z+t", "3", "t*x"}},
                                                                   {7, {"exp(u)*t", "u", "y"}}};
  FunctionOfSolution<3>                                  f(device, "f", texts, region, points);
  for (const double t : {0., 0.25, 0.25, 2.})
    for (const double factor : {1., 3.})
      {
        Array<double> u(us.begin(), us.end());
        for (double &one : u)
          one *= factor;
        f.evaluate(t, Vector<double>(device, u));
        const auto values = to_host(f.values());
        for (int i = 0; i < 3; ++i)
          for (int c = 0; c < 3; ++c)
            {
              const auto text =
                substitute(substitute(texts.at(region[i])[c], "u", std::to_string(u[i])), "t", std::to_string(t));
              EXPECT_NEAR(values[3 * c + i], value(text, {points[i], points[3 + i], points[6 + i]}), 1e-14) << text;
            }
      }
  EXPECT_NO_THROW(check_function_of_solution("f", "u*t*x", 2));
  EXPECT_THROW(check_function_of_solution("f", "u" + std::string(20000, ' '), 2), InputError) << "too long";
  EXPECT_THROW(check_function_of_solution("f", "u*z", 2), InputError);
  EXPECT_THROW(check_function_of_solution("f", "u=1", 2), InputError);
  EXPECT_THROW(check_function_of_solution("f", "1,5*u", 3), InputError);
}
} // namespace
