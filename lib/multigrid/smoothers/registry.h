#pragma once

#include "multigrid/smoothers/smoother.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// A smoother as parameter files name it.
struct SmootherKind
{
  std::string name, description; ///< what S is, to end the sentence 'S is ...'

  std::function<std::unique_ptr<Smoother<double>>(const SmootherLevel<double> &)> make_double;
  std::function<std::unique_ptr<Smoother<float>>(const SmootherLevel<float> &)>   make_float;
};

/// All smoothers there are. A new one is a file, its line in registry.cc, and its test.
const std::vector<SmootherKind> &smoothers();

/// Throws InputError with the nearest name where there is no smoother of this name.
template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const SmootherLevel<Number> &level);
} // namespace adamant
