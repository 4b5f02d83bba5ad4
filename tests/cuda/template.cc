// The application to copy on the GPU against the CPU.

#include "tests/apps/program.h"

#include "support/backends.h"

namespace
{
const char *program()
{
  const char *elsewhere = std::getenv("TEMPLATE"); // where the tests run on another machine than the build
  return elsewhere != nullptr ? elsewhere : TEMPLATE;
}

class CudaTemplate : public Program
{
protected:
  CudaTemplate()
    : Program(program())
  {}
  void SetUp() override
  {
    const std::string reason = adamant::test::why_unavailable<adamant::CudaBackend<double>>();
    if (!reason.empty())
      GTEST_SKIP() << reason;
  }
};

TEST_F(CudaTemplate, ErrorIsTheHosts)
{
  for (const std::string dimension : {"2", "3"})
    {
      const auto run_on = [&](const std::string &backend) {
        return start({"--backend", backend, "--threads", "2", "--set", "Heat/Dimension=" + dimension, "--set",
                      "Heat/Refinements=3", "--set", "Linear solver/Tolerance=1e-12"});
      };
      const Outcome host = run_on("host"), gpu = run_on("cuda");
      ASSERT_EQ(host.code, 0) << host.err;
      ASSERT_EQ(gpu.code, 0) << gpu.err;
      EXPECT_EQ(gpu.record.at("backend"), "cuda");
      EXPECT_NEAR(gpu.l2(), host.l2(), 1e-8 * host.l2()) << "dimension " << dimension;
    }
}
} // namespace
