// What goes wrong on a GPU ends as one RunError that names the call.

#include "application/dispatch.h"
#include "multigrid/linear_solver.h"

#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <sstream>

using namespace adamant;
using namespace adamant::test;

namespace
{
class CudaFaults : public BackendTest<CudaBackend<double>>
{
};

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
void small_run()
{
  const auto          levels = q1_levels(2, 2, 3, {1, 1e-3, {}});
  LinearSolverOptions options;
  options.multigrid.smoother.chebyshev = true;
  const CudaBackend<double>         backend(std::make_shared<CudaContext>());
  LinearSolver<CudaBackend<double>> solver(backend, levels, options);
  const Values                      b   = random_values(levels.back().matrix.n_rows, 1);
  auto                              rhs = to_backend(backend, b), x = backend.create_vector(rhs.size());
  solver.solve(rhs, x);
  solver.update(levels);
  solver.solve(rhs, x);
  to_host(backend, x);
  auto snapshot = backend.create_snapshot(x.size());
  backend.take(x, snapshot);
  snapshot.values();
  solver.measure_preconditioner();
  backend.copy_bandwidth();
}
} // namespace

TEST_F(CudaFaults, OutOfMemorySaysWhatWasAskedForAndWhatIsFree)
{
  const auto        context = backend->shared_context();
  const auto        x       = backend->create_vector(1000);
  const std::string message = message_of([&] { context->allocate(std::size_t(1) << 50, "a test"); });
  for (const std::string part : {"out of GPU memory", "1073741824.0 MiB", "a test", "are free", "vectors"})
    EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "' in: " << message;
  EXPECT_EQ(backend->norm(x), 0.) << "expected the device to work afterwards";
}

TEST_F(CudaFaults, MemoryIsCountedByPurposeAndReturned)
{
  const CudaBackend<double> counted(std::make_shared<CudaContext>());
  const auto               &ledger = counted.shared_context()->memory_by_purpose();
  const auto                before = counted.peak_memory();
  {
    const auto x = counted.create_vector(1000);
    EXPECT_EQ(ledger.at("vectors"), 8000u);
    const auto A = counted.create_matrix(q1_levels(2, 8, 1)[0].matrix);
    EXPECT_GT(ledger.at("matrices"), 0u);
  }
  EXPECT_EQ(ledger.at("vectors"), 0u);
  EXPECT_EQ(ledger.at("matrices"), 0u);
  EXPECT_EQ(ledger.at("conversion"), 0u);
  EXPECT_GE(counted.peak_memory(), before + 8000);
}

TEST_F(CudaFaults, EveryFailingCallIsReported)
{
  int        n    = 0;
  const auto stop = [] { fail_cuda_call(0); };
  while (++n < 100000)
    {
      fail_cuda_call(n);
      const std::string message = message_of(small_run);
      if (message.empty())
        break;
      ASSERT_NE(message.find("failed with cudaErrorUnknown"), std::string::npos) << "call " << n << ": " << message;
      ASSERT_NE(message.find(".cu"), std::string::npos) << "expected the line of the call: " << message;
    }
  stop();
  EXPECT_GT(n, 300) << "expected every call of the run to have failed once";
  EXPECT_EQ(message_of(small_run), "") << "expected a run without faults to work afterwards";
  RecordProperty("calls", n - 1);
}

TEST_F(CudaFaults, AutoFallsBackToTheHostAndSaysSo)
{
  std::ostringstream out;
  std::string        name;
  fail_cuda_call(1);
  with_backend("auto", 1, out, [&](const auto &, const std::string &chosen) { name = chosen; });
  fail_cuda_call(0);
  EXPECT_EQ(name, "host");
  EXPECT_NE(out.str().find("no GPU is used"), std::string::npos) << out.str();
}
