#pragma once

#include "base/csr_matrix.h"

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
} // namespace adamant
