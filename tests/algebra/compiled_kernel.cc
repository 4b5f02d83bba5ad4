// Kernels that are compiled while a program runs: here without a GPU, from the expressions of parameter files.

#include "algebra/compiled_kernel.h"
#include "base/exceptions.h"
#include "coefficients/translation.h"
#include "support/expressions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

using namespace adamant;

TEST(CompiledKernel, OfAllExpressions)
{
  try
    {
      compile_cuda("", "sm_90");
    }
  catch (const RunError &reason)
    {
      GTEST_SKIP() << reason.what();
    }
  const std::string code = compile_cuda(point_kernel(test::expressions, 3), "sm_90");
  EXPECT_EQ(code.substr(1, 3), "ELF");
  EXPECT_NE(code.find("at_points"), std::string::npos) << "expected the kernel's name in the code";
  EXPECT_NO_THROW(compile_cuda(point_kernel({"x + y", "t"}, 2), "sm_80"));
  std::string sum = "x";
  while (sum.size() < 9000)
    sum += "+sin(x)*" + std::to_string(sum.size());
  EXPECT_NO_THROW(compile_cuda(point_kernel({sum}, 2), "sm_90")) << "a long expression";
  try
    {
      compile_cuda("nonsense", "sm_90");
      ADD_FAILURE() << "expected an error";
    }
  catch (const RunError &error)
    {
      EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
    }
}

TEST(CompiledKernel, MissingCompilerIsSaid)
{
  setenv("ADAMANT_NVRTC", "/nowhere/libnvrtc.so", 1);
  try
    {
      compile_cuda("", "sm_90");
      ADD_FAILURE() << "expected an error";
    }
  catch (const RunError &error)
    {
      EXPECT_NE(std::string(error.what()).find("/nowhere/libnvrtc.so"), std::string::npos) << error.what();
    }
  unsetenv("ADAMANT_NVRTC");
}
