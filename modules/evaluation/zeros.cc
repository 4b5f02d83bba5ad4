#include "evaluation/samples.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace adamant
{
std::vector<std::vector<double>> zeros_between(const std::vector<double> &ends)
{
  struct Vertex
  {
    double              x = 0., y = 0., sum = 0.;
    int                 n          = 0;
    std::vector<double> neighbours = {};
    double              value() const { return sum / n; }
  };
  double size = 0., most = 0.;
  for (std::size_t i = 0; i < ends.size(); i += 3)
    size = std::max({size, std::abs(ends[i]), std::abs(ends[i + 1])});
  std::map<std::pair<long, long>, Vertex> vertices; // by rounded coordinates
  const auto                              vertex_at = [&](std::size_t i) -> Vertex                              &{
    const double unit = 1e-10 * size;
    return vertices[{std::lround(ends[i] / unit), std::lround(ends[i + 1] / unit)}];
  };
  for (std::size_t i = 0; i < ends.size(); i += 3)
    {
      Vertex &vertex = vertex_at(i);
      vertex.x       = ends[i];
      vertex.y       = ends[i + 1];
      vertex.sum += ends[i + 2];
      ++vertex.n;
    }
  for (const auto &[place, vertex] : vertices)
    most = std::max(most, std::abs(vertex.value()));
  const auto vanishes = [&](double value) { return std::abs(value) <= 1e-10 * most; };

  std::vector<std::vector<double>> zeros;
  for (std::size_t i = 0; i < ends.size(); i += 6)
    {
      Vertex      &a = vertex_at(i), &b = vertex_at(i + 3);
      const double u = a.value(), v = b.value();
      a.neighbours.push_back(v);
      b.neighbours.push_back(u);
      if (!vanishes(u) && !vanishes(v) && (u < 0.) != (v < 0.))
        {
          const double s = u / (u - v);
          zeros.push_back({a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)});
        }
    }
  for (const auto &[place, vertex] : vertices)
    if (const auto &v = vertex.neighbours;
        vanishes(vertex.value()) && v.size() == 2 && !vanishes(v[0]) && !vanishes(v[1]) && (v[0] < 0.) != (v[1] < 0.))
      zeros.push_back({vertex.x, vertex.y});
  std::sort(zeros.begin(), zeros.end());
  return zeros;
}
} // namespace adamant
