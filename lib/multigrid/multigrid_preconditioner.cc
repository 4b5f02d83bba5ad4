#include "multigrid/multigrid_preconditioner.h"

#include <type_traits>

namespace adamant
{
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
