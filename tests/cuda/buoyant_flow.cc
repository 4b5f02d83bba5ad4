// The program of flow that a composition drives on the GPU against the CPU.

#include "gpu_program.h"

namespace
{
class CudaBuoyantFlow : public GpuProgram
{
protected:
  CudaBuoyantFlow()
    : GpuProgram("BUOYANT_FLOW", BUOYANT_FLOW)
  {}
};

TEST_F(CudaBuoyantFlow, SinksAsOnTheHost)
{
  for (const std::string dimension : {"2", "3"})
    for (const std::string interval : {"0", "2"})
      {
        const std::vector<std::string> settings = {
          "Problem/Dimension=" + dimension, "Mesh/Refinements=" + std::string(dimension == "2" ? "4" : "2"),
          "Time stepping/Steps=5", "Adaptivity/Interval=" + interval, "Linear solver/Tolerance=1e-9"};
        const Outcome host = start_on("host", settings), gpu = start_on("cuda", settings);
        ASSERT_EQ(host.code, 0) << host.err;
        ASSERT_EQ(gpu.code, 0) << gpu.err;
        for (const char *key : {"end_time", "speed", "dissipation"})
          EXPECT_NEAR(gpu.record.at(key), host.record.at(key), 1e-6 * host.record.at(key).get<double>()) << key;
        EXPECT_NEAR(gpu.record.at("composition").at("height"), host.record.at("composition").at("height"), 1e-6);
      }
}
} // namespace
