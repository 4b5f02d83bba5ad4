#pragma once

#include "algebra/vector.h"
#include "multigrid/level_data.h"

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

/// What SaddlePointSolver needs of the problem [A Bᵀ; B 0], in host memory but for values that change on the device. It
/// is shared, not copied.
struct SaddlePointData
{
  std::vector<LevelData>                   velocity; ///< A
  std::shared_ptr<const CSRMatrix<double>> B, Bt;
  LevelData                                mass;        ///< for SchurMass: alone on its level
  double                                   mass_factor; ///< see SchurMass
  std::vector<LevelData>                   schur;       ///< for SchurBFBT: the finest is K, else empty
  const Vector<double>                    *C = nullptr; ///< likewise
};
} // namespace adamant
