#include "expressions/translation.h"

#include "base/exceptions.h"

#include <cctype>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

namespace adamant
{
namespace
{
// C++ has no functions like these: muParser's truth is "not 0", and for deal.II's additions it is "rounds to another
// integer than 0". Halves are rounded up by rint. Inverse hyperbolic functions are computed in muParser's way.
const char *const helpers = R"(
__device__ inline double rounded(double a) { return (double)(int)(a + (a >= 0. ? 0.5 : -0.5)); }
__device__ inline double power2(double a) { return a * a; }
__device__ inline double power3(double a) { return a * a * a; }
__device__ inline double power4(double a) { return a * a * a * a; }
__device__ inline double absolute(double a) { return a >= 0. ? a : -a; }
__device__ inline double sign_of(double a) { return a < 0. ? -1. : a > 0. ? 1. : 0.; }
__device__ inline double area_sinh(double a) { return log(a + sqrt(a * a + 1.)); }
__device__ inline double area_cosh(double a) { return log(a + sqrt(a * a - 1.)); }
__device__ inline double area_tanh(double a) { return 0.5 * log((1. + a) / (1. - a)); }
__device__ inline double half_up(double a) { return floor(a + 0.5); }
__device__ inline double smaller(double a, double b) { return b < a ? b : a; }
__device__ inline double larger(double a, double b) { return a < b ? b : a; }
__device__ inline double choice(double c, double a, double b) { return rounded(c) != 0. ? a : b; }
__device__ inline double either(double a, double b) { return rounded(a) != 0. || rounded(b) != 0. ? 1. : 0.; }
__device__ inline double both(double a, double b) { return rounded(a) != 0. && rounded(b) != 0. ? 1. : 0.; }
)";

// Functions whose name or meaning differs; the number of their arguments is muParser's concern.
const std::map<std::string, std::string> functions = {
  {"sin", "sin"},         {"cos", "cos"},         {"tan", "tan"},         {"asin", "asin"},    {"acos", "acos"},
  {"atan", "atan"},       {"atan2", "atan2"},     {"sinh", "sinh"},       {"cosh", "cosh"},    {"tanh", "tanh"},
  {"asinh", "area_sinh"}, {"acosh", "area_cosh"}, {"atanh", "area_tanh"}, {"log2", "log2"},    {"log10", "log10"},
  {"log", "log"},         {"ln", "log"},          {"exp", "exp"},         {"sqrt", "sqrt"},    {"ceil", "ceil"},
  {"floor", "floor"},     {"pow", "pow"},         {"erf", "erf"},         {"erfc", "erfc"},    {"cot", "1. / tan"},
  {"csc", "1. / sin"},    {"sec", "1. / cos"},    {"abs", "absolute"},    {"sign", "sign_of"}, {"rint", "half_up"},
  {"int", "rounded"},     {"if", "choice"}};

struct Operator
{
  const char *name, *begin, *middle, *end; // begin left middle right end
  int         precedence;                  // the higher binds
};

// Longer names first. muParser's precedences; the power is right-associative, and a sign binds as the product.
constexpr int  product = 6, power = 7;
const Operator operators[] = {{"||", "double(", " != 0. || ", " != 0.)", 1},
                              {"&&", "double(", " != 0. && ", " != 0.)", 2},
                              {"<=", "double(", " <= ", ")", 4},
                              {">=", "double(", " >= ", ")", 4},
                              {"==", "double(", " == ", ")", 4},
                              {"!=", "double(", " != ", ")", 4},
                              {"|", "either(", ", ", ")", 1},
                              {"&", "both(", ", ", ")", 2},
                              {"<", "double(", " < ", ")", 4},
                              {">", "double(", " > ", ")", 4},
                              {"+", "(", " + ", ")", 5},
                              {"-", "(", " - ", ")", 5},
                              {"*", "(", " * ", ")", product},
                              {"/", "(", " / ", ")", product},
                              {"^", "pow(", ", ", ")", power}};

// Recursive descent with precedences. Every result is an operand: nothing around it changes its meaning.
class Translator
{
public:
  explicit Translator(const std::string &text)
    : text(text)
  {}

  std::string translate()
  {
    if (text.size() > 10000)
      fail("a text of more than 10000 characters");
    const std::string result = expression();
    if (skip_blanks() != text.size())
      fail("no counterpart of '" + text.substr(at) + "'");
    return result;
  }

private:
  [[noreturn]] void fail(const std::string &what) const
  {
    throw RunError("'" + text.substr(0, 100) + "' cannot be translated for the GPU: " + what);
  }

  std::size_t skip_blanks()
  {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    return at;
  }

  bool accept(const std::string &token)
  {
    if (text.compare(skip_blanks(), token.size(), token) != 0)
      return false;
    at += token.size();
    return true;
  }

  void expect(const std::string &token)
  {
    if (!accept(token))
      fail("'" + token + "' expected before '" + text.substr(at) + "'");
  }

  // The stack is finite.
  void descend()
  {
    if (++depth > 400)
      fail("nesting deeper than 200");
  }

  // condition ? a : b, or less.
  std::string expression()
  {
    descend();
    std::string result = terms(0);
    if (accept("?"))
      {
        const std::string first = expression();
        expect(":");
        result = "(" + result + " != 0. ? " + first + " : " + expression() + ")";
      }
    --depth;
    return result;
  }

  // Operands joined by operators of at least this precedence.
  std::string terms(int precedence)
  {
    descend();
    std::string left = operand();
    while (const Operator *const op = next_operator(precedence))
      {
        at += std::string(op->name).size();
        const std::string right       = terms(op->precedence + (op->precedence == power ? 0 : 1));
        const bool        double_sign = op->precedence <= 2 && op->name[1] != '\0'; // && or ||
        if (double_sign && !(is_truth(left) && is_truth(right)))
          fail(std::string("'") + op->name + "' between other things than comparisons; take '" + op->name[0] + "'");
        const bool small = op->precedence == power && (right == "2." || right == "3." || right == "4.");
        left =
          small ? "power" + right.substr(0, 1) + "(" + left + ")" : op->begin + left + op->middle + right + op->end;
      }
    --depth;
    return left;
  }

  // muParser's && and || make different things of other numbers, depending on whether they are constants.
  static bool is_truth(const std::string &operand)
  {
    const auto begins = [&](const char *with) { return operand.rfind(with, 0) == 0; };
    return operand == "0." || operand == "1." || begins("double(") || begins("either(") || begins("both(");
  }

  const Operator *next_operator(int precedence)
  {
    skip_blanks();
    for (const auto &op : operators)
      if (text.compare(at, std::string(op.name).size(), op.name) == 0)
        return op.precedence >= precedence ? &op : nullptr;
    return nullptr;
  }

  std::string operand()
  {
    if (accept("-"))
      return "(-" + terms(power) + ")";
    if (accept("+"))
      return terms(power);
    if (accept("("))
      {
        const std::string inner = expression();
        expect(")");
        return inner;
      }
    if (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.'))
      return number();
    const std::string word = name();
    if (word == "x" || word == "y" || word == "z" || word == "t" || word == "u")
      return word;
    if (word == "pi")
      return "3.14159265358979323846";
    return call(word);
  }

  std::string number()
  {
    const char       *begin = text.c_str() + at;
    char             *end   = nullptr;
    const double      value = std::strtod(begin, &end);
    const std::string token(begin, static_cast<std::size_t>(end - begin));
    if (token.empty() || token.find_first_not_of("0123456789.eE+-") != std::string::npos) // strtod knows more
      fail("no counterpart of '" + token + "'");
    at += token.size();
    std::ostringstream out;
    out << std::setprecision(std::numeric_limits<double>::max_digits10) << value;
    const std::string literal = out.str();
    if (literal.find_first_not_of("0123456789.e+-") != std::string::npos)
      fail("no counterpart of '" + token + "'"); // inf
    return literal.find_first_of(".e") == std::string::npos ? literal + "." : literal;
  }

  std::string name()
  {
    const std::size_t begin = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
      ++at;
    if (at == begin)
      fail("an operand expected before '" + text.substr(at) + "'");
    return text.substr(begin, at - begin);
  }

  std::string call(const std::string &function)
  {
    expect("(");
    std::vector<std::string> arguments = {expression()};
    while (accept(","))
      arguments.push_back(expression());
    expect(")");
    // Any number of arguments, two at a time.
    const auto fold = [&](const std::string &begin, const std::string &middle) {
      std::string result = arguments[0];
      for (std::size_t i = 1; i < arguments.size(); ++i)
        result = begin + result + middle + arguments[i] + ")";
      return result;
    };
    if (function == "min" || function == "max")
      return fold(function == "min" ? "smaller(" : "larger(", ", ");
    if (function == "sum")
      return fold("(", " + ");
    if (function == "avg")
      return "(" + fold("(", " + ") + " / " + std::to_string(arguments.size()) + ".)";
    const auto known = functions.find(function);
    if (known == functions.end())
      fail("no counterpart of '" + function + "'");
    std::string list;
    for (const auto &argument : arguments)
      list += (list.empty() ? "" : ", ") + argument;
    return "(" + known->second + "(" + list + "))";
  }

  const std::string &text;
  std::size_t        at    = 0;
  int                depth = 0;
};
} // namespace

std::string point_function(const std::vector<std::string> &components)
{
  std::string source = std::string(helpers) +
                       "__device__ inline void point_function(double x, double y, double z, double t, double *f, "
                       "long stride, double u = 0.)\n{\n  (void)x, (void)y, (void)z, (void)t, (void)u;\n";
  for (std::size_t c = 0; c < components.size(); ++c)
    source += "  f[" + std::to_string(c) + " * stride] = " + Translator(components[c]).translate() + ";\n";
  return source + "}\n";
}

std::string point_kernel(const std::vector<std::string> &components, int dim, bool with_u)
{
  const auto place = [](int d) { return "points[" + std::to_string(d) + " * (long)n + i]"; };
  return point_function(components) +
         "extern \"C\" __global__ void at_points(int n, const double *points, double t, double *values)\n"
         "{\n"
         "  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
         "  if (i < n)\n"
         "    point_function(" +
         place(0) + ", " + (dim > 1 ? place(1) : "0.") + ", " + (dim == 3 ? place(2) : "0.") + ", t, values + i, n" +
         (with_u ? ", " + place(dim) : "") + ");\n}\n";
}
} // namespace adamant
