#pragma once

#include "algebra/device.h"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace adamant
{
class Run;

/// The keys "Section/key" of a program that its restarts treat otherwise than restart_rules.cc does for all programs.
struct RestartKeys
{
  std::vector<std::string> must_stay, may_change = {}; // may_change: of the steps to come, if there are any
};

/// The functions of a program that run_program calls.
class Program
{
public:
  virtual ~Program() = default;

  virtual void check() const = 0;                    ///< throws InputError where parameters do not fit together
  virtual void check_device(const Device &) const {} ///< throws InputError where the device or its ranks do not fit
  virtual RestartKeys restart_keys() const { return {}; } ///< see check_restart
  virtual void        solve(const Device &device, Run &run) const = 0;
};

/// The main() of a program: reads the command line and the parameters, chooses the device and solves. `make` makes the
/// objects whose parameters are read.
int run_program(int argc, char **argv, const std::string &application, const std::string &description,
                const std::function<std::unique_ptr<Program>()> &make);

/// The main() of a program in two and three dimensions: calls Problem<dim>(parameters, device, run).run(). A
/// `Parameters` object is made of ParameterAcceptors. It has the functions
/// - `unsigned int dim() const`, which returns 2 or 3.
/// - `void check() const`, which throws InputError where parameters do not fit together.
/// - `RestartKeys restart_keys() const`, see Program. It may be missing.
/// - `void check_device(const Device &) const`, see Program. It may be missing.
template <typename Parameters, template <int> class Problem>
int run_program(int argc, char **argv, const std::string &application, const std::string &description)
{
  struct InTwoAndThreeDimensions : Program
  {
    Parameters parameters;

    void check() const override { parameters.check(); }
    void check_device(const Device &device) const override
    {
      const auto check = [&device](const auto &given) -> decltype(given.check_device(device)) {
        given.check_device(device);
      };
      if constexpr (std::is_invocable_v<decltype(check), const Parameters &>)
        check(parameters);
    }
    RestartKeys restart_keys() const override
    {
      const auto keys = [](const auto &given) -> decltype(given.restart_keys()) { return given.restart_keys(); };
      if constexpr (std::is_invocable_v<decltype(keys), const Parameters &>)
        return keys(parameters);
      return {};
    }
    void solve(const Device &device, Run &run) const override
    {
      if (parameters.dim() == 2)
        Problem<2>(parameters, device, run).run();
      else
        Problem<3>(parameters, device, run).run();
    }
  };
  return run_program(argc, argv, application, description, [] { return std::make_unique<InTwoAndThreeDimensions>(); });
}
} // namespace adamant
