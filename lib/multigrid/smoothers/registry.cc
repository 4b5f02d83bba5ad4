#include "multigrid/smoothers/smoother.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/coloured.h"
#include "multigrid/smoothers/downstream.h"
#include "multigrid/smoothers/fsai.h"
#include "multigrid/smoothers/jacobi.h"
#include "multigrid/smoothers/line/line.h"
#include "multigrid/smoothers/patch/patch.h"
#include "multigrid/smoothers/setup.h"

namespace adamant
{
namespace
{
template <template <typename> class Kind>
SmootherKind kind(const std::string &name, const std::string                                 &description,
                  CSRMatrix<double> (*matrix)(const CSRMatrix<double> &, int) = nullptr, bool patches = false)
{
  return {name,
          description,
          {[](const auto &level) { return std::make_unique<Kind<double>>(level); },
           [](const auto &level) { return std::make_unique<Kind<float>>(level); }},
          matrix,
          patches};
}
} // namespace

const std::vector<SmootherKind> &smoothers()
{
  static const std::vector<SmootherKind> all = {
    kind<Jacobi>("jacobi", "the inverse of A's diagonal",
                 [](const CSRMatrix<double> &A, int) { return inverse_diagonal_matrix(A, 1); }),
    kind<BlockJacobi>("block_jacobi", "the inverse of A's node blocks", inverse_diagonal_matrix),
    kind<LineSmoother>("line", "the inverse of A's tridiagonal part along lines of strong couplings"),
    kind<CellPatches>("cell_patches", "the sum of the inverses of A's parts on single cells (damping 0.7 is usual)",
                      nullptr, true),
    kind<VertexPatches>("vertex_patches",
                        "the sum of the inverses of A's parts around single vertices (degree 2, with Chebyshev)",
                        nullptr, true),
    kind<DownstreamPatches>("downstream_patches",
                            "a sweep over the stars of vertices in the direction of the flow (gmres, damping 1)",
                            nullptr, true),
    kind<FSAI>("fsai", "a factorised sparse approximate inverse of A"),
    kind<ColouredGaussSeidel>("gauss_seidel", "a sweep over the nodes, colour by colour (damping 1 is usual)")};
  return all;
}

const SmootherKind &smoother_kind(const std::string &name)
{
  std::vector<std::string> names;
  for (const auto &kind : smoothers())
    {
      if (kind.name == name)
        return kind;
      names.push_back(kind.name);
    }
  throw InputError("there is no smoother '" + name + "'" + did_you_mean(name, names));
}

template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const DeviceLevel<Number> &level)
{
  const SmootherKind &kind = smoother_kind(name);
  if (level.cells() && !kind.matrix)
    throw RunError("smoother '" + name + "' needs the rows of a matrix, and this one is by cells");
  return std::get<SmootherKind::Make<Number>>(kind.make)(level);
}

template std::unique_ptr<Smoother<double>> make_smoother(const std::string &, const DeviceLevel<double> &);
template std::unique_ptr<Smoother<float>>  make_smoother(const std::string &, const DeviceLevel<float> &);
} // namespace adamant
