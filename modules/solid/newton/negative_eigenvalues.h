#pragma once

#include "base/communicator.h"
#include "operators/level_data.h"

#include <optional>

namespace adamant
{
/// Returns how many eigenvalues of a level's symmetric matrix are negative, on the host: none where it is L Lᵀ. Else
/// they are as many as in the factor D of L D Lᵀ (Sylvester; Bunch & Kaufman 1977). Rows of constrained unknowns count
/// as positive. Empty: the matrix has more than 1000 rows on a rank, or couples rows of several ranks. All ranks call
/// it together.
std::optional<int> n_negative_eigenvalues(const Communicator &communicator, const LevelData &level);
} // namespace adamant
