// The texts of coefficients: entries by material, components, values on the host.
#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "coefficients/expression_text.h"

#include <deal.II/base/point.h>

#include <gtest/gtest.h>

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

using Components = Coefficient::Components;

Coefficient read(const std::string &text, Components components = Components::one)
{
  return {"Problem/k", text, id_of, components};
}

// The message about a list whose entries should be numbers or expressions of x, y, z and t.
std::string message(const std::string &text, Components components = Components::one)
{
  try
    {
      const auto k = read(text, components);
      k.check([&](const std::string &expression) { check_expression(k.key(), expression, 1, 3); });
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "none";
}

TEST(Coefficients, EntriesByMaterial)
{
  EXPECT_EQ(read("0.1").in(3), "0.1");
  for (const char *text : {"lung: 1e-3*(1+x), 2: 5, 1", "1, lung: 1e-3*(1+x); 2: 5", "1; lung: 1e-3*(1+x); 2: 5",
                           "lung: 1e-3*(1+x); 2: 5; 1", "lung: 1e-3*(1+x); 1, 2: 5"})
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

TEST(Coefficients, MessagesHaveTheList)
{
  EXPECT_EQ(message("lung: , 2"), "Problem/k = lung: , 2: the entry 'lung:' has no expression");
  for (const std::string text : {"lung: 1,", ", lung: 1", "lung: 1,, 2", "lung: 1; ; 2"})
    EXPECT_EQ(message(text), "Problem/k = " + text + ": an entry of the list is empty");
  for (const std::string entry : {"1: 2", "manufactured", "1; 2", "1 +", "1 = 2"})
    {
      const std::string text = "lung: " + entry + ", 2: 5", found = message(text, Components::several);
      EXPECT_EQ(found.find("Problem/k = " + text + ": the entry '" + entry + "': "), 0u) << found;
      EXPECT_EQ(found.find("Problem/k", 1), std::string::npos) << found;
    }
  EXPECT_EQ(message("1 +").find("Problem/k = 1 +: Parsing"), 0u) << message("1 +");
  EXPECT_NE(message("1; 2").find("both have no material in front"), std::string::npos);
}

TEST(Coefficients, Components)
{
  EXPECT_EQ(read("0, -1, 0", Components::vector).in(0), "0; -1; 0");
  EXPECT_EQ(read("-y; max(x, 1)", Components::vector).in(0), "-y; max(x, 1)");
  EXPECT_EQ(read("-y, max(x, 1)", Components::vector).in(0), "-y; max(x, 1)");
  const auto by_material = read("steel: 1; 2, 3; 4", Components::vector);
  EXPECT_EQ(by_material.in(7), "1; 2");
  EXPECT_EQ(by_material.in(0), "3; 4");
  EXPECT_EQ(read("1; 0; 2, lung: x", Components::several).in(0), "1; 0; 2") << "a tensor for all other materials";
}

TEST(Coefficients, WhatTheyDependOn)
{
  EXPECT_TRUE(read("0").is_zero());
  EXPECT_TRUE(read("0, lung: 0.0").is_zero());
  EXPECT_FALSE(read("0, lung: 1").is_zero());
  EXPECT_TRUE(read("0; 0; 0, lung: 0; 0", Components::several).is_zero());
  EXPECT_FALSE(read("0; x; 0", Components::several).is_zero());
  EXPECT_TRUE(read("exp(1)*tan(2)").is_constant()) << "the letters of functions are no variables";
  for (const char *text : {"x", "2*y", "1+z", "sin(t)"})
    EXPECT_FALSE(read(text).is_constant()) << text;
  EXPECT_TRUE(read("1, lung: t").depends_on_time());
  EXPECT_EQ(constant_values("Problem/k", "exp(0); 2*3", 2), (std::vector<double>{1., 6.}));
}

TEST(Coefficients, PartsOfExpressions)
{
  EXPECT_EQ(substitute("u+exp(u)*u_x", "u", "1+x"), "(1+x)+exp((1+x))*u_x");
  EXPECT_TRUE(depends_on("max(u,1)", "u"));
  EXPECT_FALSE(depends_on("sum(1,2)", "u"));
  EXPECT_EQ(split_outside_brackets(" max(1;2) ; x", ';'), (std::vector<std::string>{"max(1;2)", "x"}));
}

TEST(Coefficients, ValuesOnTheHost)
{
  const CoefficientFunction f(read("lung: 1e-3*(1+x), 2: 5/2, z"));
  const dealii::Point<3>    p(3., 0., 7.);
  EXPECT_DOUBLE_EQ(f(8, p), 4e-3);
  EXPECT_DOUBLE_EQ(f(2, p), 2.5);
  EXPECT_DOUBLE_EQ(f(1, p), 7.);
  EXPECT_THROW(CoefficientFunction(read("foo(x)")), InputError);
  const CoefficientFunctions<2> g(read("lung: x; t, 2; y", Components::several), 2);
  EXPECT_DOUBLE_EQ(g.in(1).value({3., 4.}, 1), 4.);
  EXPECT_EQ(g.at(5., {3., 0., 4., 6.}, {8, 1}), (Array<double>{3., 2., 5., 6.}));
  EXPECT_THROW(CoefficientFunctions<2>(read("lung: x; y, 2", Components::several), 2), InputError);
  const auto doubled = read("lung: x, 2: y, 1").changed([](const std::string &text) { return "2*(" + text + ")"; });
  EXPECT_EQ(doubled.in(8), "2*(x)");
  EXPECT_EQ(doubled.in(2), "2*(y)");
  EXPECT_EQ(doubled.in(0), "2*(1)");
}
} // namespace
