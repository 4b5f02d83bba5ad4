#pragma once

#include "multigrid/composed_levels.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <cstddef>
#include <memory>
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
  ~VCycle();

  /// Takes over the values that the levels' matrices have now; patterns and transfers stay.
  void update();

  /// Returns the result of V-cycles for b from a zero guess; options.cycles is their number. The result is in a vector
  /// of the V-cycle until the next call.
  const Vector &vmult(const Vector &b) const;
  /// Returns a vector that `vmult` takes as b without copying it.
  Vector input() const;

  const Matrix<Number> &matrix() const; ///< of the finest level, in precision Number
  int                   n_rows() const { return matrix().n_rows(); }
  std::size_t           n_levels() const { return levels.size(); }
  std::size_t           n_composed_levels() const { return n_composed; } ///< see ComposedLevels

  /// Prints a line for each level: the number of unknowns, and the coarse solver or, with Chebyshev, the eigenvalue.
  template <typename N>
  friend std::ostream &operator<<(std::ostream &out, const VCycle<N> &cycle);

private:
  struct Level;
  void          add_level(LevelData data);
  const Vector &cycle(std::size_t l, const Vector &b) const;

  Device                                  device;
  MultigridOptions                        options;
  std::vector<std::unique_ptr<Level>>     levels;
  std::unique_ptr<CoarseSolver<Number>>   coarse_solver;
  std::size_t                             n_composed; // composed levels with the coarsest one: 0, or at least 2
  std::unique_ptr<ComposedLevels<Number>> composed;
  mutable Vector                          sum, r; // result and residual, where there are several cycles
};
} // namespace adamant
