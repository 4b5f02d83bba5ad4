#pragma once

#include "algebra/host/backend.h"
#include "base/exceptions.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#include "algebra/cuda/peers/ranks.h"
#endif

#include <memory>
#include <ostream>
#include <string>

namespace adamant
{
/// Calls action(backend, name) with the backend that `choice` ("host", "cuda" or "auto") names, in double precision. "auto"
/// falls back to the host and says so on `out`; "cuda" throws RunError with the reason where there is none. All ranks run on the same
/// one; on GPUs `out` hears how they exchange.
template <typename Action>
void with_backend(const std::string &choice, int n_threads, std::ostream &out, const Action &action,
                  const Communicator &ranks = Communicator(), [[maybe_unused]] bool share_devices = false)
{
#if ADAMANT_WITH_CUDA
  if (choice != "host")
    {
      std::shared_ptr<CudaContext> context;
      try
        {
          context = std::make_shared<CudaContext>(ranks, share_devices);
        }
      catch (const RunError &reason)
        {
          if (choice == "cuda")
            throw;
          out << "no GPU is used: " << reason.what() << std::endl;
        }
      if (context && context->ranks() != nullptr)
        out << "GPUs exchange by " << context->ranks()->description() << std::endl;
      if (context)
        return action(CudaBackend<double>(context), std::string("cuda"));
    }
#else
  if (choice == "cuda")
    throw RunError("backend cuda: this program was built without CUDA; install the CUDA toolkit (12 or newer) and "
                   "configure again, or take --backend host");
  (void)out;
#endif
  action(HostBackend<double>(n_threads, ranks), std::string("host"));
}
} // namespace adamant
