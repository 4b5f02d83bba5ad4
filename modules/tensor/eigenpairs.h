#pragma once

#include "base/array.h"

#include <vector>

namespace adamant
{
/// A symmetric matrix of one-dimensional elements: its entries (i, i) and (i, i + 1).
struct Tridiagonal
{
  Array<double> diagonal, next;
};

/// One direction of a tensor-product mesh. V holds the eigenvectors, of length 1 each, of K v = λ M v with the
/// one-dimensional stiffness and mass matrices. The weights are w = 1 / (vᵀM v). V is row-major, n_nodes x n; nodes
/// where a value is prescribed have rows of zeros.
struct Eigenpairs
{
  int           n_nodes = 0, n = 0;
  Array<double> value, weight, vectors;
  Tridiagonal   K, M;   ///< of the nodes; zero where a value is prescribed
  Array<int>    parity; ///< of each vector: 1 even, -1 odd about the middle; empty where nodes or ends are not
                        ///< symmetric
};

/// Returns the eigenpairs of Q1 elements on the nodes x, ascending. The first or the last value may be prescribed, else
/// that end is natural. With `without_prescribed`, nodes with prescribed values are left out. Equal cells have sines
/// and cosines. LAPACK does all other cells, even and odd vectors apart where nodes and ends are symmetric.
Eigenpairs one_dimensional_eigenpairs(const std::vector<double> &x, bool first_prescribed, bool last_prescribed,
                                      bool without_prescribed = false);
} // namespace adamant
