#include "heat/step_weights.h"

namespace adamant
{
BackwardDifference BackwardDifference::second(double ratio)
{
  return {(1. + 2. * ratio) / (1. + ratio), -(1. + ratio), ratio * ratio / (1. + ratio)};
}
} // namespace adamant
