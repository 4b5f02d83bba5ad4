// What goes wrong on a GPU ends as one RunError that names the call.

#include "algebra/cuda/runtime/context.h"
#include "base/exceptions.h"
#include "multigrid/linear_solver.h"
#include "support/devices.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <functional>

using namespace adamant;
using namespace adamant::test;

namespace
{
class CudaFaults : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, CudaFaults, ::testing::Values(Place::cuda, Place::cusparse), place_name);

std::string message_of(const std::function<void()> &action)
{
  try
    {
      action();
    }
  catch (const RunError &error)
    {
      return error.what();
    }
  return "";
}

// All kinds of calls: set-up, graph, solve, update, download.
void small_run(Place place)
{
  const auto          levels = q1_levels(2, 2, 3, {1, 1e-3, {}});
  LinearSolverOptions options;
  options.multigrid.smoother.chebyshev = true;
  const auto [found, reason]           = make_device(place);
  if (!found)
    throw RunError(reason);
  const Device  &device = *found;
  LinearSolver   solver(device, levels.data, options);
  const auto     rhs = to_device(device, random_values(levels.n_rows(), 1));
  Vector<double> x(device, rhs.size());
  solver.solve(rhs, x);
  solver.update();
  solver.solve(rhs, x);
  values_of(x);
  Snapshot snapshot(device, x.size());
  snapshot.take(x);
  snapshot.values();
  solver.measure_preconditioner();
  device.interface().copy_bandwidth();
}
} // namespace

TEST_P(CudaFaults, OutOfMemorySaysWhatWasAskedForAndWhatIsFree)
{
  const Vector<double> x(device, 1000);
  const std::string    message = message_of([&] { device.interface().allocate(std::size_t(1) << 50, "a test"); });
  for (const std::string part : {"out of GPU memory", "1073741824.0 MiB", "a test", "are free", "vectors",
                                 ", CUDA, recorded graphs and other programs "})
    EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "' in: " << message;
  EXPECT_EQ(device.dot(x, x), 0.) << "expected the device to work afterwards";
}

TEST_P(CudaFaults, MemoryIsCountedByPurposeAndReturned)
{
  const Device counted = *make_device(place).device;
  const auto   held    = [&](const std::string &purpose) { return counted.interface().memory()[purpose]; };
  const auto   before  = counted.interface().peak_memory();
  {
    const Vector<double> x(counted, 1000);
    EXPECT_EQ(held("vectors"), 8000u);
    const Matrix<double> A(counted, q1_matrix({2, 8}, {}));
    EXPECT_GT(held("matrices"), 0u);
  }
  EXPECT_EQ(held("vectors"), 0u);
  EXPECT_EQ(held("matrices"), 0u);
  EXPECT_EQ(held("conversion"), 0u);
  EXPECT_GE(counted.interface().peak_memory(), before + 8000);
}

TEST_P(CudaFaults, EveryFailingCallIsReported)
{
  // With the libraries a run makes thousands of calls; the small step still meets each kind.
  const int  step     = place == Place::cusparse ? 7 : 1;
  int        n        = 1;
  const auto fails_of = [](const std::string &message, const std::string &error) {
    return message.find("failed with " + error) != std::string::npos;
  };
  int of_libraries = 0;
  for (; n < 100000; n += step)
    {
      fail_cuda_call(n);
      const std::string message = message_of([&] { small_run(place); });
      if (message.empty())
        break;
      const bool of_library =
        fails_of(message, "CUSPARSE_STATUS_INTERNAL_ERROR") || fails_of(message, "CUBLAS_STATUS_INTERNAL_ERROR");
      of_libraries += of_library;
      ASSERT_TRUE(of_library || fails_of(message, "cudaErrorUnknown")) << "call " << n << ": " << message;
      ASSERT_NE(message.find(".cu"), std::string::npos) << "expected the line of the call: " << message;
    }
  fail_cuda_call(0);
  EXPECT_GT(n, 300) << "expected every call of the run to have failed once";
  if (place == Place::cusparse)
    {
      EXPECT_GT(of_libraries, 20) << "expected those of cuSPARSE and cuBLAS among them";
    }
  else
    {
      EXPECT_EQ(of_libraries, 0);
    }
  EXPECT_EQ(message_of([&] { small_run(place); }), "") << "expected a run without faults to work afterwards";
  RecordProperty("calls", n - step);
}

// Large arrays go through pinned memory; without it they arrive as well.
TEST_P(CudaFaults, LargeArraysArriveWherePinnedMemoryIsShort)
{
  const Device  fresh = *make_device(place).device; // which has not pinned any
  Array<double> values(3 << 20);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  Vector<double> x(fresh, static_cast<int>(values.size()));
  for (const int fault : {1, 2}) // the first piece, and later the second one
    {
      fail_cuda_call(fault == 1 ? 1 : 6);
      fresh.interface().upload(x.data(), values.data(), values.size() * sizeof(double));
      fail_cuda_call(0);
      EXPECT_EQ(to_host(x), values) << "fault " << fault;
      fresh.scale(0., x);
    }
}

#ifdef ADAMANT_CHECKED
// The end of a program tells which memory was written behind its end.
TEST_P(CudaFaults, RedZonesNameTheMemoryBeforeThem)
{
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // no CUDA in a process that was forked
  EXPECT_DEATH(
    {
      const Device   fresh = *make_device(place).device;
      Vector<double> x(fresh, 100);
      const double   value = 1.;
      fresh.interface().upload(x.data() + 100, &value, sizeof(value));
    },
    "device memory of 800 bytes for vectors: byte 80[0-7], behind its end, was written to");
}
#endif
