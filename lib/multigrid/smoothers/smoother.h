#pragma once

#include "operators/device_level.h"

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

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
  /// Whether S is symmetric where A is.
  virtual bool symmetric() const { return true; }
  /// Returns the smoother's first step without a stored x; null where there is none.
  virtual const FirstStep<Number> *first_step() const { return nullptr; }
};

/// A kind of smoother, under the name that parameter files give it.
struct SmootherKind
{
  std::string name, description; ///< `description` says what S is, as the end of the sentence 'S is ...'

  template <typename Number>
  using Make = std::function<std::unique_ptr<Smoother<Number>>(const DeviceLevel<Number> &)>;
  std::tuple<Make<double>, Make<float>> make;

  /// Returns S in host memory for a matrix A whose nodes have node_size rows. It is there for the kinds that need A's
  /// diagonal blocks alone, which work for a RowlessMatrix, too. Null: the kind needs the rows of A.
  std::function<CSRMatrix<double>(const CSRMatrix<double> &A, int node_size)> matrix = nullptr;

  bool patches = false; ///< whether the kind needs the patches of a level, which are made on one rank only
};

/// Returns all kinds of smoothers. A new kind needs a file, a line in registry.cc, and a test.
const std::vector<SmootherKind> &smoothers();

/// Returns the kind `name`. Throws InputError, which suggests the nearest name, for an unknown name.
const SmootherKind &smoother_kind(const std::string &name);

/// Makes the smoother `name` for a level. Throws RunError where it needs rows, and the matrix stores none.
template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const DeviceLevel<Number> &level);
} // namespace adamant
