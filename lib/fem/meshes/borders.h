#pragma once

#include "fem/meshes/cell_list.h"

#include <deal.II/base/mpi.h>

#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace adamant
{
/// The cells where this rank's cells meet others': `own` ones, and the `ghosts` of other ranks. Each rank sends numbers
/// that its own cells have to the ranks that have these cells as ghosts.
template <int dim>
class Borders
{
public:
  using Cell = typename CellList<dim>::Cell;

  explicit Borders(const CellList<dim> &cells)
    : comm(cells.mesh()->get_communicator())
  {
    const auto                                                   &mesh = *cells.mesh();
    std::map<unsigned int, std::set<dealii::types::subdomain_id>> ranks_at; // vertices
    Array<char>                                                   is_shared(mesh.n_vertices(), 0);
    for (const auto &cell : mesh.active_cell_iterators())
      if (cell->is_ghost())
        {
          ghosts[cell->subdomain_id()].push_back(cell);
          for (const unsigned int v : cell->vertex_indices())
            {
              ranks_at[cell->vertex_index(v)].insert(cell->subdomain_id());
              is_shared[cell->vertex_index(v)] = 1;
            }
        }
    if (ghosts.empty())
      return;
    for (const auto cell : cells)
      {
        std::set<dealii::types::subdomain_id> ranks;
        for (const unsigned int v : cell->vertex_indices())
          if (is_shared[cell->vertex_index(v)] != 0)
            ranks.insert(ranks_at[cell->vertex_index(v)].begin(), ranks_at[cell->vertex_index(v)].end());
        for (const auto rank : ranks)
          sent[rank].push_back(cell);
        if (!ranks.empty())
          own.push_back(cell);
      }
    for (auto *of_ranks : {&sent, &ghosts}) // in an order that both ranks know
      for (auto &[rank, list] : *of_ranks)
        std::sort(list.begin(), list.end(), [](const Cell &a, const Cell &b) {
          return a->global_active_cell_index() < b->global_active_cell_index();
        });
  }

  /// Calls take(ghost, part, number) with the number that the rank of a ghost has for a part of the cell. All ranks call
  /// it together.
  template <class NumberOf, class Take>
  void exchange(int n_parts, const NumberOf &number_of, const Take &take) const
  {
    std::map<unsigned int, std::vector<dealii::types::global_dof_index>> messages;
    for (const auto &[rank, list] : sent)
      for (const auto &cell : list)
        for (int part = 0; part < n_parts; ++part)
          messages[rank].push_back(number_of(cell, part));
    const auto received = dealii::Utilities::MPI::some_to_some(comm, messages);
    for (const auto &[rank, list] : ghosts)
      {
        auto number = received.at(rank).begin();
        for (const auto &cell : list)
          for (int part = 0; part < n_parts; ++part)
            take(cell, part, *number++);
      }
  }

  std::vector<Cell>                                        own;
  std::map<dealii::types::subdomain_id, std::vector<Cell>> ghosts;

private:
  const MPI_Comm                                           comm;
  std::map<dealii::types::subdomain_id, std::vector<Cell>> sent;
};
} // namespace adamant
