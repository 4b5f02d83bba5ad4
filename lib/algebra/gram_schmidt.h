#pragma once

#include "base/host_device.h"

namespace adamant
{
/// Of Gram-Schmidt's second inner products Vᵀ w, w what is left of a vector, the sum of squares, and w's: whether w is
/// to be made orthogonal to V once more. Products of 1e-12 of its length change what Krylov methods find by no more.
ADAMANT_HOST_DEVICE inline bool orthogonality_is_lost(double square_of_products, double square_of_w)
{
  return square_of_products > 1e-24 * square_of_w;
}
} // namespace adamant
