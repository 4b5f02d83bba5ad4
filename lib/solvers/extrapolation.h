#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// The initial guess of a time step's solver: the polynomial through the last `order` solutions, taken at the new time.
template <class Backend>
class Extrapolation
{
public:
  using Vector = typename Backend::Vector;

  Extrapolation(const Backend &backend, unsigned int order)
    : backend(backend)
    , order(order)
  {}

  /// x = sum_i w_i x_{-i} over the k <= order solutions known: w are binomial coefficients with alternating signs.
  void predict(Vector &x) const
  {
    const unsigned int  k = static_cast<unsigned int>(earlier.size());
    std::vector<double> weights(k);
    for (unsigned int i = 0; i < k; ++i)
      weights[i] = i == 0 ? k : -weights[i - 1] * (k - i) / (i + 1.);
    backend.set_zero(x);
    backend.multi_axpy(earlier, static_cast<int>(k), weights.data(), x);
  }

  /// Keeps the solution x of this step; x holds anything afterwards.
  void keep(Vector &x)
  {
    if (order == 0)
      return;
    if (earlier.size() < order)
      earlier.push_back(backend.create_vector(x.size()));
    std::rotate(earlier.begin(), earlier.end() - 1, earlier.end());
    std::swap(x, earlier[0]);
  }

  /// The solutions kept, latest first: with them an extrapolation goes on elsewhere.
  std::vector<Vector> &history() { return earlier; }

private:
  Backend             backend;
  unsigned int        order;
  std::vector<Vector> earlier; // latest first
};
} // namespace adamant
