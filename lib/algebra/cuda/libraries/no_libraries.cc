// What stands for cuSPARSE and cuBLAS where the CUDA toolkit that built the library does not have them.

#include "algebra/cuda/operations.h"
#include "base/exceptions.h"

namespace adamant::cuda
{
OperationsOfBoth operations_of_libraries(Context &)
{
  throw RunError("Matrix format = cusparse: this program was built without cuSPARSE and cuBLAS; install them with the "
                 "CUDA toolkit (12.4 or newer) and configure again, or take the format compressed");
}
} // namespace adamant::cuda
