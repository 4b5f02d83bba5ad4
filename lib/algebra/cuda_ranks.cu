#include "algebra/cuda_ranks.h"

#include "algebra/cuda_check.cuh"
#include "algebra/cuda_reduction.cuh"
#include "base/array.h"
#include "base/exceptions.h"

#include <vector>

namespace adamant
{
namespace
{
constexpr int tag = 4712;

std::shared_ptr<CUevent_st> create_event()
{
  cudaEvent_t                 event  = nullptr;
  const cudaError_t           status = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  std::shared_ptr<CUevent_st> owned(event, [](cudaEvent_t e) { cudaEventDestroy(e); });
  cuda::check(status, "cudaEventCreateWithFlags");
  return owned;
}

void copy(void *to, const void *from, std::size_t bytes, cudaStream_t stream)
{
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync", to, from, bytes);
  cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", stream);
}

// The same messages through host memory.
template <typename Number>
void exchange_by_mpi(const ExchangePlan &plan, const Number *outgoing, Number *incoming, cudaStream_t stream)
{
  const MPI_Comm           comm = plan.communicator.handle();
  Array<Number>            sent(plan.sent.size()), received(plan.n_ghosts());
  std::vector<MPI_Request> requests;
  const auto               bytes = [](int begin, int end) { return static_cast<int>(sizeof(Number)) * (end - begin); };
  copy(sent.data(), outgoing, sent.size() * sizeof(Number), stream);
  for (const auto &[rank, begin, end] : plan.receives)
    check_mpi(
      MPI_Irecv(received.data() + begin, bytes(begin, end), MPI_BYTE, rank, tag, comm, &requests.emplace_back()),
      "MPI_Irecv");
  for (const auto &[rank, begin, end] : plan.sends)
    check_mpi(MPI_Isend(sent.data() + begin, bytes(begin, end), MPI_BYTE, rank, tag, comm, &requests.emplace_back()),
              "MPI_Isend");
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  copy(incoming, received.data(), received.size() * sizeof(Number), stream);
}
} // namespace

CudaRanks::CudaRanks(const Communicator &ranks, bool own_devices)
  : ranks(ranks)
{
  int lowest = 0, highest = 0;
  cuda::check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t own = nullptr;
  // Before the blocks of the product that it is to be hidden behind.
  const cudaError_t created = cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, highest);
  stream.reset(own, [](cudaStream_t s) { cudaStreamDestroy(s); });
  cuda::check(created, "cudaStreamCreateWithPriority", highest);
  ready   = create_event();
  arrived = create_event();

  std::string reason = own_devices ? Nccl::why_unavailable() : "ranks share GPUs";
  reason             = ranks.first_text(reason);
  if (reason.empty())
    nccl.emplace(ranks);
  how = nccl ? "NCCL " + nccl->version() : "MPI through host memory (" + reason + ")";
}

void CudaRanks::sum(double *values, int n, CUstream_st *main_stream) const
{
  if (nccl)
    return nccl->sum(values, n, main_stream);
  Array<double> on_host(n);
  copy(on_host.data(), values, n * sizeof(double), main_stream);
  ranks.sum(on_host.data(), n);
  copy(values, on_host.data(), n * sizeof(double), main_stream);
}

namespace cuda
{
namespace
{
__global__ void finish_sums_kernel(int n, bool roots, double *on_device, double *on_host)
{
  wait_for_predecessor();
  const int i = threadIdx.x;
  if (i >= n)
    return;
  if (roots)
    on_device[i] = sqrt(on_device[i]);
  if (on_host != nullptr)
    on_host[i] = on_device[i];
}
} // namespace

void sum_over_ranks(const CudaContext &context, int n, double *on_device, double *on_host, bool roots)
{
  if (context.ranks() == nullptr || n == 0)
    return;
  context.ranks()->sum(on_device, n, context.stream());
  launch<false>(context, "finish_sums", finish_sums_kernel, 1, blocks_for(n, 32) * 32, n, roots, on_device, on_host);
}
} // namespace cuda

void CudaRanks::start(CUstream_st *main_stream) const
{
  cuda::check(cudaEventRecord(ready.get(), main_stream), "cudaEventRecord", "ready");
  cuda::check(cudaStreamWaitEvent(stream.get(), ready.get(), 0), "cudaStreamWaitEvent", "ready");
}

template <typename Number>
void CudaRanks::finish(const ExchangePlan &plan, const Number *outgoing, Number *incoming,
                       CUstream_st *main_stream) const
{
  if (nccl)
    nccl->exchange(plan, outgoing, incoming, stream.get());
  else
    exchange_by_mpi(plan, outgoing, incoming, stream.get());
  cuda::check(cudaEventRecord(arrived.get(), stream.get()), "cudaEventRecord", "arrived");
  cuda::check(cudaStreamWaitEvent(main_stream, arrived.get(), 0), "cudaStreamWaitEvent", "arrived");
}

template void CudaRanks::finish(const ExchangePlan &, const double *, double *, CUstream_st *) const;
template void CudaRanks::finish(const ExchangePlan &, const float *, float *, CUstream_st *) const;
} // namespace adamant
