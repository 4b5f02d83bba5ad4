#include "fem/meshes/gathering.h"

#include <algorithm>

namespace adamant
{
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank)
{
  const int        n_ranks = static_cast<int>(machines.size());
  std::vector<int> first; // ranks of the machines, and the end
  for (int rank = 0; rank < n_ranks; ++rank)
    if (first.empty() || machines[rank] != machines[first.back()])
      first.push_back(rank);
  first.push_back(n_ranks);
  const int n_machines = static_cast<int>(first.size()) - 1;
  const int n_busy =
    static_cast<int>(std::clamp<std::uint64_t>(n_cells / std::max<std::uint64_t>(cells_per_rank, 1), 1, n_ranks));
  const int group = (n_ranks + n_busy - 1) / n_busy; // of ranks, one of which stays

  std::vector<int> to(n_ranks);
  for (int machine = 0; machine < n_machines; ++machine)
    for (int rank = first[machine]; rank < first[machine + 1]; ++rank)
      if (n_machines > 1 && n_busy <= first[1])
        to[rank] = static_cast<int>(std::int64_t(rank) * n_busy / n_ranks);
      else if (n_busy < n_machines)
        to[rank] = first[machine - machine % ((n_machines + n_busy - 1) / n_busy)];
      else
        to[rank] = rank - (rank - first[machine]) % group;
  return to;
}
} // namespace adamant
