#pragma once

#include "algebra/functors/row_functors.h"
#include "base/host_device.h"

// Row functors of smoothers, for host and GPU (algebra/functors/row_functors.h says which members a row functor has). D
// holds the inverse of the diagonal, or of the diagonal blocks of nodes with m rows. In D the entries (i, j) of all
// blocks lie together: entry (i, j) of a node's block is D[(i m + j) n_nodes + node].

namespace adamant
{
/// The common part of steps: from a correction c, such as D (b - A x), it makes d = alpha d_old + beta c and y = x + d.
/// `d` may be null. With alpha = 0, d_old is not read; it may be d.
template <typename Number>
struct JacobiUpdate
{
  Number        alpha, beta;
  const Number *D, *b, *x, *d_old;
  Number       *d, *y;

  ADAMANT_HOST_DEVICE Number old_direction(int row) const { return alpha == Number(0) ? Number(0) : d_old[row]; }
  ADAMANT_HOST_DEVICE void   update(int row, Number correction, Number x_row, Number old) const
  {
    const Number direction = alpha * old + beta * correction;
    if (d != nullptr)
      d[row] = direction;
    y[row] = x_row + direction;
  }

  /// The operands of the product with ghosts: a row of D with at most `most` entries, and the results so far.
  template <int most>
  struct Result
  {
    Number D[most], d, y;
  };
  template <int most>
  ADAMANT_HOST_DEVICE void change(int row, Number by, const Result<most> &result) const
  {
    if (d != nullptr)
      d[row] = result.d + by;
    y[row] = result.y + by;
  }
};

/// Sets d = alpha d_old + beta D (b - A x) and y = x + d, with a diagonal D. Vectors y and x must differ, unless no row
/// reads the entry of x of another row, as with the rows of one colour.
template <typename Number>
struct JacobiStep : RowFunctor, JacobiUpdate<Number>
{
  using Result = typename JacobiUpdate<Number>::template Result<1>;
  explicit JacobiStep(const JacobiUpdate<Number> &update)
    : JacobiUpdate<Number>(update)
  {}

  struct Operands
  {
    Number D, b, x, d_old;
  };
  ADAMANT_HOST_DEVICE Operands fetch(int row) const
  {
    return {this->D[row], this->b[row], this->x[row], this->old_direction(row)};
  }
  ADAMANT_HOST_DEVICE void operator()(int row, Number sum, const Operands &o) const
  {
    this->update(row, o.D * (o.b - sum), o.x, o.d_old);
  }
  ADAMANT_HOST_DEVICE Result result(int row) const
  {
    return {{this->D[row]}, this->d != nullptr ? this->d[row] : Number(0), this->y[row]};
  }
  ADAMANT_HOST_DEVICE void add(int row, Number sum, const Result &result) const
  {
    this->change(row, -this->beta * result.D[0] * sum, result);
  }
};

/// Makes the step of JacobiStep where D has blocks of node_size x node_size. All rows of a node are updated at once,
/// and so are the nodes of one colour.
template <typename Number>
struct NodeJacobiStep : RowFunctor, JacobiUpdate<Number>
{
  static constexpr bool by_node = true;
  template <int most>
  using Result = typename JacobiUpdate<Number>::template Result<most>;

  int node_size, n_nodes; ///< n_nodes counts all nodes of D, not only the nodes of one colour
  NodeJacobiStep(int node_size, int n_nodes, const JacobiUpdate<Number> &update)
    : JacobiUpdate<Number>(update)
    , node_size(node_size)
    , n_nodes(n_nodes)
  {}

  ADAMANT_HOST_DEVICE Number residual(int row, Number sum) const { return this->b[row] - sum; }
  template <int m>
  struct Operands
  {
    Number block[m * m], b[m], x[m], old[m];
  };
  template <int m>
  ADAMANT_HOST_DEVICE Operands<m> fetch_node(int node) const
  {
    Operands<m> o;
#pragma unroll
    for (int k = 0; k < m * m; ++k)
      o.block[k] = this->D[static_cast<long>(k) * n_nodes + node];
#pragma unroll
    for (int c = 0; c < m; ++c)
      {
        o.b[c]   = this->b[node * m + c];
        o.x[c]   = this->x[node * m + c];
        o.old[c] = this->old_direction(node * m + c);
      }
    return o;
  }
  template <int m>
  ADAMANT_HOST_DEVICE void finish_node(int node, const Number (&sum)[m], const Operands<m> &o) const
  {
#pragma unroll
    for (int c = 0; c < m; ++c)
      {
        Number correction = 0;
#pragma unroll
        for (int k = 0; k < m; ++k)
          correction += o.block[c * m + k] * (o.b[k] - sum[k]);
        this->update(node * m + c, correction, o.x[c], o.old[c]);
      }
  }
  ADAMANT_HOST_DEVICE void finish_row(int row, const Number *residuals_of_node) const
  {
    const Number *block      = this->D + static_cast<long>(row % node_size) * node_size * n_nodes + row / node_size;
    Number        correction = 0;
    for (int c = 0; c < node_size; ++c)
      correction += block[static_cast<long>(c) * n_nodes] * residuals_of_node[c];
    this->update(row, correction, this->x[row], this->old_direction(row));
  }

  /// Returns the operands for row k of a node. The sums of all rows of the node, at most `most`, change this row.
  template <int most>
  ADAMANT_HOST_DEVICE Result<most> result(int node, int k) const
  {
    Result<most> r;
    const int    row = node * node_size + k;
#pragma unroll
    for (int c = 0; c < most; ++c)
      r.D[c] = c < node_size ? this->D[static_cast<long>(k * node_size + c) * n_nodes + node] : Number(0);
    r.d = this->d != nullptr ? this->d[row] : Number(0);
    r.y = this->y[row];
    return r;
  }
  template <int most>
  ADAMANT_HOST_DEVICE void add(int node, int k, const Number (&sum)[most], const Result<most> &result) const
  {
    Number correction = 0;
#pragma unroll
    for (int c = 0; c < most; ++c)
      correction += result.D[c] * sum[c];
    this->change(node * node_size + k, -this->beta * correction, result);
  }
};

/// Returns entry i of beta D b, a damped Jacobi step from zero with a diagonal D. The product with A in the second step
/// multiplies these entries.
template <typename Number>
struct FirstJacobiStep
{
  Number                     beta;
  const Number              *D, *b;
  ADAMANT_HOST_DEVICE Number operator()(int i) const { return beta * D[i] * b[i]; }
};

/// The common part of the two functors below: the result y, and the operands of beta D b (FirstJacobiStep) of each row.
template <typename Number>
struct OnFirstJacobiStep : RowFunctor
{
  Number        beta;
  const Number *D, *b;
  Number       *y;
  OnFirstJacobiStep(Number beta, const Number *D, const Number *b, Number *y)
    : beta(beta)
    , D(D)
    , b(b)
    , y(y)
  {}
  struct Operands
  {
    Number D, b;
  };
  ADAMANT_HOST_DEVICE Operands fetch(int row) const { return {D[row], b[row]}; }
};

/// Sets y = x + beta D (b - A x) with x = beta D b. These are two damped Jacobi steps from zero in one pass.
template <typename Number>
struct SecondJacobiStep : OnFirstJacobiStep<Number>
{
  using OnFirstJacobiStep<Number>::OnFirstJacobiStep;
  using Operands = typename OnFirstJacobiStep<Number>::Operands;

  ADAMANT_HOST_DEVICE void operator()(int row, Number sum, const Operands &o) const
  {
    this->y[row] = this->beta * o.D * o.b + this->beta * o.D * (o.b - sum);
  }
  struct Result
  {
    Number D, y;
  };
  ADAMANT_HOST_DEVICE Result result(int row) const { return {this->D[row], this->y[row]}; }
  ADAMANT_HOST_DEVICE void   add(int row, Number sum, const Result &result) const
  {
    this->y[row] = result.y - this->beta * result.D * sum;
  }
};

/// Sets y = beta D b + A x with a diagonal D: a damped Jacobi step from zero, to which a product is added.
template <typename Number>
struct FirstJacobiStepPlus : OnFirstJacobiStep<Number>
{
  using OnFirstJacobiStep<Number>::OnFirstJacobiStep;
  using Operands               = typename OnFirstJacobiStep<Number>::Operands;
  static constexpr bool is_sum = true;

  Number                   a = Number(1);
  ADAMANT_HOST_DEVICE void operator()(int row, Number sum, const Operands &o) const
  {
    this->y[row] = this->beta * o.D * o.b + sum;
  }
  ADAMANT_HOST_DEVICE Number result(int row) const { return this->y[row]; }
  ADAMANT_HOST_DEVICE void   add(int row, Number sum, Number result) const { this->y[row] = result + sum; }
};

/// Sets d = alpha d_old + beta A r and adds d to x. `d` may be null. With alpha = 0, d_old is not read.
template <typename Number>
struct Update : RowFunctor, JacobiUpdate<Number>
{
  using Result = typename JacobiUpdate<Number>::template Result<1>;
  Update(Number alpha, Number beta, const Number *d_old, Number *d, Number *x)
    : JacobiUpdate<Number>{alpha, beta, nullptr, nullptr, x, d_old, d, x}
  {}

  struct Operands
  {
    Number x, d_old;
  };
  ADAMANT_HOST_DEVICE Operands fetch(int row) const { return {this->x[row], this->old_direction(row)}; }
  ADAMANT_HOST_DEVICE void     operator()(int row, Number sum, const Operands &o) const
  {
    this->update(row, sum, o.x, o.d_old);
  }
  ADAMANT_HOST_DEVICE Result result(int row) const
  {
    return {{}, this->d != nullptr ? this->d[row] : Number(0), this->y[row]};
  }
  ADAMANT_HOST_DEVICE void add(int row, Number sum, const Result &result) const
  {
    this->change(row, this->beta * sum, result);
  }
};

/// Sets y = a D x with a diagonal D, entry by entry.
template <typename Number>
struct ScaleByDiagonal
{
  Number                     a;
  const Number              *D, *x;
  Number                    *y;
  ADAMANT_HOST_DEVICE Number value(int i) const { return a * D[i] * x[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { y[i] = value; }
};

/// Sets y = a D x, entry by entry, where D has blocks of node_size x node_size.
template <typename Number>
struct ScaleByNodeBlocks
{
  int                        node_size, n_nodes;
  Number                     a;
  const Number              *D, *x;
  Number                    *y;
  ADAMANT_HOST_DEVICE Number value(int i) const
  {
    const int     first = i - i % node_size;
    const Number *block = D + static_cast<long>(i - first) * node_size * n_nodes + i / node_size;
    Number        sum   = 0;
    for (int c = 0; c < node_size; ++c)
      sum += block[static_cast<long>(c) * n_nodes] * x[first + c];
    return a * sum;
  }
  ADAMANT_HOST_DEVICE void store(int i, Number value) const { y[i] = value; }
};

/// Takes y = x + S (b - A x), the result of a sweep, and sets d = alpha d_old + beta (y - x), then y = x + d. `d` may
/// be null. With alpha = 0, d_old is not read.
template <typename Number>
struct CorrectBySweep
{
  Number                   alpha, beta;
  const Number            *x, *d_old;
  Number                  *d, *y;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const Number direction = (alpha == Number(0) ? Number(0) : alpha * d_old[i]) + beta * (y[i] - x[i]);
    if (d != nullptr)
      d[i] = direction;
    y[i] = x[i] + direction;
  }
};
} // namespace adamant
