#pragma once

#include "multigrid/smoothers/line_solver.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = T⁻¹, T the tridiagonal part of A along lines of strong couplings (strong_lines), found from the matrix's values;
/// where these change on the device, from those at construction. Stretched cells and directions of a material couple
/// their neighbours in one direction far more than in the others, and Jacobi's error then decays in that direction
/// alone. Where no direction is strong lines are single rows, and S is Jacobi's. Lines end where constraints,
/// components and ranks do.
template <typename Number>
class LineSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws RunError naming the row where T cannot be factorised.
  explicit LineSmoother(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< in x

private:
  void take_lines(const CSRMatrix<double> &matrix);

  SmootherLevel<Number>               level;
  Lines                               lines;
  Array<EntryNumber>                  place; // of T in the matrix
  List<EntryNumber>                   place_on_device;
  adamant::Vector<double>             T;
  std::unique_ptr<LineSolver<Number>> solver;
  mutable Vector                      r;
};
} // namespace adamant
