#pragma once

#include "multigrid/chebyshev.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/composed_levels.h"
#include "multigrid/level_data.h"
#include "multigrid/options.h"
#include "multigrid/restriction.h"
#include "solvers/preconditioner.h"

#include <cstdint>
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

  /// Takes over the values that the levels' matrices have now; patterns and transfers stay.
  void update();

  /// Returns the result of V-cycles for b from a zero guess; options.cycles is their number. The result is in a vector
  /// of the V-cycle until the next call.
  const Vector &vmult(const Vector &b) const;
  /// Returns a vector that `vmult` takes as b without copying it.
  Vector input() const;

  int                   n_rows() const { return levels.back()->matrix->n_rows; } ///< of the finest level
  const Matrix<Number> &matrix() const { return levels.back()->A; } ///< of the finest level, in precision Number
  std::size_t           n_levels() const { return levels.size(); }
  std::size_t           n_composed_levels() const { return n_composed; } ///< see ComposedLevels

  /// Prints a line for each level: the number of unknowns, and the coarse solver or, with Chebyshev, the eigenvalue.
  template <typename N>
  friend std::ostream &operator<<(std::ostream &out, const VCycle<N> &cycle);

private:
  struct Level
  {
    /// How a level takes part in the V-cycle.
    enum class Kind
    {
      coarsest,
      composed, ///< by ComposedLevels
      single    ///< by smoothing steps and transfers of its own
    };
    Level(const Device &device, LevelData data, const MultigridOptions &options, Kind kind, Vector coarse_residual);
    void                  take_transfer(const Device &device, LevelData &data, Vector coarse_residual);
    SmootherLevel<Number> on(const Device &device) const { return {device, matrix, A, changing, patches, cells}; }

    std::shared_ptr<const CSRMatrix<double>> matrix;
    std::shared_ptr<const CompressedRows>    changing;
    std::function<Patches(PatchKind)>        patches;
    std::shared_ptr<const CellMatrix>        cells;
    std::uint64_t                            n_unknowns = 0; // summed over all ranks
    Matrix<Number>                           A, P;
    Restriction<Number>                      R;
    Vector                                   x, y, r;
    std::unique_ptr<LevelSmoother<Number>>   smoother;
  };

  const Vector                  &cycle(std::size_t l, const Vector &b) const;
  bool                           may_compose(const LevelData &level) const;
  std::vector<ComposedSmoothing> composed_smoothing() const;

  Device                                  device;
  MultigridOptions                        options;
  std::vector<std::unique_ptr<Level>>     levels;
  std::unique_ptr<CoarseSolver<Number>>   coarse_solver;
  std::size_t                             n_composed = 0; // composed levels with the coarsest one: 0, or at least 2
  std::unique_ptr<ComposedLevels<Number>> composed;
  mutable Vector                          sum, r; // result and residual, where there are several cycles
};

/// A V-cycle in either precision as a preconditioner. In float it converts v on entry and z on exit.
template <typename Number>
class MultigridPreconditioner : public Preconditioner
{
public:
  MultigridPreconditioner(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  void                          vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override;
  bool                          in_float() const override { return sizeof(Number) == sizeof(float); }
  const adamant::Vector<float> &vmult_in_float(const adamant::Vector<float> &v) const override;
  adamant::Vector<float>        input_in_float() const override;
  void                          update() override { cycle.update(); }
  bool                          recordable() const override { return true; }

  VCycle<Number> cycle;

private:
  Device                          device;
  mutable adamant::Vector<Number> b; // empty in double precision
};
} // namespace adamant
