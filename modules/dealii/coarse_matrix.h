#pragma once

#include "algebra/device.h"
#include "dealii/user_dofs.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <vector>

namespace adamant
{
/// Chooses the solver of the coarsest level, unless `options` has another one than the dense inverse. Small matrices
/// and GPUs get the dense inverse, larger matrices deal.II's UMFPACK. Smoothing alone has to do where there is one
/// level only, which is spread over ranks. All ranks call it together. Throws RunError on all ranks where a matrix is
/// too large or cannot be inverted.
void choose_coarse_solver(const Device &device, const std::vector<LevelData> &levels, MultigridOptions &options);

/// Throws RunError on all ranks where a node's block is singular. The V-cycle would throw on one rank alone, and others
/// would wait for it.
void check_levels(const Device &device, const std::vector<LevelData> &levels, const MultigridOptions &options,
                  const UserDofs &dofs);
} // namespace adamant
