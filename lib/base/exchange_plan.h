#pragma once

#include "base/array.h"
#include "base/communicator.h"

#include <cstdint>
#include <vector>

namespace adamant
{
/// Tells how the ghosts of a distributed vector are filled. Each rank owns a contiguous range of the global numbers.
/// The local numbers 0 .. n_owned - 1 stand for its own entries. The numbers n_owned .. n_owned + n_ghosts - 1 stand
/// for its ghosts: entries of other ranks that it reads, by ascending global number.
struct ExchangePlan
{
  struct Message
  {
    int rank, begin, end;
  };

  Communicator         communicator;
  int                  n_owned     = 0;
  std::uint64_t        first_owned = 0; ///< global number of the first own entry
  std::uint64_t        n_global    = 0; ///< number of entries on all ranks
  Array<std::uint64_t> ghosts;          ///< global numbers of the ghosts
  Array<int>           sent;            ///< own entries that other ranks read, message by message
  std::vector<Message> sends;           ///< sent[begin .. end) goes to `rank`
  std::vector<Message> receives;        ///< ghosts begin .. end - 1 come from `rank`

  int           n_ghosts() const { return static_cast<int>(ghosts.size()); }
  std::uint64_t global(int i) const { return i < n_owned ? first_owned + i : ghosts[i - n_owned]; }
};

/// Returns the plan by which owners read the values that other ranks have for their ghosts. Its vectors have n_ghosts
/// own entries, and entry i belongs to ghost i of `plan`. Its ghost k is another rank's value for the own entry sent[k]
/// of `plan`. All ranks call it together.
ExchangePlan reversed(const ExchangePlan &plan);

/// Fills the ghosts of vectors in host memory by a plan, which has to outlive this object. Only one exchange may be
/// under way at a time. The vectors of several components travel in the same messages.
template <typename Number>
class GhostExchange
{
public:
  explicit GhostExchange(const ExchangePlan &plan, int n_components = 1);

  void start(const Number *owned) { start(&owned); } ///< sends those of the n_owned values that others need
  void start(const Number *const *components);       ///< sends such values of each component
  /// Waits for the messages and returns the ghosts' values: component c of ghost g is number g * n_components + c.
  const Number *finish();

private:
  const ExchangePlan      &plan;
  const int                n_components;
  Array<Number>            outgoing, incoming;
  std::vector<MPI_Request> requests;
};

/// Returns the n_owned + n_ghosts values of a distributed vector whose n_owned values are `owned`.
template <typename Number>
Array<Number> with_ghosts(const ExchangePlan &plan, Array<Number> owned);

/// Returns the n_owned sums, over all ranks, of the n_owned + n_ghosts `values` that each rank has for its own entries
/// and its ghosts. The order of the sum is fixed, so that results repeat to the bit.
Array<double> sum_ghosts(const ExchangePlan &plan, Array<double> values);
} // namespace adamant
