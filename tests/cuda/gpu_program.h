#pragma once

#include "tests/apps/program.h"

#include "support/devices.h"

/// A program of apps/ on the GPU and on the CPU; skipped where there is no GPU. `Base` is Program or made from it.
template <class Base>
class OnGpu : public Base
{
protected:
  using Outcome = typename Base::Outcome;

  /// The environment variable of this name says where the program is when the tests run on another machine than the
  /// build.
  OnGpu(const char *variable, const std::string &built)
    : Base(std::getenv(variable) != nullptr ? std::getenv(variable) : built)
  {}

  void SetUp() override
  {
    using namespace adamant::test;
    if (!device_at(Place::cuda).device)
      GTEST_SKIP() << device_at(Place::cuda).reason;
  }

  Outcome start_on(const std::string &backend, const std::vector<std::string> &settings)
  {
    std::vector<std::string> arguments = {"--backend", backend, "--threads", "2"};
    for (const std::string &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    return this->start(arguments);
  }
};

using GpuProgram = OnGpu<Program>;
