#pragma once

#include "algebra/cuda/sparse/teams.cuh"

// A .cu file includes this to instantiate each functor that for_each_by_teams is called with:
//
//   template void adamant::cuda::for_each_by_teams(const DeviceInterface &, int, int, const Functor &);
