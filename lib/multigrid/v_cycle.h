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
/// The V-cycle of Liebchen et al., Algorithm 1, on a hierarchy of levels (0 the coarsest), in one precision.
/// Built once; `update` takes over new matrix values. Not thread-safe: one object, one solve at a time.
template <typename Number>
class VCycle
{
public:
  using Vector = adamant::Vector<Number>;

  /// The matrices of the levels are shared: `update` reads them again.
  VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  /// Takes over the values that the levels' matrices have now; patterns and transfer stay.
  void update();

  /// V-cycles from a zero guess, as many as the options say. Returns a vector of its own that holds the result until
  /// the next call.
  const Vector &vmult(const Vector &b) const;
  /// A vector that `vmult` takes without copying it.
  Vector input() const;

  int                   n_rows() const { return levels.back()->matrix->n_rows; } ///< of the finest level
  const Matrix<Number> &matrix() const { return levels.back()->A; } ///< of the finest level, in its precision
  std::size_t           n_levels() const { return levels.size(); }
  std::size_t           n_composed_levels() const { return n_composed; } ///< see ComposedLevels

  /// A line per level: unknowns, eigenvalue estimate.
  template <typename N>
  friend std::ostream &operator<<(std::ostream &out, const VCycle<N> &cycle);

private:
  struct Level
  {
    /// What levels do by themselves, unless they are composed.
    enum class Kind
    {
      coarsest,
      composed,
      single
    };
    Level(const Device &device, LevelData data, const MultigridOptions &options, Kind kind, Vector coarse_residual);
    void                  take_transfer(const Device &device, LevelData &data, Vector coarse_residual);
    SmootherLevel<Number> on(const Device &device) const { return {device, matrix, A, changing, patches, cells}; }

    std::shared_ptr<const CSRMatrix<double>> matrix;
    std::shared_ptr<const CompressedRows>    changing;
    std::function<Patches(PatchKind)>        patches;
    std::shared_ptr<const CellMatrix>        cells;
    std::uint64_t                            n_unknowns = 0; // of all ranks
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
  std::size_t                             n_composed = 0; // levels, none or the coarsest and more
  std::unique_ptr<ComposedLevels<Number>> composed;
  mutable Vector                          sum, r; // of several cycles
};

/// A V-cycle in either precision as a preconditioner; in float it converts at the door.
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
