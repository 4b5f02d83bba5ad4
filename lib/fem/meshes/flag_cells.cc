#include "fem/meshes/flag_cells.h"

#include "base/communicator.h"
#include "fem/meshes/owned_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace adamant
{
namespace
{
constexpr int largest_key = 1 << 30; // sums of a few million are exact in double precision

// To 12 bits: what symmetry makes equal is equal then, whatever the rounding of the sums in it.
double rounded(double value)
{
  int          exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 12)), exponent - 12);
}

// The squares of the indicators, as multiples of 2^-30 of the largest one.
template <class Cells>
std::vector<int> keys_of(const Cells &cells, const dealii::Vector<float> &indicators, const Communicator &ranks)
{
  double largest = 0;
  for (const auto &cell : cells)
    largest = std::max(largest, rounded(indicators[cell->active_cell_index()]));
  ranks.max(&largest, 1);
  std::vector<int> keys;
  keys.reserve(cells.size());
  for (const auto &cell : cells)
    {
      const double share = largest > 0. ? rounded(indicators[cell->active_cell_index()]) / largest : 0.;
      keys.push_back(static_cast<int>(share * share * largest_key));
    }
  return keys;
}

// The first number of first, ..., last for which a condition holds that holds for all after it; else last.
template <class Condition>
int first_with(int first, int last, const Condition &holds)
{
  while (first < last)
    {
      const int middle = first + (last - first) / 2;
      if (holds(middle))
        last = middle;
      else
        first = middle + 1;
    }
  return first;
}
} // namespace

template <int dim>
void flag_cells(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                double coarsen, FractionsOf fractions)
{
  const Communicator ranks(mesh.get_communicator());
  const auto         cells = owned_cells(mesh);
  const auto         keys  = keys_of(cells, indicators, ranks);
  const auto         part  = [&](int from, int to) {
    std::int64_t of_rank = 0; // loops without branches: there are many
    if (fractions == FractionsOf::error)
      for (const int key : keys)
        of_rank += from <= key && key <= to ? key : 0;
    else
      for (const int key : keys)
        of_rank += from <= key && key <= to;
    double sum = static_cast<double>(of_rank);
    ranks.sum(&sum, 1);
    return sum;
  };
  const double all = part(0, largest_key);
  // The largest key that belongs to too small a part, and the smallest one that makes up the other.
  const int above = first_with(0, largest_key, [&](int key) { return part(key + 1, largest_key) < refine * all; }),
            up_to = first_with(-1, largest_key, [&](int key) { return part(0, key) >= coarsen * all; });
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (keys[c] > 0 && keys[c] >= above && refine > 0.)
      cells[c]->set_refine_flag();
    else if (keys[c] <= up_to)
      cells[c]->set_coarsen_flag();
}

template <int dim>
double norm_of_indicators(const dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators)
{
  double sum = 0;
  for (const auto &cell : owned_cells(mesh))
    {
      const double indicator = rounded(indicators[cell->active_cell_index()]);
      sum += indicator * indicator;
    }
  Communicator(mesh.get_communicator()).sum(&sum, 1);
  return std::sqrt(sum);
}

template double norm_of_indicators(const dealii::Triangulation<2> &, const dealii::Vector<float> &);
template double norm_of_indicators(const dealii::Triangulation<3> &, const dealii::Vector<float> &);
template void   flag_cells(dealii::Triangulation<2> &, const dealii::Vector<float> &, double, double, FractionsOf);
template void   flag_cells(dealii::Triangulation<3> &, const dealii::Vector<float> &, double, double, FractionsOf);
} // namespace adamant
