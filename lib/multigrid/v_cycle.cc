#include "multigrid/v_cycle.h"

#include "algebra/profiler_range.h"
#include "base/csr/csr_operations.h"
#include "base/exchange_plan.h"
#include "multigrid/arnoldi_polynomial.h"

#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace adamant
{
namespace
{
// Whether a good part of the residuals would travel, as where the coarser level comes to fewer ranks, and sums are
// fewer; the same on all ranks. At borders alone sums are fewer, too, but messages are short, and another operation
// costs more than they do.
bool sums_are_worth_it(const LevelData &level)
{
  const auto &P = level.prolongation, &R = level.restriction;
  if (!P->ghosts || !R->ghosts)
    return false;
  double n[] = {double(P->n_rows), double(R->ghosts->n_ghosts()), double(P->ghosts->n_ghosts())};
  P->ghosts->communicator.sum(n, 3);
  const auto [unknowns, residuals, sums] = n;
  return 4 * residuals >= unknowns && 3 * sums <= 2 * residuals;
}
} // namespace

template <typename Number>
Restriction<Number>::Restriction(const Device &device, const LevelData &level, Vector<Number> result_)
  : result(std::move(result_))
  , plan(level.restriction->ghosts)
{
  if (sums_are_worth_it(level))
    {
      sum_before_sending(device, level);
      return;
    }
  R = Matrix<Number>(device, *level.restriction, level.node_size);
  if (result.size() == 0)
    result = Vector<Number>(device, R.n_rows());
  owned = result.part(0, R.n_rows());
}

template <typename Number>
void Restriction<Number>::sum_before_sending(const Device &device, const LevelData &level)
{
  const CSRMatrix<double> &P = *level.prolongation;
  const int                n = level.restriction->n_rows;
  sums_first                 = true;
  plan                       = std::make_shared<const ExchangePlan>(reversed(*P.ghosts));
  R                          = Matrix<Number>(device, transpose(P), level.node_size);
  sum                        = Matrix<Number>(device, sum_of_ghosts(plan, P.ghosts->sent, n));
  result                     = Vector<Number>(device, R.n_rows());
  owned                      = result.part(0, n);
  of_others                  = result.part(n, R.n_rows() - n);
}

template <typename Number>
const Vector<Number> &Restriction<Number>::vmult(const Vector<Number> &r)
{
  const Device &device = r.device();
  device.multiply(Number(1), R, r, Number(0), result);
  if (sums_first)
    device.multiply(Number(1), sum, of_others, Number(1), owned);
  return owned;
}

template class Restriction<double>;
template class Restriction<float>;

template <typename Number>
CycleLevel<Number>::CycleLevel(const Device &device, LevelData data, const MultigridOptions &options, Vector coarse_b)
{
  if (const auto *demand = std::get_if<MadeOnDemand>(&data.values))
    std::tie(data.prolongation, data.restriction) = demand->transfer();
  P  = Matrix<Number>(device, *data.prolongation, data.node_size);
  R  = Restriction<Number>(device, data, std::move(coarse_b));
  on = DeviceLevel<Number>(device, std::move(data));
  for (Vector *vector : {&x, &y, &r})
    *vector = Vector(device, on.n_rows());
  smoother = make_level_smoother(on, options);
}

template struct CycleLevel<double>;
template struct CycleLevel<float>;

template <typename Number>
VCycle<Number>::VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options)
  : device(device)
  , options(options.checked())
  , lowest(device, data, options)
{
  for (std::size_t l = n_lowest_levels(); l < data.size(); ++l)
    levels.emplace_back(device, data[l], options, levels.empty() ? lowest.input() : Vector());
  if (options.cycles > 1)
    for (Vector *vector : {&sum, &r})
      *vector = Vector(device, n_rows());
}

template <typename Number>
void VCycle<Number>::update()
{
  for (auto &level : levels)
    level.update();
  lowest.update();
}

template <typename Number>
auto VCycle<Number>::input() const -> Vector
{
  // Of several cycles the second one's input would overwrite b, which the third one's residual needs.
  return levels.empty() && options.cycles == 1 ? lowest.input() : Vector(device, n_rows());
}

template <typename Number>
auto VCycle<Number>::vmult(const Vector &b) const -> const Vector &
{
  const Vector &first = cycle(n_levels() - 1, b);
  if (options.cycles > 1)
    device.copy(first, sum);
  for (int i = 1; i < options.cycles; ++i)
    {
      device.residual(matrix(), sum, b, r);
      device.axpby(Number(1), cycle(n_levels() - 1, r), Number(1), sum);
    }
  return options.cycles > 1 ? sum : first;
}

template <typename Number>
auto VCycle<Number>::cycle(std::size_t l, const Vector &b) const -> const Vector &
{
  const ProfilerRange range("V-cycle level " + std::to_string(l));
  const Vector       *result = l < n_lowest_levels() ? &lowest.vmult(b) : nullptr;
  if (!result)
    {
      auto   &level = levels[l - n_lowest_levels()];
      Vector &x     = level.smoother->smooth(options.pre_steps, b, level.x, level.y, level.r);
      level.smoother->prolongate(options.pre_steps, b, level.P, cycle(l - 1, level.R.vmult(level.r)), x);
      result = &level.smoother->step(options.post_steps, b, x, &x == &level.x ? level.y : level.x);
    }
  return *result;
}

template <typename Number>
void VCycle<Number>::print(std::ostream &out) const
{
  for (std::size_t l = n_levels(); l-- > n_lowest_levels();)
    print_level(out, l, levels[l - n_lowest_levels()].on, levels[l - n_lowest_levels()].smoother->eigenvalue());
  lowest.print(out);
}

template class VCycle<double>;
template class VCycle<float>;
} // namespace adamant
