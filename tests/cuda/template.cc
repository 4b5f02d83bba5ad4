// The application to copy on the GPU against the CPU.

#include "gpu_program.h"

namespace
{
class CudaTemplate : public GpuProgram
{
protected:
  CudaTemplate()
    : GpuProgram("TEMPLATE", TEMPLATE)
  {}
};

TEST_F(CudaTemplate, ErrorIsTheHosts)
{
  for (const std::string dimension : {"2", "3"})
    {
      const std::vector<std::string> settings = {"Heat/Dimension=" + dimension, "Heat/Refinements=3",
                                                 "Linear solver/Tolerance=1e-12"};
      const Outcome                  host = start_on("host", settings), gpu = start_on("cuda", settings);
      ASSERT_EQ(host.code, 0) << host.err;
      ASSERT_EQ(gpu.code, 0) << gpu.err;
      EXPECT_EQ(gpu.record.at("backend"), "cuda");
      EXPECT_NEAR(gpu.l2(), host.l2(), 1e-8 * host.l2()) << "dimension " << dimension;
    }
}
} // namespace
