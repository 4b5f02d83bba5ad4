#include "application/dispatch.h"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

using namespace adamant;

namespace
{
std::string chosen_backend(const std::string &choice, std::ostream &out)
{
  std::string name;
  with_backend(choice, 2, out, [&](const auto &backend, const std::string &chosen) {
    using Backend = std::decay_t<decltype(backend)>;
    static_assert(std::is_same_v<typename Backend::value_type, double>, "expected double precision");
    name = chosen;
  });
  return name;
}
} // namespace

TEST(Dispatch, Host)
{
  std::ostringstream out;
  EXPECT_EQ(chosen_backend("host", out), "host");
  EXPECT_EQ(out.str(), "");
}

TEST(Dispatch, HostHasTheThreadsAskedFor)
{
  std::ostringstream out;
  with_backend("host", 3, out, [](const auto &backend, const std::string &) {
    if constexpr (std::is_same_v<std::decay_t<decltype(backend)>, HostBackend<double>>)
      EXPECT_EQ(backend.n_threads(), 3);
    else
      FAIL() << "expected the host backend";
  });
}

TEST(Dispatch, AutoAlwaysFindsABackend)
{
  std::ostringstream out;
  const std::string  name = chosen_backend("auto", out);
  EXPECT_TRUE(name == "host" || name == "cuda") << name;
}

TEST(Dispatch, CudaRunsOrTellsWhyNot)
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
