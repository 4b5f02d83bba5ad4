#pragma once

#include "base/host_device.h"

#include <cstddef>
#include <cstdint>

/// Functors for columns of row-major n x r matrices, for host and GPU.
namespace poisson
{
/// Fills columns with numbers in (-1, 1) that depend on row and sample alone; columns behind the last sample are zero.
struct RandomColumns
{
  int     n_columns, first_sample, n_samples;
  double *b;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / n_columns, sample = first_sample + index % n_columns;
    // splitmix64
    std::uint64_t z = (std::uint64_t(i) << 32 | std::uint64_t(sample)) + 0x9e3779b97f4a7c15u;
    z               = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z               = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    b[index] = sample < n_samples ? double(z >> 11) * 0x1p-52 - 1. : 0.;
  }
};

/// Copies the first n of n_columns columns.
struct FirstColumns
{
  int                      n_columns, n;
  const double            *from;
  double                  *to;
  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    to[index] = from[std::size_t(index / n) * n_columns + index % n];
  }
};

/// Adds up x - x_0 and its square over the samples of one batch; x_0 is the first sample of all. The index is a row.
struct AddSamples
{
  int           n_columns, n;
  bool          first; // whether it is the first batch
  const double *x;
  double       *x_0, *sum, *squares;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const double *row = x + std::size_t(i) * n_columns;
    if (first)
      {
        x_0[i] = row[0];
        sum[i] = squares[i] = 0.;
      }
    for (int s = 0; s < n; ++s)
      {
        const double difference = row[s] - x_0[i];
        sum[i] += difference;
        squares[i] += difference * difference;
      }
  }
};

/// Computes x_s -= (w . x_s) v from given inner products: it takes a constant out of right-hand sides and solutions.
struct SubtractMultiple
{
  int           n_columns;
  const double *product, *v;
  double       *x;

  ADAMANT_HOST_DEVICE double value(int index) const
  {
    return x[index] - product[index % n_columns] * v[index / n_columns];
  }
  ADAMANT_HOST_DEVICE void store(int index, double value) const { x[index] = value; }
};
} // namespace poisson
