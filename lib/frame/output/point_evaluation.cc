#include "frame/output/point_evaluation.h"

#include "fem/functions/points.h"

#include <algorithm>

namespace adamant
{
namespace
{
template <int dim>
std::vector<dealii::Point<dim>> dealii_points(const std::vector<std::vector<double>> &coordinates)
{
  std::vector<dealii::Point<dim>> points(coordinates.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    std::copy_n(coordinates[p].begin(), dim, &points[p][0]);
  return points;
}
} // namespace

template <int dim>
PointEvaluation::PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                                 const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                                 unsigned int n_components)
  : device(device)
  , N(device, evaluation_matrix(key, field.finest(), mapping, dealii_points<dim>(points), n_components))
  , own(device, 2 * N.n_rows())
{}

std::vector<double> PointEvaluation::operator()(const Vector<double> &u) const
{
  evaluate(u, 0);
  device.synchronize();
  return values(0);
}

void PointEvaluation::evaluate(const Vector<double> &u, int place) const
{
  device.for_each_row(N, u, Product<double>(1., 0., own.storage().on_host + place * N.n_rows()));
}

std::vector<double> PointEvaluation::values(int place) const
{
  const double       *first = own.on_host() + place * N.n_rows();
  std::vector<double> values(first, first + N.n_rows());
  device.communicator().sum(values.data(), static_cast<int>(values.size()));
  return values;
}

template PointEvaluation::PointEvaluation(const Device &, const std::string &, const Field<2> &,
                                          const dealii::Mapping<2> &, const std::vector<std::vector<double>> &,
                                          unsigned int);
template PointEvaluation::PointEvaluation(const Device &, const std::string &, const Field<3> &,
                                          const dealii::Mapping<3> &, const std::vector<std::vector<double>> &,
                                          unsigned int);
} // namespace adamant
