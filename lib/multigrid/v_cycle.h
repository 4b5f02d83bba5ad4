#pragma once

#include "multigrid/composed_levels.h"
#include "multigrid/options.h"
#include "operators/level_data.h"
#include "solvers/preconditioner.h"

#include <cstddef>
#include <memory>
#include <ostream>
#include <vector>

namespace adamant
{
/// Applies R = Pᵀ on a device, from the rows of a level to the rows of the next coarser one. Where the coarser level is
/// on fewer ranks, ranks send sums of residuals instead of residuals. These are about a quarter as many numbers in 2D,
/// and an eighth in 3D. Each rank forms the sums over its own rows of P, and the owners of the coarser rows add up the
/// sums in the order of the ranks.
template <typename Number>
class Restriction
{
public:
  Restriction() = default;
  /// `level` has P and R. All ranks call it together. Unless `result` is empty, products are written there; it may be
  /// given on one rank only.
  Restriction(const Device &device, const LevelData &level, Vector<Number> result = {});

  /// Returns R r. The result is in a vector of the object, or in `result` of the constructor, until the next call.
  const Vector<Number> &vmult(const Vector<Number> &r);

  /// Returns how many numbers this rank sends in each product.
  std::size_t n_sent() const { return plan ? plan->sent.size() : 0; }

private:
  void sum_before_sending(const Device &device, const LevelData &level);

  Matrix<Number>                      R;                // where ranks send sums: Pᵀ of this rank's rows of P
  Vector<Number>                      result;           // of the product with R
  Vector<Number>                      owned, of_others; // parts of `result`: owned rows, and rows of other ranks
  Matrix<Number>                      sum;              // adds up the sums that other ranks have for the owned rows
  bool                                sums_first = false;
  std::shared_ptr<const ExchangePlan> plan;
};

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
