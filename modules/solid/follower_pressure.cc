#include "solid/follower_pressure.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"

#include <cmath>

namespace adamant
{
FollowerPressure::FollowerPressure(const std::string &key, const std::string &text,
                                   const std::function<unsigned int(const std::string &)> &id_of)
  : key(key)
  , text_of(split_by_boundary(key, text, id_of))
{
  for (const auto &[id, expression] : text_of)
    p[id] = parse_function_of_time(key, expression);
}

std::vector<unsigned int> FollowerPressure::boundaries() const
{
  std::vector<unsigned int> ids;
  for (const auto &entry : text_of)
    ids.push_back(entry.first);
  return ids;
}

std::vector<double> FollowerPressure::at(double t, double factor) const
{
  std::vector<double> values;
  for (const auto &[id, function] : p)
    {
      values.push_back(factor * function(t));
      require(std::isfinite(values.back()), key, " on boundary ", id, " is ", values.back(), " at t = ", t);
    }
  return values;
}

std::vector<double> FollowerPressure::kinds() const
{
  std::map<std::string, double> numbers;
  std::vector<double>           kinds;
  for (const auto &entry : text_of)
    kinds.push_back(numbers.emplace(entry.second, 1. + static_cast<double>(numbers.size())).first->second);
  return kinds;
}

void FollowerPressure::check(const MeshParameters &mesh, const SolidBoundaries &others, unsigned int dim) const
{
  const std::string axes = std::string("xyz").substr(0, dim);
  for (const unsigned int id : boundaries())
    {
      mesh.check_boundary(key, id, dim);
      const auto        found = others.dirichlet.find(id);
      const std::string held  = found != others.dirichlet.end() ? found->second : "";
      const bool side = !mesh.given() && mesh.coordinates.empty() && held.find(axes[id / 2]) != std::string::npos;
      require(!side && held.find('n') == std::string::npos && axes.find_first_not_of(held) != std::string::npos, key,
              ": on boundary ", id, " the displacement along the normal is prescribed: a pressure there does nothing");
    }
}

std::string FollowerPressure::notes(const SolidBoundaries &others) const
{
  std::string lines;
  for (const unsigned int id : boundaries())
    if (others.traction.count(id) > 0)
      lines += "note: boundary " + std::to_string(id) +
               " bears a traction, which keeps its direction, and a pressure that follows the body\n";
  return lines;
}
} // namespace adamant
