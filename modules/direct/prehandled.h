#pragma once

#include "algebra/device.h"
#include "direct/hierarchical_basis.h"

#include <vector>

namespace adamant
{
/// The unknowns of nested levels, sorted by the coarse mesh: C at its nodes, E on its edges (and faces, in 3D), I
/// inside its cells. Cells with equal local matrices form a class. All this follows from the exported matrices. A node
/// at a coarse node has 1 weight in its interpolation from the coarse level, and a node on an edge has 2. A node inside
/// a cell has as many as the cell has vertices.
struct MacroCells
{
  /// Cells with equal local matrices. Node i of the class is an unknown of each cell, in one order for all; on edges
  /// its number is -1 where it is prescribed.
  struct Class
  {
    int        n_cells = 0;
    int        n_inner = 0, n_edge = 0; ///< nodes inside a cell and on its edges
    Array<int> inner;                   ///< n_cells x n_inner numbers of unknowns
    Array<int> edge;                    ///< n_cells x n_edge numbers among E, or -1
  };

  /// `matrix` has all nodes of the finest level, without boundary conditions. Throws InputError where there are hanging
  /// nodes, or more than 64 classes.
  MacroCells(const NestedNodes &nodes, const CSRMatrix<double> &matrix);

  Array<int>         coarse, edge; ///< the unknowns of C and E
  std::vector<Class> classes;
  int                n_inner = 0; ///< unknowns in I
};

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
