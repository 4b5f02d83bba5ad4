#pragma once

#include "multigrid/smoothers/smoother.h"

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace adamant
{
/// A kind of smoother, under the name that parameter files give it.
struct SmootherKind
{
  std::string name, description; ///< `description` says what S is, as the end of the sentence 'S is ...'

  template <typename Number>
  using Make = std::function<std::unique_ptr<Smoother<Number>>(const DeviceLevel<Number> &)>;
  std::tuple<Make<double>, Make<float>> make{};

  /// Returns S in host memory for a matrix A whose nodes have node_size rows. It is there for the kinds that need A's
  /// diagonal blocks alone, which work for a RowlessMatrix, too. Null: the kind needs the rows of A.
  std::function<CSRMatrix<double>(const CSRMatrix<double> &A, int node_size)> matrix = nullptr;

  bool patches = false; ///< whether the kind needs the patches of a level, which are made on one rank only
};

/// Returns all kinds of smoothers. A new kind needs a file, a line in registry.cc, and a test.
const std::vector<SmootherKind> &smoothers();

/// Returns the kind `name`. Throws InputError, which suggests the nearest name, for an unknown name.
const SmootherKind &smoother_kind(const std::string &name);

/// Makes the smoother `name` for a level. Throws RunError where it needs rows, and the matrix stores none.
template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const DeviceLevel<Number> &level);
} // namespace adamant
