#pragma once

#include "base/csr/csr_matrix.h"

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Returns the median seconds of y = A x by cuSPARSE, preprocessed and replayed as a graph, in double or single
/// precision. The formats are CSR with both algorithms, sliced ELL of 32 rows and, with node_size > 1, blocks (BSR).
template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse(const CSRMatrix<double> &A, int node_size = 1);

/// Returns the median seconds in which cuSPARSE's batched solvers solve n_lines tridiagonal systems of `length` rows
/// each. Rows of a line lie next to each other, or lines are interleaved. The solvers factorise in each call and
/// overwrite the right-hand sides.
template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse_lines(int length, int n_lines);
} // namespace adamant
