#pragma once

#include "multigrid/composed_levels.h"
#include "multigrid/cycle_level.h"

#include <cstddef>
#include <ostream>
#include <vector>

namespace adamant
{
/// The V-cycle of Liebchen et al., Algorithm 1, on a hierarchy of levels (0 is the coarsest), in one precision. It is
/// built once, and `update` takes over new matrix values. It is not thread-safe: an object runs one `vmult` at a time.
template <typename Number>
class VCycle
{
public:
  using Vector = adamant::Vector<Number>;

  /// The V-cycle shares the matrices of `data`, the coarsest level first, and `update` reads them again. Throws
  /// InputError for numbers of steps or cycles that are too small.
  VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  /// Takes over the values that the levels' matrices have now; patterns and transfers stay.
  void update();

  /// Returns the result of V-cycles for b from a zero guess; options.cycles is their number. The result is in a vector
  /// of the V-cycle until the next call.
  const Vector &vmult(const Vector &b) const;
  /// Returns a vector that `vmult` takes as b without copying it.
  Vector input() const;

  /// Returns the matrix of the finest level, in precision Number.
  const Matrix<Number> &matrix() const { return levels.empty() ? lowest.finest().A : levels.back().on.A; }
  int                   n_rows() const { return matrix().n_rows(); }
  std::size_t           n_levels() const { return lowest.n_levels() + levels.size(); }
  std::size_t           n_lowest_levels() const { return lowest.n_levels(); } ///< see ComposedLevels

  std::string coarse_solver() const { return lowest.coarse_solver(); }
  /// Prints a line for each level: the number of unknowns, and the coarse solver or, with Chebyshev, the eigenvalue.
  void print(std::ostream &out) const;

private:
  const Vector &cycle(std::size_t l, const Vector &b) const;

  Device                                  device;
  MultigridOptions                        options;
  mutable ComposedLevels<Number>          lowest; // run by their solver, without the steps of `cycle`
  mutable std::vector<CycleLevel<Number>> levels; // above the lowest ones, the coarsest first
  mutable Vector                          sum, r; // result and residual, where there are several cycles
};
} // namespace adamant
