#pragma once

#include "algebra/device.h"

#include <omp.h>

namespace adamant
{
/// Lets the host's loops have n threads, or as many as a device on the host has, for as long as it lives.
class ThreadsOf
{
public:
  explicit ThreadsOf(int n)
    : before(omp_get_max_threads())
  {
    omp_set_num_threads(n);
  }
  explicit ThreadsOf(const Device &device)
    : ThreadsOf(device.traits().separate_memory ? omp_get_max_threads() : device.interface().n_threads())
  {}
  ~ThreadsOf() { omp_set_num_threads(before); }
  ThreadsOf(const ThreadsOf &)            = delete;
  ThreadsOf &operator=(const ThreadsOf &) = delete;

private:
  int before;
};
} // namespace adamant
