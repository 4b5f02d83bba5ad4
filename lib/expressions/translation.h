#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// Expressions of parameter files (muParser's language as deal.II's FunctionParser has it) as CUDA C++, which is C++
/// but for its launch: for compilation at run time. A text that muParser accepts means the same here, or RunError says
/// what has no counterpart (lists of values); others are not diagnosed.

/// The function `__device__ void point_function(double x, double y, double z, double t, double *f, long stride)`, which
/// sets f[c * stride] to component c.
std::string point_function(const std::vector<std::string> &components);

/// The kernel `at_points(int n, const double *points, double t, double *values)` with that function in `dim`
/// dimensions:
/// values[c n + i] = f_c(t, x_i) for i < n, where points[d n + i] is coordinate d of x_i.
std::string point_kernel(const std::vector<std::string> &components, int dim);
} // namespace adamant
