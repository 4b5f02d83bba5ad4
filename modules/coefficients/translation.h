#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// The functions below translate expressions of parameter files to CUDA C++, for compilation at run time. Expressions
/// are in the language of muParser, as deal.II's FunctionParser has it. A text that muParser accepts keeps its meaning,
/// or RunError names the part that has no counterpart (lists of values). Mistakes in other texts are not diagnosed.

/// Returns the code of `__device__ void point_function(double x, double y, double z, double t, double *f, long stride,
/// double u = 0.)`, which sets f[c * stride] to component c; expressions may have the variable u.
std::string point_function(const std::vector<std::string> &components);

/// Returns the code of point_function and of the kernel `at_points(int n, const double *points, double t, double
/// *values)` in `dim` dimensions. The kernel sets values[c n + i] = f_c(t, x_i) for i < n, where points[d n + i] is
/// coordinate d of x_i. With `with_u`, points[dim n + i] is u there.
std::string point_kernel(const std::vector<std::string> &components, int dim, bool with_u = false);
} // namespace adamant
