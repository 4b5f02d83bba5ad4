#pragma once

#include "algebra/teams.h"
#include "algebra/vector.h"
#include "multigrid/smoothers/line_functors.h"
#include "multigrid/smoothers/strong_lines.h"

namespace adamant
{
/// z = T⁻¹ r, T a tridiagonal matrix along each of several disjoint lines, without pivoting: the partition method of
/// Wang (ACM TOMS 7, 1981) with parallel cyclic reduction of the separators, all in one pass (line_functors.h). The
/// same result for any number of threads.
template <typename Number>
class LineSolver
{
public:
  using Vector = adamant::Vector<Number>;

  /// Throws RunError for a line of more than longest_line rows.
  LineSolver(const Device &device, const Lines &lines);

  /// Takes over T (line_functors.h), 3 n values in device memory. Pivots that vanish give no numbers.
  void factorize(const adamant::Vector<double> &T);

  /// Hands T⁻¹ r to `finish` (SolveLines), which may write to what it reads of its own row, but not to r.
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
