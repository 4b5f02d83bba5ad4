#pragma once

#include "base/host_device.h"

// Functors for Device::for_each_row, for host and GPU. With s = (A x)_i of row i, a functor of rows has
//
//   Operands fetch(int i) const              reads the operands of the row, on a GPU while the product is under way
//   void     operator()(int i, Number s, Operands) const
//
// On several ranks the entries in columns that other ranks own, the ghosts' part, may come second, when the messages
// have arrived. As all results are affine in s, a functor says how they change when s grows by t:
//
//   Result result(int i) const               reads the result that `add` changes
//   void   add(int i, Number t, Result) const
//
// A functor of nodes (`by_node`, with the member node_size = m) gets all m rows of a node together:
//
//   template <int m> Operands fetch_node(int node) const      reads the operands of the node
//   template <int m> void finish_node(int node, const Number (&s)[m], Operands) const
//
// Where rows come one by one, the rows of a node exchange their residuals:
//
//   Number residual(int i, Number s) const
//   void   finish_row(int i, const Number *residuals_of_node) const
//
// The ghosts' part then changes row k of a node, with m <= most:
//
//   template <int most> Result result(int node, int k) const
//   template <int most> void   add(int node, int k, const Number (&sums_of_node)[most], Result) const
//
// With `skips_empty`, rows without entries stay as they are. With `is_sum`, the functor sets y[i] = ... + a s and has
// members a and y. With `in_place`, the functor may write entries of the vector that is multiplied which no other row
// of this rank reads; entries that other ranks read are sent before.

namespace adamant
{
/// The base of row functors: its members apply where a functor does not have them.
struct RowFunctor
{
  static constexpr bool by_node = false, skips_empty = false, is_sum = false, in_place = false;
};

/// A vector in the memory of a device, as for_each_row multiplies it: returns entry i.
template <typename Number>
struct Entries
{
  const Number              *x;
  ADAMANT_HOST_DEVICE Number operator()(int i) const { return x[i]; }
};

/// A functor that sets y = a A x + b y.
template <typename Number>
struct Product : RowFunctor
{
  static constexpr bool is_sum = true;

  Number  a, b;
  Number *y;
  Product(Number a, Number b, Number *y)
    : a(a)
    , b(b)
    , y(y)
  {}
  ADAMANT_HOST_DEVICE Number fetch(int row) const
  {
    return b == Number(0) ? Number(0) : y[row];
  } // y may then hold anything
  ADAMANT_HOST_DEVICE void   operator()(int row, Number sum, Number y_row) const { y[row] = a * sum + b * y_row; }
  ADAMANT_HOST_DEVICE Number result(int row) const { return y[row]; }
  ADAMANT_HOST_DEVICE void   add(int row, Number sum, Number result) const { y[row] = result + a * sum; }
};

/// A functor that adds a A x to y.
template <typename Number>
struct Addition : RowFunctor
{
  static constexpr bool skips_empty = true, is_sum = true;

  Number  a;
  Number *y;
  Addition(Number a, Number *y)
    : a(a)
    , y(y)
  {}
  ADAMANT_HOST_DEVICE Number fetch(int row) const { return y[row]; }
  ADAMANT_HOST_DEVICE void   operator()(int row, Number sum, Number y_row) const { y[row] = y_row + a * sum; }
  ADAMANT_HOST_DEVICE Number result(int row) const { return y[row]; }
  ADAMANT_HOST_DEVICE void   add(int row, Number sum, Number result) const { y[row] = result + a * sum; }
};

/// A functor that sets r = b - A x.
template <typename Number>
struct Residual : RowFunctor
{
  const Number *b;
  Number       *r;
  Residual(const Number *b, Number *r)
    : b(b)
    , r(r)
  {}
  ADAMANT_HOST_DEVICE Number fetch(int row) const { return b[row]; }
  ADAMANT_HOST_DEVICE void   operator()(int row, Number sum, Number b_row) const { r[row] = b_row - sum; }
  ADAMANT_HOST_DEVICE Number result(int row) const { return r[row]; }
  ADAMANT_HOST_DEVICE void   add(int row, Number sum, Number result) const { r[row] = result - sum; }
};

/// A functor that does for row i what f does for row nodes[i / m] m + i % m, m = node_size. It is for matrices of some
/// rows, such as the rows of one colour, and may change the vector that is multiplied.
template <class Functor>
struct Listed : RowFunctor
{
  static constexpr bool by_node = Functor::by_node, skips_empty = Functor::skips_empty, in_place = true;

  Functor    f;
  const int *nodes;
  int        node_size;
  Listed(const Functor &f, const int *nodes, int node_size)
    : f(f)
    , nodes(nodes)
    , node_size(node_size)
  {}

  ADAMANT_HOST_DEVICE int  at(int i) const { return nodes[i / node_size] * node_size + i % node_size; }
  ADAMANT_HOST_DEVICE auto fetch(int i) const { return f.fetch(at(i)); }
  ADAMANT_HOST_DEVICE auto result(int i) const { return f.result(at(i)); }
  template <typename Number, class Operands>
  ADAMANT_HOST_DEVICE void operator()(int i, Number sum, const Operands &operands) const
  {
    f(at(i), sum, operands);
  }
  template <typename Number, class Result>
  ADAMANT_HOST_DEVICE void add(int i, Number sum, const Result &result) const
  {
    f.add(at(i), sum, result);
  }

  template <typename Number>
  ADAMANT_HOST_DEVICE Number residual(int i, Number sum) const
  {
    return f.residual(at(i), sum);
  }
  template <int m>
  ADAMANT_HOST_DEVICE auto fetch_node(int node) const
  {
    return f.template fetch_node<m>(nodes[node]);
  }
  template <int m, typename Number, class Operands>
  ADAMANT_HOST_DEVICE void finish_node(int node, const Number (&sum)[m], const Operands &operands) const
  {
    f.finish_node(nodes[node], sum, operands);
  }
  template <typename Number>
  ADAMANT_HOST_DEVICE void finish_row(int i, const Number *residuals_of_node) const
  {
    f.finish_row(at(i), residuals_of_node);
  }
  template <int most>
  ADAMANT_HOST_DEVICE auto result(int node, int k) const
  {
    return f.template result<most>(nodes[node], k);
  }
  template <int most, typename Number, class Result>
  ADAMANT_HOST_DEVICE void add(int node, int k, const Number (&sum)[most], const Result &result) const
  {
    f.add(nodes[node], k, sum, result);
  }
};
} // namespace adamant
