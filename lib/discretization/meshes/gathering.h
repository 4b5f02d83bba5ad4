#pragma once

#include <cstdint>
#include <vector>

namespace adamant
{
/// Where the cells of a small level go: entry r is the rank that takes those of rank r; ascending. `machines` has for
/// each rank the first one of its machine (Communicator::machines); ranks of a machine that do not follow each other
/// count as those of several. About as many ranks stay as have at least `cells_per_rank` cells then:
///
/// - While every machine keeps one, ranks give their cells to a neighbour of their own machine: nothing crosses
///   machines.
/// - Then the first ranks of neighbouring machines take what these have.
/// - A level for which the ranks of one machine are enough is on the first one alone: its exchanges stay inside.
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank);
} // namespace adamant
