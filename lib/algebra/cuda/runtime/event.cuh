#pragma once

#include "algebra/cuda/runtime/check.cuh"

#include <memory>

namespace adamant
{
namespace cuda
{
/// Returns an event that orders streams and takes no time.
inline std::shared_ptr<CUevent_st> create_event()
{
  cudaEvent_t                 event  = nullptr;
  const cudaError_t           status = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  std::shared_ptr<CUevent_st> owned(event, [](cudaEvent_t e) { cudaEventDestroy(e); });
  check(status, "cudaEventCreateWithFlags");
  return owned;
}
} // namespace cuda
} // namespace adamant
