#include "algebra/cuda/peers/exchange.cuh"

#include "base/exceptions.h"

#include <algorithm>
#include <string>

namespace adamant::cuda
{
namespace
{
constexpr int tag = 4713;

// A card tells a neighbour how it reaches the memory that this rank gives it.
struct Card
{
  cudaIpcMemHandle_t region;
  long               values, buffer, arrived; // in bytes from the region's begin; of the buffer: its length in entries
  int                blocks;                  // that this rank sends with
};

// Ranks with which messages go either way, ascending: also who only receives tells that it has done so.
std::vector<int> ranks_of(const ExchangePlan &plan)
{
  std::vector<int> ranks;
  for (const auto *messages : {&plan.sends, &plan.receives})
    for (const auto &message : *messages)
      ranks.push_back(message.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

ExchangePlan::Message message_of(const std::vector<ExchangePlan::Message> &messages, int rank)
{
  const auto found =
    std::find_if(messages.begin(), messages.end(), [rank](const auto &message) { return message.rank == rank; });
  return found != messages.end() ? *found : ExchangePlan::Message{rank, 0, 0};
}

std::vector<Card> swap_cards(const ExchangePlan &plan, const std::vector<int> &ranks, std::vector<Card> mine)
{
  std::vector<Card>        theirs(ranks.size());
  std::vector<MPI_Request> requests(2 * ranks.size());
  for (std::size_t k = 0; k < ranks.size(); ++k)
    {
      const MPI_Comm comm = plan.communicator.handle();
      check_mpi(MPI_Irecv(&theirs[k], sizeof(Card), MPI_BYTE, ranks[k], tag, comm, &requests[2 * k]), "MPI_Irecv");
      check_mpi(MPI_Isend(&mine[k], sizeof(Card), MPI_BYTE, ranks[k], tag, comm, &requests[2 * k + 1]), "MPI_Isend");
    }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return theirs;
}
} // namespace

template <typename Number>
Exchange<Number>::Exchange(const std::shared_ptr<Context> &context, const std::shared_ptr<const ExchangePlan> &plan,
                           int n_components)
  : context(context)
  , plan(plan)
  , n_components(n_components)
  , sent(to_device(*context, plan->sent.data(), plan->sent.size(), "exchange"))
  , incoming(context->memory_of_device(), static_cast<std::size_t>(plan->n_ghosts()) * n_components, "exchange")
{
  for (const auto &message : plan->sends)
    longest = std::max(longest, message.end - message.begin);
  if (context->ranks()->reach_memory())
    meet_neighbours();
  else
    connect();
}

template <typename Number>
void Exchange<Number>::connect()
{
  outgoing = DeviceArray<Number>(context->memory_of_device(), plan->sent.size() * n_components, "exchange");
  context->ranks()->start(context->stream());
  context->ranks()->finish(*plan, n_components, outgoing.data(), incoming.data(), context->stream());
  context->synchronize();
}

template <typename Number>
void Exchange<Number>::meet_neighbours()
{
  const std::vector<int> ranks = ranks_of(*plan);
  const std::size_t      flags = ranks.size() * Ghosts<Number>::spacing * sizeof(unsigned);
  region  = take_region(*context->memory_of_device(), flags + 2 * incoming.size() * sizeof(Number));
  arrived = reinterpret_cast<unsigned *>(region->memory);
  values  = reinterpret_cast<Number *>(region->memory + flags);
  buffer  = static_cast<long>(incoming.size());
  const std::vector<unsigned> zeros(2, 0);
  counters = to_device(*context, zeros.data(), zeros.size(), "exchange");
  context->synchronize(); // before a neighbour may write here

  std::vector<Card> cards;
  for (std::size_t k = 0; k < ranks.size(); ++k)
    cards.push_back({region->handle,
                     static_cast<long>(flags + static_cast<std::size_t>(message_of(plan->receives, ranks[k]).begin) *
                                                 n_components * sizeof(Number)),
                     buffer, static_cast<long>(k * Ghosts<Number>::spacing * sizeof(unsigned)), blocks_each()});
  const std::vector<Card>        theirs = swap_cards(*plan, ranks, cards);
  std::vector<Neighbour<Number>> met;
  for (std::size_t k = 0; k < ranks.size(); ++k)
    {
      unsigned *in_an_exchange = arrived + k * Ghosts<Number>::spacing + 1;
      check(
        cudaMemcpyAsync(in_an_exchange, &theirs[k].blocks, sizeof(unsigned), cudaMemcpyHostToDevice, context->stream()),
        "cudaMemcpyAsync", in_an_exchange, &theirs[k].blocks, sizeof(unsigned), "to device");
      std::string error;
      char *const begin = open_region(theirs[k].region, error);
      if (begin == nullptr)
        throw RunError("rank " + std::to_string(ranks[k]) + ": " + error);
      const auto message = message_of(plan->sends, ranks[k]);
      met.push_back({reinterpret_cast<Number *>(begin + theirs[k].values), theirs[k].buffer,
                     reinterpret_cast<unsigned *>(begin + theirs[k].arrived), message.begin,
                     message.end - message.begin});
    }
  neighbours = to_device(*context, met.data(), met.size(), "exchange");
}

template class Exchange<double>;
template class Exchange<float>;
} // namespace adamant::cuda
