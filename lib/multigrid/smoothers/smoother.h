#pragma once

#include "algebra/cell_matrix.h"
#include "algebra/compressed_rows.h"
#include "base/csr/csr_matrix.h"
#include "multigrid/patches.h"

#include <functional>
#include <memory>

namespace adamant
{
/// The level that a smoother works on. The V-cycle owns the matrix A on the device and keeps it up to date.
template <typename Number>
struct SmootherLevel
{
  Device                                   device;
  std::shared_ptr<const CSRMatrix<double>> matrix; ///< in host memory
  Matrix<Number>                           A;      ///< the matrix on the device
  /// The values on the device, where they change there; `matrix` is then only the pattern. Null: they do not change.
  std::shared_ptr<const CompressedRows> changing = nullptr;
  std::function<Patches(PatchKind)>     patches  = nullptr; ///< see LevelData::patches
  std::shared_ptr<const CellMatrix>     cells    = nullptr; ///< see LevelData::cells

  bool changes_on_device() const { return changing || cells; }
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
  /// Returns S in host memory, for the values that the level's matrix has there, if S has few entries; else a matrix
  /// without rows.
  virtual CSRMatrix<double> matrix() const { return {}; }
  /// Sets x = beta S b + beta S (b - A beta S b), two damped steps from zero, if that saves a pass over vectors.
  /// Returns whether it has set x.
  virtual bool vmult_twice(Number /*beta*/, const Vector & /*b*/, Vector & /*x*/) const { return false; }
  /// Computes r = b - A x for x = beta S b without storing x, if that saves passes over vectors. Returns whether it has
  /// computed r.
  virtual bool residual_of_vmult(Number /*beta*/, const Vector & /*b*/, Vector & /*r*/) const { return false; }
  /// Sets y = beta S b + P e, where residual_of_vmult has returned true.
  virtual void correct_vmult(Number /*beta*/, const Vector & /*b*/, const Matrix<Number> & /*P*/, const Vector & /*e*/,
                             Vector & /*y*/) const
  {}
};
} // namespace adamant
