#pragma once

#include "flow/bundle/bundle.cuh"
#include "flow/bundle/bundle_functors.h"

// A .cu file includes this and instantiates, for each functor of for_each_row with a MatrixBundle,
//
//   template void adamant::cuda::for_each_row(const DeviceInterface &, const BundleStorage &, const Functor &);
