#pragma once

#include "base/array.h"

#include <functional>

namespace adamant
{
/// The smallest and the largest eigenvalue of a symmetric operator.
struct ExtremeEigenvalues
{
  double smallest, largest;
  double condition() const { return largest / smallest; }
};

/// Returns the extreme eigenvalues by Lanczos' method from a fixed vector, in host memory, without orthogonalization.
/// It stops when 20 steps change neither value by more than 1e-6 of itself. `multiply` computes y = A x for n numbers
/// each. Throws RunError after 5000 steps.
ExtremeEigenvalues extreme_eigenvalues(int                                                                  n,
                                       const std::function<void(const Array<double> &x, Array<double> &y)> &multiply);
} // namespace adamant
