#include "fem/spaces/level_space.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/cell_entities.h"

#include <deal.II/base/index_set.h>
#include <deal.II/distributed/tria_base.h>
#include <deal.II/dofs/dof_tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <parallel/algorithm>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// All components where each has the same support points, else 1.
template <int dim>
int components_of_each_node(const dealii::FiniteElement<dim> &fe)
{
  std::vector<std::vector<dealii::Point<dim>>> points(fe.n_components());
  for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
    points[fe.system_to_component_index(i).first].push_back(fe.unit_support_point(i));
  const bool same = std::all_of(points.begin(), points.end(), [&](const auto &list) { return list == points[0]; });
  return same ? static_cast<int>(fe.n_components()) : 1;
}
} // namespace

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const CellList<dim>> cells_, const dealii::FiniteElement<dim> &fe,
                            const DirichletBoundary &dirichlet)
  : element_(fe.clone())
  , cells(std::move(cells_))
{
  constrained_cell.resize(cells->size());
  per_cell      = static_cast<int>(element().n_dofs_per_cell());
  rows_per_node = components_of_each_node(element());
  to_index(cells->size() * per_cell, "DoFs of all cells");
  const MPI_Comm comm = cells->mesh()->get_communicator();
  if (Communicator(comm).size() == 1 && CellEntities<dim>::suffice(fe))
    {
      auto numbering = number_by_entities(*cells, fe);
      table          = std::move(numbering.cell_dofs);
      hanging_nodes  = std::move(numbering.hanging_nodes);
      numbers        = make_partitioner(dealii::complete_index_set(numbering.n_dofs), {}, comm);
    }
  else
    number_by_dof_handler();
  mark_constrained(dirichlet);
  build_constraint_matrices(number_prescribed());
}

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh,
                            const dealii::FiniteElement<dim> &fe, const DirichletBoundary &dirichlet)
  : LevelSpace(std::make_shared<const CellList<dim>>(std::move(mesh)), fe, dirichlet)
{}

template <int dim>
void LevelSpace<dim>::release_mesh()
{
  dofs.reset();
  cells.reset();
}

template <int dim>
const std::shared_ptr<dealii::DoFHandler<dim>> &LevelSpace<dim>::shared_dof_handler() const
{
  if (dofs)
    return dofs;
  const auto active = CellList<dim>::as_active(cells);
  auto       made   = std::make_shared<dealii::DoFHandler<dim>>(*active->mesh());
  made->distribute_dofs(element());
  if (made->n_dofs() != numbers->size())
    throw RunError("degrees of freedom: deal.II counts " + std::to_string(made->n_dofs()) + " of " +
                   element().get_name() + ", but the level has " + std::to_string(numbers->size()));
  std::vector<dealii::types::global_dof_index> number(made->n_dofs());
#pragma omp parallel
  {
    std::vector<dealii::types::global_dof_index> of_cell(per_cell);
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells(); ++c)
      {
        with_dofs((*active)[c], *made)->get_dof_indices(of_cell);
        for (int i = 0; i < per_cell; ++i)
          write_atomically(number[of_cell[i]], cell_dofs(c)[i]);
      }
  }
  made->renumber_dofs(number);
  return dofs = made;
}

template <int dim>
void LevelSpace<dim>::number_by_dof_handler()
{
  cells = CellList<dim>::as_active(cells);
  dofs  = std::make_shared<dealii::DoFHandler<dim>>(*cells->mesh());
  dofs->distribute_dofs(element());
  to_index(dofs->n_locally_owned_dofs(), "degrees of freedom");
  sort_by_position();
  dealii::IndexSet relevant = dofs->locally_owned_dofs();
  if (relevant.n_elements() < dofs->n_dofs())
    dealii::DoFTools::extract_locally_relevant_dofs(*dofs, relevant);
  hanging_nodes.reinit(relevant);
  if (cells->mesh()->has_hanging_nodes())
    dealii::DoFTools::make_hanging_node_constraints(*dofs, hanging_nodes);
  hanging_nodes.close();
  number_locally();
}

// Numbers the DoFs by their positions, line by line, so that neighbours on a line are neighbours in memory and products
// run through the vector units without indirection. Lines run along the axis with the most different positions, so that
// they stay long where a mesh is refined towards a face; in 3D the axis with the least comes next, which keeps the
// planes small and the ranges of rows that threads own compact. The components of a node stay together. Positions are
// those of the straight-sided cells.
template <int dim>
void LevelSpace<dim>::sort_by_position()
{
  constexpr unsigned int                      n_vertices = dealii::GeometryInfo<dim>::vertices_per_cell;
  const PositionKey<dim>                      key(*cells);
  const auto                                 &unit_points = element().get_unit_support_points();
  std::vector<std::array<double, n_vertices>> weights(per_cell);
  for (int i = 0; i < per_cell; ++i)
    for (unsigned int v = 0; v < n_vertices; ++v)
      weights[i][v] = dealii::GeometryInfo<dim>::d_linear_shape_function(unit_points[i], v);

  const auto first = dofs->locally_owned_dofs().n_elements() > 0 ? dofs->locally_owned_dofs().nth_index_in_set(0) : 0;
  const int  n     = static_cast<int>(dofs->n_locally_owned_dofs());
  std::vector<std::pair<std::uint64_t, int>> order(n);
#pragma omp parallel
  {
    std::vector<dealii::types::global_dof_index> indices(per_cell);
    std::array<dealii::Point<dim>, n_vertices>   vertices;
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells(); ++c)
      {
        const auto cell = with_dofs((*cells)[c], *dofs);
        cell->get_dof_indices(indices);
        for (unsigned int v = 0; v < n_vertices; ++v)
          vertices[v] = cell->vertex(v);
        for (int i = 0; i < per_cell; ++i)
          {
            if (indices[i] < first || indices[i] - first >= static_cast<unsigned int>(n))
              continue;
            dealii::Point<dim> p;
            for (unsigned int v = 0; v < n_vertices; ++v)
              p += weights[i][v] * vertices[v];
            // Cells that share the DoF write the same key, but for those where rounding splits it: any will do.
            write_atomically(order[indices[i] - first].first, key(p));
          }
      }
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    order[i].second = i;
  __gnu_parallel::sort(order.begin(), order.end()); // all are different: the same for any number of threads
  std::vector<dealii::types::global_dof_index> new_number(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    new_number[order[i].second] = first + i;
  order = {}; // not beside what deal.II needs for renumbering
  dofs->renumber_dofs(new_number);
}

// The local DoFs: those of the owned cells, and what constrains them.
template <int dim>
void LevelSpace<dim>::number_locally()
{
  using Index              = dealii::types::global_dof_index;
  const auto        &owned = dofs->locally_owned_dofs();
  std::vector<Index> ghosts, indices(per_cell);
  const auto         add = [&](Index dof) {
    if (!owned.is_element(dof)) // else the list would be long
      ghosts.push_back(dof);
  };
  if (dofs->n_dofs() != owned.n_elements())
    for (const auto cell : *cells)
      {
        with_dofs(cell, *dofs)->get_dof_indices(indices);
        for (const Index dof : indices)
          {
            add(dof);
            if (hanging_nodes.is_constrained(dof))
              for (const auto &[master, weight] : *hanging_nodes.get_constraint_entries(dof))
                add(master);
          }
      }
  numbers = make_partitioner(owned, std::move(ghosts), cells->mesh()->get_communicator());
  plan    = exchange_plan(*numbers);

  table.resize(cells->size() * per_cell);
#pragma omp parallel
  {
    std::vector<Index> dofs_of_cell(per_cell);
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells(); ++c)
      {
        with_dofs((*cells)[c], *dofs)->get_dof_indices(dofs_of_cell);
        for (int i = 0; i < per_cell; ++i)
          table[std::size_t(c) * per_cell + i] = local_number(dofs_of_cell[i]);
      }
  }
}

template <int dim>
long LevelSpace<dim>::n_hanging() const
{
  double n = static_cast<double>(std::count(constrained.begin(), constrained.begin() + n_owned(), hanging));
  communicator().sum(&n, 1);
  return std::lround(n);
}

template <int dim>
Array<double> LevelSpace<dim>::local_values(const double *owned) const
{
  Array<double> values(owned, owned + n_owned());
  return plan ? with_ghosts(*plan, std::move(values)) : values;
}

// A DoF belongs to the lowest of its cells' ranks, which have the cells in order: it is met first by its owner.
template <int dim>
StorageOrder LevelSpace<dim>::storage_order() const
{
  const auto *distributed =
    dynamic_cast<const dealii::parallel::DistributedTriangulationBase<dim> *>(cells->mesh().get());
  if (distributed == nullptr)
    return {};
  StorageOrder order{Communicator(cells->mesh()->get_communicator()), {}};
  Array<char>  met(n_owned(), 0);
  for (int c = 0; c < n_cells(); ++c)
    for (const int *dof = cell_dofs(c); dof != cell_dofs(c) + per_cell; ++dof)
      if (*dof < n_owned() && met[*dof] == 0)
        {
          met[*dof] = 1;
          order.entry.push_back(*dof);
        }
  return order;
}

template <int dim>
Array<double> LevelSpace<dim>::sum_local(Array<double> local) const
{
  return plan ? sum_ghosts(*plan, std::move(local)) : local;
}

// Sorts the DoFs into free, hanging and prescribed ones: the latter lie on faces of a boundary where their component is
// prescribed. A hanging DoF on the boundary stays hanging, so that the solution stays continuous.
template <int dim>
void LevelSpace<dim>::mark_constrained(const DirichletBoundary &dirichlet)
{
  const auto                   &fe = element();
  std::vector<std::vector<int>> on_face(dealii::GeometryInfo<dim>::faces_per_cell);
  for (unsigned int f = 0; f < on_face.size(); ++f)
    for (int i = 0; i < per_cell; ++i)
      if (fe.has_support_on_face(i, f))
        on_face[f].push_back(i);
  constrained.assign(n_owned() + numbers->n_ghost_indices(), free);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    {
      const auto cell = (*cells)[c];
      for (const unsigned int f : cell->face_indices())
        {
          const auto face     = cell->face(f);
          const auto boundary = cell->at_boundary(f) ? dirichlet.find(boundary_id(face)) : dirichlet.end();
          if (boundary == dirichlet.end())
            continue;
          for (const int i : on_face[f])
            if (boundary->second[fe.system_to_component_index(i).first])
              write_atomically(constrained[cell_dofs(c)[i]], fixed);
        }
    }
  if (plan)
    agree_on_prescribed();
  for (const auto &line : hanging_nodes.get_lines())
    if (numbers->in_local_range(line.index) || numbers->is_ghost_entry(line.index))
      constrained[local_number(line.index)] = hanging;
  for (int i = 0; i < n_owned(); ++i)
    if (constrained[i] == fixed)
      prescribed.push_back(i);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    constrained_cell[c] = std::any_of(cell_dofs(c), cell_dofs(c) + per_cell, [this](int i) { return !is_free(i); });
}

// A DoF is prescribed where the face of any rank's cell has it so.
template <int dim>
void LevelSpace<dim>::agree_on_prescribed()
{
  Array<double> n_marks(constrained.size());
  std::transform(constrained.begin(), constrained.end(), n_marks.begin(), [](auto kind) { return kind == fixed; });
  n_marks = local_values(sum_local(std::move(n_marks)).data());
  std::transform(n_marks.begin(), n_marks.end(), constrained.begin(), [](double n) { return n > 0 ? fixed : free; });
}

// The columns of B: the prescribed DoFs of all ranks, one rank's after the other's. Returns those of the local DoFs, -1
// for others.
template <int dim>
Array<int> LevelSpace<dim>::number_prescribed()
{
  const int  n     = static_cast<int>(constrained.size());
  const auto range = owned_range(prescribed.size(), cells->mesh()->get_communicator());
  Array<int> column_in_B(n, -1);
  for (std::size_t k = 0; k < prescribed.size(); ++k)
    column_in_B[prescribed[k]] = static_cast<int>(k);
  std::vector<dealii::types::global_dof_index> ghosts;
  if (plan)
    {
      Array<std::uint64_t> number(n_owned(), 0);
      for (std::size_t k = 0; k < prescribed.size(); ++k)
        number[prescribed[k]] = range.nth_index_in_set(k);
      number      = with_ghosts(*plan, std::move(number));
      int columns = static_cast<int>(prescribed.size());
      for (int i = n_owned(); i < n; ++i)
        if (constrained[i] == fixed)
          {
            ghosts.push_back(static_cast<dealii::types::global_dof_index>(number[i]));
            column_in_B[i] = columns++; // numbers ascend as those of the DoFs do
          }
    }
  prescribed_numbers = make_partitioner(range, std::move(ghosts), cells->mesh()->get_communicator());
  return column_in_B;
}

template <int dim>
void LevelSpace<dim>::build_constraint_matrices(const Array<int> &column_in_B)
{
  const int n = static_cast<int>(constrained.size());
  H.n_rows = H.n_cols = B.n_rows = n;
  B.n_cols                       = static_cast<int>(prescribed.size() + prescribed_numbers->n_ghost_indices());
  H.row_start.assign(n + 1, 0);
  B.row_start.assign(n + 1, 0);

  // The lines of local DoFs, by local numbers.
  struct Line
  {
    int                                 row;
    std::vector<std::pair<int, double>> entries;
  };
  std::vector<Line> lines;
  for (const auto &line : hanging_nodes.get_lines())
    if (numbers->in_local_range(line.index) || numbers->is_ghost_entry(line.index))
      {
        lines.push_back({local_number(line.index), {}});
        for (const auto &[j, weight] : line.entries)
          lines.back().entries.emplace_back(local_number(j), weight);
        std::sort(lines.back().entries.begin(), lines.back().entries.end());
      }

#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    if (constrained[i] == free)
      H.row_start[i + 1] = 1;
    else if (constrained[i] == fixed)
      B.row_start[i + 1] = 1;
  for (const auto &[row, entries] : lines)
    for (const auto &[j, weight] : entries)
      ++(constrained[j] == fixed ? B : H).row_start[row + 1];
  finish_row_starts(H);
  finish_row_starts(B);

#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    if (constrained[i] == free)
      {
        H.column[H.row_start[i]] = i;
        H.value[H.row_start[i]]  = 1.;
      }
    else if (constrained[i] == fixed)
      {
        B.column[B.row_start[i]] = column_in_B[i];
        B.value[B.row_start[i]]  = 1.;
      }
  for (const auto &[row, entries] : lines)
    {
      auto in_H = H.row_start[row], in_B = B.row_start[row];
      for (const auto &[j, weight] : entries)
        {
          const bool is_fixed = constrained[j] == fixed;
          auto      &matrix   = is_fixed ? B : H;
          auto      &k        = is_fixed ? in_B : in_H;
          matrix.column[k]    = is_fixed ? column_in_B[j] : j;
          matrix.value[k++]   = weight;
        }
    }
}

template class LevelSpace<2>;
template class LevelSpace<3>;
} // namespace adamant
