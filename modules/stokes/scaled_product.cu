#include "stokes/scaled_product.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ScaledProductEntry &);
