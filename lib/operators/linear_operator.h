#pragma once

#include "algebra/device.h"
#include "algebra/functors.h"

namespace adamant
{
/// A linear map A of vectors on a device, or this rank's part of it. Krylov methods and block operators work with it.
class LinearOperator
{
public:
  virtual ~LinearOperator() = default;

  virtual int n_rows() const = 0;
  virtual int n_cols() const = 0;

  /// Sets y = a A x + b y. With b = 0, y is not read and may hold anything.
  virtual void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const = 0;
  /// Sets y = A x with x in single precision. Throws RunError where the operator does not take such vectors
  /// (`takes_float`).
  /// @{
  virtual bool takes_float() const { return false; }
  virtual void multiply_float(const Vector<float> &, Vector<double> &) const
  {
    throw RunError("an operator that takes vectors in double precision is given one in float");
  }
  /// @}
  /// Sets r = b - A x.
  virtual void residual(const Vector<double> &x, const Vector<double> &b, Vector<double> &r) const
  {
    r.device().copy(b, r);
    multiply(-1., x, 1., r);
  }
  /// Returns whether `multiply` can be recorded in a graph: it works on the device alone, without waits or new vectors.
  virtual bool recordable() const { return false; }
};

/// A matrix as an operator.
class MatrixOperator : public LinearOperator
{
public:
  explicit MatrixOperator(const Matrix<double> &A, const Device &device)
    : MatrixOperator(A, device, A.n_cols())
  {}
  /// For vectors spread over ranks: this rank owns n_cols entries of x, while A also has columns for ghosts, the
  /// entries of other ranks.
  MatrixOperator(const Matrix<double> &A, const Device &device, int n_cols)
    : A(A)
    , device(device)
    , n_columns(n_cols)
  {}

  int  n_rows() const override { return A.n_rows(); }
  int  n_cols() const override { return n_columns; }
  bool recordable() const override { return true; }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override
  {
    device.multiply(a, A, x, b, y);
  }
  bool takes_float() const override { return true; }
  void multiply_float(const Vector<float> &x, Vector<double> &y) const override
  {
    device.for_each_row(A, x, Product<double>(1., 0., y.data()));
  }
  void residual(const Vector<double> &x, const Vector<double> &b, Vector<double> &r) const override
  {
    device.residual(A, x, b, r);
  }

private:
  Matrix<double> A; // a handle, which shares the entries
  Device         device;
  int            n_columns;
};
} // namespace adamant
