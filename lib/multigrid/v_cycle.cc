#include "multigrid/v_cycle.h"

#include "algebra/profiler_range.h"

#include <string>

namespace adamant
{
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
