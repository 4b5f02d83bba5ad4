#include "frame/output/profiles.h"

#include "algebra/functors.h"
#include "fem/functions/points.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace adamant
{
template <int dim>
std::vector<dealii::Point<dim>> points_of(const std::vector<std::vector<double>> &coordinates)
{
  std::vector<dealii::Point<dim>> points(coordinates.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    std::copy_n(coordinates[p].begin(), dim, &points[p][0]);
  return points;
}

template <int dim>
PointEvaluation::PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                                 const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                                 unsigned int n_components)
  : device(device)
  , N(device, evaluation_matrix(key, field.finest(), mapping, points_of<dim>(points), n_components))
  , own(device, 2 * N.n_rows())
{}

void PointEvaluation::evaluate(const Vector<double> &u, int place) const
{
  device.for_each_row(N, u, Product<double>(1., 0., own.on_host() + place * N.n_rows()));
}

std::vector<double> PointEvaluation::values(int place) const
{
  const double       *first = own.on_host() + place * N.n_rows();
  std::vector<double> values(first, first + N.n_rows());
  device.communicator().sum(values.data(), static_cast<int>(values.size()));
  return values;
}

template <int dim>
HostPointEvaluation::HostPointEvaluation(const std::string &key, const LevelSpace<dim> &space,
                                         const dealii::Mapping<dim>            &mapping,
                                         const std::vector<dealii::Point<dim>> &points)
  : ranks(space.communicator())
{
  if (!points.empty())
    matrix = evaluation_matrix(key, space, mapping, points, 1);
}

// One rank knows the value at a point, the others have zero.
std::vector<double> HostPointEvaluation::operator()(const Array<double> &nodal) const
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
      const auto points = points_of_line<dim>(line, n_points);
      lines.push_back({points, HostPointEvaluation("Output/Profiles", space, mapping, points)});
    }
}

template <int dim>
void Profiles<dim>::write(const std::vector<Function> &functions, const std::string &folder, RunRecord &record) const
{
  for (std::size_t k = 0; k < lines.size(); ++k)
    {
      std::vector<ProfileColumn> columns;
      for (const auto &function : functions)
        columns.push_back({function.name, lines[k].evaluation(function.nodal), function.extremes});
      write_profile(k, lines[k].points, columns, folder, ranks.rank() == 0, record);
    }
}

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

template <int dim>
void write_profile(std::size_t k, const std::vector<dealii::Point<dim>> &points,
                   const std::vector<ProfileColumn> &columns, const std::string &folder, bool writes, RunRecord &record)
{
  std::ostringstream text;
  text << std::setprecision(12) << (dim == 2 ? "x,y" : "x,y,z");
  for (const auto &[name, values, extremes] : columns)
    {
      text << ',' << name;
      if (!extremes)
        continue;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const auto place       = [&, first = values.begin()](auto position) {
        const auto &point = points[position - first];
        return std::vector<double>(&point[0], &point[0] + dim);
      };
      record["profiles"][k][name] = {{"min", *low}, {"min_at", place(low)}, {"max", *high}, {"max_at", place(high)}};
    }
  for (std::size_t i = 0; i < points.size(); ++i)
    {
      text << '\n';
      for (unsigned int d = 0; d < dim; ++d)
        text << (d > 0 ? "," : "") << points[i][d];
      for (const auto &column : columns)
        text << ',' << column.values[i];
    }
  text << '\n';
  if (writes)
    write_file(folder + "/profile_" + std::to_string(k) + ".csv", text.str());
}

#define INSTANTIATE(dim)                                                                                            \
  template std::vector<dealii::Point<dim>> points_of(const std::vector<std::vector<double>> &);                     \
  template std::vector<dealii::Point<dim>> points_of_line(const std::vector<double> &, unsigned int);               \
  template HostPointEvaluation::HostPointEvaluation(const std::string &, const LevelSpace<dim> &,                   \
                                                    const dealii::Mapping<dim> &,                                   \
                                                    const std::vector<dealii::Point<dim>> &);                       \
  template void write_profile(std::size_t, const std::vector<dealii::Point<dim>> &,                                 \
                              const std::vector<ProfileColumn> &, const std::string &, bool, RunRecord &);          \
  template class Profiles<dim>;                                                                                     \
  template PointEvaluation::PointEvaluation(const Device &, const std::string &, const Field<dim> &,                \
                                            const dealii::Mapping<dim> &, const std::vector<std::vector<double>> &, \
                                            unsigned int);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
