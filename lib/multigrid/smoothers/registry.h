#pragma once

#include "multigrid/smoothers/smoother.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// A kind of smoother, under the name that parameter files give it.
struct SmootherKind
{
  std::string name, description; ///< `description` says what S is, as the end of the sentence 'S is ...'

  std::function<std::unique_ptr<Smoother<double>>(const SmootherLevel<double> &)> make_double;
  std::function<std::unique_ptr<Smoother<float>>(const SmootherLevel<float> &)>   make_float;
};

/// Returns all kinds of smoothers. A new kind needs a file, a line in registry.cc, and a test.
const std::vector<SmootherKind> &smoothers();

/// Makes the smoother `name` for a level. Throws InputError, which suggests the nearest name, for an unknown name.
template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const SmootherLevel<Number> &level);
} // namespace adamant
