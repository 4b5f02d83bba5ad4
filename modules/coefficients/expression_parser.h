#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace adamant
{
/// An operator of muParser; the higher precedence binds.
struct ParsedOperator
{
  const char *name;
  int         precedence;
};

/// Reads expressions in the language of muParser, as deal.II's FunctionParser has it, by recursive descent. `Values` is
/// what becomes of the parts. It derives from this class and has these functions, which may be private if it is a
/// friend:
/// ```
///   Value choice(condition, a, b);            // condition ? a : b
///   Value joined(const ParsedOperator &op, a, b);
///   Value negative(a);
///   Value grouped(a);                         // (a)
///   Value number();                           // reads the number that begins at `at`
///   Value variable(const std::string &name);
///   Value call(const std::string &name, const std::vector<Value> &arguments);
///   void  fail(const std::string &what);      // throws
/// ```
/// Mistakes that muParser refuses are not diagnosed.
template <class Values, class Value>
class ExpressionParser
{
public:
  /// Reads the whole text, which has to outlive the object.
  Value result()
  {
    const Value all = expression();
    if (skip_blanks() != text.size())
      self().fail("no counterpart of '" + text.substr(at) + "'");
    return all;
  }

protected:
  static constexpr int product_level = 6, power_level = 7;

  explicit ExpressionParser(const std::string &text)
    : text(text)
  {}

  const std::string &text;
  std::size_t        at = 0; // the place of the next character

private:
  // Longer names first. The power is right-associative, and a sign binds as a product does.
  static constexpr ParsedOperator operators[] = {{"||", 1},
                                                 {"&&", 2},
                                                 {"<=", 4},
                                                 {">=", 4},
                                                 {"==", 4},
                                                 {"!=", 4},
                                                 {"|", 1},
                                                 {"&", 2},
                                                 {"<", 4},
                                                 {">", 4},
                                                 {"+", 5},
                                                 {"-", 5},
                                                 {"*", product_level},
                                                 {"/", product_level},
                                                 {"^", power_level}};

  Values &self() { return static_cast<Values &>(*this); }

  std::size_t skip_blanks()
  {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0)
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
      self().fail("'" + token + "' expected before '" + text.substr(at) + "'");
  }

  // The stack is finite.
  void descend()
  {
    if (++depth > 400)
      self().fail("nesting deeper than 200");
  }

  Value expression()
  {
    descend();
    Value left = terms(0);
    if (accept("?"))
      {
        const Value first = expression();
        expect(":");
        left = self().choice(left, first, expression());
      }
    --depth;
    return left;
  }

  // Operands joined by operators of at least this precedence.
  Value terms(int precedence)
  {
    descend();
    Value left = operand();
    while (const ParsedOperator *const op = next_operator(precedence))
      {
        at += std::string(op->name).size();
        left = self().joined(*op, left, terms(op->precedence + (op->precedence == power_level ? 0 : 1)));
      }
    --depth;
    return left;
  }

  const ParsedOperator *next_operator(int precedence)
  {
    skip_blanks();
    for (const auto &op : operators)
      if (text.compare(at, std::string(op.name).size(), op.name) == 0)
        return op.precedence >= precedence ? &op : nullptr;
    return nullptr;
  }

  Value operand()
  {
    if (accept("-"))
      return self().negative(terms(power_level));
    if (accept("+"))
      return terms(power_level);
    if (accept("("))
      {
        const Value inner = expression();
        expect(")");
        return self().grouped(inner);
      }
    if (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.'))
      return self().number();
    const std::size_t begin = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_'))
      ++at;
    const std::string name = text.substr(begin, at - begin);
    if (name.empty())
      self().fail("an operand expected before '" + text.substr(at) + "'");
    if (!accept("("))
      return self().variable(name);
    std::vector<Value> arguments = {expression()};
    while (accept(","))
      arguments.push_back(expression());
    expect(")");
    return self().call(name, arguments);
  }

  int depth = 0;
};
} // namespace adamant
