#include "coefficients/derivative.h"

#include "base/exceptions.h"
#include "coefficients/expression_parser.h"
#include "coefficients/expression_text.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adamant
{
namespace
{
// An expression and its derivative, both as text in brackets or as a single operand. "0" stands for a derivative that
// vanishes.
struct Dual
{
  std::string value, slope;
};

bool vanishes(const Dual &a)
{
  return a.slope == "0";
}

std::string in_brackets(const std::string &text)
{
  return "(" + text + ")";
}

std::string times(const std::string &a, const std::string &b)
{
  if (a == "0" || b == "0")
    return "0";
  return a == "1" ? b : b == "1" ? a : in_brackets(a + "*" + b);
}

std::string plus(const std::string &a, const std::string &b)
{
  return a == "0" ? b : b == "0" ? a : in_brackets(a + "+" + b);
}

std::string minus(const std::string &a, const std::string &b)
{
  return b == "0" ? a : a == "0" ? in_brackets("-" + b) : in_brackets(a + "-" + b);
}

std::string over(const std::string &a, const std::string &b)
{
  return a == "0" ? a : in_brackets(a + "/" + b);
}

// The derivative of each function of one argument, in which a stands for the argument; empty: zero.
const std::map<std::string, std::string> &slopes()
{
  static const std::map<std::string, std::string> table = {{"sin", "cos(a)"},
                                                           {"cos", "(-sin(a))"},
                                                           {"tan", "(1+tan(a)^2)"},
                                                           {"asin", "(1/sqrt(1-a^2))"},
                                                           {"acos", "(-1/sqrt(1-a^2))"},
                                                           {"atan", "(1/(1+a^2))"},
                                                           {"sinh", "cosh(a)"},
                                                           {"cosh", "sinh(a)"},
                                                           {"tanh", "(1-tanh(a)^2)"},
                                                           {"asinh", "(1/sqrt(a^2+1))"},
                                                           {"acosh", "(1/sqrt(a^2-1))"},
                                                           {"atanh", "(1/(1-a^2))"},
                                                           {"log", "(1/a)"},
                                                           {"ln", "(1/a)"},
                                                           {"log2", "(1/(a*log(2)))"},
                                                           {"log10", "(1/(a*log(10)))"},
                                                           {"exp", "exp(a)"},
                                                           {"sqrt", "(a==0?0:0.5/sqrt(a))"},
                                                           {"cot", "(-1-cot(a)^2)"},
                                                           {"csc", "(-csc(a)*cot(a))"},
                                                           {"sec", "(sec(a)*tan(a))"},
                                                           {"erf", "(2/sqrt(pi)*exp(-a^2))"},
                                                           {"erfc", "(-2/sqrt(pi)*exp(-a^2))"},
                                                           {"abs", "sign(a)"},
                                                           {"sign", ""},
                                                           {"floor", ""},
                                                           {"ceil", ""},
                                                           {"rint", ""},
                                                           {"int", ""}};
  return table;
}

// The derivative beside each part of an expression.
class Differentiator : public ExpressionParser<Differentiator, Dual>
{
public:
  Differentiator(const std::string &text, const std::string &variable)
    : ExpressionParser(text)
    , of(variable)
  {}

private:
  friend ExpressionParser<Differentiator, Dual>;

  [[noreturn]] void fail(const std::string &) const
  {
    throw InputError("'" + text + "' has no derivative with respect to " + of + ": '" + text.substr(at) +
                     "' is not understood");
  }

  static Dual choice(const Dual &condition, const Dual &a, const Dual &b)
  {
    const auto either = [&](const std::string &first, const std::string &second) {
      return first == second ? first : in_brackets(condition.value + "?" + first + ":" + second);
    };
    return {either(a.value, b.value), either(a.slope, b.slope)};
  }

  static Dual joined(const ParsedOperator &op, const Dual &a, const Dual &b)
  {
    const std::string value = in_brackets(a.value + op.name + b.value);
    switch (*op.name)
      {
        case '+': return {value, plus(a.slope, b.slope)};
        case '-': return {value, minus(a.slope, b.slope)};
        case '*': return {value, plus(times(a.slope, b.value), times(a.value, b.slope))};
        case '/': return {value, over(minus(a.slope, times(value, b.slope)), b.value)};
        case '^': return power(a, b);
        default: return {value, "0"};
      }
  }

  // A slope that may be infinite where a = 0, often times a zero: there it counts as zero.
  static std::string unless_zero(const std::string &a, const std::string &slope)
  {
    return slope == "0" ? slope : in_brackets(a + "==0?0:" + slope);
  }

  // The number that an expression is, perhaps in brackets.
  static std::optional<double> number_of(const std::string &text)
  {
    const char  *begin = text.c_str() + std::strspn(text.c_str(), "(");
    char        *end   = nullptr;
    const double value = std::strtod(begin, &end);
    return end != begin && end[std::strspn(end, ")")] == '\0' ? std::optional<double>(value) : std::nullopt;
  }

  static Dual power(const Dual &a, const Dual &b)
  {
    const auto        exponent = number_of(b.value);
    const bool        square   = exponent == 2. && a.value.size() < 40; // a product is quicker than muParser's power
    const std::string value    = in_brackets(square ? a.value + "*" + a.value : a.value + "^" + b.value);
    if (exponent == 2.)
      return {value, times(times("2", a.value), a.slope)};
    if (vanishes(b))
      {
        const std::string slope = times(times(b.value, in_brackets(a.value + "^(" + b.value + "-1)")), a.slope);
        return {value, exponent >= 1. ? slope : unless_zero(a.value, slope)};
      }
    const std::string of_exponent = times(b.slope, "log(" + a.value + ")"),
                      of_base     = times(b.value, over(a.slope, a.value));
    return {value, unless_zero(a.value, times(value, plus(of_exponent, of_base)))};
  }

  static Dual negative(const Dual &a) { return {in_brackets("-" + a.value), minus("0", a.slope)}; }
  static Dual grouped(const Dual &inner) { return {in_brackets(inner.value), inner.slope}; }

  Dual number()
  {
    const std::size_t begin = at;
    char             *end   = nullptr;
    std::strtod(text.c_str() + at, &end);
    at = static_cast<std::size_t>(end - text.c_str());
    return {text.substr(begin, at - begin), "0"};
  }

  Dual variable(const std::string &name) const { return {name, name == of ? "1" : "0"}; }

  Dual call(const std::string &name, const std::vector<Dual> &arguments) const
  {
    const Dual  &a = arguments[0];
    std::string  list;
    const size_t n = arguments.size();
    for (const auto &argument : arguments)
      list += (list.empty() ? "" : ",") + argument.value;
    const std::string value = name + "(" + list + ")";
    if (name == "if" && n == 3) // whose condition is rounded, unlike that of ?:
      {
        const std::string &first = arguments[1].slope, &second = arguments[2].slope;
        return {value, first == second ? first : "if(" + a.value + "," + first + "," + second + ")"};
      }
    if (name == "pow" && n == 2)
      return power(a, arguments[1]);
    if (name == "atan2" && n == 2)
      return {value, over(minus(times(arguments[1].value, a.slope), times(a.value, arguments[1].slope)),
                          in_brackets(a.value + "^2+" + arguments[1].value + "^2"))};
    if (name == "sum" || name == "avg" || name == "min" || name == "max")
      return {value, slope_of_list(name, arguments)};
    const auto found = slopes().find(name);
    if (found == slopes().end() || n != 1)
      fail(name);
    if (found->second.empty() || vanishes(a))
      return {value, "0"};
    return {value, times(substitute(found->second, "a", a.value), a.slope)};
  }

  static std::string slope_of_list(const std::string &name, const std::vector<Dual> &arguments)
  {
    const bool  sums  = name == "sum" || name == "avg";
    std::string slope = arguments[0].slope, before = arguments[0].value; // of the arguments so far
    for (std::size_t i = 1; i < arguments.size(); ++i)
      {
        const Dual &next = arguments[i];
        if (sums)
          slope = plus(slope, next.slope);
        else if (next.slope != slope) // as muParser compares them
          slope = in_brackets(
            (name == "min" ? next.value + "<" + name + "(" + before + ")" : name + "(" + before + ")<" + next.value) +
            "?" + next.slope + ":" + slope);
        before += "," + next.value;
      }
    return name == "avg" ? over(slope, std::to_string(arguments.size())) : slope;
  }

  const std::string &of; // the variable
};
} // namespace

std::string derivative(const std::string &expression, const std::string &variable)
{
  return depends_on(expression, variable) ? Differentiator(expression, variable).result().slope : "0";
}
} // namespace adamant
