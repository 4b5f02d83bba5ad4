#pragma once

#include "multigrid/linear_solver.h"
#include "operators/block_operator.h"
#include "operators/level_data.h"
#include "solvers/triangular.h"

#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace adamant
{
/// The levels of the scalar problem of one component: its rows and columns of the matrices and transfers, in host
/// memory. The matrices are copies, also where the values of a level change on the device (ValuesOnDevice).
struct ComponentLevels
{
  ComponentLevels(const std::vector<LevelData> &levels, int component);
  void update(const std::vector<LevelData> &levels); ///< copies new values on the same patterns

  std::vector<LevelData> data;

private:
  int                                             component;
  std::vector<std::shared_ptr<CSRMatrix<double>>> matrices; // the matrices of `data`
};

/// A preconditioner that treats a system as scalar problems (FEAST's separate ordering by components). Each component's
/// diagonal block has V-cycles of its own. The blocks K_ij of components i and j couple them as
/// TriangularPreconditioner says, and the result is multiplied by omega. The kinds of sweep are:
///
///   lower: block Gauss-Seidel, for nonsymmetric methods or alone;  symmetric: for conjugate gradients as well;
///   none: block Jacobi.
///
/// The splitting limits the convergence: iterations grow with the Poisson ratio and in slender bodies, however well the
/// blocks are solved. One V-cycle for all components takes fewer iterations (docs/lines_and_components.md).
class ComponentBlocks : public Preconditioner
{
public:
  using Sweep = TriangularPreconditioner::Part;

  /// The nodes of the finest level have m > 1 components. `options` are the options of the scalar V-cycles; each solve
  /// of a block takes `options.cycles` of them. Throws InputError for one component, or omega outside (0, 2).
  ComponentBlocks(const Device &device, const std::vector<LevelData> &levels, Precision precision,
                  const MultigridOptions &options, Sweep sweep, double omega = 1.);

  void        vmult(const Vector<double> &v, Vector<double> &z) const override;
  void        update() override; ///< the host takes the blocks out of the levels' matrices anew
  bool        recordable() const override { return triangular->recordable(); }
  const char *name() const override { return "Component blocks"; }
  void        print(std::ostream &out) const override; ///< prints the V-cycle of each component

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
  std::vector<std::unique_ptr<MatrixOperator>> operators; // the couplings as operators
  std::optional<BlockOperator>                 blocks;
  std::optional<TriangularPreconditioner>      triangular;
  mutable Vector<double>                       v_by_components, z_by_components;
};
} // namespace adamant
