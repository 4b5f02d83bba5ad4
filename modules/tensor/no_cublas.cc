// What stands for cuBLAS where the CUDA toolkit that built the library does not have it.

#include "base/exceptions.h"
#include "tensor/dense_products.h"

namespace adamant::cuda
{
std::shared_ptr<DenseProductsInterface> make_dense_products(DeviceInterface &, Arithmetic)
{
  throw RunError("products of dense matrices: this program was built without cuBLAS; install it with the CUDA toolkit "
                 "(12.4 or newer) and configure again, or take --backend host");
}
} // namespace adamant::cuda
