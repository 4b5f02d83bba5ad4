#include "fem/spaces/level_space.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/numerics/vector_tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

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

// The conditions u . n = 0 at the node whose components are the DoFs from `first` on, each solved for one component:
// (its DoF, (other DoF, weight)). DoFs that are not free are solved for in no condition.
template <int dim>
std::vector<std::pair<int, Row>> normal_conditions(int                                                first,
                                                   const std::vector<std::array<Array<double>, dim>> &normals,
                                                   const Array<unsigned char>                        &is_constrained)
{
  using Vector = dealii::Tensor<1, dim>;
  std::vector<std::pair<int, Row>>    conditions;
  std::vector<std::pair<int, Vector>> solved; // component, and the row in which it is 1
  for (const Vector &sum : directions_at<dim>(first, normals))
    {
      Vector row = sum / sum.norm();
      for (const auto &[component, other] : solved)
        row -= row[component] * other;
      int pivot = -1;
      for (int d = 0; d < dim; ++d) // of equal ones the first, whatever rounding says
        if (is_constrained[first + d] == 0 &&
            std::abs(row[d]) > (pivot < 0 ? 1e-3 : (1. + 1e-6) * std::abs(row[pivot])))
          pivot = d;
      if (pivot < 0) // it is prescribed
        continue;
      row /= double(row[pivot]);
      solved.emplace_back(pivot, row);
      Row entries;
      for (int d = 0; d < dim; ++d)
        if (d != pivot && std::abs(row[d]) > 1e-12)
          entries.emplace_back(first + d, -row[d]);
      conditions.emplace_back(first + pivot, entries);
    }
  return conditions;
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
  auto numbering = number_dofs(cells, element());
  cells          = std::move(numbering.cells);
  dofs           = std::move(numbering.dofs);
  numbers        = std::move(numbering.partition);
  table          = std::move(numbering.cell_dofs);
  hanging_nodes  = std::move(numbering.hanging_nodes);
  plan           = exchange_plan(*numbers);
  mark_constrained(dirichlet);
  build_constraint_matrices(number_prescribed());
}

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh,
                            const dealii::FiniteElement<dim> &fe, const DirichletBoundary &dirichlet)
  : LevelSpace(std::make_shared<const CellList<dim>>(std::move(mesh)), fe, dirichlet)
{}

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe,
                            std::shared_ptr<const Partitioner> numbers_, Array<int> cell_dofs, CSRMatrix<double> H_)
  : H(std::move(H_))
  , element_(fe.clone())
  , cells(std::move(cells))
  , numbers(std::move(numbers_))
  , plan(exchange_plan(*numbers))
  , per_cell(static_cast<int>(fe.n_dofs_per_cell()))
  , rows_per_node(components_of_each_node(fe))
  , table(std::move(cell_dofs))
  , constrained(H.n_rows)
  , constrained_cell(table.size() / per_cell)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < H.n_rows; ++i)
    constrained[i] = H.row_start[i + 1] == H.row_start[i] + 1 && H.column[H.row_start[i]] == i ? free : hanging;
  mark_constrained_cells();
}

template <int dim>
void LevelSpace<dim>::mark_constrained_cells()
{
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    constrained_cell[c] = std::any_of(cell_dofs(c), cell_dofs(c) + per_cell, [this](int i) { return !is_free(i); });
}

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
  const auto &owned = made->locally_owned_dofs();
  if (made->n_dofs() != numbers->size() || owned.n_elements() != numbers->locally_owned_size())
    throw RunError("degrees of freedom: deal.II counts " + std::to_string(made->n_dofs()) + " of " +
                   element().get_name() + ", but the level has " + std::to_string(numbers->size()));
  std::vector<dealii::types::global_dof_index> number(owned.n_elements());
  for_dofs_of_cells(*active, *made, [&](int c, const auto &of_cell) {
    for (int i = 0; i < per_cell; ++i)
      if (owned.is_element(of_cell[i]))
        write_atomically(number[owned.index_within_set(of_cell[i])], numbers->local_to_global(cell_dofs(c)[i]));
  });
  made->renumber_dofs(number);
  return dofs = made;
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
  if (!is_distributed(*cells->mesh()))
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
Array<unsigned char> LevelSpace<dim>::marked_on_boundary(const std::function<bool(unsigned, unsigned)>     &marks,
                                                         const std::function<unsigned int(const double *)> &at) const
{
  const auto                  on_face = dofs_on_faces(element());
  const dealii::MappingQ<dim> mapping(mapping_degree);
  Array<double>               n_marks(n_owned() + numbers->n_ghost_indices(), 0.);
#pragma omp parallel
  {
    std::optional<dealii::FEValues<dim>> nodes;
    if (at)
      nodes.emplace(mapping, element(), dealii::Quadrature<dim>(element().get_unit_support_points()),
                    dealii::update_quadrature_points);
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells(); ++c)
      {
        const auto cell = (*cells)[c];
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f))
            for (const int i : on_face[f])
              if (marks(boundary_id(cell->face(f)), element().system_to_component_index(i).first))
                write_atomically(n_marks[cell_dofs(c)[i]], 1.);
        if (at)
          nodes->reinit(cell);
        for (int i = 0; at && i < per_cell; ++i)
          if ((at(&nodes->quadrature_point(i)[0]) >> element().system_to_component_index(i).first & 1U) != 0)
            write_atomically(n_marks[cell_dofs(c)[i]], 1.);
      }
  }
  for (int i = 0; i < static_cast<int>(n_marks.size()); ++i)
    if (const auto *entries =
          n_marks[i] > 0. ? hanging_nodes.get_constraint_entries(numbers->local_to_global(i)) : nullptr)
      if (entries->size() == 1 && entries->front().second == 1.)
        n_marks[local_number(entries->front().first)] += 1.;
  if (plan)
    n_marks = local_values(sum_local(std::move(n_marks)).data());
  Array<unsigned char> marked(n_marks.size());
  std::transform(n_marks.begin(), n_marks.end(), marked.begin(), [](double n) { return n > 0; });
  return marked;
}

// Sorts the DoFs into free, hanging and prescribed ones: the latter lie on faces of a boundary where their component is
// prescribed. A hanging DoF on the boundary stays hanging, so that the solution stays continuous.
template <int dim>
void LevelSpace<dim>::mark_constrained(const DirichletBoundary &dirichlet)
{
  mapping_degree = dirichlet.mapping_degree;
  constrained    = marked_on_boundary(
    [&](unsigned int id, unsigned int component) {
      const auto boundary = dirichlet.find(id);
      return boundary != dirichlet.end() && boundary->second[component];
    },
    dirichlet.at_point);
  for (const auto &line : hanging_nodes.get_lines())
    if (numbers->in_local_range(line.index) || numbers->is_ghost_entry(line.index))
      constrained[local_number(line.index)] = hanging;
  constrain_normals(dirichlet.normal);
  for (int i = 0; i < n_owned(); ++i)
    if (constrained[i] == fixed)
      prescribed.push_back(i);
  mark_constrained_cells();
}

template <int dim>
std::array<Array<double>, dim> LevelSpace<dim>::nodal_normals(dealii::types::boundary_id id) const
{
  const auto                     on_face = dofs_on_faces(element());
  std::array<Array<double>, dim> normals;
  for (auto &component : normals)
    component.assign(constrained.size(), 0.);
  const dealii::MappingQ<dim> mapping(mapping_degree);
  const int                   n = element().degree + 1;
  // The points of the second rule are the nodes.
  const dealii::Quadrature<dim - 1> rule =
    mapping_degree == 1 ? dealii::Quadrature<dim - 1>(dealii::QGauss<dim - 1>(n)) : dealii::QGaussLobatto<dim - 1>(n);
  dealii::FEFaceValues<dim> at_face(mapping, element(), rule,
                                    dealii::update_values | dealii::update_normal_vectors | dealii::update_JxW_values);
  for (int c = 0; c < n_cells(); ++c)
    for (const unsigned int f : (*cells)[c]->face_indices())
      if ((*cells)[c]->at_boundary(f) && boundary_id((*cells)[c]->face(f)) == id)
        {
          at_face.reinit((*cells)[c], f);
          for (const int i : on_face[f])
            for (const unsigned int q : at_face.quadrature_point_indices())
              for (int d = 0; d < dim; ++d)
                normals[d][cell_dofs(c)[i]] += at_face.shape_value(i, q) * at_face.normal_vector(q)[d] * at_face.JxW(q);
        }
  for (auto &component : normals)
    {
      for (int i = 0; i < static_cast<int>(component.size()); ++i)
        if (component[i] != 0.) // it is a part of the functions on which DoF i hangs
          if (const auto *entries = hanging_nodes.get_constraint_entries(numbers->local_to_global(i)))
            for (const auto &[other, weight] : *entries)
              if (const int j = local_number(other); j / rows_per_node != i / rows_per_node) // else u . n = 0 says it
                component[j] += weight * component[i];
      if (plan)
        component = local_values(sum_local(std::move(component)).data());
    }
  return normals;
}

template <int dim>
void LevelSpace<dim>::constrain_normals(const std::set<dealii::types::boundary_id> &ids)
{
  if (ids.empty())
    return;
  if (rows_per_node < dim)
    throw RunError("u . n = 0 on a boundary needs an element whose nodes have all components of u");
  std::vector<std::array<Array<double>, dim>> normals;
  for (const auto id : ids)
    normals.push_back(nodal_normals(id));
  dealii::AffineConstraints<double> all(hanging_nodes.get_local_lines());
  for (const auto &line : hanging_nodes.get_lines())
    {
      all.add_line(line.index);
      all.add_entries(line.index, line.entries);
    }
  for (int node = 0; node < static_cast<int>(constrained.size()); node += rows_per_node)
    for (int first = node; first + dim <= node + rows_per_node; first += dim) // of a vector
      for (const auto &[dof, entries] : normal_conditions<dim>(first, normals, constrained))
        {
          constrained[dof] = hanging;
          all.add_line(numbers->local_to_global(dof));
          for (const auto &[other, weight] : entries)
            all.add_entry(numbers->local_to_global(dof), numbers->local_to_global(other), weight);
        }
  all.close();
  hanging_nodes = std::move(all);
}

// Numbers the columns of B: the prescribed DoFs of all ranks, one rank's after the other's. Returns the columns of the
// local DoFs, and -1 for DoFs that are not prescribed.
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
  const int  n    = static_cast<int>(constrained.size());
  const auto part = [&](bool of_prescribed, int n_cols, std::size_t usual_length) {
    const auto fill = [&](int i, Row &row) {
      if (n_cols == 0)
        return;
      const auto put = [&](int j, double weight) {
        if ((constrained[j] == fixed) == of_prescribed)
          row.emplace_back(of_prescribed ? column_in_B[j] : j, weight);
      };
      if (constrained[i] != hanging) // one entry, for the DoF itself
        return put(i, 1.);
      for (const auto &[j, weight] : *hanging_nodes.get_constraint_entries(numbers->local_to_global(i)))
        put(local_number(j), weight);
      std::sort(row.begin(), row.end());
    };
    return matrix_of_rows(n, n_cols, fill, usual_length);
  };
  H = part(false, n, 1);
  B = part(true, static_cast<int>(prescribed.size() + prescribed_numbers->n_ghost_indices()), 0);
}

template <int dim>
NodalVector nodal_vector(const dealii::DoFHandler<dim> &dofs)
{
  return NodalVector(dofs.locally_owned_dofs(), dealii::DoFTools::extract_locally_relevant_dofs(dofs),
                     dofs.get_communicator());
}

template <int dim>
NodalVector interpolate(const dealii::Mapping<dim> &mapping, const dealii::DoFHandler<dim> &dofs,
                        const dealii::Function<dim> &function)
{
  NodalVector values = nodal_vector(dofs);
  dealii::VectorTools::interpolate(mapping, dofs, function, values);
  hanging_node_constraints(dofs).distribute(values);
  values.update_ghost_values();
  return values;
}

template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space)
{
  if (space.communicator().size() > 1)
    return nodal_vector(space.dof_handler());
  return NodalVector(space.partition().locally_owned_range(), space.partition().get_mpi_communicator());
}

template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space, const double *owned)
{
  NodalVector values = nodal_vector(space);
  std::copy_n(owned, space.n_owned(), values.begin());
  values.update_ghost_values();
  return values;
}

#define INSTANTIATE(dim)                                                                          \
  template class LevelSpace<dim>;                                                                 \
  template NodalVector nodal_vector(const dealii::DoFHandler<dim> &);                             \
  template NodalVector nodal_vector(const LevelSpace<dim> &);                                     \
  template NodalVector nodal_vector(const LevelSpace<dim> &, const double *);                     \
  template NodalVector interpolate(const dealii::Mapping<dim> &, const dealii::DoFHandler<dim> &, \
                                   const dealii::Function<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
