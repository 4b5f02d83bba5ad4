#pragma once

#include "base/host_device.h"

namespace adamant
{
/// Returns whether w, the vector that a Gram-Schmidt step against V has left, is to be made orthogonal to V once more.
/// The arguments are the sum of squares of the second inner products Vᵀ w, and the square of w. Products of 1e-12 of
/// the length of w change the results of Krylov methods by no more than that.
ADAMANT_HOST_DEVICE inline bool orthogonality_is_lost(double square_of_products, double square_of_w)
{
  return square_of_products > 1e-24 * square_of_w;
}
} // namespace adamant
