#include "algebra/cuda/peers/ranks.h"

#include "base/exceptions.h"
#include "base/shared_library.h"

#include <type_traits>

namespace adamant::cuda
{
namespace
{
// NCCL's interface (nccl.h of 2.7 and newer), so that it is not needed to build.
using Handle = void *;
using Stream = CUstream_st *;
struct UniqueId
{
  char bytes[128];
};
constexpr int success = 0, type_float = 7, type_double = 8, operation_sum = 0;

template <typename Number>
constexpr int type_of = std::is_same_v<Number, double> ? type_double : type_float;

SharedLibrary find_nccl()
{
  return find_library("NCCL cannot be loaded", "ADAMANT_NCCL",
                      {"libnccl.so.2", "libnccl.so", "/usr/local/cuda/lib64/libnccl.so.2"});
}
} // namespace

struct Nccl::Library : LoadedLibrary
{
  // Every status of NCCL goes through here; the arguments are for the message.
  template <typename... Arguments>
  void check(int status, const char *call, const Arguments &...arguments) const
  {
    if (status != success)
      throw RunError(std::string("NCCL: ") + call + "(" + listed(arguments...) + ") failed: " + error_string(status) +
                     ": " + last_error(nullptr));
  }

  int (*get_version)(int *)                                                      = function("ncclGetVersion");
  int (*get_unique_id)(UniqueId *)                                               = function("ncclGetUniqueId");
  int (*init_rank)(Handle *, int, UniqueId, int)                                 = function("ncclCommInitRank");
  int (*abort)(Handle)                                                           = function("ncclCommAbort");
  int (*all_reduce)(const void *, void *, std::size_t, int, int, Handle, Stream) = function("ncclAllReduce");
  int (*send)(const void *, std::size_t, int, int, Handle, Stream)               = function("ncclSend");
  int (*receive)(void *, std::size_t, int, int, Handle, Stream)                  = function("ncclRecv");
  int (*group_start)()                                                           = function("ncclGroupStart");
  int (*group_end)()                                                             = function("ncclGroupEnd");
  const char *(*error_string)(int)                                               = function("ncclGetErrorString");
  const char *(*last_error)(Handle)                                              = function("ncclGetLastError");
};

std::string Nccl::why_unavailable()
{
  try
    {
      Library{{find_nccl()}};
    }
  catch (const RunError &reason)
    {
      return reason.what();
    }
  return "";
}

Nccl::Nccl(const Communicator &ranks)
  : library(std::make_shared<const Library>(Library{{find_nccl()}}))
{
  UniqueId id{};
  if (ranks.rank() == 0)
    library->check(library->get_unique_id(&id), "ncclGetUniqueId");
  check_mpi(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, ranks.handle()), "MPI_Bcast");
  Handle handle = nullptr;
  library->check(library->init_rank(&handle, ranks.size(), id, ranks.rank()), "ncclCommInitRank", ranks.size(),
                 ranks.rank());
  // Not ncclCommDestroy, which waits for the other ranks: one that fails should end.
  communicator = {handle, [library = library](Handle h) { library->abort(h); }};
}

void Nccl::sum(double *values, int n, Stream stream) const
{
  library->check(library->all_reduce(values, values, n, type_double, operation_sum, communicator.get(), stream),
                 "ncclAllReduce", values, n, "double", "sum");
}

template <typename Number>
void Nccl::exchange(const ExchangePlan &plan, int n, const Number *outgoing, Number *incoming, Stream stream) const
{
  library->check(library->group_start(), "ncclGroupStart");
  for (const auto &[rank, begin, end] : plan.sends)
    library->check(library->send(outgoing + long(n) * begin, long(n) * (end - begin), type_of<Number>, rank,
                                 communicator.get(), stream),
                   "ncclSend", end - begin, "to rank", rank);
  for (const auto &[rank, begin, end] : plan.receives)
    library->check(library->receive(incoming + long(n) * begin, long(n) * (end - begin), type_of<Number>, rank,
                                    communicator.get(), stream),
                   "ncclRecv", end - begin, "from rank", rank);
  library->check(library->group_end(), "ncclGroupEnd");
}

std::string Nccl::version() const
{
  int number = 0;
  library->check(library->get_version(&number), "ncclGetVersion");
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

template void Nccl::exchange(const ExchangePlan &, int, const double *, double *, Stream) const;
template void Nccl::exchange(const ExchangePlan &, int, const float *, float *, Stream) const;
} // namespace adamant::cuda
