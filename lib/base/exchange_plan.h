#pragma once

#include "base/array.h"
#include "base/communicator.h"

#include <cstdint>
#include <vector>

namespace adamant
{
/// How the ghosts of a distributed vector are filled. Each rank owns a contiguous range of the global numbers; its
/// local numbers are 0 .. n_owned - 1 for these and n_owned .. n_owned + n_ghosts - 1 for its ghosts, the entries of
/// other ranks that it reads, by ascending global number.
struct ExchangePlan
{
  struct Message
  {
    int rank, begin, end;
  };

  Communicator         communicator;
  int                  n_owned     = 0;
  std::uint64_t        first_owned = 0; ///< global number
  std::uint64_t        n_global    = 0; ///< of all ranks
  Array<std::uint64_t> ghosts;          ///< global numbers
  Array<int>           sent;            ///< own entries that others read, message by message
  std::vector<Message> sends;           ///< sent[begin .. end) goes to `rank`
  std::vector<Message> receives;        ///< ghosts begin .. end - 1 come from `rank`

  int           n_ghosts() const { return static_cast<int>(ghosts.size()); }
  std::uint64_t global(int i) const { return i < n_owned ? first_owned + i : ghosts[i - n_owned]; }
};

/// The plan by which the owners read what other ranks have for their ghosts: entry i of a vector of n_ghosts is that of
/// ghost i, and ghost k is another rank's for the own entry sent[k]. All ranks call it together.
ExchangePlan reversed(const ExchangePlan &plan);

/// Fills the ghosts of vectors in host memory after a plan, which has to outlive it; one exchange at a time. The
/// vectors of several components travel in the same messages.
template <typename Number>
class GhostExchange
{
public:
  explicit GhostExchange(const ExchangePlan &plan, int n_components = 1);

  void start(const Number *owned) { start(&owned); } ///< sends what others need of the n_owned values
  void start(const Number *const *components);       ///< likewise of each component's
  /// Waits; returns the ghosts' values: component c of ghost g is number g * n_components + c.
  const Number *finish();

private:
  const ExchangePlan      &plan;
  const int                n_components;
  Array<Number>            outgoing, incoming;
  std::vector<MPI_Request> requests;
};

/// The n_owned + n_ghosts values of a distributed vector from its owned ones.
template <typename Number>
Array<Number> with_ghosts(const ExchangePlan &plan, Array<Number> owned);

/// The other way: the n_owned sums over ranks of what each has for its own entries and for its ghosts. Ranks are added
/// in their order, so that sums repeat to the bit.
Array<double> sum_ghosts(const ExchangePlan &plan, Array<double> values);
} // namespace adamant
