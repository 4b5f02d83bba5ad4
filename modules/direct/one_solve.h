#pragma once

#include "algebra/device.h"
#include "algebra/graph.h"
#include "solvers/preconditioner.h"
#include "tensor/multi_vector.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace adamant
{
/// Returns the median of the seconds that an action takes on the device. Of several runs the first one does not count,
/// as it may record graphs.
template <class Action>
double median_seconds(const Device &device, unsigned int repetitions, Action action)
{
  std::vector<double> times;
  for (unsigned int i = 0; i < (repetitions > 1 ? repetitions + 1 : 1); ++i)
    {
      device.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      action();
      device.synchronize();
      if (i > 0 || repetitions == 1)
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Computes X = M B by a recorded graph. `squares` are squared norms of B for a direct solver, or null. In float the
/// solve works on copies of B and X, rounded before and widened after it.
class OneSolve
{
public:
  OneSolve(const Device &device, const Preconditioner &M, bool in_float, const double *squares, const Vector<double> &B,
           Vector<double> &X)
    : device(device)
    , B(B)
    , X(X)
    , b(device, in_float ? B.size() : 0)
    , x(device, b.size())
  {
    const auto *direct = dynamic_cast<const ColumnInverse *>(&M);
    const auto  once   = [this, direct, in_float, squares, &M] {
      if (direct == nullptr)
        M.vmult(this->B, this->X);
      else if (in_float)
        direct->apply(b, squares, false, x);
      else
        direct->apply(this->B, squares, false, this->X);
    };
    once(); // loads data that a recorded graph must not load
    graph = Graph(device, once);
  }

  /// Solves several times and returns the median of the seconds.
  double solve(unsigned int repetitions)
  {
    if (b.size() > 0)
      device.copy(B, b);
    const double seconds = median_seconds(device, repetitions, [this] { graph.replay(); });
    if (b.size() > 0)
      device.copy(x, X);
    return seconds;
  }

private:
  Device                device;
  const Vector<double> &B;
  Vector<double>       &X;
  Vector<float>         b, x;
  Graph                 graph;
};
} // namespace adamant
