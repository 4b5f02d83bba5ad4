#pragma once

/// Marks the call operator of a functor that runs on the host and, where nvcc compiles it, on the GPU.
#ifdef __CUDACC__
#define ADAMANT_HOST_DEVICE __host__ __device__
#else
#define ADAMANT_HOST_DEVICE
#endif
