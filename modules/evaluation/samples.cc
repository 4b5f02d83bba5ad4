#include "evaluation/samples.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace adamant
{
namespace
{
// The point `corner` + s a + t b of numbers (corner, a, b).
template <int dim>
dealii::Point<dim> point_of_plane(const std::vector<double> &plane, double s, double t)
{
  dealii::Point<dim> point;
  for (unsigned int d = 0; d < dim; ++d)
    point[d] = plane[d] + s * plane[dim + d] + t * plane[2 * dim + d];
  return point;
}

template <int dim>
SamplePlace<dim> make_plane(const EvaluationParameters &parameters, std::size_t k)
{
  SamplePlace<dim>   place{"Output/Planes", "plane", k, {}};
  const auto        &plane = parameters.planes[k];
  const unsigned int n = parameters.plane_points[0], m = parameters.plane_points[1];
  const auto         corner    = point_of_plane<dim>(plane, 0., 0.);
  const double       lengths[] = {corner.distance(point_of_plane<dim>(plane, 1., 0.)),
                                  corner.distance(point_of_plane<dim>(plane, 0., 1.))};
  for (unsigned int j = 0; j < m; ++j)
    for (unsigned int i = 0; i < n; ++i)
      {
        const double s = i / (n - 1.), t = j / (m - 1.);
        place.points.push_back(point_of_plane<dim>(plane, s, t));
        place.along.push_back({s * lengths[0], t * lengths[1]});
      }
  return place;
}

// Returns n points on the line from (ends[0], ..., ends[dim-1]) to (ends[dim], ...), ends included.
template <int dim>
std::vector<dealii::Point<dim>> points_of_line(const std::vector<double> &ends, unsigned int n)
{
  std::vector<dealii::Point<dim>> points(n);
  for (unsigned int k = 0; k < n; ++k)
    {
      const double s = k / (n - 1.);
      for (unsigned int d = 0; d < dim; ++d)
        points[k][d] = (1. - s) * ends[d] + s * ends[dim + d];
    }
  return points;
}
} // namespace

template <int dim>
std::vector<SamplePlace<dim>> sample_places(const EvaluationParameters &parameters)
{
  std::vector<SamplePlace<dim>> places;
  for (std::size_t k = 0; k < parameters.profiles.size(); ++k)
    places.push_back(
      {"Output/Profiles", "profile", k, {}, points_of_line<dim>(parameters.profiles[k], parameters.profile_points)});
  for (std::size_t k = 0; k < parameters.planes.size(); ++k)
    places.push_back(make_plane<dim>(parameters, k));
  return places;
}

template <int dim>
void write_samples(const SamplePlace<dim> &place, const std::vector<SampleColumn> &columns, const std::string &folder,
                   bool writes, RunRecord &record)
{
  std::ostringstream text;
  text << std::setprecision(12) << (place.along.empty() ? "" : "s,t,") << (dim == 2 ? "x,y" : "x,y,z");
  for (const auto &[name, values] : columns)
    {
      text << ',' << name;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const auto at          = [&, first = values.begin()](auto position) {
        const auto &point = place.points[position - first];
        return std::vector<double>(&point[0], &point[0] + dim);
      };
      record[place.kind + "s"][place.number][name] = {
        {"min", *low}, {"min_at", at(low)}, {"max", *high}, {"max_at", at(high)}};
    }
  for (std::size_t i = 0; i < place.points.size(); ++i)
    {
      text << '\n';
      if (!place.along.empty())
        text << place.along[i][0] << ',' << place.along[i][1] << ',';
      for (unsigned int d = 0; d < dim; ++d)
        text << (d > 0 ? "," : "") << place.points[i][d];
      for (const auto &column : columns)
        text << ',' << column.values[i];
    }
  text << '\n';
  if (writes)
    write_file(folder + "/" + place.kind + "_" + std::to_string(place.number) + ".csv", text.str());
}

template decltype(sample_places<2>) sample_places<2>;
template decltype(sample_places<3>) sample_places<3>;
template decltype(write_samples<2>) write_samples<2>;
template decltype(write_samples<3>) write_samples<3>;
} // namespace adamant
