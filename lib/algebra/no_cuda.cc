// What stands for algebra/cuda/ where the library is built without a CUDA compiler.

#include "algebra/device_interface.h"
#include "base/exceptions.h"

namespace adamant
{
std::shared_ptr<DeviceInterface> make_cuda_device(const Communicator &, bool, MatrixFormat)
{
  throw RunError("backend cuda: this program was built without CUDA; install the CUDA toolkit (12 or newer) and "
                 "configure again, or take --backend host");
}
} // namespace adamant
