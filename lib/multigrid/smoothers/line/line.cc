#include "multigrid/smoothers/line/line.h"

#include "base/exceptions.h"
#include "operators/level_data.h"

#include <cmath>
#include <string>

namespace adamant
{
namespace
{
// Elimination without pivoting needs positive pivots: those of a stable T.
void check_pivots(const Lines &lines, const Array<double> &T)
{
  const std::size_t n = lines.row.size();
  for (int l = 0; l < lines.size(); ++l)
    {
      double above = 0;
      for (int k = lines.start[l]; k < lines.start[l + 1]; ++k)
        {
          const int    row   = lines.row[k];
          const double pivot = T[n + row] - (k > lines.start[l] ? T[row] * above : 0.);
          if (!(pivot > 0) || !std::isfinite(pivot))
            throw RunError("smoother line: the pivot of row " + std::to_string(row) + " is " + std::to_string(pivot) +
                           ", not positive; take block_jacobi or fsai");
          above = T[2 * n + row] / pivot;
        }
    }
}
} // namespace

template <typename Number>
LineSmoother<Number>::LineSmoother(const DeviceLevel<Number> &level)
  : level(level)
  , T(level.device, 3 * level.n_rows())
  , r(level.device, level.n_rows())
{
  if (level.changing())
    {
      take_lines(matrix_on_host(level));
      place_on_device = List<EntryNumber>(level.device, place);
    }
  update();
}

// Finds the lines, and makes the solver where they are others than before.
template <typename Number>
void LineSmoother<Number>::take_lines(const CSRMatrix<double> &matrix)
{
  Lines found = strong_lines(matrix, level.A.node_size());
  if (solver && found.row == lines.row && found.start == lines.start)
    return;
  lines  = std::move(found);
  place  = tridiagonal_places(matrix, lines);
  solver = std::make_unique<LineSolver<Number>>(level.device, lines);
  level.device.outdate_graphs();
}

template <typename Number>
void LineSmoother<Number>::update()
{
  if (level.changing())
    level.device.for_each(T.size(),
                          GatherTridiagonal{place_on_device.data(), level.changing()->values.data(), T.data()});
  else
    {
      take_lines(*level.matrix());
      Array<double> values(place.size(), 0.);
      for (std::size_t i = 0; i < place.size(); ++i)
        if (place[i] >= 0)
          values[i] = level.matrix()->value[place[i]];
      check_pivots(lines, values);
      T.upload(values.data());
    }
  solver->factorize(T);
}

template <typename Number>
void LineSmoother<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  solver->solve(b, TakeSolution<Number>{a, x.data()});
}

template <typename Number>
auto LineSmoother<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d,
                                Vector &, bool) const -> Vector &
{
  level.device.residual(level.A, x, b, r);
  solver->solve(r, CorrectBySolution<Number>{alpha, beta, d_old.data(), d.data(), x.data()});
  return x;
}

template class LineSmoother<double>;
template class LineSmoother<float>;
} // namespace adamant
