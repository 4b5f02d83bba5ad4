#pragma once

#include "algebra/device.h"
#include "base/host_device.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// Sets x, or increases it where `adds` is true, by Σ_j weight_j earlier_j over j < n.
struct WeightedSum
{
  static constexpr int most = 4;

  double        weight[most];
  const double *earlier[most];
  int           n;
  bool          adds;
  double       *x;

  ADAMANT_HOST_DEVICE double value(int i) const
  {
    double sum = adds ? x[i] : 0.;
    for (int j = 0; j < most; ++j)
      if (j < n)
        sum += weight[j] * earlier[j][i];
    return sum;
  }
  ADAMANT_HOST_DEVICE void store(int i, double value) const { x[i] = value; }
};

/// Makes the initial guess of a time step's solver. The guess is the polynomial through the last `order` solutions,
/// taken at the new time.
class Extrapolation
{
public:
  Extrapolation(const Device &device, unsigned int order)
    : device(device)
    , order(order)
  {}

  /// Sets x = sum_i w_i x_{-i} over the k <= order solutions known. The weights w_i are binomial coefficients with
  /// alternating signs. Without a solution x is zero.
  void predict(Vector<double> &x) const
  {
    const int k = static_cast<int>(earlier.size());
    if (k == 0)
      x.set_zero();
    double weight = 0;
    for (int first = 0; first < k; first += WeightedSum::most)
      {
        WeightedSum sum{{}, {}, std::min(k - first, WeightedSum::most), first > 0, x.data()};
        for (int j = 0; j < sum.n; ++j)
          {
            const int i    = first + j;
            weight         = i == 0 ? k : -weight * (k - i) / (i + 1.);
            sum.weight[j]  = weight;
            sum.earlier[j] = earlier[i].data();
          }
        device.for_each(x.size(), sum);
      }
  }

  /// Keeps the solution x of this step. Unless `order` is 0, x then holds undefined values.
  void keep(Vector<double> &x)
  {
    if (order == 0)
      return;
    if (earlier.size() < order)
      earlier.emplace_back(device, x.size());
    std::rotate(earlier.begin(), earlier.end() - 1, earlier.end());
    std::swap(x, earlier[0]);
  }

  /// Returns the solutions kept, the latest first. A restarted computation continues the extrapolation from them.
  std::vector<Vector<double>> &history() { return earlier; }

private:
  Device                      device;
  unsigned int                order;
  std::vector<Vector<double>> earlier; // latest first
};
} // namespace adamant
