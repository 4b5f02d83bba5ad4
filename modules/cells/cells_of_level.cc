#include "cells/cells_of_level.h"

#include "cells/cell_matrix.h"
#include "fem/ranks/distributed_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// Why a level is no mesh for products by cells.
const char *const causes[] = {"", "n is prescribed where nodes of these levels hang, or along no axis",
                              "sides of these levels' cells are not parallel to the axes",
                              "cells of these levels are no boxes of one shape, or some are turned by 180 degrees"};

bool none_on(const Communicator &ranks, int cause, std::string &why)
{
  double most = cause;
  ranks.max(&most, 1);
  why = causes[static_cast<int>(most)];
  return most == 0.;
}

// Whether cells have one matrix K. Rounding of coordinates may make a few matrices, which differ by that rounding.
bool agree_to_rounding(const Array<double> &of_shapes, const Array<double> &K)
{
  double largest = 0., difference = 0.;
  for (std::size_t k = 0; k < of_shapes.size(); ++k)
    {
      largest    = std::max(largest, std::abs(of_shapes[k]));
      difference = std::max(difference, std::abs(of_shapes[k] - K[k % K.size()]));
    }
  return difference <= 1e-11 * largest;
}

// How the numbers of nodes grow in the directions of a cell, where all cells agree.
std::optional<std::array<int, 3>> common_strides(const LevelSpace<3> &space)
{
  std::array<int, 3> strides;
  for (int d = 0; d < 3; ++d)
    strides[d] = (space.cell_dofs(0)[3 << d] - space.cell_dofs(0)[0]) / 3;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        int expected = space.cell_dofs(cell)[0] + i % 3;
        for (int d = 0; d < 3; ++d)
          expected += (i / 3 >> d & 1) * 3 * strides[d];
        if (space.cell_dofs(cell)[i] != expected)
          return std::nullopt;
      }
  return strides;
}

// A cell's axes may point anywhere: K tells which component is along which.
std::optional<CellMesh> with_axes(CellMesh mesh)
{
  do
    if (CellMatrix::can_be_made(mesh))
      return mesh;
  while (std::next_permutation(mesh.along.begin(), mesh.along.begin() + mesh.n_components));
  return std::nullopt;
}

// The matrices of a cell from the values for pairs of nodes, whose order cells_of_level has. Vertex a of the result is
// vertex[a] of the cell.
void set_local(CellMesh &mesh, const Array<double> &of_pairs, const std::array<int, 8> &vertex)
{
  const int nv = mesh.n_vertices(), nc = mesh.n_components;
  mesh.local.clear();
  for (std::size_t i = 0; i < of_pairs.size(); i += mesh.n_entries())
    for (int a = 0; a < nv; ++a)
      for (int c = 0; c < nc; ++c)
        for (int b = 0; b < nv; ++b)
          for (int d = 0; d < nc; ++d)
            mesh.local.push_back(of_pairs[i + ((nv * vertex[a] + vertex[b]) * nc + c) * nc + d]);
}

// The vertices of this rank's cells, as local nodes of the space, and what is prescribed. K has the matrices of a cell,
// and `vertex` is as in set_local.
template <int dim>
CellMesh mesh_of(const LevelSpace<dim> &space, const Array<double> &K, const std::array<int, 8> &vertex)
{
  CellMesh mesh;
  mesh.dim     = dim;
  const int nv = mesh.n_vertices(), nc = mesh.n_components = space.node_size();
  mesh.power.fill(nc == 1 ? dim - 1 : dim - 2);
  mesh.power[0] = dim - 2;
  if (nc == 1)
    mesh.power[1] = dim;
  set_local(mesh, K, vertex);
  mesh.nodes.resize(std::size_t(nv) * space.n_cells());
  mesh.fixed.resize(space.n_dofs() / nc);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < nv; ++a)
      mesh.nodes[std::size_t(nv) * cell + a] = space.cell_dofs(cell)[nc * vertex[a]] / nc;
#pragma omp parallel for schedule(static)
  for (int node = 0; node < mesh.n_nodes(); ++node)
    {
      int fixed = 0;
      for (int c = 0; c < nc; ++c)
        fixed |= !space.is_free(nc * node + c) << c;
      mesh.fixed[node] = static_cast<unsigned char>(fixed);
    }
  return mesh;
}

// The bits of CellMesh::fixed where all components are prescribed.
int all_fixed(const CellMesh &mesh)
{
  return (1 << mesh.n_components) - 1;
}

// Returns the boxes of a uniform mesh as a grid, or nothing where the level is none. It is none with hanging nodes, or
// where numbers do not follow the lines. K has the matrices of a cell.
std::optional<CellMesh> grid_of_cells(const LevelSpace<3> &space, const Array<double> &of_shapes,
                                      const Array<double> &K)
{
  const auto strides = space.n_hanging() > 0 || !agree_to_rounding(of_shapes, K) ? std::nullopt : common_strides(space);
  if (!strides)
    return std::nullopt;
  std::array<int, 3> axis = {{0, 1, 2}}; // of the cell in each direction of the grid
  std::sort(axis.begin(), axis.end(), [&](int a, int b) { return std::abs((*strides)[a]) < std::abs((*strides)[b]); });
  const int lines = std::abs((*strides)[axis[1]]), planes = std::abs((*strides)[axis[2]]);
  if (std::abs((*strides)[axis[0]]) != 1 || lines < 2 || planes % lines != 0 || space.n_dofs() % (3 * planes) != 0)
    return std::nullopt;
  const std::array<int, 3> n = {{lines - 1, planes / lines - 1, space.n_dofs() / (3 * planes) - 1}};
  if (long(n[0]) * n[1] * n[2] != space.n_cells())
    return std::nullopt;

  std::array<int, 8> vertex{}; // of the cell for each of the grid's
  for (int a = 0; a < 8; ++a)
    for (int e = 0; e < 3; ++e)
      vertex[a] |= ((a >> e & 1) ^ ((*strides)[axis[e]] < 0)) << axis[e];
  CellMesh result        = mesh_of(space, K, vertex);
  result.n_cells_of_grid = n;
  Array<char> taken(result.n_nodes(), 0);
  for (int cell = 0; cell < result.n_cells(); ++cell)
    {
      const int first = result.nodes[8 * cell];
      if (first % lines == n[0] || first / lines % (n[1] + 1) == n[1] || first / planes >= n[2] || taken[first]++)
        return std::nullopt;
    }
  return with_axes(std::move(result));
}

// The matrices of the first cell of all ranks.
template <int dim>
Array<double> first_matrices(const LevelSpace<dim> &space, const Array<double> &of_shapes, int n_coefficients)
{
  Array<double> K(std::size_t(n_coefficients) * space.dofs_per_cell() * space.dofs_per_cell(), 0.);
  const auto   &ranks = space.communicator();
  const bool    has   = !of_shapes.empty();
  if (ranks.sum_before(has) == 0. && has)
    std::copy_n(of_shapes.begin(), K.size(), K.begin());
  ranks.sum(K.data(), static_cast<int>(K.size()));
  return K;
}

template <int dim>
double size_of(const LevelSpace<dim> &space, int cell)
{
  return std::pow(space.active_cells()[cell]->measure(), 1. / dim);
}

// Sets the scales of boxes that are alike: their sizes over that of the cell that has K. Returns whether the matrices
// of each cell are multiples of K on this rank. All ranks call it together.
template <int dim>
bool set_scales(const LevelSpace<dim> &space, const Array<double> &of_shapes, const Array<double> &K, CellMesh &mesh)
{
  const auto less_in_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const int  n_entries    = mesh.n_entries();
  bool       alike        = true;
  for (std::size_t first = 0; first < of_shapes.size(); first += n_entries)
    {
      const double *of = of_shapes.data() + first, *of_K = K.data() + first % K.size();
      const auto    at    = std::max_element(of_K, of_K + n_entries, less_in_size) - of_K;
      const double  ratio = of[at] / of_K[at];
      double        size = 0., difference = 0.;
      for (int k = 0; k < n_entries; ++k)
        {
          size       = std::max(size, std::abs(of[k]));
          difference = std::max(difference, std::abs(of[k] - ratio * of_K[k]));
        }
      alike = alike && difference <= 1e-11 * size && !(ratio < 0.); // as in a cell that is turned by 180 degrees
    }
  const auto &ranks = space.communicator();
  const bool  has   = !of_shapes.empty();
  double      of_K  = ranks.sum_before(has) == 0. && has ? size_of(space, 0) : 0.;
  ranks.max(&of_K, 1);
  mesh.scale.resize(space.n_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      const double value = size_of(space, cell) / of_K, doubled = std::exp2(std::round(std::log2(value)));
      mesh.scale[cell] = std::abs(value - doubled) <= 1e-11 * value ? doubled : value;
    }
  return alike;
}

// Where each local node of the space hangs, if all its components do as its masters say. Returns whether they do.
// Where a normal velocity vanishes, a component may be what the others make it.
template <int dim>
bool list_hanging(const LevelSpace<dim> &space, CellMesh &mesh)
{
  const int   nc          = mesh.n_components;
  const auto &numbers     = space.partition();
  const auto &constraints = space.hanging_nodes;
  auto       &hanging     = mesh.hanging;
  bool        fits        = true;
  hanging.start.assign(mesh.n_nodes() + 1, 0);
#pragma omp parallel for schedule(static) reduction(&& : fits)
  for (int node = 0; node < mesh.n_nodes(); ++node)
    {
      const auto first = numbers.local_to_global(nc * node);
      const bool hangs = constraints.is_constrained(first);
      fits             = fits && first % nc == 0;
      for (int c = 1; c < nc; ++c)
        fits =
          fits && numbers.local_to_global(nc * node + c) == first + c && constraints.is_constrained(first + c) == hangs;
      hanging.start[node + 1] = hangs ? static_cast<int>(constraints.get_constraint_entries(first)->size()) : 0;
    }
  if (!fits)
    return false;
  std::partial_sum(hanging.start.begin(), hanging.start.end(), hanging.start.begin());
  hanging.master.resize(hanging.start.back());
  hanging.weight.resize(hanging.start.back());
#pragma omp parallel for schedule(static) reduction(&& : fits)
  for (int node = 0; node < mesh.n_nodes(); ++node)
    {
      int k = hanging.start[node];
      if (hanging.has(node))
        for (const auto &[master, weight] : *constraints.get_constraint_entries(numbers.local_to_global(nc * node)))
          {
            hanging.master[k]   = static_cast<int>(numbers.global_to_local(master) / nc);
            hanging.weight[k++] = weight;
          }
      for (int c = 0; c < nc && hanging.has(node); ++c)
        {
          std::int64_t n_free = 0;
          for (k = hanging.begin(node); k < hanging.end(node); ++k)
            n_free += space.is_free(nc * hanging.master[k] + c);
          const auto &H = space.H.row_start;
          fits = fits && mesh.fixed[node] == all_fixed(mesh) && H[nc * node + c + 1] - H[nc * node + c] == n_free;
        }
    }
  return fits;
}

// The coordinates of the own nodes in units of the smallest own cell's sides.
template <int dim>
void set_positions(const LevelSpace<dim> &space, CellMesh &mesh)
{
  constexpr int             nv = 1 << dim;
  Array<dealii::Point<dim>> point(mesh.n_own_nodes());
  dealii::Point<dim>        lower, side;
  for (int d = 0; d < dim; ++d)
    lower[d] = side[d] = std::numeric_limits<double>::max();
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      const auto &of_cell = space.active_cells()[cell];
      for (int a = 0; a < nv; ++a)
        if (const int node = mesh.nodes[std::size_t(nv) * cell + a]; node < mesh.n_own_nodes())
          point[node] = of_cell->vertex(a);
      const double size = size_of(space, cell);
      for (int d = 0; d < dim; ++d)
        side[d] =
          std::min(side[d], std::max(std::abs(of_cell->vertex(nv - 1)[d] - of_cell->vertex(0)[d]), 1e-2 * size));
    }
  for (const auto &p : point)
    for (int d = 0; d < dim; ++d)
      lower[d] = std::min(lower[d], p[d]);
  mesh.position.assign(point.size(), {{0, 0, 0}});
  for (std::size_t node = 0; node < point.size(); ++node)
    for (int d = 0; d < dim; ++d)
      mesh.position[node][d] =
        static_cast<int>(std::min(std::round((point[node][d] - lower[d]) / side[d]), double((1 << 21) - 1)));
}

using Index = dealii::types::global_dof_index;

// The nodes of a space, as `local` numbers of the space's own nodes and ghosts.
template <int dim>
std::shared_ptr<const Partitioner> nodes_of(const LevelSpace<dim> &space)
{
  const int          nc   = space.node_size();
  const auto        &dofs = space.partition();
  std::vector<Index> ghosts;
  for (int dof = space.n_owned(); dof < space.n_dofs(); dof += nc)
    ghosts.push_back(dofs.local_to_global(dof) / nc);
  const MPI_Comm comm = dofs.get_mpi_communicator();
  return make_partitioner(owned_range(space.n_owned() / nc, comm), std::move(ghosts), comm);
}

// How ranks exchange the unknowns of each node, of nc components.
std::shared_ptr<const ExchangePlan> plan_of_unknowns(const ExchangePlan &nodes, int nc)
{
  std::vector<Index> ghosts;
  for (const auto node : nodes.ghosts)
    for (int c = 0; c < nc; ++c)
      ghosts.push_back(static_cast<Index>(nc * node + c));
  const MPI_Comm comm = nodes.communicator.handle();
  return exchange_plan(
    *make_partitioner(owned_range(std::uint64_t(nc) * nodes.n_owned, comm), std::move(ghosts), comm));
}

// How ranks exchange numbers of cells: each gets the cells that have part in the rows of its own nodes. `mesh` has the
// local nodes of a space, `nodes`, and the own cells.
std::shared_ptr<const ExchangePlan> plan_of_cells(const CellMesh &mesh, const Partitioner &nodes)
{
  const int        n_own = static_cast<int>(nodes.locally_owned_size());
  std::vector<Row> of_ghosts(nodes.n_ghost_indices()); // own cells in the rows of other ranks' nodes
  const int        n_places = to_index(mesh.nodes.size(), "vertices of a matrix by cells");
  for (int place = 0; place < n_places; ++place)
    mesh.hanging.for_each_part(mesh.nodes[place], [&](int part, double) {
      if (part >= n_own)
        of_ghosts[part - n_own].emplace_back(place / mesh.n_vertices(), 1.);
    });
  const auto fill = [&](int node, Row &row) {
    if (node >= n_own)
      row.swap(of_ghosts[node - n_own]);
    compress(row);
  };
  const MPI_Comm comm  = nodes.get_mpi_communicator();
  const auto     cells = make_partitioner(owned_range(mesh.n_cells(), comm), {}, comm);
  return sum_rows(matrix_of_rows(mesh.n_nodes(), mesh.n_cells(), fill), nodes, *cells).ghosts;
}

// The global nodes at the vertices of own cells and, behind them, of other ranks' cells.
Array<std::uint64_t> global_nodes(const CellMesh &mesh, const Partitioner &nodes, const ExchangePlan &cells)
{
  const std::size_t    n  = std::size_t(cells.n_owned) + cells.n_ghosts();
  const int            nv = mesh.n_vertices();
  Array<std::uint64_t> result(nv * n);
  for (int a = 0; a < nv; ++a)
    {
      Array<std::uint64_t> of_cells(cells.n_owned);
      for (int cell = 0; cell < cells.n_owned; ++cell)
        of_cells[cell] = nodes.local_to_global(mesh.nodes[std::size_t(nv) * cell + a]);
      of_cells = with_ghosts(cells, std::move(of_cells));
      for (std::size_t cell = 0; cell < n; ++cell)
        result[nv * cell + a] = of_cells[cell];
    }
  return result;
}

// The parts of which the values at hanging nodes are made, and at all nodes that other ranks own. `all` are the nodes
// of the result's rows.
CSRMatrix<double> parts_of_nodes(const CellMesh &mesh, const Partitioner &nodes, const Partitioner &all)
{
  const int n_own = static_cast<int>(all.locally_owned_size()), n = n_own + static_cast<int>(all.n_ghost_indices());
  auto      wanted = matrix_of_rows(n, n, [&](int node, Row &row) {
    if (node >= n_own || mesh.hanging.has(node))
      row.emplace_back(node, 1.);
  });
  auto      parts  = matrix_of_rows(n_own, mesh.n_nodes(), [&](int node, Row &row) {
    mesh.hanging.for_each_part(node, [&row](int part, double weight) { row.emplace_back(part, weight); });
    std::sort(row.begin(), row.end());
  });
  wanted.ghosts    = exchange_plan(all);
  parts.ghosts     = exchange_plan(nodes);
  return product(wanted, parts);
}

// Adds other ranks' cells that have part in this rank's rows, with their nodes. The owners of nodes tell where they
// hang and what is prescribed.
template <int dim>
CellMesh with_cells_of_others(const LevelSpace<dim> &space, CellMesh mesh)
{
  const auto nodes = nodes_of(space);
  const int  n_own = static_cast<int>(nodes->locally_owned_size());
  mesh.cells       = plan_of_cells(mesh, *nodes);

  const auto         vertices = global_nodes(mesh, *nodes, *mesh.cells);
  std::vector<Index> others;
  for (const auto node : vertices)
    if (!nodes->in_local_range(static_cast<Index>(node)))
      others.push_back(static_cast<Index>(node));
  const auto all   = make_partitioner(nodes->locally_owned_range(), std::move(others), nodes->get_mpi_communicator());
  const auto parts = parts_of_nodes(mesh, *nodes, *all);

  // The nodes of parts do not hang. Their numbers are the columns of the parts; other ranks' hanging nodes follow.
  Array<int> number(parts.n_rows);
  int        n = parts.n_cols;
  for (int node = 0; node < parts.n_rows; ++node)
    if (const auto first = parts.row_start[node];
        node >= n_own && parts.row_start[node + 1] == first + 1 &&
        parts.ghosts->global(parts.column[first]) == all->local_to_global(node))
      number[node] = parts.column[first];
    else
      number[node] = node < n_own ? node : n++;
  const auto number_of = [&](Index global) { return number[all->global_to_local(global)]; };
  Array<int> of_ghosts(nodes->n_ghost_indices(), -1);
  for (std::size_t k = 0; k < of_ghosts.size(); ++k) // periodic boundaries have ghosts that no cell has
    if (const Index global = nodes->local_to_global(static_cast<unsigned int>(n_own + k)); all->is_ghost_entry(global))
      of_ghosts[k] = number_of(global);
  const auto n_own_places = static_cast<std::int64_t>(mesh.nodes.size());
  mesh.nodes.resize(vertices.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t place = 0; place < static_cast<std::int64_t>(vertices.size()); ++place)
    {
      int &node = mesh.nodes[place];
      if (place >= n_own_places)
        node = number_of(static_cast<Index>(vertices[place]));
      else
        node = node < n_own ? number[node] : of_ghosts[node - n_own];
    }

  mesh.hanging = {};
  mesh.hanging.start.assign(n + 1, 0);
  const auto for_each_hanging = [&](const auto &action) {
    for (int node = 0; node < parts.n_rows; ++node)
      if (number[node] < n_own || number[node] >= parts.n_cols)
        action(node);
  };
  for_each_hanging([&](int node) {
    mesh.hanging.start[number[node] + 1] = static_cast<int>(parts.row_start[node + 1] - parts.row_start[node]);
    mesh.hanging.master.insert(mesh.hanging.master.end(), parts.column.begin() + parts.row_start[node],
                               parts.column.begin() + parts.row_start[node + 1]);
    mesh.hanging.weight.insert(mesh.hanging.weight.end(), parts.value.begin() + parts.row_start[node],
                               parts.value.begin() + parts.row_start[node + 1]);
  });
  std::partial_sum(mesh.hanging.start.begin(), mesh.hanging.start.end(), mesh.hanging.start.begin());

  const auto fixed = with_ghosts(*parts.ghosts, Array<std::uint64_t>(mesh.fixed.begin(), mesh.fixed.begin() + n_own));
  mesh.fixed.assign(n, static_cast<unsigned char>(all_fixed(mesh)));
  std::copy(fixed.begin(), fixed.end(), mesh.fixed.begin());
  mesh.unknowns = plan_of_unknowns(*parts.ghosts, mesh.n_components);
  return mesh;
}

// Returns a mesh of boxes that are alike, with hanging nodes, or nothing where the level is none.
template <int dim>
std::optional<CellMesh> tree_of_cells(const LevelSpace<dim> &space, const Array<double> &of_shapes,
                                      const Array<double> &K, std::string &why)
{
  const std::array<int, 8> vertex = {{0, 1, 2, 3, 4, 5, 6, 7}};
  CellMesh                 result = mesh_of(space, K, vertex);
  const bool               alike = set_scales(space, of_shapes, K, result), fits = alike && list_hanging(space, result);
  auto                     tree = fits ? with_axes(std::move(result)) : std::nullopt;
  if (!none_on(space.communicator(), !alike ? 3 : !fits ? 1 : !tree ? 2 : 0, why))
    return std::nullopt;
  if (space.communicator().size() > 1)
    tree = with_cells_of_others(space, std::move(*tree));
  set_positions(space, *tree);
  return tree;
}
} // namespace

template <int dim>
std::optional<CellMesh> cells_of_level(const LevelSpace<dim> &space, const Array<double> &of_shapes, int n_coefficients,
                                       std::string &why)
{
  const auto &ranks    = space.communicator();
  const int   nc       = space.node_size();
  const bool  possible = space.dofs_per_cell() == nc << dim && (nc == 1 || nc == dim) && space.n_global_dofs() > 0 &&
                        (space.n_cells() == 0 || !of_shapes.empty());
  if (!none_on(ranks, possible ? 0 : 3, why))
    return std::nullopt;
  const auto K = first_matrices(space, of_shapes, n_coefficients);
  if constexpr (dim == 3)
    if (ranks.size() == 1 && nc == dim)
      if (auto grid = grid_of_cells(space, of_shapes, K))
        return grid;
  return tree_of_cells(space, of_shapes, K, why);
}

template std::optional<CellMesh> cells_of_level(const LevelSpace<2> &, const Array<double> &, int, std::string &);
template std::optional<CellMesh> cells_of_level(const LevelSpace<3> &, const Array<double> &, int, std::string &);
} // namespace adamant
