// The texts of coefficients: entries by material, components, derivatives. The program's tests have the equation.
#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "scalar/coefficient.h"
#include "scalar/expression_text.h"
#include "support/errors.h"

#include <deal.II/base/point.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace adamant;

namespace
{
unsigned int id_of(const std::string &name)
{
  require(name == "steel" || name == "lung", "no material '", name, "'");
  return name == "steel" ? 7 : 8;
}

Coefficient read(const std::string &text, bool vector = false)
{
  return {"Problem/k", text, id_of, vector};
}

TEST(Coefficients, EntriesByMaterial)
{
  EXPECT_EQ(read("0.1").in(3), "0.1");
  for (const char *text : {"lung: 1e-3*(1+x), 2: 5, 1", "1, lung: 1e-3*(1+x); 2: 5", "1; lung: 1e-3*(1+x); 2: 5"})
    {
      const auto k = read(text);
      EXPECT_EQ(k.in(8), "1e-3*(1+x)") << text;
      EXPECT_EQ(k.in(2), "5") << text;
      EXPECT_EQ(k.in(0), "1") << text;
      EXPECT_FALSE(k.is_constant()) << text;
      EXPECT_FALSE(k.depends_on_time()) << text;
    }
  EXPECT_EQ(read("x < 0.5 ? 1 : 2").in(0), "x < 0.5 ? 1 : 2") << "its colon belongs to the expression";
  EXPECT_EQ(read("steel: x < 0.5 ? 1 : 2, 3").in(7), "x < 0.5 ? 1 : 2");
  EXPECT_EQ(read("if(x<0.5, 1, 2)").in(0), "if(x<0.5, 1, 2)");
  EXPECT_TRUE(read("steel: 1").has(7));
  EXPECT_FALSE(read("steel: 1").has(8));
  EXPECT_THROW(read("steel: 1").in(8), InputError);
  EXPECT_THROW(read("steel: 1, 7: 2"), InputError);
  EXPECT_THROW(read("1, 2"), InputError);
  EXPECT_THROW(read("wood: 1"), InputError);
}

TEST(Coefficients, Components)
{
  EXPECT_EQ(read("0, -1, 0", true).in(0), "0; -1; 0");
  EXPECT_EQ(read("-y; max(x, 1)", true).in(0), "-y; max(x, 1)");
  EXPECT_EQ(read("-y, max(x, 1)", true).in(0), "-y; max(x, 1)");
  const auto by_material = read("steel: 1; 2, 3; 4", true);
  EXPECT_EQ(by_material.in(7), "1; 2");
  EXPECT_EQ(by_material.in(0), "3; 4");
  EXPECT_EQ(read("1; 0; 2, lung: x").in(0), "1; 0; 2") << "a tensor for all other materials";
}

TEST(Coefficients, WhatTheyDependOn)
{
  EXPECT_TRUE(read("0").is_zero());
  EXPECT_TRUE(read("0, lung: 0.0").is_zero());
  EXPECT_FALSE(read("0, lung: 1").is_zero());
  EXPECT_TRUE(read("exp(1)*tan(2)").is_constant()) << "the letters of functions are no variables";
  for (const char *text : {"x", "2*y", "1+z", "sin(t)"})
    EXPECT_FALSE(read(text).is_constant()) << text;
  EXPECT_TRUE(read("1, lung: t").depends_on_time());
  EXPECT_EQ(constant_values("Problem/k", "exp(0); 2*3", 2), (std::vector<double>{1., 6.}));
}

TEST(Coefficients, DerivativesByDifferences)
{
  const dealii::Point<3> p(0.3, 0.7, -0.2);
  const std::string      f       = "exp(x)*sin(2*y)+max(x, y)*z^2";
  const double           exact[] = {std::exp(0.3) * std::sin(1.4), 2. * std::exp(0.3) * std::cos(1.4) + 0.04, -0.28};
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(parse_function<3>("f", derivative(f, "xyz"[d], 1e-6), 1)->value(p), exact[d], 1e-8) << d;
  EXPECT_EQ(derivative("exp(y)", 'x', 1e-6), "0");
  EXPECT_NEAR(parse_function<3>("f", derivative("x^3", 'x', 1.), 1)->value(p), 3 * 0.09 + 1., 1e-14)
    << "the step counts";
}
} // namespace
