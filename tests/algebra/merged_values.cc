// What the formats store against the assembled matrix: values that differ by rounding are merged within a bound, others
// stay to the bit; cuSPARSE merges nothing.

#include "algebra/value_dictionary.h"
#include "tests/algebra/matrix_zoo.h"

#include <limits>

using namespace adamant;
using namespace adamant::test;

namespace
{
// The fewest columns apart that no row has twice: the sum of unit vectors this far from each other picks one entry of
// each row.
int period_of(const CSRMatrix<double> &A)
{
  for (int period = 1;; ++period)
    {
      bool apart = true;
      for (int i = 0; i < A.n_rows && apart; ++i)
        {
          std::vector<bool> taken(period, false);
          for (auto k = A.row_start[i]; k < A.row_start[i + 1] && apart; ++k)
            {
              apart                       = !taken[A.column[k] % period];
              taken[A.column[k] % period] = true;
            }
        }
      if (apart)
        return period;
    }
}

// The values that a device multiplies with, in the order of A.value.
template <typename Number>
Values stored_values(const Device &device, const CSRMatrix<double> &A, int node_size)
{
  const Matrix<Number> on(device, A, node_size);
  const int            period = period_of(A);
  Values               stored(A.value.size(), nan_value);
  Vector<Number>       y(device, A.n_rows);
  for (int first = 0; first < period; ++first)
    {
      Values units(A.n_cols, 0.);
      for (int j = first; j < A.n_cols; j += period)
        units[j] = 1;
      device.multiply(Number(1), on, to_device<Number>(device, units), Number(0), y);
      const Values entries = values_of(y);
      for (int i = 0; i < A.n_rows; ++i)
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          if (A.column[k] % period == first)
            stored[k] = entries[i];
    }
  return stored;
}

// Largest |stored - assembled| of a row over its largest magnitude, over all rows; and how many values are others than
// the assembled ones, rounded.
template <typename Number>
std::pair<double, int> difference(const CSRMatrix<double> &A, const Values &stored)
{
  double worst    = 0;
  int    n_others = 0;
  for (int i = 0; i < A.n_rows; ++i)
    {
      double largest = 0, row = 0;
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        {
          largest = std::max(largest, std::abs(A.value[k]));
          row     = std::max(row, std::abs(stored[k] - A.value[k]));
          n_others += stored[k] != static_cast<double>(static_cast<Number>(A.value[k]));
        }
      if (row > 0)
        worst = std::max(worst, row / largest);
    }
  return {worst, n_others};
}

// Stencils, bands and nodes with rounding noise of some units in the last place.
template <typename Number>
std::vector<Specimen> noisy_matrices(double units)
{
  const double          noise = units * std::numeric_limits<Number>::epsilon();
  std::vector<Specimen> all;
  for (Specimen s : {Specimen{"1D stencil", q1_matrix({1, 4000}, {1, 0.1, {0.3, 0, 0}})},
                     Specimen{"2D stencil", q1_matrix({2, 40}, {1, 0.1, {0.3, -0.2, 0}})},
                     Specimen{"prolongation", q1_prolongation({2, 40})}, Specimen{"band", band(20001, 1)},
                     Specimen{"band of pairs", band(20001, 0)}, Specimen{"nodes of 2", nodes_on_a_line(700, 2, 0.), 2},
                     Specimen{"nodes of 3", nodes_on_a_line(700, 3, 0.), 3}})
    {
      s.A = with_noise(s.A, noise);
      s.name += " with noise of " + std::to_string(units) + " units";
      all.push_back(s);
    }
  return all;
}

template <class In>
class MergedValues : public DeviceOperations<In>
{
protected:
  using Number = typename In::Number;

  // As host/sparse_matrix.h and cuda/sparse.cuh say; what is merged is rounded to Number besides.
  double bound() const
  {
    const double rounding = sizeof(Number) == sizeof(double) ? 0 : std::numeric_limits<Number>::epsilon();
    const int    times    = this->place == Place::host ? 1 : this->place == Place::cuda ? 4 : 0;
    return times * same_value<Number> * (1 + 1e-5) + rounding;
  }
};
TYPED_TEST_SUITE(MergedValues, Precisions, PrecisionName);
} // namespace

TYPED_TEST(MergedValues, StayWithinTheirBound)
{
  using Number = typename TestFixture::Number;
  int n_merged = 0;
  for (const double units : {0., 1., 4., 12., 30., 1000.})
    for (const Specimen &s : noisy_matrices<Number>(units))
      {
        const Values stored        = stored_values<Number>(this->device, s.A, s.node_size);
        const auto [worst, others] = difference<Number>(s.A, stored);
        EXPECT_LE(worst, this->bound()) << s.name;
        if (units == 0 || this->place == Place::cusparse)
          {
            EXPECT_EQ(others, 0) << s.name << ": expected every value to the bit";
          }
        n_merged += others;
      }
  if (this->place != Place::cusparse)
    {
      EXPECT_GT(n_merged, 0) << "expected that something is merged";
    }
}

// Values further apart than rounding stay.
TYPED_TEST(MergedValues, OtherValuesStayToTheBit)
{
  using Number = typename TestFixture::Number;
  for (const Specimen &s : matrix_zoo())
    if (s.A.n_rows <= 5000 && s.A.n_cols <= 5000 && s.A.n_rows > 0)
      {
        const auto others = difference<Number>(s.A, stored_values<Number>(this->device, s.A, s.node_size)).second;
        EXPECT_EQ(others, 0) << s.name;
      }
}

// Columns and values of uniform parts of a mesh cost little; all that differ are there.
TEST(HostMatrices, SlicesThatRepeatAreStoredOnce)
{
  const Device host = Device::host(1);
  const auto   A = q1_matrix({2, 300}, {1, 0.1, {0.3, -0.2, 0}}), P = q1_prolongation({2, 300});
  const auto   bytes = [&](auto number, const CSRMatrix<double> &matrix) {
    return double(Matrix<decltype(number)>(host, matrix).bytes()) / matrix.n_rows;
  };
  EXPECT_LT(bytes(double(), A), 14.) << "19 where each slice has its own";
  EXPECT_LT(bytes(float(), P), 12.) << "20 where each slice has its own";
  EXPECT_GT(bytes(double(), with_noise(A, 1e-3)), 9 * 8.);
}

// Rows of different lengths are ordered by them, which spares most of the padding.
TEST(HostMatrices, RowsOfDifferentLengthsHaveLittlePadding)
{
  const Device host = Device::host(1);
  for (const int m : {1, 3})
    {
      const auto   A     = nodes_of_different_lengths(7000, m);
      const double bytes = double(Matrix<float>(host, A, m).bytes());
      EXPECT_LT(bytes / double(A.n_nonzeros()), 1.3 * (sizeof(float) + 4. / m)) << "padding is 60% of it else";
    }
}
