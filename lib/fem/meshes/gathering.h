#pragma once

#include <cstdint>
#include <vector>

namespace adamant
{
/// Returns the ranks to which the cells of a small level go: entry r is the rank that takes the cells of rank r;
/// entries ascend. `machines` has for each rank the first rank of its machine (Communicator::machines). Ranks of one
/// machine that do not follow each other count as ranks of several machines. About so many ranks stay that each has at
/// least `cells_per_rank` cells. While each machine keeps a rank, ranks give their cells to a neighbour on their own
/// machine. With fewer ranks than machines, the first rank of a group of neighbouring machines takes all cells of the
/// group. Where the ranks of one machine are enough, the first machine alone has the level, so exchanges stay inside.
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank);
} // namespace adamant
