#pragma once

#include "multigrid/coarse_solver.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace adamant
{
/// The lowest levels of a V-cycle: the coarsest one with its solver and, where steps on small levels are worth
/// composing, some above it. These run as few sparse products. As a V-cycle is linear, successive smoothing steps,
/// residual and transfer are one sparse matrix,
///
///   b_coarse = R (I - A X) b,   x = Y b + Z e,   X: the steps from zero; e: the coarse correction,
///
/// which has more entries than its factors. On a GPU any operation on a small level takes about 2 us, however little it
/// computes. So steps are composed as long as this adds few entries, and the vectors between compositions are stored.
/// All vectors lie in one array, so that a product may take several of them. Up to rounding, the results agree with
/// single steps.
template <typename Number>
class ComposedLevels
{
public:
  using Vector = adamant::Vector<Number>;

  /// Takes as many of the levels of `data`, from the coarsest, as are worth composing, or the coarsest one alone.
  ComposedLevels(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  /// Takes over the values that the levels' matrices have now.
  void update();

  /// Returns a vector from which `vmult` takes b without a copy.
  Vector input() const { return array.part(0, finest().n_rows()); }
  /// Returns the result of a V-cycle for b from a zero guess. The result is valid until the next call.
  const Vector &vmult(const Vector &b);

  std::size_t                n_levels() const { return levels.size(); }
  const DeviceLevel<Number> &finest() const { return levels.back(); }
  std::string                coarse_solver() const { return solver->description(); }
  void                       print(std::ostream &out) const; ///< a line for each level, see print_level

private:
  struct Product
  {
    Matrix<Number> matrix; // multiplies the array
    Vector         to;     // the part of the array that takes the product
  };

  void compose();

  Device                                                   device;
  std::vector<LevelData>                                   data; // of `levels`
  MultigridOptions                                         options;
  std::vector<DeviceLevel<Number>>                         levels;
  std::vector<std::unique_ptr<PolynomialSmoother<Number>>> smoothers;          // of the levels above the coarsest one
  std::unique_ptr<CoarseSolver<Number>>                    solver;             // of the coarsest level
  Vector                                                   array;              // for one level, of b alone
  Vector                                                   coarse_b, coarse_x; // parts of the array of several levels
  std::vector<Product>                                     before, after; // products before and after the coarse solver
};

/// Prints the line of level l: its number of unknowns, an eigenvalue above zero, and `solver`.
void print_level(std::ostream &out, std::size_t l, const LevelData &level, double eigenvalue,
                 const std::string &solver = "");
} // namespace adamant
