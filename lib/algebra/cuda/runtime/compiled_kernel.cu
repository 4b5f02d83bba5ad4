#include "algebra/compiled_kernel.h"

#include "algebra/cuda/runtime/check.cuh"
#include "base/exceptions.h"
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

// "sm_90"
std::string architecture_of(const cuda::Context &context)
{
  int major = 0, minor = 0;
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context.device()),
              "cudaDeviceGetAttribute");
  cuda::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, context.device()),
              "cudaDeviceGetAttribute");
  return "sm_" + std::to_string(major) + std::to_string(minor);
}
} // namespace

struct CompiledKernel::Module
{
  Module(const Device &device, const std::string &source, const std::string &name)
    : device(device)
    , name(name)
  {
    if (!device.traits().kernels)
      throw RunError("a kernel can be compiled for a GPU only, not for " + device.name());
    const std::string code   = compile_cuda(source, architecture_of(context()));
    const Driver     &driver = Driver::get();
    CUmodule          loaded = nullptr;
    cuda::check(status_of(driver.load(&loaded, code.data())), "cuModuleLoadData");
    owner.reset(loaded, [unload = driver.unload](CUmodule m) {
      cudaDeviceSynchronize(); // a launch may be under way
      unload(m);
    });
    cuda::check(status_of(driver.find(&function, loaded, name.c_str())), "cuModuleGetFunction", name);
  }

  const cuda::Context &context() const { return static_cast<const cuda::Context &>(device.interface()); }

  Device                    device;
  std::string               name;
  std::shared_ptr<CUmod_st> owner;
  CUfunction                function = nullptr;
};

CompiledKernel::CompiledKernel(const Device &device, const std::string &source, const std::string &name)
  : module(std::make_shared<Module>(device, source, name))
{}

void CompiledKernel::operator()(int n, const double *points, double t, double *values) const
{
  if (n == 0)
    return;
  void *arguments[] = {&n, &points, &t, &values};
  cuda::check(status_of(Driver::get().launch(module->function, cuda::blocks_for(n), 1, 1, cuda::block_size, 1, 1, 0,
                                             module->context().stream(), arguments, nullptr)),
              "cuLaunchKernel", module->name, n);
}
} // namespace adamant
