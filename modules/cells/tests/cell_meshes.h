#pragma once

// Meshes of cells and random matrices by cells.

#include "cells/cell_matrix.h"
#include "support/box_cell.h"
#include "tests/algebra/support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
namespace test
{
inline const std::array<int, 3> axes = {{2, 0, 1}}; // direction e is that of component axes[e]

inline Array<double> turned_cell_matrix(double mu = 1.3, double lambda = 0.4)
{
  auto       turned = box_cell_matrix({1., 0.7, 1.9}, mu, lambda);
  const auto K      = turned;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j)
      turned[(i / 3 * 3 + axes[i % 3]) * 24 + j / 3 * 3 + axes[j % 3]] = K[24 * i + j];
  return turned;
}

// The part of μ and that of λ, or of a scalar field stiffness, mass and transport.
inline Array<double> cell_matrix(const CellMesh &mesh, double first, double second, const std::array<double, 3> &b = {})
{
  if (mesh.n_components == 1)
    return mesh.dim == 2 ? box_scalar_matrix({1., 0.7}, first, second, b) :
                           box_scalar_matrix({1., 0.7, 1.9}, first, second, b);
  return mesh.dim == 2 ? box_cell_matrix({1., 0.7}, first, second) : turned_cell_matrix(first, second);
}

// The bits of a node whose components are all prescribed.
inline unsigned char all_fixed(const CellMesh &mesh)
{
  return static_cast<unsigned char>((1 << mesh.n_components) - 1);
}

// A tenth of the nodes that do not hang has prescribed components.
inline void prescribe_some(CellMesh &mesh)
{
  const auto random = random_values(mesh.n_nodes(), 1);
  for (int node = 0; node < mesh.n_nodes(); ++node)
    if (mesh.fixed[node] == 0 && random[node] > 0.8)
      mesh.fixed[node] = static_cast<unsigned char>(static_cast<int>(1000. * random[node]) & all_fixed(mesh));
}

inline CellMesh random_grid(const std::array<int, 3> &n_cells)
{
  CellMesh mesh = grid_of(n_cells, turned_cell_matrix());
  mesh.along    = axes;
  prescribe_some(mesh);
  return mesh;
}

// Cubes of a tree in a box, refined `levels` times where `divide` says so of a cell's lower corner and size. The unit
// of both is the smallest cell. Cells that touch differ by one level at most. A node hangs where it lies inside an edge
// or a face of a cell. Without coarse cells in the third direction the tree is one of squares.
template <class Divide>
CellMesh tree_of(const std::array<int, 3> &n_coarse, int levels, const Divide &divide)
{
  using Point                                = std::array<int, 3>;
  const int                             unit = 1 << levels, dim = n_coarse[2] == 0 ? 2 : 3, nv = 1 << dim;
  std::map<std::pair<Point, int>, char> cells; // lower corner and size
  for (int z = 0; z < std::max(n_coarse[2], 1); ++z)
    for (int y = 0; y < n_coarse[1]; ++y)
      for (int x = 0; x < n_coarse[0]; ++x)
        cells[{{{x * unit, y * unit, z * unit}}, unit}] = 0;
  const auto split = [&](const Point &at, int size) {
    cells.erase({at, size});
    for (int child = 0; child < nv; ++child)
      cells[{{{at[0] + (child & 1) * size / 2, at[1] + (child >> 1 & 1) * size / 2, at[2] + (child >> 2) * size / 2}},
             size / 2}] = 0;
  };
  const auto touches_much_smaller = [&](const Point &at, int size) {
    for (const auto &[other, unused] : cells)
      {
        bool touches = other.second < size / 2;
        for (int d = 0; d < dim; ++d)
          touches = touches && other.first[d] <= at[d] + size && at[d] <= other.first[d] + other.second;
        if (touches)
          return true;
      }
    return false;
  };
  for (int level = 0; level < levels; ++level)
    for (const auto &[cell, unused] : std::map<std::pair<Point, int>, char>(cells))
      if (cell.second == unit >> level && divide(cell.first, cell.second))
        split(cell.first, cell.second);
  for (bool found = true; found;)
    {
      found = false;
      for (const auto &[cell, unused] : std::map<std::pair<Point, int>, char>(cells))
        if (cell.second > 2 && touches_much_smaller(cell.first, cell.second))
          {
            split(cell.first, cell.second);
            found = true;
          }
    }

  CellMesh             mesh;
  std::map<Point, int> number;
  mesh.dim = mesh.n_components = dim;
  mesh.power.fill(dim - 2);
  mesh.local = cell_matrix(mesh, 1.3, 0.4);
  if (dim == 3)
    mesh.along = axes;
  for (const auto &[cell, unused] : cells)
    {
      mesh.scale.push_back(cell.second);
      for (int a = 0; a < nv; ++a)
        {
          const Point p = {{cell.first[0] + (a & 1) * cell.second, cell.first[1] + (a >> 1 & 1) * cell.second,
                            cell.first[2] + (a >> 2) * cell.second}};
          mesh.nodes.push_back(number.emplace(p, static_cast<int>(number.size())).first->second);
        }
    }
  mesh.position.resize(number.size());
  mesh.fixed.assign(number.size(), 0);
  std::vector<std::map<int, double>> masters(number.size());
  for (const auto &[p, node] : number)
    mesh.position[node] = p;
  for (const auto &[cell, unused] : cells)
    for (int middle = 0; middle < (dim == 2 ? 9 : 27) && cell.second > 1;
         ++middle) // in halves of the cell's sides; 1: in the middle
      {
        const Point half = {{middle % 3, middle / 3 % 3, middle / 9}};
        const auto  at =
          number.find({{cell.first[0] + half[0] * cell.second / 2, cell.first[1] + half[1] * cell.second / 2,
                        cell.first[2] + half[2] * cell.second / 2}});
        if (at == number.end() || std::count(half.begin(), half.end(), 1) == 0)
          continue;
        auto &of_node = masters[at->second];
        of_node.clear();
        for (int a = 0; a < nv; ++a)
          {
            double weight = 1.;
            Point  p{};
            for (int d = 0; d < dim; ++d)
              {
                weight *= half[d] == 1 ? 0.5 : double((half[d] == 2) == (a >> d & 1));
                p[d] = cell.first[d] + (a >> d & 1) * cell.second;
              }
            if (weight > 0.)
              of_node[number.at(p)] = weight;
          }
      }
  mesh.hanging.start.push_back(0);
  for (const auto &of_node : masters)
    {
      // A master may hang itself, at the border of a coarser cell.
      std::map<int, double>                  resolved;
      const std::function<void(int, double)> add = [&](int node, double weight) {
        if (masters[node].empty())
          resolved[node] += weight;
        for (const auto &[master, w] : masters[node])
          add(master, weight * w);
      };
      for (const auto &[master, w] : of_node)
        add(master, w);
      for (const auto &[master, w] : resolved)
        {
          mesh.hanging.master.push_back(master);
          mesh.hanging.weight.push_back(w);
        }
      if (!of_node.empty())
        mesh.fixed[mesh.hanging.start.size() - 1] = all_fixed(mesh);
      mesh.hanging.start.push_back(static_cast<int>(mesh.hanging.master.size()));
    }
  prescribe_some(mesh);
  return mesh;
}

// Meshes by name: grids, and trees that are refined towards a face, an edge and a ball.
inline CellMesh mesh_named(const std::string &name)
{
  static std::map<std::string, CellMesh> made;
  const auto                             keep = [&](CellMesh mesh) { return made[name] = std::move(mesh); };
  if (const auto at = made.find(name); at != made.end())
    return at->second;
  if (name == "face")
    return keep(tree_of({{4, 4, 3}}, 2, [](const auto &at, int) { return at[2] == 0; }));
  if (name == "edge")
    return keep(tree_of({{3, 2, 2}}, 3, [](const auto &at, int) { return at[0] == 0 && at[1] == 0; }));
  if (name == "ball")
    return keep(tree_of({{2, 3, 2}}, 3, [](const auto &at, int size) {
      double near = 0., far = 0.;
      for (int d = 0; d < 3; ++d)
        {
          near += std::pow(std::max({0., at[d] - 7., 7. - at[d] - size}), 2);
          far += std::pow(std::max(std::abs(at[d] - 7.), std::abs(at[d] + size - 7.)), 2);
        }
      return near <= 36. && far >= 36.;
    }));
  if (name == "squares")
    return keep(tree_of({{5, 3, 0}}, 3, [](const auto &at, int) { return (at[0] - 9) * (at[0] - 9) < 20 * at[1]; }));
  if (name == "uniform tree")
    return keep(tree_of({{9, 8, 11}}, 0, [](const auto &, int) { return false; }));
  std::array<int, 3> n;
  std::istringstream(name) >> n[0] >> n[1] >> n[2];
  return keep(random_grid(n));
}

// K_0 and K_1, and with transport further ones.
inline Array<double> cell_matrices(const CellMesh &mesh, bool transport)
{
  Array<double> K   = cell_matrix(mesh, 1.3, 0.);
  const auto    add = [&K](const Array<double> &one) { K.insert(K.end(), one.begin(), one.end()); };
  add(cell_matrix(mesh, 0., 0.4));
  for (int d = 0; d < (transport ? mesh.dim : 0); ++d)
    {
      std::array<double, 3> b{};
      b[d] = 1.;
      add(cell_matrix(mesh, 0., 0., b));
    }
  return K;
}

// The mesh's name may be followed by ", scalar", ", small clusters", ", two coefficients" and ", transport".
inline CellMatrix random_matrix(const Device &device, const std::string &name, unsigned int seed)
{
  const auto has  = [&](const char *what) { return name.find(what) != name.npos; };
  CellMesh   mesh = mesh_named(name.substr(0, name.find(',')));
  if (has(", scalar"))
    {
      mesh.n_components = 1;
      mesh.power        = {{mesh.dim - 2, mesh.dim, mesh.dim - 1, mesh.dim - 1, mesh.dim - 1}};
      mesh.along        = {{0, 1, 2}};
      mesh.local        = cell_matrix(mesh, 1.3, 0.);
      for (auto &fixed : mesh.fixed)
        fixed &= 1;
    }
  if (has(", two coefficients") || has(", transport"))
    mesh.local = cell_matrices(mesh, has(", transport"));
  CellMatrix matrix(device, std::move(mesh), has(", small clusters") ? 4000 : Clusters::most_values);
  for (int i = 0; i < matrix.mesh().n_coefficients(); ++i)
    {
      Values values = random_values(matrix.mesh().n_cells(), seed + 20 * i);
      for (double &value : values)
        value = i < 2 ? std::pow(10., 2. * value) : 0.01 * value;
      matrix.set(to_device<double>(device, values), i);
    }
  return matrix;
}
} // namespace test
} // namespace adamant
