#pragma once

#include "algebra/teams.h"
#include "algebra/vector.h"
#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "multigrid/smoothers/line/line_functors.h"

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

/// Returns lines along the strong couplings of a matrix, from its values alone, in host memory. The strength of a
/// coupling is s_ij = -(a_ij + a_ji) / 2, and m_i is the largest s_ik. Only rows k of the component of i (row mod
/// node_size) that this rank owns count. Rows i and j are coupled where s_ij >= threshold m_i or s_ij >= threshold m_j.
/// A row with more than two couplings has no direction and loses all of them. Rings are cut at their weakest coupling,
/// and lines of more than longest_line rows are cut into pieces. The idea is from the tridiagonal smoothers of Turek et
/// al., FEAST, whose lines are the lines of the mesh.
Lines strong_lines(const CSRMatrix<double> &matrix, int node_size, double threshold = 0.9);

/// Returns where the tridiagonal part along the lines stands in the matrix: place[k n_rows + row] is the number of an
/// entry of `row`. With k = 0 the entry is the coupling to the row before it in its line, with k = 1 the diagonal, and
/// with k = 2 the coupling to the row behind it. The number is -1 where there is no such entry.
Array<EntryNumber> tridiagonal_places(const CSRMatrix<double> &matrix, const Lines &lines);

/// Computes z = T⁻¹ r, where T is a tridiagonal matrix along each of several disjoint lines, without pivoting. It takes
/// the partition method of Wang (ACM TOMS 7, 1981) with parallel cyclic reduction of the separators, in one pass
/// (line_functors.h). The result does not depend on the number of threads.
template <typename Number>
class LineSolver
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws RunError for a line of more than longest_line rows.
  LineSolver(const Device &device, const Lines &lines);

  /// Factorises T (line_functors.h), given as 3 n values in device memory for n rows. Pivots that vanish give NaN or
  /// infinity in results.
  void factorize(const adamant::Vector<double> &T);

  /// Computes T⁻¹ r and hands it to `finish` (SolveLines). For a row, `finish` may write to the entries of that row
  /// that it reads, but not to r.
  template <class Finish>
  void solve(const Vector &r, const Finish &finish) const
  {
    for_each_by_teams(device, n_groups, team_size, SolveLines<Number, Finish>{pieces(), factors(), r.data(), finish});
  }

private:
  void                make_groups(const Lines &lines);
  LinePieces          pieces() const;
  LineFactors<Number> factors() const;

  Device               device;
  int                  n_rows, n_groups = 0, n_pieces = 0, team_size = 0;
  List<LineGroup>      group;
  List<int>            length, separator, row, ordered_row;
  List<unsigned short> slot;
  mutable Vector       lower, inverse, upper, to_before, to_behind, reduction, inverse_diagonal;
};
} // namespace adamant
