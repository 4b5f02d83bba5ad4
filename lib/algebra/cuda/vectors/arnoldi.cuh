#pragma once

#include "algebra/cuda/runtime/decide.cuh"
#include "algebra/cuda/vectors/partial_sums.cuh"
#include "algebra/device_interface.h"

#include <algorithm>
#include <type_traits>

// A step of Arnoldi's method for GMRES in a loop on the device, with as many vectors as the device says. It takes three
// kernels for any number of vectors. The last kernel asks the loop's control.

namespace adamant::cuda
{
/// Some of the vectors in a table, `group` at most, which are read together.
struct TabledVectors
{
  static constexpr int group = 8;

  const double *data[group];
  int           n;

  /// Loads the addresses beside the number of vectors, not after it: the table has at least `most` addresses.
  __device__ TabledVectors(const double *const *table, int first, int n_vectors, int most)
    : n(min(group, n_vectors - first))
  {
    const double *loaded[group];
#pragma unroll
    for (int j = 0; j < group; ++j)
      loaded[j] = table[min(first + j, most - 1)];
#pragma unroll
    for (int j = 0; j < group; ++j)
      data[j] = j < n ? loaded[j] : nullptr;
  }
};

/// Returns the k of this step, or -1 where nothing happens. The control may change *a.k while other blocks still ask
/// for it: k then is in *a.k_of_step.
__device__ inline int number_of_step(const ArnoldiVectors &a)
{
  return a.k_of_step != nullptr ? *a.k_of_step : *a.k;
}

/// The norm of v_{k+1} before scaling, and whether w is corrected. The norm needs no further pass: corrections are of
/// rounding size, so that it follows by Pythagoras from the norm before them. Smaller corrections are not made.
struct LastPass
{
  bool   corrects;
  double norm;

  __device__ LastPass(int n_vectors, const double *correction)
  {
    double of_corrections = 0;
    for (int j = 0; j < n_vectors; ++j)
      of_corrections += correction[j] * correction[j];
    corrects            = orthogonality_is_lost(of_corrections, correction[n_vectors]);
    const double square = correction[n_vectors] - (corrects ? of_corrections : 0.);
    norm                = square > 0 ? sqrt(square) : square == square ? 0. : square; // NaN stays
  }
};

/// Sets v = v_{k+1} = (w - V corrections) / norm; all blocks but the first one call it.
__device__ inline void make_vector(const ArnoldiVectors &a, int n_vectors, int blocks, const PartialSums &corrections,
                                   double *here)
{
  constexpr int slots = 4, group = TabledVectors::group; // slots: elements of a thread in long vectors
  const int     begin = (blockIdx.x - 1) * blockDim.x + threadIdx.x, stride = (gridDim.x - 1) * blockDim.x;
  double       *last = a.basis[n_vectors], w_i[slots];
#pragma unroll
  for (int slot = 0; slot < slots; ++slot)
    if (const int i = begin + slot * stride; i < a.n)
      w_i[slot] = a.w[i];
  const double  *correction = corrections.sums(n_vectors + 1, blocks, a.h + a.most + 1, here);
  const LastPass pass(n_vectors, correction);
  for (int first = 0; pass.corrects && first < n_vectors; first += group)
    {
      const TabledVectors v(a.basis, first, n_vectors, a.most);
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j < v.n)
          {
            const double c = correction[first + j];
#pragma unroll
            for (int slot = 0; slot < slots; ++slot)
              if (const int i = begin + slot * stride; i < a.n)
                w_i[slot] -= c * v.data[j][i];
          }
    }
  const double factor = pass.norm > 0 ? 1. / pass.norm : 1.;
#pragma unroll
  for (int slot = 0; slot < slots; ++slot)
    if (const int i = begin + slot * stride; i < a.n)
      {
        const double v_i = factor * w_i[slot];
        last[i]          = v_i;
        if (a.v != nullptr)
          a.v[i] = v_i;
        if (a.v_in_float != nullptr)
          a.v_in_float[i] = static_cast<float>(v_i);
      }
}

/// Sets h to the coefficients and the norm; one block calls it.
__device__ inline void make_column(const ArnoldiVectors &a, int n_vectors, int blocks, const PartialSums &products,
                                   const PartialSums &corrections, double *here, double *h_here)
{
  const double  *correction = corrections.sums(n_vectors + 1, blocks, a.h + a.most + 1, here);
  const double  *h          = products.sums(n_vectors, blocks, a.h, h_here);
  const LastPass pass(n_vectors, correction);
  for (int j = threadIdx.x; j <= n_vectors; j += blockDim.x)
    a.h[j] = j < n_vectors ? h[j] + (pass.corrects ? correction[j] : 0.) : pass.norm;
}

/// Runs the last pass. Beside it the first block asks the control, which takes longer than the vector. The control
/// wants many registers and spills, so that four blocks of the vector fit into a multiprocessor. `blocks` is the number
/// of blocks that left the sums.
template <class Control>
__global__ void __launch_bounds__(block_size, 4)
  finish_kernel(const ArnoldiVectors a, int blocks, const PartialSums products, const PartialSums corrections,
                const Control control, const LoopAnswer answer)
{
  __shared__ double here[PartialSums::most_sums], h_here[PartialSums::most_sums];
  wait_for_predecessor();
  const int k = number_of_step(a);
  if (k < 0)
    return;
  if (blockIdx.x > 0)
    return make_vector(a, k + 1, blocks, corrections, here);
  make_column(a, k + 1, blocks, products, corrections, here, h_here);
  if constexpr (!std::is_same_v<Control, NoControl>)
    {
      __syncthreads();
      if (threadIdx.x == 0)
        ask(control, answer);
    }
}

/// The sums of the first two kernels, and the number of blocks that left them.
struct Projection
{
  PartialSums products, corrections;
  int         blocks;
};

/// Launches the first two kernels: they set w -= V Vᵀw, and leave the inner products for the correction.
Projection project(const Context &context, const ArnoldiVectors &a);

template <class Control>
void arnoldi(const DeviceInterface &device, const ArnoldiVectors &a, const Control &control, const LoopAnswer &answer)
{
  const auto      &context = static_cast<const Context &>(device);
  const Projection p       = project(context, a);
  launch(context, "end of a step of Arnoldi's method", finish_kernel<Control>,
         blocks_for(a.n, a.n < 1 << 18 ? block_size : 4 * block_size) + 1, block_size, a, p.blocks, p.products,
         p.corrections, control, answer);
}
} // namespace adamant::cuda
