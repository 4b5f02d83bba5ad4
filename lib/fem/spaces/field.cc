#include "fem/spaces/field.h"

#include "base/exceptions.h"
#include "base/row_ranges.h"
#include "fem/spaces/numbering.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/mpi.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <map>
#include <utility>

namespace adamant
{
namespace
{
// The values of a cell's functions at the nodes of a child: of one element the embedding, else by interpolation.
template <int dim>
dealii::FullMatrix<double> values_at_nodes(const dealii::FiniteElement<dim> &fine,
                                           const dealii::FiniteElement<dim> &coarse, unsigned int child)
{
  if (fine == coarse)
    return coarse.get_prolongation_matrix(child);
  dealii::FullMatrix<double> values(fine.n_dofs_per_cell(), coarse.n_dofs_per_cell());
  for (unsigned int i = 0; i < values.m(); ++i)
    {
      const auto point     = dealii::GeometryInfo<dim>::child_to_cell_coordinates(fine.unit_support_point(i), child);
      const unsigned int c = fine.system_to_component_index(i).first;
      for (unsigned int j = 0; j < values.n(); ++j)
        values(i, j) = coarse.shape_value_component(j, point, c);
    }
  return values;
}

using Index = dealii::types::global_dof_index;

// The cells of the coarse level whose children this rank owns: what their nodal values are made of, H_coarse included,
// in local numbers. Cells of other ranks have been fetched from them.
template <int dim>
class CoarseCells
{
public:
  CoarseCells(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &space)
    : space(space)
    , columns(&space.partition())
  {
    if (fine_mesh.coarse_cells && fine_mesh.coarse_cells->n_mpi_processes() > 1)
      fetch(*fine_mesh.coarse_cells);
  }

  const Partitioner &numbers() const { return *columns; } // of the columns

  // Adds weight times the nodal value of DoF i of a cell to a row.
  void add(int cell, int i, double weight, Row &row) const
  {
    if (cell < space.n_cells())
      {
        const int dof = space.cell_dofs(cell)[i];
        for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
          row.emplace_back(local(space.H.column[k]), weight * space.H.value[k]);
      }
    else
      for (const auto &[column, value] : fetched[std::size_t(cell - space.n_cells()) * space.dofs_per_cell() + i])
        row.emplace_back(column, weight * value);
  }

private:
  int local(int column_of_space) const
  {
    return column_of_space < space.n_owned() ? column_of_space : ghost_number[column_of_space - space.n_owned()];
  }

  using Message = std::pair<std::vector<Index>, std::vector<double>>; // counts and global columns; values

  Message rows_of_cells(const int *cells, int n) const
  {
    Message message;
    auto &[indices, values] = message;
    for (const int *cell = cells; cell != cells + n; ++cell)
      for (int i = 0; i < space.dofs_per_cell(); ++i)
        {
          const int  dof   = space.cell_dofs(*cell)[i];
          const auto begin = space.H.row_start[dof], end = space.H.row_start[dof + 1];
          indices.push_back(end - begin);
          for (auto k = begin; k < end; ++k)
            {
              indices.push_back(space.partition().local_to_global(space.H.column[k]));
              values.push_back(space.H.value[k]);
            }
        }
    return message;
  }

  void fetch(const Partitioner &coarse_cells)
  {
    const auto                      plan = exchange_plan(coarse_cells);
    std::map<unsigned int, Message> outgoing;
    for (const auto &[rank, begin, end] : plan->sends)
      outgoing[rank] = rows_of_cells(plan->sent.data() + begin, end - begin);
    const auto incoming = dealii::Utilities::MPI::some_to_some(coarse_cells.get_mpi_communicator(), outgoing);

    // The ghosts are the ghosts of the space and the columns that have come.
    std::vector<Index> ghosts(space.partition().ghost_indices().begin(), space.partition().ghost_indices().end());
    for (const auto &[rank, message] : incoming)
      for (std::size_t k = 0; k < message.first.size(); k += 1 + message.first[k])
        for (Index c = 1; c <= message.first[k]; ++c)
          ghosts.push_back(message.first[k + c]);
    more_columns = make_partitioner(space.partition().locally_owned_range(), std::move(ghosts),
                                    space.partition().get_mpi_communicator());
    columns      = more_columns.get();
    for (const auto ghost : space.partition().ghost_indices())
      ghost_number.push_back(static_cast<int>(columns->global_to_local(ghost)));
    for (const auto &receive : plan->receives)
      {
        const auto &[indices, values] = incoming.at(receive.rank);
        for (std::size_t k = 0, v = 0; k < indices.size();)
          {
            fetched.emplace_back();
            for (Index n = indices[k++]; n > 0; --n)
              fetched.back().emplace_back(static_cast<int>(columns->global_to_local(indices[k++])), values[v++]);
          }
      }
  }

  const LevelSpace<dim>             &space;
  const Partitioner                 *columns;
  std::shared_ptr<const Partitioner> more_columns;
  Array<int>                         ghost_number; // of the space's ghosts among the columns
  std::vector<Row>                   fetched;
};

// Active ones, on coarser meshes too: programs ask the finest level for more than multigrid does.
template <int dim>
std::shared_ptr<const CellList<dim>> finest_cells(const LevelMeshes<dim> &meshes, const std::optional<std::size_t> &top,
                                                  const std::string &name)
{
  if (!top)
    return meshes.finest_cells();
  if (*top >= meshes.size())
    throw RunError("field " + name + ": its finest level is to be " + std::to_string(*top) + ", but there are " +
                   std::to_string(meshes.size()) + " level meshes");
  return CellList<dim>::as_active(meshes[*top].cells);
}
} // namespace

template <int dim>
Transfer transfer_matrices(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse)
{
  const auto embedding =
    rows_of_children<dim>([&](unsigned int child) { return values_at_nodes(fine.element(), coarse.element(), child); });
  const int              per_cell = fine.dofs_per_cell();
  const CoarseCells<dim> coarse_cells(fine_mesh, coarse);

  // The first cell of each fine DoF determines its row; continuity makes all of them agree.
  const auto first = first_places(fine.cell_dofs(0), fine.n_cells() * per_cell, fine.n_dofs());

  const auto fill_row = [&](int dof, Row &row) {
    if (!fine.is_free(dof))
      return;
    const int cell = first[dof] / per_cell, i = first[dof] % per_cell, coarse_cell = fine_mesh.coarse_cell[cell];
    if (fine_mesh.child[cell] == LevelMesh<dim>::same_cell)
      coarse_cells.add(coarse_cell, i, 1., row);
    else
      for (const auto &[j, weight] : embedding[fine_mesh.child[cell]][i])
        coarse_cells.add(coarse_cell, static_cast<int>(j), weight, row);
    compress(row);
  };

  const auto &columns = coarse_cells.numbers();
  const auto  n_cols  = static_cast<int>(columns.locally_owned_size() + columns.n_ghost_indices());
  auto        P       = matrix_of_rows(fine.n_owned(), n_cols, fill_row, coarse.dofs_per_cell());
  P.ghosts            = exchange_plan(columns);
  const Partitioner rows(fine.partition().locally_owned_range(), fine.partition().get_mpi_communicator());
  auto              R = sum_rows(transpose(P), columns, rows);
  return {std::move(P), std::move(R)};
}

template Transfer transfer_matrices(const LevelMesh<2> &, const LevelSpace<2> &, const LevelSpace<2> &);
template Transfer transfer_matrices(const LevelMesh<3> &, const LevelSpace<3> &, const LevelSpace<3> &);

template <int dim>
Field<dim>::Field(const LevelMeshes<dim> &meshes, std::string name, const dealii::FiniteElement<dim> &element,
                  const DirichletBoundary &dirichlet, std::optional<std::size_t> top)
  : level_meshes(meshes)
  , name_(std::move(name))
  , dirichlet(dirichlet)
  , top(top)
  , finest_space(std::make_unique<LevelSpace<dim>>(finest_cells(meshes, top, name_), element, dirichlet))
{}

template <int dim>
typename Field<dim>::Level &Field<dim>::at(std::size_t level) const
{
  if (level >= n_levels())
    throw RunError("field " + name_ + " has no level " + std::to_string(level) + ", it has " +
                   std::to_string(n_levels()) + " levels");
  levels.resize(n_levels());
  return levels[level];
}

template <int dim>
typename Field<dim>::Level &Field<dim>::with_transfer(std::size_t level) const
{
  auto &made = at(level);
  if (!made.prolongation && level > 0)
    {
      auto transfer     = transfer_matrices(level_meshes[level], space(level), space(level - 1));
      made.prolongation = std::make_shared<const CSRMatrix<double>>(std::move(transfer.prolongation));
      made.restriction  = std::make_shared<const CSRMatrix<double>>(std::move(transfer.restriction));
    }
  return made;
}

template <int dim>
const LevelSpace<dim> &Field<dim>::space(std::size_t level) const
{
  auto &made = at(level);
  if (level + 1 == n_levels())
    return *finest_space;
  if (!made.space)
    made.space = std::make_unique<LevelSpace<dim>>(level_meshes[level].cells, element(), dirichlet);
  return *made.space;
}

template <int dim>
const std::shared_ptr<const CSRMatrix<double>> &Field<dim>::prolongation(std::size_t level) const
{
  return with_transfer(level).prolongation;
}

template <int dim>
const std::shared_ptr<const CSRMatrix<double>> &Field<dim>::restriction(std::size_t level) const
{
  return with_transfer(level).restriction;
}

template class Field<2>;
template class Field<3>;
} // namespace adamant
