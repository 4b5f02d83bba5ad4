#pragma once

#include "algebra/cell_matrix.h"
#include "algebra/compressed_rows.h"
#include "base/csr_matrix.h"
#include "multigrid/patches.h"

#include <functional>
#include <memory>

namespace adamant
{
/// The level that a smoother works on. The matrix on the device belongs to the V-cycle, which keeps it up to date.
template <typename Number>
struct SmootherLevel
{
  Device                                   device;
  std::shared_ptr<const CSRMatrix<double>> matrix; ///< in host memory
  Matrix<Number>                           A;      ///< the same on the device
  /// The values on the device where they change there; `matrix` is then the pattern alone.
  std::shared_ptr<const CompressedRows> changing = nullptr;
  std::function<Patches(PatchKind)>     patches  = nullptr; ///< see LevelData
  std::shared_ptr<const CellMatrix>     cells    = nullptr; ///< likewise

  bool changes_on_device() const { return changing || cells; }
};

/// A smoother's S, an approximate inverse of A whose error is small for oscillating vectors, and the step that it
/// makes. How many steps with which weights is PolynomialSmoother's business. Where S is not symmetric, `transposed`
/// asks for Sᵀ: with S before and Sᵀ after the coarse correction a V-cycle is symmetric.
template <typename Number>
class Smoother
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~Smoother() = default;

  /// Takes over the values that the level's matrix has now, in host memory and on the device; its pattern stays.
  virtual void update() = 0;

  /// x = a S b.
  virtual void vmult(Number a, const Vector &b, Vector &x, bool transposed) const = 0;
  /// d = alpha d_old + beta S (b - A x), x + d in the vector that is returned: x or y; the other one is scratch. d_old
  /// may be d or x, and is not read where alpha is 0. An empty d is not written.
  virtual Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
                       bool transposed) const = 0;
  /// Whether S is symmetric where A is.
  virtual bool symmetric() const { return true; }
  /// S in host memory where it is a matrix of few entries, of the values that the level's matrix has there; else one
  /// without rows.
  virtual CSRMatrix<double> matrix() const { return {}; }
  /// Where it saves a pass: x = beta S b + beta S (b - A beta S b), two damped steps from zero. Whether it has been
  /// done.
  virtual bool vmult_twice(Number /*beta*/, const Vector & /*b*/, Vector & /*x*/) const { return false; }
  /// Where it saves passes that x = beta S b is not stored: r = b - A x. Whether it has been done.
  virtual bool residual_of_vmult(Number /*beta*/, const Vector & /*b*/, Vector & /*r*/) const { return false; }
  /// Then y = beta S b + P e.
  virtual void correct_vmult(Number /*beta*/, const Vector & /*b*/, const Matrix<Number> & /*P*/, const Vector & /*e*/,
                             Vector & /*y*/) const
  {}
};
} // namespace adamant
