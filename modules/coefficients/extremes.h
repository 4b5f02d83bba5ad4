#pragma once

#include "algebra/vector.h"
#include "base/host_device.h"

#include <array>

namespace adamant
{
/// Returns the least and the largest of the values that all ranks have, computed on the device. NaN does not count. All
/// ranks call it together.
std::array<double, 2> extremes(const Vector<double> &values);

/// Computes the least and the largest of the values i, i + stride, ..., in extremes[i] and extremes[stride + i].
struct ExtremesOfGroup
{
  const double *values;
  int           n, stride;
  double       *extremes;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double least = values[i], most = values[i];
    for (int k = i + stride; k < n; k += stride)
      {
        least = values[k] < least ? values[k] : least;
        most  = values[k] > most ? values[k] : most;
      }
    extremes[i]          = least;
    extremes[stride + i] = most;
  }
};
} // namespace adamant
