// Transport-diffusion on the GPU against the CPU, and its end when a CUDA call fails.

#include "gpu_program.h"

namespace
{
class CudaApplication : public GpuProgram
{
protected:
  CudaApplication()
    : GpuProgram("TRANSPORT_DIFFUSION", TRANSPORT_DIFFUSION)
  {}
  Outcome start_on(const std::string &backend, const std::vector<std::string> &more)
  {
    return GpuProgram::start_on(
      backend, std::vector<std::string>{"Time stepping/End time=0.2", "Time stepping/Output interval=5"} + more);
  }
};
} // namespace

TEST_F(CudaApplication, ErrorsAreTheHostsAndBitsAreTheSameAgain)
{
  for (const std::string scheme : {"backward_euler", "crank_nicolson", "bdf2"})
    for (const std::string dimension : {"2", "3"})
      {
        const std::vector<std::string> settings = {"Time stepping/Scheme=" + scheme, "Problem/Dimension=" + dimension,
                                                   dimension == "3" ? "Discretization/Refinements=3" :
                                                                      "Discretization/Refinements=5",
                                                   "Linear solver/Tolerance=1e-12"};
        const Outcome                  host = start_on("host", settings), gpu = start_on("cuda", settings);
        ASSERT_EQ(host.code, 0) << host.err;
        ASSERT_EQ(gpu.code, 0) << gpu.err;
        EXPECT_EQ(gpu.record.at("backend"), "cuda");
        EXPECT_NEAR(gpu.l2(), host.l2(), 1e-8 * host.l2()) << scheme << ", dimension " << dimension;
        EXPECT_NEAR(gpu.mean_iterations(), host.mean_iterations(), 1.) << scheme << ", dimension " << dimension;
        EXPECT_GT(gpu.record.at("peak_memory_bytes").at("device").get<double>(), 1e5);
        EXPECT_EQ(start_on("cuda", settings).l2(), gpu.l2()) << "expected the same bits in a second run";
      }
}

// The data as expressions, compiled for the GPU, and evaluated on the host where NVRTC is missing.
TEST_F(CudaApplication, Expressions)
{
  const std::vector<std::string> settings = {"Problem/Source=sin(pi*x)*t+y",
                                             "Problem/Boundary values=1+x*y+0.1*sin(t)",
                                             "Problem/Initial values=1+x*y",
                                             "Problem/Exact solution=0", // its error is the solution's norm
                                             "Time stepping/Scheme=crank_nicolson",
                                             "Linear solver/Tolerance=1e-12"};
  const Outcome                  host = start_on("host", settings), gpu = start_on("cuda", settings);
  setenv("ADAMANT_NVRTC", "/nowhere/libnvrtc.so", 1);
  const Outcome without = start_on("cuda", settings);
  unsetenv("ADAMANT_NVRTC");
  ASSERT_EQ(gpu.code, 0) << gpu.err;
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_NEAR(gpu.l2(), host.l2(), 1e-10 * host.l2());
  EXPECT_NEAR(without.l2(), host.l2(), 1e-10 * host.l2());
  EXPECT_NE(without.out.find("Problem/Source is evaluated on the host"), std::string::npos) << without.out;
}

// A step that is launched while the one before it runs gives the results of steps for which the host waits. It waits
// where graphs do not repeat themselves. The step also ends with the same message.
TEST_F(CudaApplication, StepsBesideEachOtherGiveWhatTheyGiveOneByOne)
{
  const auto one_by_one = [&](const std::vector<std::string> &settings) {
    setenv("ADAMANT_CUDA_GRAPHS", "0", 1);
    const Outcome outcome = start_on("cuda", settings);
    unsetenv("ADAMANT_CUDA_GRAPHS");
    return outcome;
  };
  const auto statistics = [this](const Outcome &outcome) { return read(outcome.folder + "/statistics.csv"); };
  for (const std::string solver : {"gmres", "cg"})
    for (const std::string order : {"0", "4"})
      {
        const std::vector<std::string> settings = {"Linear solver/Solver=" + solver,
                                                   "Time stepping/Extrapolation order=" + order,
                                                   "Problem/Transport=0,0", "Time stepping/End time=1"};
        const Outcome                  beside = start_on("cuda", settings), after = one_by_one(settings);
        ASSERT_EQ(beside.code, 0) << beside.err;
        ASSERT_EQ(after.code, 0) << after.err;
        EXPECT_EQ(statistics(beside), statistics(after)) << solver << ", order " << order;
        EXPECT_EQ(beside.l2(), after.l2()) << solver << ", order " << order;
        EXPECT_EQ(beside.record.at("iterations"), after.record.at("iterations")) << solver << ", order " << order;
      }
  const std::vector<std::string> few    = {"Linear solver/Maximum iterations=2", "Time stepping/Output interval=0"};
  const Outcome                  beside = start_on("cuda", few), after = one_by_one(few);
  EXPECT_EQ(beside.code, 1);
  EXPECT_EQ(beside.message(), after.message());
  EXPECT_NE(beside.message().find("not converged"), std::string::npos) << beside.message();
}

TEST_F(CudaApplication, AFailingCallEndsTheRunWithoutHalfAFile)
{
  // Until the run makes fewer calls than that; it has some hundreds.
  for (int call = 1;; call = call < 64 ? 2 * call : call + 64)
    {
      setenv("ADAMANT_CUDA_FAIL_CALL", std::to_string(call).c_str(), 1);
      const Outcome outcome = start_on("cuda", {"Discretization/Refinements=4", "Discretization/Adaptive cycles=0"});
      unsetenv("ADAMANT_CUDA_FAIL_CALL");
      if (outcome.code == 0)
        {
          EXPECT_GT(call, 200) << "expected that a run makes at least 200 calls of the CUDA library";
          RecordProperty("calls", call);
          break;
        }
      ASSERT_EQ(outcome.code, 1) << "call " << call << ": " << outcome.err; // ends where nothing can be started
      EXPECT_NE(outcome.err.find("failed with cudaErrorUnknown"), std::string::npos)
        << "call " << call << ": " << outcome.err;
      EXPECT_TRUE(outcome.record.is_null()) << "call " << call << ": expected no run.json";
      if (std::filesystem::exists(outcome.folder))
        for (const auto &entry : std::filesystem::directory_iterator(outcome.folder))
          {
            const auto extension = entry.path().extension();
            EXPECT_TRUE(extension == ".prm" || extension == ".csv" || extension == ".vtu" || extension == ".pvd")
              << "expected no " << entry.path();
            const std::string text = read(entry.path());
            if (extension == ".csv") // whole rows, which stay
              EXPECT_TRUE(text.empty() || text.back() == '\n') << entry.path();
            else
              EXPECT_TRUE(extension == ".prm" || text.find("</VTKFile>") != std::string::npos)
                << "expected the end of " << entry.path();
          }
    }
}
