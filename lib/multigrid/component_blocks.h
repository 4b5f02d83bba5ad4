#pragma once

#include "multigrid/linear_solver.h"
#include "operators/block_operator.h"
#include "solvers/triangular.h"

#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace adamant
{
/// The rows and columns of one component, which is a scalar problem of its own, on all levels. Its matrices can be
/// given new values; `changing` values stay behind.
struct ComponentLevels
{
  ComponentLevels(const std::vector<LevelData> &levels, int component);
  void update(const std::vector<LevelData> &levels); ///< new values on the same patterns

  std::vector<LevelData> data;

private:
  int                                             component;
  std::vector<std::shared_ptr<CSRMatrix<double>>> matrices; // those of `data`
};

/// A system as scalar problems (FEAST's separate ordering by components): each component's diagonal block is solved by
/// V-cycles of its own, and K_ij of components i, j couples them as TriangularPreconditioner says, times omega:
///
///   lower: block Gauss-Seidel, for nonsymmetric methods or alone;  symmetric: for conjugate gradients as well;
///   none: block Jacobi.
///
/// The splitting is what limits it: iterations grow with the Poisson ratio and in slender bodies, however well blocks
/// are solved. One V-cycle for all components takes fewer (docs/lines_and_components.md).
class ComponentBlocks : public Preconditioner
{
public:
  using Sweep = TriangularPreconditioner::Part;

  /// The finest level's nodes have m > 1 components; `options` are those of the scalar V-cycles, `options.cycles` of
  /// them a solve. Throws InputError for one component, or omega outside (0, 2).
  ComponentBlocks(const Device &device, const std::vector<LevelData> &levels, Precision precision,
                  const MultigridOptions &options, Sweep sweep, double omega = 1.);

  void vmult(const Vector<double> &v, Vector<double> &z) const override;
  void update() override; ///< by the host
  bool recordable() const override { return triangular->recordable(); }

  const Preconditioner &cycle(int component) const { return *cycles[component]; }
  int                   n_components() const { return m; }

private:
  struct Coupling
  {
    int            row, column;
    Matrix<double> matrix;
  };

  Device                                       device;
  std::vector<LevelData>                       levels;
  int                                          m;
  double                                       omega;
  std::vector<ComponentLevels>                 components;
  std::vector<std::unique_ptr<Preconditioner>> cycles;
  std::vector<Coupling>                        couplings;
  std::vector<std::unique_ptr<MatrixOperator>> operators; // of the couplings
  std::optional<BlockOperator>                 blocks;
  std::optional<TriangularPreconditioner>      triangular;
  mutable Vector<double>                       v_by_components, z_by_components;
};
} // namespace adamant
