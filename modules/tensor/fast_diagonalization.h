#pragma once

#include "base/array.h"
#include "tensor/multi_vector.h"

#include <cstddef>
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

/// Fast diagonalization (Lynch, Rice & Thomas 1964): the exact inverse of the Laplacian of Q1 elements on a tensor
/// product of one-dimensional meshes, the pseudo-inverse for constants. Each end is prescribed (zero) or natural; nodes
/// are numbered along lines of the first direction. For two directions
///
///   X = V [(VᵀB V) ∘ w wᵀ / (λ_i + λ_j)] Vᵀ
///
/// takes four products with dense matrices. In double the last direction needs none: the other directions' eigenvectors
/// leave a tridiagonal system along each of its lines (TridiagonalLines). In lower precision this elimination rounds
/// too much. Where a direction is symmetric about its middle, even and odd vectors need half of the nodes each, b_i +
/// b_{N-1-i} and b_i - b_{N-1-i}: half of the operations.
///
/// In float32 and below each right-hand side is scaled, so that no product overflows. Between products vectors are
/// stored in that precision; right-hand sides and results are in double or float. There, for many right-hand sides, the
/// last direction stores the inverse of each tridiagonal system as a matrix, computed in double: one product instead of
/// two. A GPU takes as many lines or coefficients as fit into its cache through several steps before the next ones.
class FastDiagonalization : public ColumnInverse
{
public:
  /// Options for speed; with 0 the program chooses.
  struct Options
  {
    int         split_from  = 0; ///< separates even and odd vectors in directions of so many nodes and more
    std::size_t chunk_bytes = 0; ///< bytes of the vectors that go through several steps at a time
    int         invert_from = 0; ///< columns from which on low precision inverts along the last direction
  };

  /// Takes two or three directions, first the one in which numbers of nodes follow each other, and n_columns right-hand
  /// sides at once (see multi_vector.h). Throws RunError where there is a GPU, but no cuBLAS.
  FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                      Arithmetic arithmetic = Arithmetic::float64, int n_columns = 1,
                      const Options &options = {0, 0, 0});
};
} // namespace adamant
