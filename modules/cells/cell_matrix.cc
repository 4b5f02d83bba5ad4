#include "cells/cell_matrix.h"

#include "algebra/host/row_products.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/row_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

namespace adamant
{
double between_modes(const CellMesh &mesh, int i, int c, int m, int d, int n)
{
  const auto sign = [](int a, int mode) {
    int result = 1;
    for (int bit = 1; bit <= mode; bit *= 2)
      if (mode & bit && !(a & bit))
        result = -result;
    return result;
  };
  const int     n_vertices = mesh.n_vertices(), n_components = mesh.n_components;
  const double *K   = mesh.local.data() + i * mesh.n_entries();
  double        sum = 0.;
  for (int a = 0; a < n_vertices; ++a)
    for (int b = 0; b < n_vertices; ++b)
      sum += sign(a, m) * K[(n_components * a + mesh.along[c]) * mesh.n_rows() + n_components * b + mesh.along[d]] *
             sign(b, n);
  return sum / (n_vertices * n_vertices);
}

namespace
{
// Whether K couples only the modes that CellModes has, to rounding of coordinates.
template <class Kind>
bool has_modes(const CellMesh &mesh)
{
  using Modes      = CellModes<double, Kind>;
  constexpr int nc = Kind::n_components, nv = Kind::n_vertices;
  double        rest = 0., largest = 0.;
  for (int k = 0; k < Kind::n_coefficients * Kind::n_entries; ++k)
    {
      const int    i = k / Kind::n_entries, c = k / (nv * nc * nv) % nc, m = k / (nc * nv) % nv, d = k / nv % nc;
      const int    n = k % nv, last = Modes::coefficient(c, m);
      const double entry       = std::abs(between_modes(mesh, i, c, m, d, n));
      const bool   taken       = i > 1  ? Modes::couples(c, i - 2, m) && n == Modes::partner(c, i - 2, m) :
                                 c == d ? n == m && i <= last :
                                          i == last && Modes::couples(c, d, m) && n == Modes::partner(c, d, m);
      (taken ? largest : rest) = std::max(taken ? largest : rest, entry);
    }
  return rest <= 1e-11 * largest;
}

// For each node the vertices of cells that have part in its rows, with weights. Each cell has as many places as
// vertices; vertices at a hanging node belong to its masters.
struct VerticesOfNodes
{
  explicit VerticesOfNodes(const CellMesh &mesh)
  {
    list_by_rows(
      mesh.n_nodes(), mesh.n_vertices() * mesh.n_cells(), start,
      [&mesh](int place, const auto &add) { mesh.hanging.for_each_part(mesh.nodes[place], add); },
      [this](std::size_t n) {
        vertex.resize(to_index(n, "vertices of cells"));
        weight.resize(n);
      },
      [this](int place, int of_cell, double w) {
        vertex[place] = of_cell;
        weight[place] = w;
      });
  }

  Array<int>    start, vertex;
  Array<double> weight;
};

// Returns the rows of the own nodes for which wanted(node) is true; other rows stay empty. `coefficients` are in host
// memory.
template <class Wanted>
CSRMatrix<double> make_rows(const CellMesh &mesh, const VerticesOfNodes &vertices,
                            const std::vector<Array<double>> &coefficients, const Wanted &wanted)
{
  const auto is_fixed = [&](int node, int c) { return (mesh.fixed[node] >> c & 1) != 0; };
  const int  nv = mesh.n_vertices(), nc = mesh.n_components;
  auto       rows   = matrix_of_rows(nc * mesh.n_own_nodes(), mesh.n_unknowns(), [&](int i, Row &row) {
    const int node = i / nc, c = i % nc;
    if (!wanted(node))
      return;
    std::map<int, std::array<double, 3>> entries; // by the other node
    for (int at = vertices.start[node]; at < vertices.start[node + 1]; ++at)
      for (int b = 0; b < nv; ++b)
        for (std::size_t k = 0; k < coefficients.size(); ++k)
          {
            const int     cell = vertices.vertex[at] / nv, a = vertices.vertex[at] % nv;
            const double  factor = vertices.weight[at] * coefficients[k][cell];
            const double *of_K = mesh.local.data() + k * mesh.n_entries() + (nc * a + c) * mesh.n_rows() + nc * b;
            mesh.hanging.for_each_part(mesh.nodes[nv * cell + b], [&](int other, double weight) {
              for (int d = 0; d < nc; ++d)
                entries[other][d] += factor * weight * of_K[d];
            });
          }
    if (mesh.hanging.has(node))
      entries[node] = {};
    for (const auto &[other, entry] : entries)
      for (int d = 0; d < nc; ++d)
        row.emplace_back(nc * other + d, is_fixed(node, c) || is_fixed(other, d) ? other == node && c == d : entry[d]);
  });
  rows.ghosts = mesh.unknowns;
  return rows;
}

std::vector<Array<double>> coefficients_on_host(const CellMatrix &matrix)
{
  std::vector<Array<double>> result;
  for (int i = 0; i < matrix.mesh().n_coefficients(); ++i)
    result.push_back(to_host(matrix.coefficients(i)));
  return result;
}

// Products on the host go row by row, from the cells around each node. Entries in columns of other ranks are stored.
template <typename Number, class Kind>
class HostStorage : public host::RowProducts<Number>
{
  static constexpr int nv = Kind::n_vertices, nc = Kind::n_components, n_coefficients = Kind::n_coefficients;

public:
  HostStorage(int n_threads, const CellMatrix &source)
    : host::RowProducts<Number>(n_threads)
    , mesh(source.mesh())
    , vertices(mesh)
    , n_own(mesh.n_own_nodes())
    , reads_ghosts(nodes_with_ghosts())
  {
    this->n_rows    = source.n_rows();
    this->n_cols    = mesh.n_unknowns();
    this->node_size = this->block_rows = nc;
    for (int k = 0; k < n_coefficients * Kind::n_entries; ++k)
      local[k / Kind::n_entries][k / Kind::n_rows % Kind::n_rows][k % Kind::n_rows] =
        static_cast<Number>(mesh.local[k]);
    update_from(source);
  }

  void products(int first, int end, const Number *x, Number *sums) const override
  {
    for (int node = first / nc; nc * node < end; ++node, sums += nc)
      {
        Number sum[nc] = {};
        for (int k = vertices.start[node]; k < vertices.start[node + 1]; ++k)
          {
            const int cell = vertices.vertex[k] / nv, a = vertices.vertex[k] % nv;
            Number    of_cell[n_coefficients][nc] = {};
            for (int b = 0; b < nv; ++b)
              {
                Number value[nc] = {};
                add_value(mesh.nodes[nv * cell + b], x, value);
                for (int i = 0; i < n_coefficients; ++i)
                  for (int c = 0; c < nc; ++c)
                    for (int d = 0; d < nc; ++d)
                      of_cell[i][c] += local[i][nc * a + c][nc * b + d] * value[d];
              }
            for (int i = 0; i < n_coefficients; ++i)
              for (int c = 0; c < nc; ++c)
                sum[c] += static_cast<Number>(vertices.weight[k]) * coefficients[i][cell] * of_cell[i][c];
          }
        for (int c = 0; c < nc; ++c)
          sums[c] = mesh.fixed[node] >> c & 1 ? x[nc * node + c] : sum[c];
      }
  }

  void update_from(const RowlessMatrix &source) final
  {
    const auto from = coefficients_on_host(dynamic_cast<const CellMatrix &>(source));
    for (int i = 0; i < n_coefficients; ++i)
      coefficients[i].assign(from[i].begin(), from[i].end());
    if (!mesh.unknowns)
      return;
    const auto border = make_rows(mesh, vertices, from, [this](int node) { return reads_ghosts[node] != 0; });
    if (!this->ghosts)
      this->ghosts = std::make_unique<host::Ghosts<Number>>(mesh.unknowns, view_of(border));
    else
      this->ghosts->take_values(view_of(border));
  }

  std::size_t bytes() const override
  {
    return n_coefficients * coefficients[0].size() * sizeof(Number) +
           (mesh.nodes.size() + 3 * vertices.vertex.size()) * sizeof(int);
  }
  std::string format() const override { return cells_format(this->n_rows, bytes()); }

private:
  // Adds the values at a node, without prescribed ones and ghosts.
  void add_value(int node, const Number *x, Number (&value)[nc]) const
  {
    mesh.hanging.for_each_part(node, [&](int part, double weight) {
      for (int d = 0; d < nc; ++d)
        if (part < n_own && (mesh.fixed[part] >> d & 1) == 0)
          value[d] += static_cast<Number>(weight) * x[nc * part + d];
    });
  }

  // Marks the nodes whose rows have columns of ghosts.
  Array<char> nodes_with_ghosts() const
  {
    Array<char> result(n_own, 0);
#pragma omp parallel for schedule(static)
    for (int node = 0; node < n_own; ++node)
      for (int k = vertices.start[node]; k < vertices.start[node + 1] && !mesh.hanging.has(node); ++k)
        for (int b = 0; b < nv; ++b)
          mesh.hanging.for_each_part(mesh.nodes[std::size_t(vertices.vertex[k] / nv) * nv + b],
                                     [&](int part, double) { result[node] = result[node] || part >= n_own; });
    return result;
  }

  const CellMesh        mesh;
  const VerticesOfNodes vertices;
  const int             n_own; // nodes
  const Array<char>     reads_ghosts;
  Number                local[n_coefficients][Kind::n_rows][Kind::n_rows];
  Array<Number>         coefficients[n_coefficients];
};

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> storage_on(const Device &device, const CellMatrix &matrix)
{
  if (device.matrix_format() == MatrixFormat::cusparse)
    throw RunError("Matrix format = cusparse has no matrices by cells");
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::make_cell_storage<Number>(device.interface(), matrix);
  return with_kind(matrix.mesh(), [&](auto kind) -> std::shared_ptr<MatrixStorage<Number>> {
    return std::make_shared<HostStorage<Number, decltype(kind)>>(device.interface().n_threads(), matrix);
  });
}

// The numbers of a cluster that a kernel has room for.
int most_values_on(const Device &device)
{
  if constexpr (built_with_cuda)
    if (device.traits().kernels && cuda::shared_memory(device.interface()) < Clusters::most_values * 8)
      return Clusters::few_values;
  return Clusters::most_values;
}

template <typename Number, class Blocks>
void invert_blocks(const CellMatrix &matrix, int n_blocks, const Blocks &blocks, int node_size, Vector<Number> &inverse)
{
  inverse.device().for_each(n_blocks,
                            InvertCellBlocks<Number, Blocks>{blocks, matrix.fixed().data(), matrix.mesh().n_own_nodes(),
                                                             node_size, inverse.data()});
}

template <typename Number>
void invert_diagonal_of(const CellMatrix &matrix, const List<double> &K, int node_size, Vector<Number> &inverse)
{
  const auto &mesh = matrix.mesh();
  with_kind(mesh, [&](auto kind) {
    using Kind = decltype(kind);
    CellEntries<Kind> cells{K.data(), {}};
    for (int i = 0; i < Kind::n_coefficients; ++i)
      cells.coefficients[i] = matrix.coefficients(i).data();
    if constexpr (Kind::n_components == 3)
      if (const auto &n = mesh.n_cells_of_grid; mesh.is_grid())
        return invert_blocks(
          matrix, mesh.n_nodes(),
          GridBlocks<Kind::n_coefficients>{cells, {n[0] + 1, n[1] + 1, n[2] + 1}, matrix.cell_at().data()}, node_size,
          inverse);
    invert_blocks(matrix, matrix.clusters().n_slots(), ClusterBlocks<Kind>{cells, matrix.clusters().view()}, node_size,
                  inverse);
  });
}
} // namespace

std::string cells_format(int n_rows, std::size_t bytes)
{
  std::ostringstream text;
  text << n_rows << " x " << n_rows << ", by cells, " << 1e-6 * bytes << " MB";
  return text.str();
}

CellMesh grid_of(const std::array<int, 3> &n, Array<double> K)
{
  CellMesh mesh;
  mesh.local           = std::move(K);
  mesh.n_cells_of_grid = n;
  mesh.fixed.assign(std::size_t(n[0] + 1) * (n[1] + 1) * (n[2] + 1), 0);
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x)
        for (int a = 0; a < 8; ++a)
          mesh.nodes.push_back(x + (a & 1) + (n[0] + 1) * (y + (a >> 1 & 1) + (n[1] + 1) * (z + (a >> 2))));
  return mesh;
}

bool CellMatrix::can_be_made(const CellMesh &mesh)
{
  const int n_coefficients = mesh.n_coefficients();
  if (mesh.dim < 2 || mesh.dim > 3 || (mesh.n_components != 1 && mesh.n_components != mesh.dim) || n_coefficients < 1 ||
      (n_coefficients > 2 && (mesh.n_components > 1 || n_coefficients != 2 + mesh.dim)) ||
      mesh.local.size() % mesh.n_entries() != 0)
    return false;
  const auto &weight = mesh.hanging.weight;
  return with_kind(mesh, [&mesh](auto kind) { return has_modes<decltype(kind)>(mesh); }) &&
         std::all_of(weight.begin(), weight.end(), [](double w) {
           return w >= 0. && w <= 1. && std::abs(4096. * w - std::round(4096. * w)) <= 1e-9;
         });
}

CellMatrix::CellMatrix(const Device &device, CellMesh mesh, int most_values)
  : mesh_(std::move(mesh))
  , fixed_(device, mesh_.fixed)
  , K(device, mesh_.local)
  , scale(device, mesh_.scale)
{
  to_index(mesh_.n_components * mesh_.fixed.size(), "rows of a matrix by cells");
  to_index(mesh_.nodes.size(), "vertices of a matrix by cells");
  const auto       &n       = mesh_.n_cells_of_grid;
  const std::size_t n_nodes = mesh_.is_grid() ? std::size_t(n[0] + 1) * (n[1] + 1) * (n[2] + 1) : mesh_.position.size();
  if (!can_be_made(mesh_) || mesh_.n_own_nodes() != static_cast<int>(n_nodes) ||
      (!mesh_.scale.empty() && mesh_.scale.size() != static_cast<std::size_t>(mesh_.n_own_cells())) ||
      (mesh_.is_grid() && (mesh_.unknowns || mesh_.n_components != 3)))
    throw RunError("a matrix by cells: the matrix of a cell is none of even and odd functions, sizes do not fit, or a "
                   "grid is on several ranks or has no three components");
  cells_of_others = GhostValues(device, mesh_.cells, mesh_.n_own_cells());
  for (int i = 0; i < mesh_.n_coefficients(); ++i)
    k.emplace_back(device, mesh_.n_cells());
  if (!mesh_.is_grid())
    {
      cluster_lists = ClusterLists(device, mesh_, make_clusters(mesh_, std::min(most_values, most_values_on(device))));
      return;
    }
  Array<int> cell_at(mesh_.n_nodes(), -1);
  for (int cell = 0; cell < mesh_.n_cells(); ++cell)
    cell_at[mesh_.nodes[mesh_.n_vertices() * cell]] = cell;
  cell_at_node = List<int>(device, cell_at);
}

void CellMatrix::set(const Vector<double> &of_cells, int which)
{
  if (of_cells.size() != mesh_.n_own_cells())
    throw RunError("a matrix by cells has another number of cells than its new coefficients");
  of_cells.device().for_each(of_cells.size(), ScaleOfCells{scale.size() > 0 ? scale.data() : nullptr, of_cells.data(),
                                                           k[which].data(), mesh_.power[which]});
  cells_of_others.fill(k[which]);
}

CSRMatrix<double> CellMatrix::rows() const
{
  return make_rows(mesh_, VerticesOfNodes(mesh_), coefficients_on_host(*this), [](int) { return true; });
}

std::shared_ptr<MatrixStorage<double>> CellMatrix::make_storage(const Device &device, double) const
{
  return storage_on<double>(device, *this);
}

std::shared_ptr<MatrixStorage<float>> CellMatrix::make_storage(const Device &device, float) const
{
  return storage_on<float>(device, *this);
}

void CellMatrix::invert_diagonal(int node_size, Vector<double> &inverse) const
{
  invert_diagonal_of(*this, K, node_size, inverse);
}

void CellMatrix::invert_diagonal(int node_size, Vector<float> &inverse) const
{
  invert_diagonal_of(*this, K, node_size, inverse);
}
} // namespace adamant
