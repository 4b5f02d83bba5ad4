#pragma once

#include "multigrid/smoothers/line/line_solver.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = T⁻¹, where T is the tridiagonal part of A along lines of strong couplings (strong_lines). The lines come from
/// the values of the matrix; if these change on the device, from the values at construction. In stretched cells and
/// anisotropic materials, neighbours couple far more in one direction than in the others. The error of Jacobi steps
/// then decays in that direction alone. Where no direction is strong, lines are single rows, and S is Jacobi's. Lines
/// end where constraints, components or ranks do.
template <typename Number>
class LineSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws RunError that names a row whose pivot is not positive, unless values change on the device.
  explicit LineSmoother(const DeviceLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< returns x

private:
  void take_lines(const CSRMatrix<double> &matrix);

  DeviceLevel<Number>                 level;
  Lines                               lines;
  Array<EntryNumber>                  place; // of the entries of T in the matrix
  List<EntryNumber>                   place_on_device;
  adamant::Vector<double>             T;
  std::unique_ptr<LineSolver<Number>> solver;
  mutable Vector                      r;
};
} // namespace adamant
