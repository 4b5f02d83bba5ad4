#pragma once

#include "algebra/vector.h"
#include "operators/level_data.h"

#include <memory>
#include <vector>

namespace adamant
{
/// How the Schur complement of a saddle point problem is approximated.
enum class SchurComplement
{
  mass, ///< SchurMass
  bfbt  ///< SchurBFBT
};

/// The data of SaddlePointSolver for the problem [A Bᵀ; B 0]. All are in host memory, except values that change on the
/// device. The solver refers to the data and does not copy them.
struct SaddlePointData
{
  std::vector<LevelData>                   velocity; ///< A
  std::shared_ptr<const CSRMatrix<double>> B, Bt;
  LevelData                                mass;        ///< for SchurMass: a single level
  double                                   mass_factor; ///< see SchurMass
  std::vector<LevelData>                   schur;       ///< for SchurBFBT: the finest level is K; else empty
  const Vector<double>                    *C = nullptr; ///< for SchurBFBT, else null
};
} // namespace adamant
