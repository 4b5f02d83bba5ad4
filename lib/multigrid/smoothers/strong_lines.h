#pragma once

#include "base/array.h"
#include "base/csr_matrix.h"

namespace adamant
{
/// The most rows of a line (LineSolver).
constexpr int longest_line = 4096;

/// Disjoint lines of rows: line l has the rows row[start[l]], ..., row[start[l + 1] - 1], in their order along it.
/// Every row is in one line; a line may be a single row.
struct Lines
{
  Array<int> row, start;

  int size() const { return static_cast<int>(start.size()) - 1; }
  int longest() const;
};

/// Lines along the strong couplings of a matrix, from its values alone, in host memory. With s_ij = -(a_ij + a_ji) / 2
/// and m_i the largest s_ik over the rows k of the same component (row mod node_size) that this rank owns, i and j are
/// coupled where s_ij >= threshold m_i or s_ij >= threshold m_j. A row of more than two couplings has no direction and
/// loses all; rings are cut at their weakest coupling, and lines of more than longest_line rows in pieces. After the
/// tridiagonal smoothers of Turek et al., FEAST: there lines are those of the mesh.
Lines strong_lines(const CSRMatrix<double> &matrix, int node_size, double threshold = 0.9);

/// The tridiagonal part of the matrix along the lines, by rows: place[k n_rows + row] is the entry's number, with k = 0
/// the coupling to the row before, 1 the diagonal, 2 the coupling to the row behind; -1 where there is none.
Array<EntryNumber> tridiagonal_places(const CSRMatrix<double> &matrix, const Lines &lines);
} // namespace adamant
