#include "algebra/cuda/peers/ranks.h"

#include "algebra/cuda/peers/regions.cuh"
#include "algebra/cuda/runtime/check.cuh"
#include "base/array.h"
#include "base/exceptions.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <vector>

namespace adamant::cuda
{
namespace
{
constexpr int tag = 4712;

void copy(void *to, const void *from, std::size_t bytes, cudaStream_t stream)
{
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync", to, from, bytes);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", stream);
}

// Empty where devices of all ranks may reach each other's memory.
std::string why_not_within_reach(const Communicator &ranks)
{
  const bool  several = ranks.place_on_machine().size < ranks.size();
  const char *setting = std::getenv("ADAMANT_PEER_MEMORY");
  if (setting != nullptr && std::string(setting) == "0")
    return "ADAMANT_PEER_MEMORY=0";
  return several ? "several machines" : "";
}

// The same messages through host memory.
template <typename Number>
void exchange_by_mpi(const ExchangePlan &plan, int n, const Number *outgoing, Number *incoming, cudaStream_t stream)
{
  const MPI_Comm           comm = plan.communicator.handle();
  Array<Number>            sent(plan.sent.size() * n), received(static_cast<std::size_t>(plan.n_ghosts()) * n);
  std::vector<MPI_Request> requests;
  const auto               bytes = [n](int begin, int end) {
    return to_index(n * sizeof(Number) * (end - begin), "bytes of a message");
  };
  copy(sent.data(), outgoing, sent.size() * sizeof(Number), stream);
  for (const auto &[rank, begin, end] : plan.receives)
    check_mpi(MPI_Irecv(received.data() + long(n) * begin, bytes(begin, end), MPI_BYTE, rank, tag, comm,
                        &requests.emplace_back()),
              "MPI_Irecv");
  for (const auto &[rank, begin, end] : plan.sends)
    check_mpi(
      MPI_Isend(sent.data() + long(n) * begin, bytes(begin, end), MPI_BYTE, rank, tag, comm, &requests.emplace_back()),
      "MPI_Isend");
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  copy(incoming, received.data(), received.size() * sizeof(Number), stream);
}
} // namespace

Ranks::Ranks(const Communicator &ranks, bool own_devices, Memory &ledger)
  : ranks(ranks)
{
  int lowest = 0, highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  stream  = create_stream(highest); // before the blocks of the product that it is to be hidden behind
  ready   = create_event();
  arrived = create_event();

  std::string reason = own_devices ? Nccl::why_unavailable() : "ranks share GPUs";
  reason             = ranks.first_text(reason);
  if (reason.empty())
    {
      nccl.emplace(ranks);
      check_mpi(MPI_Comm_dup(ranks.handle(), &for_the_end), "MPI_Comm_dup");
      double *one = nullptr; // the first sum connects the ranks
      check(cudaMalloc(&one, sizeof(double)), "cudaMalloc", sizeof(double));
      const std::shared_ptr<double> owned(one, [](double *p) { cudaFree(p); });
      check(cudaMemsetAsync(one, 0, sizeof(double), stream.get()), "cudaMemsetAsync", one, 0, sizeof(double));
      nccl->sum(one, 1, stream.get());
      check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize", stream.get());
    }
  how = nccl ? "NCCL " + nccl->version() : "MPI through host memory (" + reason + ")";
  if (!nccl || !ranks.first_text(why_not_within_reach(ranks)).empty())
    return;
  const std::string no_boxes = ranks.first_text(swap_boxes(ledger)); // as in containers that share nothing
  peer_memory                = no_boxes.empty();
  if (ranks.size() > PeerBoxes::most_ranks || !peer_memory)
    {
      boxes = {};
      box.reset();
    }
  how = !peer_memory ? how + " (" + no_boxes + ")" :
                       "writing into each other's memory" + (boxes.n_ranks > 0 ? "" : ", sums by " + how);
}

// NCCL of other ranks may need this rank until their last operation has ended. So it waits for them, but not for ranks
// that have failed. Nothing else uses that communicator: a barrier that is left unfinished meets no other one.
Ranks::~Ranks()
{
  int ended = 0;
  MPI_Finalized(&ended);
  MPI_Request all = MPI_REQUEST_NULL;
  if (!nccl || ended || std::uncaught_exceptions() > 0 || cudaDeviceSynchronize() != cudaSuccess ||
      MPI_Ibarrier(for_the_end, &all) != MPI_SUCCESS)
    return;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  int        done   = 0;
  while (!done && std::chrono::steady_clock::now() < latest)
    if (MPI_Test(&all, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return;
  if (done)
    MPI_Comm_free(&for_the_end);
}

// Opens the boxes of all ranks. Empty where the device reaches them, else why it does not.
std::string Ranks::swap_boxes(Memory &ledger)
{
  using Word                  = PeerBoxes::Word;
  const std::size_t  of_lists = (sizeof(Word *) + sizeof(unsigned)) * std::max(ranks.size(), PeerBoxes::most_ranks);
  std::string        error;
  cudaIpcMemHandle_t mine{};
  try
    {
      box  = take_region(ledger, PeerBoxes::size * sizeof(Word) + of_lists);
      mine = box->handle;
    }
  catch (const RunError &reason)
    {
      error = reason.what();
    }
  std::vector<cudaIpcMemHandle_t> handles(ranks.size());
  check_mpi(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, handles.data(), sizeof(mine), MPI_BYTE, ranks.handle()),
            "MPI_Allgather");
  std::vector<char *> all(ranks.size(), box ? box->memory : nullptr);
  for (int r = 0; r < ranks.size() && error.empty(); ++r)
    if (r != ranks.rank())
      all[r] = open_region(handles[r], error);
  if (!error.empty())
    return error;
  char *list = box->memory + PeerBoxes::size * sizeof(Word); // behind the box, what this rank alone uses
  copy(list, all.data(), all.size() * sizeof(char *), stream.get());
  boxes = {ranks.size(), ranks.rank(), reinterpret_cast<Word *const *>(list),
           reinterpret_cast<unsigned *>(list + sizeof(Word *) * all.size())};
  return "";
}

void Ranks::sum(double *values, int n, CUstream_st *main_stream) const
{
  if (nccl)
    return nccl->sum(values, n, main_stream);
  Array<double> on_host(n);
  copy(on_host.data(), values, n * sizeof(double), main_stream);
  ranks.sum(on_host.data(), n);
  copy(values, on_host.data(), n * sizeof(double), main_stream);
}

void Ranks::start(CUstream_st *main_stream) const
{
  check(cudaEventRecord(ready.get(), main_stream), "cudaEventRecord", "ready");
  check(cudaStreamWaitEvent(stream.get(), ready.get(), 0), "cudaStreamWaitEvent", "ready");
}

template <typename Number>
void Ranks::finish(const ExchangePlan &plan, int n_components, const Number *outgoing, Number *incoming,
                   CUstream_st *main_stream) const
{
  if (nccl)
    nccl->exchange(plan, n_components, outgoing, incoming, stream.get());
  else
    exchange_by_mpi(plan, n_components, outgoing, incoming, stream.get());
  check(cudaEventRecord(arrived.get(), stream.get()), "cudaEventRecord", "arrived");
  check(cudaStreamWaitEvent(main_stream, arrived.get(), 0), "cudaStreamWaitEvent", "arrived");
}

template void Ranks::finish(const ExchangePlan &, int, const double *, double *, CUstream_st *) const;
template void Ranks::finish(const ExchangePlan &, int, const float *, float *, CUstream_st *) const;
} // namespace adamant::cuda
