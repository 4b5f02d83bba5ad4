#include "algebra/cuda/check.cuh"
#include "algebra/cuda/point_kernel.h"
#include "expressions/translation.h"
#include "algebra/cuda/nvrtc.h"
#include "base/shared_library.h"

#include <cuda.h>

namespace adamant
{
namespace
{
// The driver's part of CUDA, which is where there is a GPU; its status codes are the runtime's.
struct Driver
{
  SharedLibrary                  library{{"libcuda.so.1"}};
  decltype(cuModuleLoadData)    *load   = library.function<decltype(cuModuleLoadData)>("cuModuleLoadData");
  decltype(cuModuleUnload)      *unload = library.function<decltype(cuModuleUnload)>("cuModuleUnload");
  decltype(cuModuleGetFunction) *find   = library.function<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
  decltype(cuLaunchKernel)      *launch = library.function<decltype(cuLaunchKernel)>("cuLaunchKernel");

  static const Driver &get()
  {
    static const Driver driver;
    return driver;
  }
};

cudaError_t status_of(CUresult result)
{
  return static_cast<cudaError_t>(result);
}
} // namespace

CudaPointKernel::CudaPointKernel(const std::shared_ptr<CudaContext> &context,
                                 const std::vector<std::string> &components, int dim)
  : context(context)
{
  int major = 0, minor = 0;
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context->device()),
              "cudaDeviceGetAttribute");
  cuda::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, context->device()),
              "cudaDeviceGetAttribute");
  const std::string code =
    compile_cuda(point_kernel(components, dim), "sm_" + std::to_string(major) + std::to_string(minor));
  const Driver &driver = Driver::get();
  CUmodule      loaded = nullptr;
  cuda::check(status_of(driver.load(&loaded, code.data())), "cuModuleLoadData");
  module.reset(loaded, driver.unload);
  cuda::check(status_of(driver.find(&function, loaded, "at_points")), "cuModuleGetFunction", "at_points");
}

void CudaPointKernel::operator()(int n, const double *points, double t, double *values) const
{
  if (n == 0)
    return;
  void *arguments[] = {&n, &points, &t, &values};
  cuda::check(status_of(Driver::get().launch(function, cuda::blocks_for(n), 1, 1, cuda::block_size, 1, 1, 0,
                                             context->stream(), arguments, nullptr)),
              "cuLaunchKernel", "at_points", n);
}
} // namespace adamant
