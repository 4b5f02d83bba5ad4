#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "multigrid/options.h"

#include <functional>
#include <string>
#include <vector>

namespace adamant
{
/// Settings of Trilinos ML, named as in deal.II (TrilinosWrappers::PreconditionAMG::AdditionalData).
struct TrilinosAMGOptions
{
  bool         elliptic              = true;
  std::string  smoother              = "Chebyshev";
  unsigned int smoother_sweeps       = 2;
  unsigned int cycles                = 1;
  double       aggregation_threshold = 1e-4;
  /// Modes such as rigid-body modes, each with a value for every row of this rank. Rows then come in nodes of node_size
  /// rows. Without modes, the constant is the only one.
  std::vector<Array<double>> near_null_space = {};
  int                        node_size       = 1;
};

/// Sets z = M v on the rows of this rank, in host memory.
using TrilinosAMG = std::function<void(const double *v, double *z)>;

/// Returns algebraic multigrid of Trilinos ML through deal.II, to compare with this library's multigrid. It runs on the
/// host, on any number of ranks. `matrix` is copied. MPI has to be initialised, as all of Trilinos needs it. Throws
/// InputError where deal.II was built without Trilinos.
TrilinosAMG trilinos_amg(const CSRMatrix<double> &matrix, const TrilinosAMGOptions &options);

/// Returns a function for MultigridOptions::make_coarse_solver, whose solver applies trilinos_amg() once. Modes in
/// `options` belong to the coarsest level.
MakeExternalSolver make_trilinos_amg(const TrilinosAMGOptions &options);
/// Returns a function for MultigridOptions::make_prolongations, which takes ML's aggregates.
MakeProlongations make_trilinos_prolongations(const TrilinosAMGOptions &options);
} // namespace adamant
