// Which GPUs ranks have.

#include "algebra/cuda/runtime/context.h"

#include <gtest/gtest.h>

using namespace adamant::cuda;

namespace
{
DeviceId gpu(char number)
{
  DeviceId id{};
  id.back() = number;
  return id;
}
} // namespace

// By their identity: a batch system may give each rank a GPU that it alone sees, its number 0.
TEST(Placement, RanksWithAGpuEachShareNone)
{
  EXPECT_EQ(why_shared({gpu(1)}), "");
  EXPECT_EQ(why_shared({gpu(7), gpu(1), gpu(-3), gpu(2)}), "");
}

TEST(Placement, RanksThatShareAreTold)
{
  const std::string one = why_shared({gpu(1), gpu(1)}), two = why_shared({gpu(2), gpu(1), gpu(2)});
  EXPECT_EQ(one.find("2 ranks have 1 GPU between them"), 0u) << one;
  EXPECT_EQ(two.find("3 ranks have 2 GPUs between them"), 0u) << two;
  EXPECT_NE(two.find("Ranks/Share devices = true"), std::string::npos) << two;
}
