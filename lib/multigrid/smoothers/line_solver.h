#pragma once

#include "algebra/vector.h"
#include "multigrid/smoothers/line_functors.h"
#include "multigrid/smoothers/strong_lines.h"

#include <memory>

namespace adamant
{
/// z = T⁻¹ r, T a tridiagonal matrix along each of several disjoint lines, without pivoting. Each thread solves a piece
/// of a line. A line of more than 16 rows is cut into pieces of about 8 with a row, a separator, between two of them:
/// the pieces are eliminated, the separators make up a shorter line, and their values correct the pieces through spikes
/// (partition method of Wang, 1981). The same result for any number of threads.
template <typename Number>
class LineSolver
{
public:
  using Vector = adamant::Vector<Number>;

  LineSolver(const Device &device, const Lines &lines);

  /// Takes over T (line_functors.h), 3 n values in device memory. Pivots that vanish give no numbers.
  void factorize(const adamant::Vector<double> &T);

  /// T⁻¹ r as a functor of the row, in device memory; valid until the next call.
  LineSolution<Number> solve(const Vector &r) const;

private:
  /// Rows between pieces. Their slots, which number them along each line, have an empty one at both ends of a line.
  struct Separators
  {
    int                         n = 0, n_slots = 0;
    List<int>                   row, row_before, row_behind, slot; // of each separator
    List<int>                   slot_of_row;                       // of each row the separator before it, or itself
    adamant::Vector<double>     T;                                 // all rows' T: couplings to the pieces are read
    adamant::Vector<double>     reduced;                           // the separators' own
    adamant::Vector<double>     exact_before, exact_behind;        // spikes
    Vector                      before, behind;
    mutable Vector              residual;
    std::unique_ptr<LineSolver> solver;
  };
  void   make_pieces(const Array<int> &row, const Array<int> &start);
  void   make_separators(const Lines &lines, const Array<int> &cut); // at these places of lines.row
  Pieces pieces() const { return {n_rows, slice.data(), length.data(), row.data()}; }

  Device         device;
  int            n_rows;
  List<int>      slice, length, row;
  Vector         lower, inverse, upper;
  mutable Vector y;
  Separators     separators;
};
} // namespace adamant
