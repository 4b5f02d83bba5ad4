#pragma once

/// Marks a functor's call operator that runs on the host and, compiled by nvcc, on the GPU.
#ifdef __CUDACC__
#define ADAMANT_HOST_DEVICE __host__ __device__
#else
#define ADAMANT_HOST_DEVICE
#endif
