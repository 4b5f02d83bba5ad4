#pragma once

#include "base/csr/csr_matrix.h"

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Median seconds of y = A x by cuSPARSE for each of its formats that this program tries (CSR with both algorithms,
/// sliced ELL of 32 rows; with node_size > 1 also blocks, BSR), in double or single precision, preprocessed, replayed
/// as a graph.
template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse(const CSRMatrix<double> &A, int node_size = 1);

/// Median seconds of the solution of n_lines tridiagonal systems of `length` rows each by cuSPARSE's batched solvers
/// (rows of a line next to each other, and lines interleaved), which factorise in each call; the right-hand sides are
/// overwritten.
template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse_lines(int length, int n_lines);
} // namespace adamant
