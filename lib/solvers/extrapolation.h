#pragma once

#include "algebra/device.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// The initial guess of a time step's solver: the polynomial through the last `order` solutions, taken at the new time.
class Extrapolation
{
public:
  Extrapolation(const Device &device, unsigned int order)
    : device(device)
    , order(order)
  {}

  /// x = sum_i w_i x_{-i} over the k <= order solutions known: w are binomial coefficients with alternating signs.
  void predict(Vector<double> &x) const
  {
    const unsigned int  k = static_cast<unsigned int>(earlier.size());
    std::vector<double> weights(k);
    for (unsigned int i = 0; i < k; ++i)
      weights[i] = i == 0 ? k : -weights[i - 1] * (k - i) / (i + 1.);
    x.set_zero();
    device.combine(earlier, static_cast<int>(k), weights.data(), x);
  }

  /// Keeps the solution x of this step; x holds anything afterwards.
  void keep(Vector<double> &x)
  {
    if (order == 0)
      return;
    if (earlier.size() < order)
      earlier.emplace_back(device, x.size());
    std::rotate(earlier.begin(), earlier.end() - 1, earlier.end());
    std::swap(x, earlier[0]);
  }

  /// The solutions kept, latest first: with them an extrapolation goes on elsewhere.
  std::vector<Vector<double>> &history() { return earlier; }

private:
  Device                      device;
  unsigned int                order;
  std::vector<Vector<double>> earlier; // latest first
};
} // namespace adamant
