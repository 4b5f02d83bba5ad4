#include "coefficients/translation.h"

#include "base/exceptions.h"
#include "coefficients/expression_parser.h"

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

// How the code of an operator begins, goes on between its operands, and ends.
struct Code
{
  const char *begin, *middle, *end;
};
const std::map<std::string, Code> code_of = {{"||", {"double(", " != 0. || ", " != 0.)"}},
                                             {"&&", {"double(", " != 0. && ", " != 0.)"}},
                                             {"<=", {"double(", " <= ", ")"}},
                                             {">=", {"double(", " >= ", ")"}},
                                             {"==", {"double(", " == ", ")"}},
                                             {"!=", {"double(", " != ", ")"}},
                                             {"|", {"either(", ", ", ")"}},
                                             {"&", {"both(", ", ", ")"}},
                                             {"<", {"double(", " < ", ")"}},
                                             {">", {"double(", " > ", ")"}},
                                             {"+", {"(", " + ", ")"}},
                                             {"-", {"(", " - ", ")"}},
                                             {"*", {"(", " * ", ")"}},
                                             {"/", {"(", " / ", ")"}},
                                             {"^", {"pow(", ", ", ")"}}};

// Every part becomes an operand: nothing around it changes its meaning.
class Translator : public ExpressionParser<Translator, std::string>
{
public:
  explicit Translator(const std::string &text)
    : ExpressionParser(text)
  {
    if (text.size() > 10000)
      fail("a text of more than 10000 characters");
  }

private:
  friend ExpressionParser<Translator, std::string>;

  [[noreturn]] void fail(const std::string &what) const
  {
    throw RunError("'" + text.substr(0, 100) + "' cannot be translated for the GPU: " + what);
  }

  static std::string choice(const std::string &condition, const std::string &a, const std::string &b)
  {
    return "(" + condition + " != 0. ? " + a + " : " + b + ")";
  }

  std::string joined(const ParsedOperator &op, const std::string &left, const std::string &right) const
  {
    const bool double_sign = op.precedence <= 2 && op.name[1] != '\0'; // && or ||
    if (double_sign && !(is_truth(left) && is_truth(right)))
      fail(std::string("'") + op.name + "' between other things than comparisons; take '" + op.name[0] + "'");
    if (op.precedence == power_level && (right == "2." || right == "3." || right == "4."))
      return "power" + right.substr(0, 1) + "(" + left + ")";
    const auto &[begin, middle, end] = code_of.at(op.name);
    return begin + left + middle + right + end;
  }

  // muParser's && and || make different things of other numbers, depending on whether they are constants.
  static bool is_truth(const std::string &operand)
  {
    const auto begins = [&](const char *with) { return operand.rfind(with, 0) == 0; };
    return operand == "0." || operand == "1." || begins("double(") || begins("either(") || begins("both(");
  }

  static std::string negative(const std::string &a) { return "(-" + a + ")"; }
  static std::string grouped(const std::string &inner) { return inner; }

  std::string variable(const std::string &name) const
  {
    if (name == "x" || name == "y" || name == "z" || name == "t" || name == "u")
      return name;
    if (name != "pi")
      fail("no counterpart of '" + name + "'");
    return "3.14159265358979323846";
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

  std::string call(const std::string &function, const std::vector<std::string> &arguments) const
  {
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
};
} // namespace

std::string point_function(const std::vector<std::string> &components)
{
  std::string source = std::string(helpers) +
                       "__device__ inline void point_function(double x, double y, double z, double t, double *f, "
                       "long stride, double u = 0.)\n{\n  (void)x, (void)y, (void)z, (void)t, (void)u;\n";
  for (std::size_t c = 0; c < components.size(); ++c)
    source += "  f[" + std::to_string(c) + " * stride] = " + Translator(components[c]).result() + ";\n";
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
