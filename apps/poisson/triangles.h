#pragma once

#include "levels.h"

#include <deal.II/base/point.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

/// A mesh of triangles with linear elements, without deal.II: solvers only see its matrices.
namespace poisson
{
class Triangles
{
public:
  /// Makes the domain of the flow around a square (Ruda, Turek, Ribbrock and Zajac 2021, Figure 9): (0,4) x (0,1)
  /// without [5/4,7/4] x [1/4,3/4], in 28 triangles. Both diagonals cut each of three unit squares. The ring around the
  /// hole is four trapezoids, each cut into four from the intersection of its diagonals.
  Triangles()
  {
    for (const double x : {0., 2., 3.})
      add_fan({x, 0}, {x + 1, 0}, {x + 1, 1}, {x, 1});
    add_fan({1, 0}, {2, 0}, {1.75, .25}, {1.25, .25});
    add_fan({2, 0}, {2, 1}, {1.75, .75}, {1.75, .25});
    add_fan({2, 1}, {1, 1}, {1.25, .75}, {1.75, .75});
    add_fan({1, 1}, {1, 0}, {1.25, .25}, {1.25, .75});
  }

  /// Cuts each triangle into four and returns the interpolation from the old nodes, which keep their numbers.
  CSRMatrix<double> refine()
  {
    const int                          n_old = n_nodes();
    std::map<std::pair<int, int>, int> middle;
    std::vector<Row>                   rows;
    for (int i = 0; i < n_old; ++i)
      rows.push_back({{i, 1.}});
    const auto middle_of = [&](int a, int b) {
      const auto [place, is_new] = middle.try_emplace(std::minmax(a, b), n_nodes());
      if (is_new)
        {
          nodes.push_back(nodes[a] + 0.5 * (nodes[b] - nodes[a]));
          rows.push_back({{a, 0.5}, {b, 0.5}});
        }
      return place->second;
    };
    std::vector<Triangle> fine;
    for (const auto &[a, b, c] : triangles)
      {
        const int ab = middle_of(a, b), bc = middle_of(b, c), ca = middle_of(c, a);
        fine.insert(fine.end(), {{{a, ab, ca}}, {{ab, b, bc}}, {{ca, bc, c}}, {{bc, ca, ab}}});
      }
    triangles = std::move(fine);
    return matrix(rows, n_old);
  }

  CSRMatrix<double> stiffness() const
  {
    return assemble([this](const Triangle &t, int i, int j) {
      // The gradients are the edges opposite to the nodes, over twice the area, turned by a right angle.
      const Point a = edge(t, i), b = edge(t, j);
      return (a[0] * b[0] + a[1] * b[1]) / (4. * area(t));
    });
  }
  CSRMatrix<double> mass() const
  {
    return assemble([this](const Triangle &t, int i, int j) { return area(t) / (i == j ? 6. : 12.); });
  }

  Array<int> inner_nodes() const ///< nodes that are on no boundary
  {
    std::map<std::pair<int, int>, int> count;
    for (const auto &t : triangles)
      for (int i = 0; i < 3; ++i)
        ++count[std::minmax(t[i], t[(i + 1) % 3])];
    std::vector<char> boundary(n_nodes(), 0);
    for (const auto &[edge, n] : count)
      if (n == 1)
        boundary[edge.first] = boundary[edge.second] = 1;
    Array<int> inner;
    for (int i = 0; i < n_nodes(); ++i)
      if (!boundary[i])
        inner.push_back(i);
    return inner;
  }

  int           n_nodes() const { return static_cast<int>(nodes.size()); }
  std::size_t   n_cells() const { return triangles.size(); }
  Array<double> points() const
  {
    Array<double> coordinates;
    for (int d = 0; d < 2; ++d)
      for (const auto &p : nodes)
        coordinates.push_back(p[d]);
    return coordinates;
  }

private:
  using Point    = dealii::Point<2>;
  using Triangle = std::array<int, 3>;
  using Row      = std::map<int, double>; // entries by column

  int node(const Point &p)
  {
    for (int i = 0; i < n_nodes(); ++i)
      if (nodes[i].distance(p) < 1e-12)
        return i;
    nodes.push_back(p);
    return n_nodes() - 1;
  }

  // Adds four triangles around the intersection of the diagonals.
  void add_fan(const Point &a, const Point &b, const Point &c, const Point &d)
  {
    // The intersection is a + t (c - a) on the line through b and d.
    const double e0 = d[0] - b[0], e1 = d[1] - b[1];
    const double t        = ((b[0] - a[0]) * e1 - (b[1] - a[1]) * e0) / ((c[0] - a[0]) * e1 - (c[1] - a[1]) * e0);
    const int    m        = node({a[0] + t * (c[0] - a[0]), a[1] + t * (c[1] - a[1])});
    const int    corner[] = {node(a), node(b), node(c), node(d)};
    for (int i = 0; i < 4; ++i)
      triangles.push_back({{corner[i], corner[(i + 1) % 4], m}});
  }

  Point edge(const Triangle &t, int i) const // the edge opposite to node i
  {
    const Point &p = nodes[t[(i + 1) % 3]], &q = nodes[t[(i + 2) % 3]];
    return {q[0] - p[0], q[1] - p[1]};
  }
  double area(const Triangle &t) const
  {
    const Point a = edge(t, 0), b = edge(t, 1);
    return 0.5 * std::abs(a[0] * b[1] - a[1] * b[0]);
  }

  template <typename Entry>
  CSRMatrix<double> assemble(const Entry &entry) const
  {
    std::vector<Row> rows(n_nodes());
    for (const auto &t : triangles)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          rows[t[i]][t[j]] += entry(t, i, j);
    return matrix(rows, n_nodes());
  }

  static CSRMatrix<double> matrix(const std::vector<Row> &rows, int n_columns)
  {
    CSRMatrix<double> A;
    A.n_rows = static_cast<int>(rows.size());
    A.n_cols = n_columns;
    A.row_start.push_back(0);
    for (const Row &row : rows)
      {
        for (const auto &[column, value] : row)
          {
            A.column.push_back(column);
            A.value.push_back(value);
          }
        A.row_start.push_back(static_cast<std::int64_t>(A.column.size()));
      }
    return A;
  }

  std::vector<Point>    nodes;
  std::vector<Triangle> triangles;
};

/// Returns the levels of this mesh up to so many refinements, with u = 0 on the boundary.
inline Levels flow_around_square(unsigned int refinements)
{
  Triangles mesh;
  Levels    levels;
  levels.add(mesh.stiffness(), nullptr, mesh.inner_nodes());
  for (unsigned int l = 0; l < refinements; ++l)
    {
      levels.prolongations.push_back(std::make_shared<CSRMatrix<double>>(mesh.refine()));
      levels.add(mesh.stiffness(), levels.prolongations.back().get(), mesh.inner_nodes());
    }
  levels.matrix  = std::make_shared<CSRMatrix<double>>(mesh.stiffness());
  levels.mass    = levels.of_unknowns(mesh.mass());
  levels.points  = mesh.points();
  levels.n_cells = mesh.n_cells();
  return levels;
}
} // namespace poisson
