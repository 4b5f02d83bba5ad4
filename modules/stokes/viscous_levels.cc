#include "stokes/viscous_levels.h"

#include "base/exceptions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/patches.h"
#include "fem/meshes/mesh.h"
#include "stokes/stokes_kernels.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <utility>

namespace adamant
{
namespace
{
// Whether cells have one matrix. Rounding of coordinates may make a few matrices, which differ by that rounding.
template <int dim>
bool agree_to_rounding(const Array<double> &of_shapes)
{
  const std::size_t n       = (dim << dim) * (dim << dim);
  double            largest = 0., difference = 0.;
  for (std::size_t k = 0; k < of_shapes.size(); ++k)
    {
      largest    = std::max(largest, std::abs(of_shapes[k]));
      difference = std::max(difference, std::abs(of_shapes[k] - of_shapes[k % n]));
    }
  return of_shapes.size() >= n && difference <= 1e-11 * largest;
}

// How the numbers of nodes grow in the directions of a cell, where all cells agree.
template <int dim>
std::optional<std::array<int, dim>> common_strides(const LevelSpace<dim> &space)
{
  std::array<int, dim> strides;
  for (int d = 0; d < dim; ++d)
    strides[d] = (space.cell_dofs(0)[dim << d] - space.cell_dofs(0)[0]) / dim;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        int expected = space.cell_dofs(cell)[0] + i % dim;
        for (int d = 0; d < dim; ++d)
          expected += (i / dim >> d & 1) * dim * strides[d];
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
  while (std::next_permutation(mesh.along.begin(), mesh.along.end()));
  return std::nullopt;
}

// The matrix of a cell from the values for pairs of nodes: entry (c, d) of vertices a, b is at [(8 a + b) 9 + 3 c + d].
// Vertex a of the result is vertex[a] of the cell.
Array<double> local_matrix(const double *of_pairs, const std::array<int, 8> &vertex)
{
  Array<double> K;
  for (int a = 0; a < 8; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < 8; ++b)
        for (int d = 0; d < 3; ++d)
          K.push_back(of_pairs[(8 * vertex[a] + vertex[b]) * 9 + 3 * c + d]);
  return K;
}

// The vertices of cells and what is prescribed. `vertex` is as in local_matrix.
CellMesh mesh_of(const LevelSpace<3> &space, const std::array<int, 8> &vertex)
{
  CellMesh mesh;
  mesh.nodes.resize(std::size_t(8) * space.n_cells());
  mesh.fixed.resize(space.n_dofs() / 3);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < 8; ++a)
      mesh.nodes[std::size_t(8) * cell + a] = space.cell_dofs(cell)[3 * vertex[a]] / 3;
#pragma omp parallel for schedule(static)
  for (int node = 0; node < mesh.n_nodes(); ++node)
    {
      int fixed = 0;
      for (int c = 0; c < 3; ++c)
        fixed |= !space.is_free(3 * node + c) << c;
      mesh.fixed[node] = static_cast<unsigned char>(fixed);
    }
  return mesh;
}

// Returns the boxes of a uniform mesh as a grid, or nothing where the level is none. It is none with hanging nodes, or
// where numbers do not follow the lines. `local` is the matrix of all cells as local_matrix takes it.
std::optional<CellMesh> grid_of_cells(const LevelSpace<3> &space, const Array<double> &local)
{
  const auto strides = space.n_hanging() > 0 ? std::nullopt : common_strides(space);
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
  CellMesh result        = mesh_of(space, vertex);
  result.n_cells_of_grid = n;
  result.local           = local_matrix(local.data(), vertex);
  Array<char> taken(result.n_nodes(), 0);
  for (int cell = 0; cell < result.n_cells(); ++cell)
    {
      const int first = result.nodes[8 * cell];
      if (first % lines == n[0] || first / lines % (n[1] + 1) == n[1] || first / planes >= n[2] || taken[first]++)
        return std::nullopt;
    }
  return with_axes(std::move(result));
}

// Scales of boxes that are alike: the trace of their matrices grows with their size. Returns nothing where a matrix is
// no multiple of the first one.
Array<double> scales_of(const LevelSpace<3> &space, const Array<double> &of_shapes)
{
  constexpr int n     = 24 * 24;
  const auto    trace = [&](const double *K) {
    double sum = 0.;
    for (int k = 0; k < 24; ++k)
      sum += K[(8 * (k / 3) + k / 3) * 9 + 4 * (k % 3)];
    return sum;
  };
  double largest = 0.;
  for (std::size_t shape = 0; shape < of_shapes.size(); shape += n)
    {
      const double *K = of_shapes.data() + shape, ratio = trace(K) / trace(of_shapes.data());
      double        size = 0., difference = 0.;
      for (int k = 0; k < n; ++k)
        {
          size       = std::max(size, std::abs(K[k]));
          difference = std::max(difference, std::abs(K[k] - ratio * of_shapes[k]));
        }
      if (!(difference <= 1e-11 * size))
        return {};
      largest = std::max(largest, ratio);
    }
  Array<double> scale(space.n_cells());
  double        longest = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    longest = std::max(longest, scale[cell] = std::cbrt(space.active_cells()[cell]->measure()));
  for (double &value : scale)
    {
      const double halvings = std::round(std::log2(longest / value)), halved = std::ldexp(longest, -int(halvings));
      value = largest / longest * (std::abs(value - halved) <= 1e-11 * value ? halved : value);
    }
  return scale;
}

// Where each node hangs, if all its components do as its masters say. Returns whether they do.
bool list_hanging(const LevelSpace<3> &space, CellMesh &mesh)
{
  auto &hanging = mesh.hanging;
  hanging.start.assign(1, 0);
  for (int node = 0; node < mesh.n_nodes(); ++node)
    {
      for (int c = 1; c < 3; ++c) // where a normal velocity vanishes, a component is what the others make it
        if (space.hanging_nodes.is_constrained(3 * node + c) != space.hanging_nodes.is_constrained(3 * node))
          return false;
      if (space.hanging_nodes.is_constrained(3 * node))
        for (const auto &[master, weight] : *space.hanging_nodes.get_constraint_entries(3 * node))
          {
            hanging.master.push_back(static_cast<int>(master / 3));
            hanging.weight.push_back(weight);
          }
      hanging.start.push_back(static_cast<int>(hanging.master.size()));
      for (int c = 0; c < 3 && hanging.has(node); ++c)
        {
          std::int64_t n_free = 0;
          for (int k = hanging.begin(node); k < hanging.end(node); ++k)
            n_free += space.is_free(3 * hanging.master[k] + c);
          const auto &H = space.H.row_start;
          if (mesh.fixed[node] != 7 || H[3 * node + c + 1] - H[3 * node + c] != n_free)
            return false;
        }
    }
  return true;
}

// The coordinates of the nodes in units of the smallest cell's sides.
void set_positions(const LevelSpace<3> &space, CellMesh &mesh)
{
  Array<dealii::Point<3>> point(mesh.n_nodes());
  dealii::Point<3>        lower, side;
  for (int d = 0; d < 3; ++d)
    lower[d] = side[d] = std::numeric_limits<double>::max();
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    {
      const auto &of_cell = space.active_cells()[cell];
      for (int a = 0; a < 8; ++a)
        point[mesh.nodes[std::size_t(8) * cell + a]] = of_cell->vertex(a);
      const double size = std::cbrt(of_cell->measure());
      for (int d = 0; d < 3; ++d)
        side[d] = std::min(side[d], std::max(std::abs(of_cell->vertex(7)[d] - of_cell->vertex(0)[d]), 1e-2 * size));
    }
  for (const auto &p : point)
    for (int d = 0; d < 3; ++d)
      lower[d] = std::min(lower[d], p[d]);
  mesh.position.resize(mesh.n_nodes());
  for (int node = 0; node < mesh.n_nodes(); ++node)
    for (int d = 0; d < 3; ++d)
      mesh.position[node][d] =
        static_cast<int>(std::min(std::round((point[node][d] - lower[d]) / side[d]), double((1 << 21) - 1)));
}

// Returns a mesh of boxes that are alike, with hanging nodes, or nothing where the level is none.
std::optional<CellMesh> tree_of_cells(const LevelSpace<3> &space, const Array<double> &of_shapes)
{
  const std::array<int, 8> vertex = {{0, 1, 2, 3, 4, 5, 6, 7}};
  CellMesh                 result = mesh_of(space, vertex);
  result.local                    = local_matrix(of_shapes.data(), vertex);
  result.scale                    = scales_of(space, of_shapes);
  if (result.scale.empty() || !list_hanging(space, result))
    return std::nullopt;
  auto tree = with_axes(std::move(result));
  if (tree)
    set_positions(space, *tree);
  return tree;
}

// Returns a level as a mesh for products by cells, or nothing where it is none. It is none on several ranks, for other
// elements than Q1 with three components, and where cells are no boxes of one shape. `of_shapes` has the matrices of
// all shapes of cells.
std::optional<CellMesh> mesh_of_cells(const LevelSpace<3> &space, const Array<double> &of_shapes)
{
  if (space.partition().n_mpi_processes() > 1 || space.dofs_per_cell() != 24 || space.node_size() != 3 ||
      space.n_cells() == 0 || of_shapes.empty())
    return std::nullopt;
  auto grid = agree_to_rounding<3>(of_shapes) ? grid_of_cells(space, of_shapes) : std::nullopt;
  return grid ? grid : tree_of_cells(space, of_shapes);
}
} // namespace

template <int dim>
ViscousLevels<dim>::ViscousLevels(const Device &device, const Field<dim> &velocity, const DirichletBoundary &dirichlet,
                                  const dealii::Mapping<dim> &mapping, Average coarse_viscosity,
                                  VelocityProduct product)
  : device(device)
  , velocity(velocity)
  , mapping(mapping)
  , nodes(velocity.element().degree == 1 ?
            nullptr :
            std::make_unique<Field<dim>>(velocity.meshes(), "velocity at nodes",
                                         dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim), dirichlet))
  , A("A", bilinear(), unknowns(bilinear()), mapping, dealii::QGauss<dim>(2), stokes_flags, nullptr, Levels::all)
  , viscosity(device, bilinear(), coarse_viscosity)
{
  for (std::size_t level = 0; level < bilinear().n_levels(); ++level)
    of_shapes.push_back(tabulate_shapes(bilinear().space(level), dealii::QGauss<dim>(2)));
  find_meshes(product);
  if (!nodes)
    return;
  A_of_q2.emplace("A", velocity, unknowns(velocity), mapping, dealii::QGauss<dim>(3), stokes_flags, nullptr);
  of_shapes.push_back(tabulate_shapes(velocity.finest(), dealii::QGauss<dim>(3)));
}

// Of as many shapes as a sixteenth of the cells: more take more memory than they are worth.
template <int dim>
Vector<double> ViscousLevels<dim>::tabulate_shapes(const LevelSpace<dim>         &space,
                                                   const dealii::Quadrature<dim> &quadrature) const
{
  const QuadratureData<dim> cells(device, space, mapping, quadrature, stokes_flags);
  const int                 n_nodes = space.dofs_per_cell() / dim;
  const bool                few     = cells.n_shapes() <= std::max(64, space.n_cells() / 16);
  const int                 n_pairs = few ? cells.n_shapes() * n_nodes * n_nodes : 0;
  Vector<double>            result(device, n_pairs * dim * dim);
  device.for_each(n_pairs, ViscousStressOfShapes<dim>{cells.view(), result.data()});
  return result;
}

// The coarsest level's entries are needed for its inverse. On small levels, which the cache holds, rows are as quick.
template <int dim>
void ViscousLevels<dim>::find_meshes(VelocityProduct product)
{
  by_cells.resize(bilinear().n_levels());
  const bool automatic = product == VelocityProduct::automatic;
  if (product == VelocityProduct::rows || device.matrix_format() == MatrixFormat::cusparse ||
      (automatic && !device.traits().many_threads))
    return;
  if constexpr (dim == 3)
    for (std::size_t level = 1; level < bilinear().n_levels(); ++level)
      {
        const auto &space = bilinear().space(level);
        if (automatic && space.n_owned() < 20000 * dim)
          continue;
        if (auto mesh = mesh_of_cells(space, to_host(of_shapes[level])))
          by_cells[level] = std::make_shared<CellMatrix>(device, std::move(*mesh));
      }
}

template <int dim>
void ViscousLevels<dim>::update(const Vector<double> &of_cells, const Vector<double> &of_finest,
                                const Vector<double> *at_points)
{
  viscosity.update(of_finest);
  const std::size_t n      = bilinear().n_levels();
  const auto        kernel = [&](std::size_t level, const Vector<double> &eta) {
    if (at_points != nullptr && level + 1 == of_shapes.size())
      return ShapedViscousStress<dim>{{at_points->data(), true}, nullptr};
    const auto &shapes = of_shapes[level];
    return ShapedViscousStress<dim>{{eta.data(), false}, shapes.size() > 0 ? shapes.data() : nullptr};
  };
  for (std::size_t level = 0; level < n; ++level)
    if (by_cells[level])
      by_cells[level]->set(viscosity[level]);
    else
      A.update(device, level, kernel(level, viscosity[level]));
  if (A_of_q2)
    A_of_q2->update(device, [&](std::size_t) { return kernel(n, of_cells); });
  if (data.empty())
    set_levels();
}

template <int dim>
void ViscousLevels<dim>::set_levels()
{
  data = levels_of(bilinear(), A, {by_cells.begin(), by_cells.end()});
  if (!A_of_q2)
    return;
  const auto &space   = velocity.finest();
  auto        values  = transfer_matrices(velocity.meshes().finest(), bilinear().finest(), space); // of Q2 at nodes
  auto        finest  = A_of_q2->level(velocity.n_levels() - 1);
  finest.prolongation = std::make_shared<const CSRMatrix<double>>(std::move(values.restriction));
  finest.restriction  = std::make_shared<const CSRMatrix<double>>(std::move(values.prolongation));
  finest.patches      = [&space](PatchKind kind) {
    return make_patches(space, kind == PatchKind::cells ? kind : PatchKind::vertices);
  };
  data.push_back(std::move(finest));
}

template class ViscousLevels<2>;
template class ViscousLevels<3>;

void CellViscosity::rescale(double new_scale)
{
  const double factor = scale / new_scale;
  of_cells.device().scale(factor, of_cells);
  if (!averaged)
    at_points.device().scale(factor, at_points);
  least *= factor;
  most *= factor;
  scale = new_scale;
}

CellViscosity CellViscosity::stage(double s) const
{
  const auto power = [&](const Vector<double> &of) {
    Vector<double> result(of.device(), of.size());
    of.device().for_each(of.size(), Power{std::pow(least, 1. - s), s, of.data(), result.data()});
    return result;
  };
  return {
    power(of_cells), averaged ? Vector<double>() : power(at_points), scale, least, least * std::pow(most / least, s),
    averaged};
}

template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells)
{
  const auto   &mesh = space.triangulation();
  Array<double> values(mesh.n_active_cells(), 1.);
  for (int c = 0; c < space.n_cells(); ++c)
    values[space.active_cells()[c]->active_cell_index()] = of_cells[c];
  if (is_distributed(mesh))
    dealii::GridTools::exchange_cell_data_to_ghosts<double, dealii::Triangulation<dim>>(
      mesh, [&](const auto &cell) { return values[cell->active_cell_index()]; },
      [&](const auto &cell, double value) { values[cell->active_cell_index()] = value; });
  double most = 1.;
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (!cell->at_boundary(face) && cell->neighbor(face)->is_active())
        {
          const double ratio = values[cell->active_cell_index()] / values[cell->neighbor(face)->active_cell_index()];
          most               = std::max({most, ratio, 1. / ratio});
        }
  space.communicator().max(&most, 1);
  return most;
}

template double largest_jump(const LevelSpace<2> &, const Array<double> &);
template double largest_jump(const LevelSpace<3> &, const Array<double> &);
} // namespace adamant
