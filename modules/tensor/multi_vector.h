#pragma once

#include "algebra/vector.h"
#include "base/exceptions.h"
#include "solvers/preconditioner.h"
#include "tensor/dense_products.h"
#include "tensor/multi_vector_functors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

// Several vectors on one device are the columns of an n x r matrix, stored row by row. Entry i of column s is number
// i r + s of a flat vector. Krylov methods take it as one vector of n r entries: r systems with a matrix A are one with
// the block-diagonal matrix of r blocks A.

namespace adamant
{
/// The squares of the norms of columns, which also scale columns.
class ColumnNorms
{
public:
  ColumnNorms() = default;
  ColumnNorms(const Device &device, int n_rows, int n_columns)
    : device(device)
    , n_rows(n_rows)
    , n_columns(n_columns)
    , n_parts(std::min(n_rows, std::min(2048, std::max(128, (1 << 17) / n_columns))))
    , squares(device, n_columns)
    , sums(device, n_columns == 1 ? 1 : n_parts * n_columns)
    , groups(device, n_columns == 1 ? 1 : (n_parts + group - 1) / group * n_columns)
  {
    if (n_columns == 1)
      scalar = Scalars(device, 1);
  }

  /// Returns the squared norms of the columns of x, n_rows x n_columns, in device memory; they stay until the next
  /// call.
  template <typename Number>
  const double *operator()(const Vector<Number> &x)
  {
    if (n_columns == 1)
      {
        device.dot(x, x, scalar, 0);
        return scalar.data();
      }
    device.for_each(n_parts * n_columns, PartialSquares<Number>{n_rows, n_columns, n_parts, x.data(), sums.data()});
    const int n_groups = (n_parts + group - 1) / group;
    device.for_each(n_groups * n_columns, SumParts{n_columns, n_parts, group, sums.data(), groups.data()});
    device.for_each(n_columns, SumParts{n_columns, n_groups, n_groups, groups.data(), squares.data()});
    return squares.data();
  }
  const double *last() const { return n_columns == 1 ? scalar.data() : squares.data(); } ///< last result
  /// Returns the norms on the host; waits for the device.
  template <typename Number>
  Array<double> fetch(const Vector<Number> &x)
  {
    (*this)(x);
    Array<double> norms = n_columns == 1 ? Array<double>(1, *scalar.fetch()) : to_host(squares);
    for (double &norm : norms)
      norm = std::sqrt(norm);
    return norms;
  }

private:
  static constexpr int group = 32;

  Device         device;
  int            n_rows = 0, n_columns = 0, n_parts = 0;
  Vector<double> squares, sums, groups;
  Scalars        scalar;
};

/// A direct solver for several right-hand sides (flat vectors, see above). It takes norms that are known and adds to x,
/// which saves refinement two passes. The class is a handle of the inverse in one arithmetic.
class ColumnInverse : public Preconditioner
{
public:
  /// The inverse in one arithmetic.
  struct InArithmetic
  {
    virtual ~InArithmetic()                                                                                = default;
    virtual void        apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) = 0;
    virtual void        apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x)   = 0;
    virtual std::size_t bytes() const                                                                      = 0;
    double              flop = 0, paper_flop = 0, traffic = 0;
  };

  /// Computes x = M b or, with `add`, x += M b, for all columns. `squares` are the squared norms of b's columns, in
  /// device memory, where the caller has them, or null. Without `add`, x may be b. Vectors in float move half of the
  /// bytes, for products in low precision; with float64 they throw InputError.
  template <typename Number>
  void apply(const Vector<Number> &b, const double *squares, bool add, Vector<Number> &x) const
  {
    inverse->apply(b, squares, add, x);
  }
  void solve(const Vector<double> &b, Vector<double> &x) const { apply(b, nullptr, false, x); } ///< computes x = M b
  void vmult(const Vector<double> &b, Vector<double> &x) const override { solve(b, x); }
  void update() override {} ///< the matrix does not change
  bool recordable() const override { return true; }

  /// Returns floating-point operations of products and elimination for one column, without padding.
  double flop() const { return inverse->flop; }
  /// Returns the operations of Schur as its paper counts them: C⁻¹ twice, and no product with D.
  double paper_flop() const { return inverse->paper_flop; }
  /// Returns bytes that products and elimination read and write at least, for all columns.
  double      traffic() const { return inverse->traffic; }
  std::size_t bytes() const { return inverse->bytes(); } ///< of matrices and vectors

protected:
  explicit ColumnInverse(std::unique_ptr<InArithmetic> inverse)
    : inverse(std::move(inverse))
  {}

private:
  std::unique_ptr<InArithmetic> inverse;
};

/// The base of direct solvers whose products store numbers as T. A Solver has `solve(b, squares, add, x)` for
/// vectors in double and, below float64, in float.
template <class Solver, typename T>
class InverseIn : public ColumnInverse::InArithmetic
{
public:
  void apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) override
  {
    static_cast<Solver *>(this)->solve(b, squares, add, x);
  }
  void apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x) override
  {
    if constexpr (scaled)
      static_cast<Solver *>(this)->solve(b, squares, add, x);
    else
      throw InputError("direct solvers in float64 take right-hand sides in double");
  }

protected:
  static constexpr bool scaled = sizeof(T) < sizeof(double);

  /// Rows store `columns` numbers, a multiple of 8 below float64, of which n_columns count. `alone` says whether a
  /// single column is padded, too.
  InverseIn(const Device &device, Arithmetic arithmetic, int n_columns, bool alone)
    : device(device)
    , products(device, arithmetic)
    , n_columns(n_columns)
    , columns(scaled && (alone || n_columns > 1) ? (n_columns + 7) / 8 * 8 : n_columns)
  {}
  void make_scales(int n_rows)
  {
    norms       = ColumnNorms(device, n_rows, n_columns);
    scales      = Vector<double>(device, columns);
    scales_back = Vector<double>(device, columns);
  }
  /// Sets the scales of LowPrecisionScales for the columns of b.
  template <typename Number>
  void scale_columns(const Vector<Number> &b, const double *squares, double length, double factor)
  {
    device.for_each(columns, LowPrecisionScales{n_columns, length, factor, squares == nullptr ? norms(b) : squares,
                                                scales.data(), scales_back.data()});
  }

  Device         device;
  DenseProducts  products;
  int            n_columns, columns;
  Vector<double> scales, scales_back; ///< below float64
  ColumnNorms    norms;
};
} // namespace adamant
