#pragma once

#include "algebra/device.h"
#include "base/exceptions.h"
#include "support/devices.h"
#include "support/reference.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace adamant
{
namespace test
{
/// Right-hand sides and solutions in float give the same results as in double but for their rounding, added up, too. A
/// solver in double refuses them. make(arithmetic, r) is a ColumnInverse for r sides of n unknowns.
template <class Make>
void expect_vectors_in_float(const Device &device, int n_unknowns, const Make &make)
{
  for (const int r : {1, 3, 8})
    {
      const int      n      = n_unknowns * r;
      const auto     solver = make(Arithmetic::float32, r);
      const auto     b      = to_device(device, random_values(n, 3));
      Vector<double> x(device, n);
      Vector<float>  b_in_float(device, n), x_in_float(device, n);
      device.copy(b, b_in_float);
      solver.solve(b, x);
      for (const bool add : {false, true})
        solver.apply(b_in_float, nullptr, add, x_in_float);
      const auto twice = combine(2, values_of(x), 0, values_of(x));
      const auto most  = std::minmax_element(twice.begin(), twice.end());
      expect_near(values_of(x_in_float), twice, 2e-6 * (*most.second - *most.first), "twice x");
      EXPECT_THROW(make(Arithmetic::float64, 1).apply(b_in_float, nullptr, false, x_in_float), InputError);
    }
}
} // namespace test
} // namespace adamant
