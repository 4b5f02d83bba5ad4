#pragma once

#include "algebra/teams.h"
#include "algebra/vector.h"
#include "multigrid/smoothers/line/line_functors.h"
#include "multigrid/smoothers/line/strong_lines.h"

namespace adamant
{
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
