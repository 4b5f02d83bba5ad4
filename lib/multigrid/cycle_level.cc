#include "multigrid/cycle_level.h"

#include "base/csr/csr_operations.h"
#include "multigrid/arnoldi_polynomial.h"
#include "multigrid/harmonic_interpolation.h"
#include "multigrid/smoothers/setup.h"

#include <tuple>
#include <utility>
#include <variant>

namespace adamant
{
namespace
{
// Whether a good part of the residuals would travel, as where the coarser level comes to fewer ranks, and sums are
// fewer. All ranks get one answer. At borders alone messages are short, and another operation costs more.
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
Restriction<Number>::Restriction(const Device &device, const LevelData &level, Vector<Number> result_,
                                 const HarmonicInterpolation *following)
  : result(std::move(result_))
{
  const CSRMatrix<double> &P    = following ? level.harmonic->P : *level.prolongation;
  const bool               sums = following ? P.ghosts != nullptr : sums_are_worth_it(level);

  R = following ? Matrix<Number>(device, following->R_pattern, following->R, level.node_size) :
      sums      ? Matrix<Number>(device, transpose(P), level.node_size) :
                  Matrix<Number>(device, *level.restriction, level.node_size);
  if (sums)
    {
      sum_before_sending(device, *P.ghosts);
      return;
    }
  plan = following ? nullptr : level.restriction->ghosts;
  if (result.size() == 0)
    result = Vector<Number>(device, R.n_rows());
  owned = result.part(0, R.n_rows());
}

template <typename Number>
void Restriction<Number>::sum_before_sending(const Device &device, const ExchangePlan &ghosts)
{
  const int n = ghosts.n_owned;
  sums_first  = true;
  plan        = std::make_shared<const ExchangePlan>(reversed(ghosts));
  sum         = Matrix<Number>(device, sum_of_ghosts(plan, ghosts.sent, n));
  result      = Vector<Number>(device, R.n_rows());
  owned       = result.part(0, n);
  of_others   = result.part(n, R.n_rows() - n);
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
  if (!data.harmonic)
    {
      P = Matrix<Number>(device, *data.prolongation, data.node_size);
      R = Restriction<Number>(device, data, std::move(coarse_b));
    }
  on = DeviceLevel<Number>(device, std::move(data));
  interpolate(std::move(coarse_b));
  for (Vector *vector : {&x, &y, &r})
    *vector = Vector(device, on.n_rows());
  smoother = make_level_smoother(on, options);
}

template <typename Number>
void CycleLevel<Number>::interpolate(Vector coarse_b)
{
  if (!on.harmonic)
    return;
  const bool made = smoother != nullptr; // also on a rank without rows
  const auto A    = rows_on(on.device, on);
  if (!harmonic)
    harmonic = std::make_shared<HarmonicInterpolation>(on.device, *on.harmonic, on.node_size);
  harmonic->update(A->view());
  take_rows(on.device, made, on.harmonic->P, &harmonic->P, on.node_size, P);
  if (made)
    R.update(harmonic->R);
  else
    R = Restriction<Number>(on.device, on, std::move(coarse_b), harmonic.get());
  if (on.changing())
    return;
  on.device.synchronize(); // the copy of A goes
  harmonic.reset();
}

template struct CycleLevel<double>;
template struct CycleLevel<float>;
} // namespace adamant
