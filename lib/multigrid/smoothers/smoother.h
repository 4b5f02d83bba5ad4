#pragma once

#include "operators/device_level.h"

namespace adamant
{
/// An optional interface of smoothers: products with A that compute the entries of x = beta S b themselves. So the
/// first step from zero need not store x, which saves passes over vectors.
template <typename Number>
class FirstStep
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~FirstStep() = default;

  /// Sets x = beta S b + beta S (b - A beta S b), two damped steps from zero.
  virtual void vmult_twice(Number beta, const Vector &b, Vector &x) const = 0;
  /// Sets r = b - A beta S b.
  virtual void residual(Number beta, const Vector &b, Vector &r) const = 0;
  /// Sets x = beta S b + P e.
  virtual void correct(Number beta, const Vector &b, const Matrix<Number> &P, const Vector &e, Vector &x) const = 0;
};

/// A smoother: an approximate inverse S of A whose error is small for oscillating vectors, and single steps with S. A
/// LevelSmoother chooses the number of steps and their weights. Where A is symmetric but S is not, `transposed` asks
/// for Sᵀ: with S before and Sᵀ after the coarse correction, a V-cycle is symmetric. For other A it need not give Sᵀ.
template <typename Number>
class Smoother
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~Smoother() = default;

  /// Takes over the values that the level's matrix has now, in host memory and on the device; its pattern stays.
  virtual void update() = 0;

  /// Sets x = a S b.
  virtual void vmult(Number a, const Vector &b, Vector &x, bool transposed) const = 0;
  /// Sets d = alpha d_old + beta S (b - A x) and returns the vector that holds x + d, either x or y. The other one is
  /// scratch. The vector d_old may be d or x, and is not read where alpha is 0. An empty d is not written.
  virtual Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
                       bool transposed) const = 0;
  /// Returns whether S is symmetric where A is.
  virtual bool symmetric() const { return true; }
  /// Returns the smoother's first step without a stored x; null where there is none.
  virtual const FirstStep<Number> *first_step() const { return nullptr; }
};
} // namespace adamant
