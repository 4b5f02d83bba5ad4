#pragma once

#include "base/array.h"

#include <vector>

namespace adamant
{
/// A symmetric matrix of one-dimensional elements: entries (i, i) and (i, i + 1).
struct Tridiagonal
{
  Array<double> diagonal, next;
};

/// One direction of a tensor-product mesh: the eigenvectors V of K v = λ M v of its one-dimensional stiffness and mass
/// matrices, of length 1 each, and the weights w = 1 / (vᵀM v); V row-major, n_nodes x n. Nodes where a value is
/// prescribed have rows of zeros.
struct Eigenpairs
{
  int           n_nodes = 0, n = 0;
  Array<double> value, weight, vectors;
  Tridiagonal   K, M;   ///< of the nodes; zero where a value is prescribed
  Array<int>    parity; ///< of each: 1 even, -1 odd about the middle; empty where nodes or ends are not symmetric
};

/// Of Q1 elements on the nodes x, ascending; the first or the last may be prescribed, else the end is natural. With
/// `without_prescribed` such nodes are left out. Equal cells have sines and cosines, others are left to LAPACK,
/// even and odd vectors apart where nodes and ends are symmetric.
Eigenpairs one_dimensional_eigenpairs(const std::vector<double> &x, bool first_prescribed, bool last_prescribed,
                                      bool without_prescribed = false);
} // namespace adamant
