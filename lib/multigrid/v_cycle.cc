#include "multigrid/v_cycle.h"

#include "algebra/profiler_range.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "multigrid/arnoldi_polynomial.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace adamant
{
template <typename Number>
VCycle<Number>::VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options)
  : device(device)
  , options(options)
{
  if (options.pre_steps < 1 || options.post_steps < 0)
    throw InputError("multigrid needs at least one pre-smoothing step and no negative number of post-smoothing steps");
  if (options.cycles < 1)
    throw InputError("multigrid needs at least one V-cycle, not " + std::to_string(options.cycles));
  while (n_composed < data.size() && may_compose(data[n_composed]))
    ++n_composed;
  if (n_composed == 1)
    n_composed = 0;
  using Kind = typename Level::Kind;
  for (std::size_t l = 0; l < data.size(); ++l)
    {
      levels.push_back(std::make_unique<Level>(device, data[l], options,
                                               l == 0         ? Kind::coarsest :
                                               l < n_composed ? Kind::composed :
                                                                Kind::single,
                                               composed && l == n_composed ? composed->input() : Vector()));
      if (l + 1 == n_composed)
        composed = std::make_unique<ComposedLevels<Number>>(
          device, std::vector<LevelData>(data.begin(), data.begin() + n_composed), composed_smoothing(),
          options.entries_of_an_operation);
    }
  coarse_solver = make_coarse_solver(levels[0]->on(device), options);
  if (options.cycles > 1)
    for (Vector *vector : {&sum, &r})
      *vector = Vector(device, n_rows());
}

// Whether the steps on this level may be composed and, on a device that waits for operations more than for their
// entries, should be.
template <typename Number>
bool VCycle<Number>::may_compose(const LevelData &level) const
{
  constexpr int entries_on_gpu = 180000;
  const bool    waits          = device.asynchronous() && device.matrix_format() == MatrixFormat::compressed;
  const bool    known          = !options.smoother.arnoldi && !options.smoothing_in_float &&
                     (options.smoother.type == "jacobi" || options.smoother.type == "block_jacobi");
  if (!known || level.changing || level.cells || !level.matrix || level.matrix->ghosts)
    return false;
  return options.compose_up_to >= 0 ? level.matrix->n_rows <= options.compose_up_to :
                                      waits && level.matrix->n_nonzeros() <= entries_on_gpu;
}

template <typename Number>
std::vector<ComposedSmoothing> VCycle<Number>::composed_smoothing() const
{
  std::vector<ComposedSmoothing> all;
  for (std::size_t l = 1; l < n_composed; ++l)
    {
      const auto &smoother = dynamic_cast<const PolynomialSmoother<Number> &>(*levels[l]->smoother);
      const auto  pre = smoother.coefficients(options.pre_steps), post = smoother.coefficients(options.post_steps);
      all.push_back({smoother.matrix(), {pre.begin(), pre.end()}, {post.begin(), post.end()}});
    }
  return all;
}

template <typename Number>
VCycle<Number>::Level::Level(const Device &device, LevelData data, const MultigridOptions &options, Kind kind,
                             Vector coarse_residual)
  : changing(data.changing)
  , patches(data.patches)
  , cells(data.cells)
{
  if (kind == Kind::single)
    take_transfer(device, data, std::move(coarse_residual));
  data.prolongation = data.restriction = nullptr; // not beside the matrix where nobody else has them
  if (data.add_matrix)
    data.add_matrix(data);
  matrix      = data.matrix;
  n_unknowns  = matrix->ghosts ? matrix->ghosts->n_global : std::uint64_t(matrix->n_rows);
  A           = make_matrix<Number>(device, data);
  const int n = matrix->n_rows;
  if (kind != Kind::composed)
    x = Vector(device, n);
  if (kind == Kind::coarsest)
    return;
  if (kind == Kind::single)
    {
      y = Vector(device, n);
      r = Vector(device, n);
    }
  if constexpr (std::is_same_v<Number, double>)
    if (options.smoothing_in_float)
      smoother = std::make_unique<MixedSmoother>(on(device), options.smoother);
  if (!smoother)
    smoother = make_level_smoother(on(device), options.smoother, std::max(options.pre_steps, options.post_steps));
}

template <typename Number>
void VCycle<Number>::Level::take_transfer(const Device &device, LevelData &data, Vector coarse_residual)
{
  if (data.add_transfer)
    data.add_transfer(data);
  P = Matrix<Number>(device, *data.prolongation, data.node_size);
  R = Restriction<Number>(device, data, std::move(coarse_residual));
}

template <typename Number>
void VCycle<Number>::update()
{
  for (auto &level : levels)
    {
      update_matrix(*level, level->A);
      if (level->smoother)
        level->smoother->update();
    }
  coarse_solver->update();
  if (composed)
    composed->update(composed_smoothing());
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
      device.residual(levels[finest]->A, sum, b, r);
      device.axpby(Number(1), cycle(finest, r), Number(1), sum);
    }
  return sum;
}

template <typename Number>
auto VCycle<Number>::cycle(std::size_t l, const Vector &b) const -> const Vector &
{
  const ProfilerRange range("V-cycle level " + std::to_string(l));
  if (l + 1 == n_composed)
    return composed->vmult(b, *coarse_solver);
  Level &level = *levels[l];
  if (l == 0)
    {
      coarse_solver->solve(b, level.x);
      return level.x;
    }
  if (options.pre_steps == 1 && level.smoother->residual_of_first_step(b, level.r))
    {
      level.smoother->correct_first_step(b, level.P, cycle(l - 1, level.R.vmult(level.r)), level.x);
      return level.smoother->step(options.post_steps, b, level.x, level.y);
    }
  Vector &x       = level.smoother->vmult(options.pre_steps, b, level.x, level.y);
  Vector &scratch = &x == &level.x ? level.y : level.x;
  device.residual(level.A, x, b, level.r);
  device.multiply(Number(1), level.P, cycle(l - 1, level.R.vmult(level.r)), Number(1), x);
  return level.smoother->step(options.post_steps, b, x, scratch);
}

template <typename Number>
std::ostream &operator<<(std::ostream &out, const VCycle<Number> &cycle)
{
  for (std::size_t l = cycle.levels.size(); l-- > 0;)
    {
      out << "  level " << l << ": " << cycle.levels[l]->n_unknowns << " unknowns";
      if (l == 0)
        out << cycle.coarse_solver->description();
      else if (cycle.options.smoother.chebyshev)
        out << ", largest eigenvalue " << cycle.levels[l]->smoother->eigenvalue();
      out << '\n';
    }
  return out;
}

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
      device.convert(v, b);
      device.convert(cycle.vmult(b), z);
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

template class VCycle<double>;
template class VCycle<float>;
template class MultigridPreconditioner<double>;
template class MultigridPreconditioner<float>;
template std::ostream &operator<<(std::ostream &, const VCycle<double> &);
template std::ostream &operator<<(std::ostream &, const VCycle<float> &);
} // namespace adamant
