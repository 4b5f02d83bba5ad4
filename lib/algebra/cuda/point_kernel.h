#pragma once

#include "algebra/cuda/context.h"

#include <memory>
#include <string>
#include <vector>

struct CUmod_st;
struct CUfunc_st;

namespace adamant
{
/// Expressions evaluated at points in device memory by a kernel that is compiled when this is made (point_kernel).
class CudaPointKernel
{
public:
  /// Throws RunError: an expression cannot be translated, NVRTC is missing, or the driver refuses the code.
  CudaPointKernel(const std::shared_ptr<CudaContext> &context, const std::vector<std::string> &components, int dim);

  /// values[c n + i] = f_c(t, x_i), where points[d n + i] is coordinate d of x_i, on the context's stream. The time is fixed
  /// when this is called: do not record it in a graph.
  void operator()(int n, const double *points, double t, double *values) const;

private:
  std::shared_ptr<CudaContext> context;
  std::shared_ptr<CUmod_st>    module;
  CUfunc_st                   *function = nullptr;
};
} // namespace adamant
