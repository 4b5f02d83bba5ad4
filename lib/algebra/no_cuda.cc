// What stands for algebra/cuda/ where the library is built without a CUDA compiler.

#include "algebra/compiled_kernel.h"
#include "algebra/device_interface.h"
#include "algebra/profiler_range.h"
#include "base/exceptions.h"

namespace adamant
{
std::shared_ptr<DeviceInterface> make_cuda_device(const Communicator &, bool, MatrixFormat)
{
  throw RunError("backend cuda: this program was built without CUDA; configure with -DADAMANT_WITH_CUDA=ON and a "
                 "CUDA toolkit (12 or newer), as scripts/run --cuda does, or take --backend host");
}

CompiledKernel::CompiledKernel(const Device &, const std::string &, const std::string &)
{
  throw RunError("a kernel can be compiled for a GPU only, and this program was built without CUDA");
}

void CompiledKernel::operator()(int, const double *, double, double *) const {}

ProfilerRange::ProfilerRange(const std::string &) {}
ProfilerRange::~ProfilerRange() {}
} // namespace adamant
