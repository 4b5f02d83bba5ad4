// Which device --backend stands for.
#include "base/exceptions.h"
#include "frame/start_up.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace adamant;

namespace
{
std::string chosen_backend(const std::string &choice, std::ostream &out)
{
  return choose_device(choice, 2, out).traits().backend;
}
} // namespace

TEST(ChooseDevice, Host)
{
  std::ostringstream out;
  EXPECT_EQ(chosen_backend("host", out), "host");
  EXPECT_EQ(out.str(), "");
}

TEST(ChooseDevice, HostHasTheThreadsAskedFor)
{
  std::ostringstream out;
  const Device       device = choose_device("host", 3, out);
  EXPECT_STREQ(device.traits().backend, "host");
  EXPECT_EQ(device.interface().n_threads(), 3);
}

TEST(ChooseDevice, AutoAlwaysFindsABackend)
{
  std::ostringstream out;
  const std::string  name = chosen_backend("auto", out);
  EXPECT_TRUE(name == "host" || name == "cuda") << name;
}

TEST(ChooseDevice, CudaRunsOrTellsWhyNot)
{
  std::ostringstream out;
  try
    {
      EXPECT_EQ(chosen_backend("cuda", out), "cuda");
    }
  catch (const RunError &error)
    {
      const std::string message = error.what();
      EXPECT_NE(message.find("cuda"), std::string::npos) << message;
      EXPECT_NE(message.find("--backend host"), std::string::npos) << "expected the way out in: " << message;
    }
}

TEST(ChooseDevice, CusparseNeedsAGpu)
{
  std::ostringstream out;
  EXPECT_THROW(choose_device("host", 2, out, Communicator(), false, MatrixFormat::cusparse), InputError);
}
