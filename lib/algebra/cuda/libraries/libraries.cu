#include "algebra/cuda/libraries/libraries.cuh"

#include <algorithm>
#include <string>

namespace adamant::cuda
{
SharedLibrary find_library(const std::string &error, const char *variable, const std::string &name, int major)
{
  const std::string file = "lib" + name + ".so." + std::to_string(major);
  return adamant::find_library(error, variable, {file, "/usr/local/cuda/lib64/" + file});
}

Libraries::Libraries(Context &context)
  : cusparse{{find_library("Matrix format = cusparse: cuSPARSE cannot be loaded", "ADAMANT_CUSPARSE", "cusparse",
                           CUSPARSE_VER_MAJOR)}}
  , cublas{{find_library("Matrix format = cusparse: cuBLAS cannot be loaded", "ADAMANT_CUBLAS", "cublas",
                         CUBLAS_VER_MAJOR)}}
  , context(context)
  , workspace(context.memory_of_device(), cublas_workspace, "cuBLAS")
{
  try
    {
      check(cusparse.create(&sparse), "cusparseCreate");
      check(cusparse.set_stream(sparse, context.stream()), "cusparseSetStream", context.stream());
      check(cublas.create(&blas), "cublasCreate");
      check(cublas.set_stream(blas, context.stream()), "cublasSetStream", context.stream());
      check(cublas.set_workspace(blas, workspace.data(), cublas_workspace), "cublasSetWorkspace",
            static_cast<void *>(workspace.data()), cublas_workspace);
    }
  catch (...)
    {
      cublas.destroy(blas);
      cusparse.destroy(sparse);
      throw;
    }
}

Libraries::~Libraries()
{
  cublas.destroy(blas);
  cusparse.destroy(sparse);
}

void Libraries::grow(DeviceArray<char> &room, std::size_t bytes)
{
  bytes = std::max<std::size_t>(bytes, 16); // descriptors refuse null
  if (room.size() >= bytes)
    return;
  context.synchronize();
  room = DeviceArray<char>(); // before the larger one is taken
  room = DeviceArray<char>(context.memory_of_device(), bytes, "products");
  context.outdate_graphs();
}
} // namespace adamant::cuda
