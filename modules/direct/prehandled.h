#pragma once

#include "algebra/device.h"
#include "direct/macro_cells.h"

#include <vector>

namespace adamant
{
/// The prehandled matrix in the hierarchical basis. Ã = SᵀAS is cut into blocks of coarse (C), edge (E) and inner (I)
/// unknowns. It is scaled by L Lᵀ = Ã_CC and, for other unknowns, by d = diag(Ã)^(-1/2):
///
///   [ 1   B   0 ]   B = L⁻¹ Ã_CE d,   E = d Ã_EE d,
///   [ Bᵀ  E   D ]   D = d Ã_EI d,     C = d Ã_II d: one block for each class of cells.
///   [ 0   Dᵀ  C ]
///
/// Ã_CI is 0 where coarse functions are harmonic in cells, as on rectangles (Q1) and triangles (P1). All matrices are
/// in host memory.
struct Prehandled
{
  /// The blocks of one class of cells. D lacks the factor of E, which depends on both cells at an edge.
  struct Local
  {
    Array<double> C, D; ///< row-major, n_inner x n_inner and n_edge x n_inner
  };

  /// `matrix` has all nodes, without boundary conditions. Throws InputError where Ã_CI is not 0.
  Prehandled(const NestedNodes &nodes, const MacroCells &cells, const CSRMatrix<double> &matrix);

  CSRMatrix<double>  hierarchical;     ///< Ã of all unknowns
  Array<double>      inverse_diagonal; ///< d of all unknowns; 1 for coarse ones
  Array<double>      L_inverse;        ///< L⁻¹, row-major
  CSRMatrix<double>  coupling;         ///< Ã_CE d
  CSRMatrix<double>  edges;            ///< E
  std::vector<Local> local;
};

/// The matrices C⁻¹, W = D C⁻¹ and G = W Dᵀ of one class, row-major, in host memory. The device computes them in
/// double. D lacks the factor of E.
struct LocalInverse
{
  Array<double> C_inverse, W, G;
};
std::vector<LocalInverse> local_inverses(const Device &device, const MacroCells &cells, const Prehandled &matrices);

/// Returns the sparse matrix Λ = E - D C⁻¹Dᵀ: it couples all unknowns on the edges of a cell.
CSRMatrix<double> edge_complement(const MacroCells &cells, const Prehandled &matrices,
                                  const std::vector<LocalInverse> &local);
} // namespace adamant
