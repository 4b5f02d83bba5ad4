#include "application/profiles.h"

#include "discretization/fields/points.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace adamant
{
template <int dim>
PointEvaluation<dim>::PointEvaluation(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const std::vector<dealii::Point<dim>> &points)
  : ranks(space.communicator())
{
  if (!points.empty())
    matrix = evaluation_matrix(space, mapping, points, 1);
}

// One rank knows the value at a point, the others have zero.
template <int dim>
std::vector<double> PointEvaluation<dim>::operator()(const Array<double> &nodal) const
{
  if (empty())
    return {};
  const auto          own = product(matrix, nodal);
  std::vector<double> values(own.begin(), own.end());
  ranks.sum(values.data(), static_cast<int>(values.size()));
  return values;
}

template <int dim>
Profiles<dim>::Profiles(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                        const std::vector<std::vector<double>> &ends, unsigned int n_points)
  : ranks(space.communicator())
{
  for (const auto &line : ends)
    {
      std::vector<dealii::Point<dim>> points(n_points);
      for (unsigned int k = 0; k < n_points; ++k)
        {
          const double s = k / (n_points - 1.);
          for (unsigned int d = 0; d < dim; ++d)
            points[k][d] = (1. - s) * line[d] + s * line[dim + d];
        }
      lines.push_back({points, PointEvaluation<dim>(space, mapping, points)});
    }
}

template <int dim>
void Profiles<dim>::write(const std::vector<Function> &functions, const std::string &folder, RunRecord &record) const
{
  for (std::size_t k = 0; k < lines.size(); ++k)
    {
      const auto                      &points = lines[k].points;
      std::vector<std::vector<double>> values;
      std::ostringstream               text;
      text << std::setprecision(12) << (dim == 2 ? "x,y" : "x,y,z");
      auto &entry = record["profiles"][k];
      for (const auto &function : functions)
        {
          text << ',' << function.name;
          const auto &at_points = values.emplace_back(lines[k].evaluation(function.nodal));
          if (!function.extremes)
            continue;
          const auto [low, high] = std::minmax_element(at_points.begin(), at_points.end());
          const auto place       = [&](auto position) {
            const auto &point = points[position - at_points.begin()];
            return std::vector<double>(&point[0], &point[0] + dim);
          };
          entry[function.name] = {{"min", *low}, {"min_at", place(low)}, {"max", *high}, {"max_at", place(high)}};
        }
      for (std::size_t i = 0; i < points.size(); ++i)
        {
          text << '\n';
          for (unsigned int d = 0; d < dim; ++d)
            text << (d > 0 ? "," : "") << points[i][d];
          for (const auto &at_points : values)
            text << ',' << at_points[i];
        }
      text << '\n';
      if (ranks.rank() == 0)
        write_file(folder + "/profile_" + std::to_string(k) + ".csv", text.str());
    }
}

template class PointEvaluation<2>;
template class PointEvaluation<3>;
template class Profiles<2>;
template class Profiles<3>;
} // namespace adamant
