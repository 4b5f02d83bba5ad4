#include "fem/meshes/flag_cells.h"

#include "base/communicator.h"
#include "fem/meshes/mesh.h"

#include <deal.II/grid/grid_tools.h>

#include <boost/iterator/counting_iterator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace adamant
{
namespace
{
constexpr int largest_key = 1 << 30; // sums of a few million are exact in double precision

// To 12 bits: what symmetry makes equal is equal then, whatever the rounding of the sums in it.
double rounded(double value)
{
  int          exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 12)), exponent - 12);
}

// The squares of the indicators, as multiples of 2^-30 of the largest one.
template <class Cells>
std::vector<int> keys_of(const Cells &cells, const dealii::Vector<float> &indicators, const Communicator &ranks)
{
  double largest = 0;
  for (const auto &cell : cells)
    largest = std::max(largest, rounded(indicators[cell->active_cell_index()]));
  ranks.max(&largest, 1);
  std::vector<int> keys;
  keys.reserve(cells.size());
  for (const auto &cell : cells)
    {
      const double share = largest > 0. ? rounded(indicators[cell->active_cell_index()]) / largest : 0.;
      keys.push_back(static_cast<int>(share * share * largest_key));
    }
  return keys;
}

// Returns one number for the vertices that periodic faces make one.
template <int dim>
std::vector<unsigned int> joined_vertices(const dealii::Triangulation<dim> &mesh)
{
  std::vector<unsigned int> number(mesh.n_vertices());
  std::iota(number.begin(), number.end(), 0u);
  std::map<unsigned int, std::vector<unsigned int>> groups;
  std::map<unsigned int, unsigned int>              group_of;
  if (!mesh.get_periodic_face_map().empty())
    dealii::GridTools::collect_coinciding_vertices(mesh, groups, group_of);
  for (const auto &[vertex, group] : group_of)
    number[vertex] = group;
  return number;
}

template <int dim>
using FamilyCell = typename dealii::Triangulation<dim>::active_cell_iterator;

// Calls action(parent) for this rank's families; a family is one rank's.
template <int dim, class Action>
void for_each_family(const dealii::Triangulation<dim> &mesh, const Action &action)
{
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned() && child_number(cell) == 0)
      action(cell->parent());
}

/// What becomes of the families: 1, 0, -1 for refined, kept, made one with their siblings.
template <int dim>
class FamilyFlags
{
public:
  explicit FamilyFlags(dealii::Triangulation<dim> &mesh)
    : mesh(mesh)
    , joined(joined_vertices(mesh))
    , flags(mesh.n_active_cells(), 0)
  {
    for_each_family(mesh, [this](const auto &parent) {
      bool refine = false, coarsen = true;
      for (unsigned int c = 0; c < parent->n_children(); ++c)
        {
          refine  = refine || parent->child(c)->refine_flag_set();
          coarsen = coarsen && parent->child(c)->coarsen_flag_set();
        }
      set(parent, refine ? 1 : coarsen ? -1 : 0);
    });
    while (raise())
      ;
    for (const auto &cell : owned_cells(mesh))
      set_flag(cell, flag(cell));
  }

private:
  signed char flag(const FamilyCell<dim> &cell) const { return flags[cell->active_cell_index()]; }
  template <class Parent>
  void set(const Parent &parent, signed char flag)
  {
    for (unsigned int c = 0; c < parent->n_children(); ++c)
      flags[FamilyCell<dim>(parent->child(c))->active_cell_index()] = flag;
  }

  /// One pass over the families, of which some may be raised by one; whether any rank's have been.
  bool raise()
  {
    if (is_distributed(mesh))
      dealii::GridTools::exchange_cell_data_to_ghosts<signed char, dealii::Triangulation<dim>>(
        mesh, [this](const auto &cell) { return flag(cell); },
        [this](const auto &cell, signed char flag) { flags[cell->active_cell_index()] = flag; });
    // Each vertex gets the largest level that a family there will have, and the number of families to be coarsened
    // whose parent's parent has the vertex in its middle. Child c has its parent's corner c. The corner in the middle
    // of the parent's parent is opposite to the corner at which the family lies.
    std::vector<int> level(mesh.n_vertices(), 0), n_coarsened(mesh.n_vertices(), 0);
    for (const auto &cell : mesh.active_cell_iterators())
      if (!cell->is_artificial())
        {
          const auto child     = child_number(cell);
          const auto vertex    = cell->vertex_index(child);
          int       &at_vertex = level[joined[vertex]];
          at_vertex            = std::max(at_vertex, cell->level() + flag(cell));
          if (flag(cell) < 0 && child == middle(cell->parent()))
            ++n_coarsened[vertex];
        }
    double n_raised = 0;
    for_each_family(mesh, [&](const auto &parent) {
      const FamilyCell<dim> first(parent->child(0));
      bool                  raised = false;
      for (unsigned int c = 0; c < parent->n_children(); ++c)
        for (const unsigned int v : parent->child(c)->vertex_indices())
          raised = raised || level[joined[parent->child(c)->vertex_index(v)]] > first->level() + flag(first) + 1;
      if (flag(first) < 0 && !raised)
        raised = parent->level() == 0 || n_coarsened[parent->child(middle(parent))->vertex_index(middle(parent))] !=
                                           static_cast<int>(parent->n_children());
      if (raised)
        {
          set(parent, static_cast<signed char>(flag(first) + 1));
          ++n_raised;
        }
    });
    Communicator(mesh.get_communicator()).sum(&n_raised, 1);
    return n_raised > 0.;
  }

  /// The child of a family that lies in the middle of the family's parent, and its corner there; none at level 0.
  template <class Parent>
  static unsigned int middle(const Parent &parent)
  {
    return parent->n_children() - 1 - (parent->level() > 0 ? child_number(parent) : 0);
  }

  dealii::Triangulation<dim>     &mesh;
  const std::vector<unsigned int> joined; // the number of each vertex
  std::vector<signed char>        flags;  // of each active cell its family's
};
} // namespace

template <int dim>
void flag_cells(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                double coarsen, FractionsOf fractions)
{
  const Communicator ranks(mesh.get_communicator());
  const auto         cells = owned_cells(mesh);
  const auto         keys  = keys_of(cells, indicators, ranks);
  const auto         part  = [&](int from, int to) {
    std::int64_t of_rank = 0; // loops without branches: there are many
    if (fractions == FractionsOf::error)
      for (const int key : keys)
        of_rank += from <= key && key <= to ? key : 0;
    else
      for (const int key : keys)
        of_rank += from <= key && key <= to;
    double sum = static_cast<double>(of_rank);
    ranks.sum(&sum, 1);
    return sum;
  };
  const double all = part(0, largest_key);
  // The largest key that belongs to too small a part, and the smallest one that makes up the other.
  using Key       = boost::counting_iterator<int>;
  const int above = *std::partition_point(Key(0), Key(largest_key),
                                          [&](int key) { return part(key + 1, largest_key) >= refine * all; }),
            up_to =
              *std::partition_point(Key(-1), Key(largest_key), [&](int key) { return part(0, key) < coarsen * all; });
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (keys[c] > 0 && keys[c] >= above && refine > 0.)
      cells[c]->set_refine_flag();
    else if (keys[c] <= up_to)
      cells[c]->set_coarsen_flag();
}

template <int dim>
double norm_of_indicators(const dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators)
{
  double sum = 0;
  for (const auto &cell : owned_cells(mesh))
    {
      const double indicator = rounded(indicators[cell->active_cell_index()]);
      sum += indicator * indicator;
    }
  Communicator(mesh.get_communicator()).sum(&sum, 1);
  return std::sqrt(sum);
}

template <int dim>
void sum_over_families(const dealii::Triangulation<dim> &mesh, dealii::Vector<float> &indicators)
{
  for_each_family(mesh, [&](const auto &parent) {
    double sum = 0;
    for (unsigned int c = 0; c < parent->n_children(); ++c)
      sum += std::pow(indicators[FamilyCell<dim>(parent->child(c))->active_cell_index()], 2);
    for (unsigned int c = 0; c < parent->n_children(); ++c)
      indicators[FamilyCell<dim>(parent->child(c))->active_cell_index()] = static_cast<float>(std::sqrt(sum));
  });
}

template <int dim>
void flag_families(dealii::Triangulation<dim> &mesh)
{
  FamilyFlags<dim>{mesh};
}

#define INSTANTIATE(dim)                                                                                                \
  template double norm_of_indicators(const dealii::Triangulation<dim> &, const dealii::Vector<float> &);                \
  template void   flag_cells(dealii::Triangulation<dim> &, const dealii::Vector<float> &, double, double, FractionsOf); \
  template void   sum_over_families(const dealii::Triangulation<dim> &, dealii::Vector<float> &);                       \
  template void   flag_families(dealii::Triangulation<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
