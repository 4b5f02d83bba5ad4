#include "fem/spaces/mesh_change.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "base/row_ranges.h"
#include "fem/meshes/forest.h"

#include <deal.II/base/config.h>
#if DEAL_II_VERSION_GTE(9, 7, 0)
#include <deal.II/numerics/solution_transfer.h>
#else
#include <deal.II/distributed/solution_transfer.h>
#endif
#include <deal.II/distributed/tria.h>

#include <boost/signals2/connection.hpp>

#include <algorithm>
#include <array>

namespace adamant
{
namespace
{
// From where a cell of a changed mesh has its nodal values: the cell was there before the change (same), or its parent
// was (child), or its children were (parent).
struct Origin
{
  enum Kind : unsigned char
  {
    same,
    child,
    parent
  };
  Kind          kind;
  unsigned char which; // which child of its parent the cell is, for kind child
  int           cell;  // number of the former cell; for kind parent the number of the family
};
} // namespace

// The active cells of a serial mesh before the mesh changes, numbered as in LevelSpace. The change leaves cells at
// their places, but new cells of other parents may get the places of cells that vanish.
template <int dim>
class FormerCells
{
public:
  using Family = std::array<int, dealii::GeometryInfo<dim>::max_children_per_cell>; // former cells, in order

  explicit FormerCells(const dealii::Triangulation<dim> &mesh)
    : places(mesh.n_levels())
  {
    for (unsigned int level = 0; level < places.size(); ++level)
      places[level].resize(mesh.n_raw_cells(level));
    for (const auto &cell : mesh.active_cell_iterators())
      places[cell->level()][cell->index()] = {static_cast<int>(cell->active_cell_index()), parent_of(cell)};
    for (unsigned int level = 0; level + 1 < places.size(); ++level)
      for (const auto &cell : mesh.cell_iterators_on_level(level))
        if (cell->has_children())
          {
            Family family;
            for (unsigned int c = 0; c < family.size(); ++c)
              family[c] = places[level + 1][cell->child_index(c)].number;
            if (*std::min_element(family.begin(), family.end()) < 0)
              continue;
            places[level][cell->index()].number = -2 - static_cast<int>(families.size());
            families.push_back(family);
          }
  }

  // The origin of an active cell of the mesh after one change.
  Origin origin_of(const typename dealii::Triangulation<dim>::cell_iterator &cell) const
  {
    const std::size_t level = cell->level(), index = cell->index();
    const int         parent = parent_of(cell);
    if (level < places.size() && index < places[level].size())
      {
        const Place &before = places[level][index];
        if (before.number >= 0 && before.parent == parent)
          return {Origin::same, 0, before.number};
        if (before.number <= -2)
          return {Origin::parent, 0, -2 - before.number};
      }
    return {Origin::child, static_cast<unsigned char>(child_number(cell)), places[level - 1][parent].number};
  }

  const Family &family(int number) const { return families[number]; }

private:
  template <class Cell>
  static int parent_of(const Cell &cell)
  {
    return cell->level() > 0 ? cell->parent_index() : -1;
  }

  struct Place
  {
    int number = -1; // of the cell; where a family of cells had this parent: -2 minus the family's number
    int parent = -1;
  };
  std::vector<std::vector<Place>> places; // by level and index of the cell
  std::vector<Family>             families;
};

namespace
{
// Computes nodal values on the cells of a changed mesh, for an element with support points.
template <int dim>
class ChangedCell
{
public:
  explicit ChangedCell(const dealii::FiniteElement<dim> &element)
    : per_cell(static_cast<int>(element.n_dofs_per_cell()))
    , of_child(n_children, std::vector<Row>(per_cell))
    , of_parent(per_cell)
  {
    const auto append = [this](const dealii::FullMatrix<double> &matrix, int i, int first, Row &row) {
      for (int j = 0; j < per_cell; ++j)
        if (matrix(i, j) != 0.)
          row.emplace_back(first + j, matrix(i, j));
    };
    for (int c = 0; c < n_children; ++c)
      for (int i = 0; i < per_cell; ++i)
        {
          append(element.get_prolongation_matrix(c), i, 0, of_child[c][i]);
          Row of_this;
          append(element.get_restriction_matrix(c), i, c * per_cell, of_this);
          if (!of_this.empty() && !element.restriction_is_additive(i))
            of_parent[i].clear(); // each child at the node has the whole value
          of_parent[i].insert(of_parent[i].end(), of_this.begin(), of_this.end());
        }
  }

  // The value of DoF i of a cell with the given origin. `u` are the former nodal values. `dofs` are the DoFs of all
  // former cells, cell after cell.
  double value(const FormerCells<dim> &former, const Origin &origin, int i, const int *dofs, const double *u) const
  {
    const auto at = [=](int cell, int j) { return u[dofs[std::size_t(cell) * per_cell + j]]; };
    if (origin.kind == Origin::same)
      return at(origin.cell, i);
    double sum = 0;
    if (origin.kind == Origin::child)
      for (const auto &[j, weight] : of_child[origin.which][i])
        sum += weight * at(origin.cell, j);
    else
      for (const auto &[j, weight] : of_parent[i])
        sum += weight * at(former.family(origin.cell)[j / per_cell], j % per_cell);
    return sum;
  }

private:
  static constexpr int n_children = dealii::GeometryInfo<dim>::max_children_per_cell;

  int                           per_cell;
  std::vector<std::vector<Row>> of_child;  // by child and DoF: weights of the parent's DoFs
  std::vector<Row>              of_parent; // by DoF: weights of the DoFs of all children, child after child
};

// What p4est cannot coarsen.
template <int dim>
void drop_incomplete_families(dealii::Triangulation<dim> &mesh)
{
  for (const auto &cell : owned_cells(mesh))
    if (cell->coarsen_flag_set())
      {
        bool complete = cell->level() > 0;
        for (unsigned int c = 0; complete && c < cell->parent()->n_children(); ++c)
          {
            const auto &sibling = cell->parent()->child(c);
            complete            = sibling->is_active() && sibling->is_locally_owned() && sibling->coarsen_flag_set();
          }
        if (!complete)
          cell->clear_coarsen_flag();
      }
}
} // namespace

// The vectors of one space. On serial meshes, tables of their own carry the vectors; see OnForest.
template <int dim>
struct MeshChange<dim>::Transfer
{
  explicit Transfer(const LevelSpace<dim> &space)
    : id(&space)
  {}
  virtual ~Transfer() = default;

  virtual void prepare() {}
  // The values of a vector in the numbers of the space on the new mesh.
  virtual NodalVector values(std::size_t which, const LevelSpace<dim> &space) = 0;

  const void *const        id; // the space, while the vectors are added
  std::vector<NodalVector> vectors;
  std::size_t              n_taken = 0;
};

// deal.II's own class takes three numberings of the DoFs, and maps of cells.
template <int dim>
class MeshChange<dim>::OnSerialMesh : public MeshChange<dim>::Transfer
{
public:
  explicit OnSerialMesh(const LevelSpace<dim> &space, const std::shared_ptr<const FormerCells<dim>> &former)
    : Transfer(space)
    , former(former)
    , former_dofs(space.cell_dofs(0), space.cell_dofs(space.n_cells()))
    , changed(space.element())
  {}

  NodalVector values(std::size_t which, const LevelSpace<dim> &space) override
  {
    const int per_cell = space.dofs_per_cell();
    if (first.empty())
      {
        origins.resize(space.n_cells());
#pragma omp parallel for schedule(static)
        for (int c = 0; c < space.n_cells(); ++c)
          origins[c] = former->origin_of(space.active_cells()[c]);
        // Of the cells that have a DoF the first gives its value: they agree but for rounding.
        first = first_places(space.cell_dofs(0), space.n_cells() * per_cell, space.n_owned());
      }
    NodalVector   result = nodal_vector(space);
    const double *u      = this->vectors[which].begin();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < space.n_owned(); ++i)
      result.local_element(i) =
        changed.value(*former, origins[first[i] / per_cell], first[i] % per_cell, former_dofs.data(), u);
    return result;
  }

private:
  const std::shared_ptr<const FormerCells<dim>> former;
  const Array<int>                              former_dofs;
  const ChangedCell<dim>                        changed;
  Array<Origin>                                 origins; // of the new space's cells
  Array<int>                                    first;   // where the table of its cells' DoFs has each of them first
};

// On a mesh of p4est, by deal.II. It wants one DoFHandler before and after, which is numbered anew on the new mesh.
template <int dim>
class MeshChange<dim>::OnForest : public MeshChange<dim>::Transfer
{
public:
  explicit OnForest(const LevelSpace<dim> &space)
    : Transfer(space)
    , dofs(space.shared_dof_handler())
    , transfer(*dofs)
  {}

  void prepare() override
  {
    std::vector<const NodalVector *> all;
    for (auto &vector : this->vectors)
      {
        vector.update_ghost_values(); // copies, as a std::vector makes them, have none
        all.push_back(&vector);
      }
    transfer.prepare_for_coarsening_and_refinement(all);
  }

  // In the numbers of the space, which sorts the DoFs in its own way.
  NodalVector values(std::size_t which, const LevelSpace<dim> &space) override
  {
    if (!interpolated) // the ranks do it together, also one that owns no DoF
      {
        dofs->distribute_dofs(dofs->get_fe());
        std::vector<NodalVector>   all(this->vectors.size(), nodal_vector(*dofs));
        std::vector<NodalVector *> pointers;
        for (auto &vector : all)
          pointers.push_back(&vector);
        transfer.interpolate(pointers);
        this->vectors.swap(all);
        for (auto &vector : this->vectors)
          vector.update_ghost_values();
        numbers.resize(space.n_owned());
        for_dofs_of_cells(space.active_cells(), *dofs, [&](int c, const auto &of_cell) {
          for (int i = 0; i < space.dofs_per_cell(); ++i)
            if (const int dof = space.cell_dofs(c)[i]; dof < space.n_owned())
              write_atomically(numbers[dof], of_cell[i]);
        });
        interpolated = true;
      }
    NodalVector result = nodal_vector(space);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < space.n_owned(); ++i)
      result.local_element(i) = this->vectors[which](numbers[i]);
    return result;
  }

private:
#if DEAL_II_VERSION_GTE(9, 7, 0)
  using SolutionTransfer = dealii::SolutionTransfer<dim, NodalVector>;
#else
  using SolutionTransfer = dealii::parallel::distributed::SolutionTransfer<dim, NodalVector>;
#endif
  const std::shared_ptr<dealii::DoFHandler<dim>> dofs;
  SolutionTransfer                               transfer;
  Array<dealii::types::global_dof_index>         numbers; // of the new space's owned DoFs in `dofs`
  bool                                           interpolated = false;
};

template <int dim>
MeshChange<dim>::MeshChange(dealii::Triangulation<dim> &mesh)
  : mesh(mesh)
{
  const auto any_flag = [&mesh](bool refine) {
    for (const auto &cell : mesh.active_cell_iterators())
      if (cell->is_locally_owned() && (refine ? cell->refine_flag_set() : cell->coarsen_flag_set()))
        return true;
    return false;
  };
  // On a serial mesh the flags come to what deal.II's rules for hanging nodes allow in execute(), once more and not
  // cheaply; they take away no flag for refinement.
  const bool refines = any_flag(true);
  if (is_distributed(mesh))
    drop_incomplete_families(mesh);
  else if (!refines)
    mesh.prepare_coarsening_and_refinement();
  double n = refines || any_flag(false) ? 1. : 0.;
  Communicator(mesh.get_communicator()).sum(&n, 1);
  changes = n > 0.;
}

template <int dim>
MeshChange<dim>::~MeshChange() = default;

template <int dim>
typename MeshChange<dim>::Transfer &MeshChange<dim>::transfer_of(const LevelSpace<dim> &space)
{
  for (const auto &transfer : transfers)
    if (transfer->id == &space)
      return *transfer;
  if (is_distributed(mesh))
    return *transfers.emplace_back(std::make_unique<OnForest>(space));
  if (!former)
    former = std::make_shared<const FormerCells<dim>>(mesh);
  return *transfers.emplace_back(std::make_unique<OnSerialMesh>(space, former));
}

template <int dim>
void MeshChange<dim>::keep(const LevelSpace<dim> &space, const double *owned)
{
  NodalVector values = nodal_vector(space, owned);
  space.hanging_nodes.distribute(values);
  kept.push_back(&transfer_of(space));
  kept.back()->vectors.push_back(std::move(values));
}

template <int dim>
void MeshChange<dim>::prepare()
{
  for (const auto &transfer : transfers)
    transfer->prepare();
}

// On a mesh of p4est the result is made to depend on the flags alone, not on the partition. First deal.II changes flags
// by its rules for hanging nodes, near other ranks' cells without knowing their flags. So the flags are put back, and
// p4est sees to 2:1. Then deal.II asks for the weight of each of the refined forest's quadrants, in their order.
template <int dim>
void MeshChange<dim>::execute()
{
  std::vector<signed char>           flags;
  std::vector<int>                   weights;
  std::size_t                        n_weighed = 0;
  boost::signals2::scoped_connection restores, weighs;
  if (auto *distributed = dynamic_cast<dealii::parallel::distributed::Triangulation<dim> *>(&mesh))
    {
      flags    = flags_of(mesh);
      restores = mesh.signals.pre_distributed_refinement.connect([&] {
        auto flag = flags.begin();
        for (const auto &cell : owned_cells(mesh))
          set_flag(cell, *flag++);
      });
      weighs   = mesh.signals.weight.connect([&, distributed](const auto &, const auto) -> unsigned int {
        if (weights.empty())
          weights = forest::weights<dim>(const_cast<forest::Forest<dim> *>(distributed->get_p4est()));
        return weights.at(n_weighed++);
      });
    }
  mesh.execute_coarsening_and_refinement();
}

template <int dim>
Array<double> MeshChange<dim>::take(const LevelSpace<dim> &space)
{
  if (taken == kept.size())
    throw RunError("more vectors are taken from a change of the mesh than were kept");
  Transfer   &transfer = *kept[taken++];
  NodalVector values   = transfer.values(transfer.n_taken++, space);
  space.hanging_nodes.distribute(values);
  return Array<double>(values.begin(), values.begin() + space.n_owned());
}

template class MeshChange<2>;
template class MeshChange<3>;
} // namespace adamant
