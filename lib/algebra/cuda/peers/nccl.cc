#include "algebra/cuda/peers/nccl.h"

#include "base/exceptions.h"
#include "base/shared_library.h"

#include <cstdlib>
#include <sstream>
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
  const char *chosen = std::getenv("ADAMANT_NCCL");
  try
    {
      if (chosen != nullptr)
        return SharedLibrary({chosen});
      return SharedLibrary({"libnccl.so.2", "libnccl.so", "/usr/local/cuda/lib64/libnccl.so.2"});
    }
  catch (const RunError &reason)
    {
      throw RunError(std::string("NCCL cannot be loaded: ") + reason.what());
    }
}
} // namespace

struct Nccl::Library
{
  explicit Library(const SharedLibrary &library)
    : get_version(library.function<int(int *)>("ncclGetVersion"))
    , get_unique_id(library.function<int(UniqueId *)>("ncclGetUniqueId"))
    , init_rank(library.function<int(Handle *, int, UniqueId, int)>("ncclCommInitRank"))
    , abort(library.function<int(Handle)>("ncclCommAbort"))
    , all_reduce(library.function<int(const void *, void *, std::size_t, int, int, Handle, Stream)>("ncclAllReduce"))
    , send(library.function<int(const void *, std::size_t, int, int, Handle, Stream)>("ncclSend"))
    , receive(library.function<int(void *, std::size_t, int, int, Handle, Stream)>("ncclRecv"))
    , group_start(library.function<int()>("ncclGroupStart"))
    , group_end(library.function<int()>("ncclGroupEnd"))
    , error_string(library.function<const char *(int)>("ncclGetErrorString"))
    , last_error(library.function<const char *(Handle)>("ncclGetLastError"))
  {}

  // Every status of NCCL goes through here; the arguments are for the message.
  template <typename... Arguments>
  void check(int status, const char *call, const Arguments &...arguments) const
  {
    if (status == success)
      return;
    std::ostringstream text;
    std::size_t        n = 0;
    ((text << (n++ > 0 ? ", " : "") << arguments), ...);
    (void)n;
    throw RunError(std::string("NCCL: ") + call + "(" + text.str() + ") failed: " + error_string(status) + ": " +
                   last_error(nullptr));
  }

  int (*get_version)(int *);
  int (*get_unique_id)(UniqueId *);
  int (*init_rank)(Handle *, int, UniqueId, int);
  int (*abort)(Handle);
  int (*all_reduce)(const void *, void *, std::size_t, int, int, Handle, Stream);
  int (*send)(const void *, std::size_t, int, int, Handle, Stream);
  int (*receive)(void *, std::size_t, int, int, Handle, Stream);
  int (*group_start)();
  int (*group_end)();
  const char *(*error_string)(int);
  const char *(*last_error)(Handle);
};

std::string Nccl::why_unavailable()
{
  try
    {
      Library{find_nccl()};
    }
  catch (const RunError &reason)
    {
      return reason.what();
    }
  return "";
}

Nccl::Nccl(const Communicator &ranks)
  : library(std::make_shared<Library>(find_nccl()))
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
