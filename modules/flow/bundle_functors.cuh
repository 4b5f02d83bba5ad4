#pragma once

#include "flow/bundle.cuh"
#include "flow/bundle_functors.h"

// What a .cu file includes to instantiate, for each functor that for_each_row of a MatrixBundle is called with,
//
//   template void adamant::cuda::for_each_row(const DeviceInterface &, const BundleStorage &, const Functor &);
