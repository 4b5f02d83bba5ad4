#include "base/exchange_plan.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace adamant
{
namespace
{
constexpr int tag = 4711;

template <typename Number>
MPI_Datatype mpi_type()
{
  return std::is_same_v<Number, double> ? MPI_DOUBLE : std::is_same_v<Number, float> ? MPI_FLOAT : MPI_UINT64_T;
}

// Returns the plan whose messages go the opposite way to the messages of `plan`. It has no global numbers.
ExchangePlan messages_back(const ExchangePlan &plan)
{
  ExchangePlan back;
  back.communicator = plan.communicator;
  back.n_owned      = plan.n_ghosts();
  back.sends        = plan.receives;
  back.receives     = plan.sends;
  back.sent.resize(plan.n_ghosts());
  std::iota(back.sent.begin(), back.sent.end(), 0);
  back.ghosts.resize(plan.sent.size());
  return back;
}
} // namespace

template <typename Number>
GhostExchange<Number>::GhostExchange(const ExchangePlan &plan, int n_components)
  : plan(plan)
  , n_components(n_components)
  , outgoing(n_components * plan.sent.size())
  , incoming(n_components * plan.ghosts.size())
  , requests(plan.sends.size() + plan.receives.size(), MPI_REQUEST_NULL)
{}

template <typename Number>
void GhostExchange<Number>::start(const Number *const *components)
{
  const MPI_Comm comm    = plan.communicator.handle();
  const int      m       = n_components;
  auto           request = requests.begin();
  for (const auto &[rank, begin, end] : plan.receives)
    check_mpi(MPI_Irecv(incoming.data() + std::size_t(begin) * m, (end - begin) * m, mpi_type<Number>(), rank, tag,
                        comm, &*request++),
              "MPI_Irecv");
  for (const auto &[rank, begin, end] : plan.sends)
    {
      Number *values = outgoing.data() + std::size_t(begin) * m;
      for (int k = begin; k < end; ++k)
        for (int c = 0; c < m; ++c)
          values[(k - begin) * m + c] = components[c][plan.sent[k]];
      check_mpi(MPI_Isend(values, (end - begin) * m, mpi_type<Number>(), rank, tag, comm, &*request++), "MPI_Isend");
    }
}

template <typename Number>
const Number *GhostExchange<Number>::finish()
{
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return incoming.data();
}

template <typename Number>
Array<Number> with_ghosts(const ExchangePlan &plan, Array<Number> values)
{
  GhostExchange<Number> exchange(plan);
  exchange.start(values.data());
  const Number *ghosts = exchange.finish();
  values.resize(plan.n_owned + plan.ghosts.size());
  std::copy_n(ghosts, plan.ghosts.size(), values.begin() + plan.n_owned);
  return values;
}

ExchangePlan reversed(const ExchangePlan &plan)
{
  ExchangePlan result = messages_back(plan);
  result.first_owned  = static_cast<std::uint64_t>(plan.communicator.sum_before(plan.n_ghosts()));
  double n            = plan.n_ghosts();
  plan.communicator.sum(&n, 1);
  result.n_global = static_cast<std::uint64_t>(n);
  Array<std::uint64_t> numbers(plan.n_ghosts());
  std::iota(numbers.begin(), numbers.end(), result.first_owned);
  numbers = with_ghosts(result, numbers);
  std::copy(numbers.begin() + plan.n_ghosts(), numbers.end(), result.ghosts.begin());
  return result;
}

Array<double> sum_ghosts(const ExchangePlan &plan, Array<double> values)
{
  const ExchangePlan    back = messages_back(plan);
  GhostExchange<double> exchange(back);
  exchange.start(values.data() + plan.n_owned);
  const double *incoming = exchange.finish();
  for (std::size_t k = 0; k < plan.sent.size(); ++k)
    values[plan.sent[k]] += incoming[k];
  values.resize(plan.n_owned);
  return values;
}

template class GhostExchange<double>;
template class GhostExchange<float>;
template Array<double>        with_ghosts(const ExchangePlan &, Array<double>);
template Array<std::uint64_t> with_ghosts(const ExchangePlan &, Array<std::uint64_t>);
} // namespace adamant
