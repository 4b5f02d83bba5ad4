#pragma once

#include "base/array.h"
#include "base/csr_matrix.h"
#include "multigrid/options.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Settings of Trilinos ML as deal.II names them (TrilinosWrappers::PreconditionAMG::AdditionalData).
struct TrilinosAMGOptions
{
  bool         elliptic              = true;
  std::string  smoother              = "Chebyshev";
  unsigned int smoother_sweeps       = 2;
  double       aggregation_threshold = 1e-4;
  /// E.g. rigid-body modes, each a value for every row of this rank; none: the constant. Then rows come in nodes of
  /// node_size.
  std::vector<Array<double>> near_null_space = {};
  int                        node_size       = 1;
};

/// Algebraic multigrid of Trilinos ML through deal.II, the peer of this library's multigrid: for the host, on any
/// number of ranks. Where deal.II was built without Trilinos, making one throws InputError.
class TrilinosAMG
{
public:
  /// The matrix is copied. Needs MPI to be initialised, as all of Trilinos does.
  TrilinosAMG(const CSRMatrix<double> &matrix, const TrilinosAMGOptions &options);
  ~TrilinosAMG();

  void vmult(const double *v, double *z) const; ///< z = M v, of the rows of this rank, in host memory

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

/// MultigridOptions::make_coarse_solver: one application of TrilinosAMG. Modes in `options` are those of the coarsest
/// level.
std::function<ExternalSolver(const CSRMatrix<double> &)> make_trilinos_amg(const TrilinosAMGOptions &options);
} // namespace adamant
