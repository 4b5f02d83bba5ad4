// A GPU that fails when it is taken.

#include "frame/start_up.h"

#include "algebra/cuda/runtime/context.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace adamant;

TEST(CudaChooseDevice, AutoFallsBackToTheHostAndSaysSo)
{
  std::ostringstream out;
  fail_cuda_call(1);
  const Device device = choose_device("auto", 1, out);
  fail_cuda_call(0);
  EXPECT_STREQ(device.traits().backend, "host");
  EXPECT_NE(out.str().find("no GPU is used"), std::string::npos) << out.str();
}
