#include "dealii/forest_space.h"

#include "base/exceptions.h"
#include "dealii/user_dofs.h"
#include "fem/meshes/forest.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/numbering.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_tools.h>

#include <p4est_bits.h>
#include <p4est_lnodes.h>
#include <p8est_bits.h>
#include <p8est_lnodes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace adamant
{
namespace forest
{
namespace
{
template <int dim>
inline constexpr auto new_nodes = choose<dim>(p4est_lnodes_new, p8est_lnodes_new);
template <int dim>
inline constexpr auto destroy_nodes = choose<dim>(p4est_lnodes_destroy, p8est_lnodes_destroy);
template <int dim>
inline constexpr auto child_id = choose<dim>(p4est_quadrant_child_id, p8est_quadrant_child_id);

template <int dim>
auto nodes_of(Forest<dim> *cells, int degree)
{
  auto *ghosts = Functions<dim>::ghost_new(cells, touching<dim>);
  auto *nodes  = new_nodes<dim>(cells, ghosts, degree);
  Functions<dim>::ghost_destroy(ghosts);
  using Nodes = std::remove_pointer_t<decltype(nodes)>;
  return std::unique_ptr<Nodes, void (*)(Nodes *)>(nodes, destroy_nodes<dim>);
}

// The faces and, in 3D, the edges of a cell that are parts of larger ones.
template <int dim>
class HangingParts
{
public:
  template <class Code>
  explicit HangingParts(Code code)
  {
    std::fill(std::begin(faces), std::end(faces), -1);
    std::fill(std::begin(edges), std::end(edges), -1);
    if constexpr (dim == 2)
      any = p4est_lnodes_decode(code, faces) != 0;
    else
      any = p8est_lnodes_decode(code, faces, edges) != 0;
  }

  // Whether a point lies on one of them. `at` has its place along each axis: 0, 1, or 2 between the ends.
  bool have(const std::array<int, dim> &at) const
  {
    for (int d = 0; d < dim; ++d)
      if (at[d] < 2 && faces[2 * d + at[d]] >= 0)
        return true;
    if constexpr (dim == 3)
      for (int d = 0; d < dim; ++d)
        {
          const int first = at[d == 0 ? 1 : 0], second = at[d == 2 ? 1 : 2];
          if (first < 2 && second < 2 && edges[4 * d + first + 2 * second] >= 0)
            return true;
        }
    return false;
  }

  bool any = false;

private:
  int faces[2 * dim];
  int edges[12];
};
} // namespace
} // namespace forest

namespace
{
using Index = dealii::types::global_dof_index;

// A DoF of a cell: its node's number in the order of p4est, its component, and its place as in HangingParts.
template <int dim>
struct Place
{
  int                  node, component;
  std::array<int, dim> at;
};

template <int dim>
std::vector<Place<dim>> places_of(const dealii::FiniteElement<dim> &fe)
{
  const auto              lexicographic = dealii::FETools::hierarchic_to_lexicographic_numbering<dim>(fe.degree);
  std::vector<Place<dim>> places(fe.n_dofs_per_cell());
  for (unsigned int i = 0; i < places.size(); ++i)
    {
      const auto [component, k] = fe.system_to_component_index(i);
      places[i].node            = static_cast<int>(lexicographic[k]);
      places[i].component       = static_cast<int>(component);
      for (int d = 0; d < dim; ++d)
        {
          const double x  = fe.unit_support_point(i)[d];
          places[i].at[d] = x < 1e-10 ? 0 : x > 1. - 1e-10 ? 1 : 2;
        }
    }
  return places;
}

// Global numbers of DoFs from the numbers of nodes, which have m components each.
template <class Nodes>
std::shared_ptr<const Partitioner> partitioner_of(const Nodes &nodes, int m, MPI_Comm comm)
{
  std::vector<Index> ghosts;
  for (int k = 0; k < nodes.num_local_nodes - nodes.owned_count; ++k)
    for (int c = 0; c < m; ++c)
      ghosts.push_back(Index(nodes.nonlocal_nodes[k]) * m + c);
  return make_partitioner(owned_range(std::uint64_t(nodes.owned_count) * m, comm), std::move(ghosts), comm);
}

// Collects the rows of H: of free DoFs, and of DoFs that hang in one cell.
class RowsOfH
{
public:
  explicit RowsOfH(int n_free)
  {
    H.n_cols = n_free;
    H.row_start.resize(n_free + 1);
    H.column.resize(n_free);
    H.value.assign(n_free, 1.);
    std::iota(H.row_start.begin(), H.row_start.end(), EntryNumber(0));
    std::iota(H.column.begin(), H.column.end(), 0);
  }
  // Returns the number of a DoF with this value.
  int number_of(const Row &row)
  {
    if (row.size() == 1 && std::abs(row[0].second - 1.) < 1e-12) // the place of a larger cell's node
      return row[0].first;
    for (const auto &[column, weight] : row)
      {
        H.column.push_back(column);
        H.value.push_back(weight);
      }
    H.row_start.push_back(static_cast<EntryNumber>(H.column.size()));
    return to_index(H.row_start.size() - 2, "DoFs of a level");
  }
  CSRMatrix<double> finished()
  {
    H.n_rows = static_cast<int>(H.row_start.size()) - 1;
    return std::move(H);
  }

private:
  CSRMatrix<double> H;
};
} // namespace

// transfer_matrices() takes a node's row from one of the rank's own cells. From degree 3 on, a rank may own a node of a
// large face that is no node of its own smaller cell.
template <int dim>
bool numbered_by_forest(const dealii::Triangulation<dim> &mesh, const dealii::FiniteElement<dim> &fe)
{
  const auto *of_each = element_of_each(fe);
  const bool  taken   = is_distributed(mesh) && mesh.get_periodic_face_map().empty() && fe.degree <= 2 &&
                     of_each != nullptr && of_each->get_name() == dealii::FE_Q<dim>(fe.degree).get_name();
  if (taken)
    for (const auto &cell : mesh.cell_iterators_on_level(0))
      for (const unsigned int line : cell->line_indices())
        if (cell->line(line)->vertex_index(0) !=
            cell->vertex_index(dealii::GeometryInfo<dim>::line_to_cell_vertices(line, 0)))
          return false;
  return taken;
}

template <int dim>
std::unique_ptr<LevelSpace<dim>> forest_space(const LevelMesh<dim> &mesh, const dealii::FiniteElement<dim> &fe)
{
  auto      *cells    = mesh.forest.get();
  const auto nodes    = forest::nodes_of<dim>(cells, static_cast<int>(fe.degree));
  const int  m        = static_cast<int>(fe.n_components());
  const auto numbers  = partitioner_of(*nodes, m, cells->mpicomm);
  const auto places   = places_of(fe);
  const auto of_child = rows_of_children<dim>([&](unsigned int child) { return fe.get_prolongation_matrix(child); });
  const auto local    = [&](std::size_t c, const Place<dim> &place) {
    const auto node = nodes->element_nodes[c * nodes->vnodes + place.node];
    return node < nodes->owned_count ?
                node * m + place.component :
                static_cast<int>(
               numbers->global_to_local(Index(nodes->nonlocal_nodes[node - nodes->owned_count]) * m + place.component));
  };

  Array<int>  table(to_index(cells->local_num_quadrants * places.size(), "DoFs of all cells"));
  RowsOfH     H(to_index(numbers->locally_owned_size() + numbers->n_ghost_indices(), "DoFs of a level"));
  std::size_t c = 0;
  Row         row;
  forest::for_each_quadrant<dim>(cells, [&](const forest::Quadrant<dim> &cell) {
    const forest::HangingParts<dim> hanging(nodes->face_code[c]);
    for (std::size_t i = 0; i < places.size(); ++i)
      {
        int &dof = table[c * places.size() + i];
        if (!hanging.any || !hanging.have(places[i].at))
          {
            dof = local(c, places[i]);
            continue;
          }
        // p4est names the nodes of the larger face or edge. The parent has them at the same places.
        row.clear();
        for (const auto &[j, weight] : of_child[forest::child_id<dim>(&cell)][i])
          row.emplace_back(local(c, places[j]), weight);
        compress(row);
        dof = H.number_of(row);
      }
    ++c;
  });
  return std::make_unique<LevelSpace<dim>>(nullptr, fe, numbers, std::move(table), H.finished());
}

#define INSTANTIATE(dim)                                                                                    \
  template bool numbered_by_forest(const dealii::Triangulation<dim> &, const dealii::FiniteElement<dim> &); \
  template std::unique_ptr<LevelSpace<dim>> forest_space(const LevelMesh<dim> &, const dealii::FiniteElement<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
