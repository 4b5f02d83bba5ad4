#pragma once

#include "algebra/host/backend.h"
#include "base/exceptions.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#endif

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adamant::test
{
/// Why tests of this backend cannot run on this machine; empty where they can.
template <class Backend>
std::string why_unavailable()
{
  return "";
}

/// The backend under test; `n_threads` counts on the host only.
template <class Backend>
Backend make_backend(int n_threads = 2)
{
  return Backend(n_threads);
}

#if ADAMANT_WITH_CUDA
/// The GPU of all tests of a program, taken once; null without one.
inline std::shared_ptr<CudaContext> cuda_context(std::string *reason = nullptr)
{
  static std::string                        why;
  static const std::shared_ptr<CudaContext> context = []() -> std::shared_ptr<CudaContext> {
    try
      {
        return std::make_shared<CudaContext>();
      }
    catch (const RunError &error)
      {
        why = error.what();
        return nullptr;
      }
  }();
  if (reason != nullptr)
    *reason = why;
  return context;
}
template <>
inline std::string why_unavailable<CudaBackend<double>>()
{
  std::string reason;
  cuda_context(&reason);
  return reason;
}
template <>
inline std::string why_unavailable<CudaBackend<float>>()
{
  return why_unavailable<CudaBackend<double>>();
}
template <>
inline CudaBackend<double> make_backend<CudaBackend<double>>(int)
{
  return CudaBackend<double>(cuda_context());
}
template <>
inline CudaBackend<float> make_backend<CudaBackend<float>>(int)
{
  return CudaBackend<float>(cuda_context());
}
#endif

/// Every backend runs every test of the typed suites: a new one joins here. The Krylov methods run in double precision.
#if ADAMANT_WITH_CUDA
using Backends = ::testing::Types<HostBackend<double>, HostBackend<float>, CudaBackend<double>, CudaBackend<float>>;
using DoubleBackends = ::testing::Types<HostBackend<double>, CudaBackend<double>>;
#else
using Backends       = ::testing::Types<HostBackend<double>, HostBackend<float>>;
using DoubleBackends = ::testing::Types<HostBackend<double>>;
#endif

/// Fixture of the typed suites; skips where the backend's device is missing.
template <class Backend_>
class BackendTest : public ::testing::Test
{
protected:
  using Backend = Backend_;
  using Number  = typename Backend::value_type;
  using Vector  = typename Backend::Vector;
  using Matrix  = typename Backend::Matrix;

  void SetUp() override
  {
    if (const std::string reason = why_unavailable<Backend>(); !reason.empty())
      GTEST_SKIP() << reason;
    backend.emplace(make_backend<Backend>());
  }

  std::optional<Backend> backend;
};

template <class Backend>
typename Backend::Vector to_backend(const Backend &backend, const std::vector<double> &values)
{
  auto x = backend.create_vector(static_cast<int>(values.size()));
  backend.upload(values.data(), x);
  return x;
}

template <class Backend>
std::vector<double> to_host(const Backend &backend, const typename Backend::Vector &x)
{
  std::vector<double> values(x.size());
  backend.download(x, values.data());
  return values;
}
} // namespace adamant::test
