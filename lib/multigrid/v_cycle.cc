#include "multigrid/v_cycle.h"

#include "algebra/profiler_range.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "multigrid/arnoldi_polynomial.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

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

// On composed levels the matrix and the smoother alone, on the coarsest level the matrix and the result.
template <typename Number>
struct VCycle<Number>::Level
{
  DeviceLevel<Number>                    on;
  Matrix<Number>                         P;
  Restriction<Number>                    R;
  Vector                                 x, y, r;
  std::unique_ptr<LevelSmoother<Number>> smoother;
  const FirstStep<Number>               *first = nullptr; // the whole pre-smoothing; null: it stores x

  // Smooths n steps from zero. Returns x and sets r = b - A x.
  Vector &smooth(int n, const Vector &b)
  {
    Vector &result = first ? x : smoother->vmult(n, b, x, y);
    first ? first->residual(weight(), b, r) : on.device.residual(on.A, result, b, r);
    return result;
  }
  // Adds P e to the x of `smooth`.
  void correct(const Vector &b, const Vector &e, Vector &x) const
  {
    first ? first->correct(weight(), b, P, e, x) : on.device.multiply(Number(1), P, e, Number(1), x);
  }
  Number weight() const { return smoother->polynomial()->coefficients(1)[0].second; }
};

template <typename Number>
VCycle<Number>::VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options)
  : device(device)
  , options(options)
  , n_composed(n_levels_to_compose(device, data, options))
{
  if (options.pre_steps < 1 || options.post_steps < 0)
    throw InputError("multigrid needs at least one pre-smoothing step and no negative number of post-smoothing steps");
  if (options.cycles < 1)
    throw InputError("multigrid needs at least one V-cycle, not " + std::to_string(options.cycles));
  typename ComposedLevels<Number>::Smoothers smoothers; // on levels above the coarsest one
  for (std::size_t l = 0; l < data.size(); ++l)
    {
      add_level(data[l]);
      if (l > 0 && l < n_composed)
        smoothers.push_back(levels[l]->smoother->polynomial());
      if (l + 1 == n_composed)
        composed = std::make_unique<ComposedLevels<Number>>(
          device, std::vector<LevelData>(data.begin(), data.begin() + n_composed), smoothers, options);
    }
  coarse_solver = make_coarse_solver(levels[0]->on, options);
  if (options.cycles > 1)
    for (Vector *vector : {&sum, &r})
      *vector = Vector(device, n_rows());
}

template <typename Number>
VCycle<Number>::~VCycle() = default;

template <typename Number>
void VCycle<Number>::add_level(LevelData data)
{
  const std::size_t l      = levels.size();
  const bool        single = l > 0 && l >= n_composed;
  Level            &level  = *levels.emplace_back(std::make_unique<Level>());
  if (single)
    {
      if (const auto *demand = std::get_if<MadeOnDemand>(&data.values))
        std::tie(data.prolongation, data.restriction) = demand->transfer();
      level.P = Matrix<Number>(device, *data.prolongation, data.node_size);
      level.R = Restriction<Number>(device, data, l == n_composed ? composed->input() : Vector());
    }
  level.on = DeviceLevel<Number>(device, std::move(data));
  for (Vector *vector : {&level.x, &level.y, &level.r})
    if (single || (l == 0 && vector == &level.x))
      *vector = Vector(device, level.on.n_rows());
  if (l == 0)
    return;
  if constexpr (std::is_same_v<Number, double>)
    if (options.smoothing_in_float)
      level.smoother = std::make_unique<MixedSmoother>(level.on, options.smoother);
  if (!level.smoother)
    level.smoother = make_level_smoother(level.on, options.smoother, std::max(options.pre_steps, options.post_steps));
  if (const auto *polynomial = level.smoother->polynomial(); polynomial && options.pre_steps == 1)
    level.first = polynomial->first_step();
}

template <typename Number>
void VCycle<Number>::update()
{
  for (auto &level : levels)
    {
      level->on.update();
      if (level->smoother)
        level->smoother->update();
    }
  coarse_solver->update();
  if (composed)
    composed->update();
}

template <typename Number>
auto VCycle<Number>::input() const -> Vector
{
  // Of several cycles the second one's input would overwrite b, which the third one's residual needs.
  const bool all_composed = composed && n_composed == levels.size();
  return all_composed && options.cycles == 1 ? composed->input() : Vector(device, n_rows());
}

template <typename Number>
auto VCycle<Number>::vmult(const Vector &b) const -> const Vector &
{
  const std::size_t finest = levels.size() - 1;
  const Vector     &first  = cycle(finest, b);
  if (options.cycles == 1)
    return first;
  device.copy(first, sum);
  for (int i = 1; i < options.cycles; ++i)
    {
      device.residual(matrix(), sum, b, r);
      device.axpby(Number(1), cycle(finest, r), Number(1), sum);
    }
  return sum;
}

template <typename Number>
auto VCycle<Number>::cycle(std::size_t l, const Vector &b) const -> const Vector &
{
  const ProfilerRange range("V-cycle level " + std::to_string(l));
  Level              &level  = *levels[l];
  const Vector       *result = &level.x;
  if (l + 1 == n_composed)
    result = &composed->vmult(b, *coarse_solver);
  else if (l == 0)
    coarse_solver->solve(b, level.x);
  else
    {
      Vector &x = level.smooth(options.pre_steps, b);
      level.correct(b, cycle(l - 1, level.R.vmult(level.r)), x);
      result = &level.smoother->step(options.post_steps, b, x, &x == &level.x ? level.y : level.x);
    }
  return *result;
}

template <typename Number>
const Matrix<Number> &VCycle<Number>::matrix() const
{
  return levels.back()->on.A;
}

template <typename Number>
std::ostream &operator<<(std::ostream &out, const VCycle<Number> &cycle)
{
  for (std::size_t l = cycle.levels.size(); l-- > 0;)
    {
      const auto &on         = cycle.levels[l]->on;
      const auto  n_unknowns = on.matrix() && on.matrix()->ghosts ? on.matrix()->ghosts->n_global : on.n_rows();
      out << "  level " << l << ": " << n_unknowns << " unknowns";
      if (l == 0)
        out << cycle.coarse_solver->description();
      else if (cycle.options.smoother.chebyshev)
        out << ", largest eigenvalue " << cycle.levels[l]->smoother->eigenvalue();
      out << '\n';
    }
  return out;
}

template class VCycle<double>;
template class VCycle<float>;
template std::ostream &operator<<(std::ostream &, const VCycle<double> &);
template std::ostream &operator<<(std::ostream &, const VCycle<float> &);

template <typename Number>
MultigridPreconditioner<Number>::MultigridPreconditioner(const Device &device, const std::vector<LevelData> &data,
                                                         const MultigridOptions &options)
  : cycle(device, data, options)
  , device(device)
{
  if constexpr (!std::is_same_v<Number, double>)
    b = cycle.input();
}

template <typename Number>
void MultigridPreconditioner<Number>::vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const
{
  if constexpr (std::is_same_v<Number, double>)
    device.copy(cycle.vmult(v), z);
  else
    {
      device.copy(v, b);
      device.copy(cycle.vmult(b), z);
    }
}

template <typename Number>
adamant::Vector<float> MultigridPreconditioner<Number>::input_in_float() const
{
  if constexpr (std::is_same_v<Number, float>)
    return b.part(0, b.size());
  else
    return Preconditioner::input_in_float();
}

template <typename Number>
const adamant::Vector<float> &MultigridPreconditioner<Number>::vmult_in_float(const adamant::Vector<float> &v) const
{
  if constexpr (std::is_same_v<Number, float>)
    return cycle.vmult(v);
  else
    return Preconditioner::vmult_in_float(v);
}

template class MultigridPreconditioner<double>;
template class MultigridPreconditioner<float>;
} // namespace adamant
