#include "multigrid/smoothers/line/line.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace adamant
{
namespace
{
constexpr int lanes = 32, teams_wanted = 128; // about as many as a GPU has multiprocessors

// Of a line of n rows, which its separators cut evenly.
int n_pieces_of(int n)
{
  return n <= longest_piece ? 1 : (n + 1 + longest_piece) / (longest_piece + 1);
}

int to_lanes(int n)
{
  return (n + lanes - 1) / lanes * lanes;
}

// A line's rows, cut into pieces.
struct CutLine
{
  const int *row;
  int        n;
  int        n_pieces() const { return n_pieces_of(n); }
  // Where piece i begins; one row before it is a separator.
  int begin(int i) const { return i + (n - n_pieces() + 1L) * i / n_pieces(); }
  int length(int i) const { return begin(i + 1) - begin(i) - 1; }
};

// Joins short lines, which T allows, as its couplings are zero at the ends of lines. Points come 16 to a line, with
// neighbouring points in neighbouring lines. Other short lines fill up a piece.
Lines packed(const Lines &lines)
{
  const auto length = [&](int l) { return lines.start[l + 1] - lines.start[l]; };
  Lines      result;
  Array<int> points;
  result.start.push_back(0);
  const auto end_line = [&] {
    if (static_cast<int>(result.row.size()) > result.start.back())
      result.start.push_back(static_cast<int>(result.row.size()));
  };
  for (int l = 0; l < lines.size(); ++l)
    {
      const auto first = lines.row.begin() + lines.start[l];
      if (length(l) == 1)
        {
          points.push_back(*first);
          continue;
        }
      if (static_cast<int>(result.row.size()) - result.start.back() + length(l) > longest_piece)
        end_line();
      result.row.insert(result.row.end(), first, first + length(l));
      if (length(l) > longest_piece)
        end_line();
    }
  end_line();
  constexpr int at_once = lanes * longest_piece;
  const int     n       = static_cast<int>(points.size());
  for (int begin = 0; begin < n; begin += at_once)
    for (int k = 0, end = std::min(begin + at_once, n), w = (end - begin + longest_piece - 1) / longest_piece; k < w;
         ++k, end_line())
      for (int i = begin + k; i < end; i += w)
        result.row.push_back(points[i]);
  return result;
}

// Sorts lines by their lengths, so that lines of as many pieces stand together, then by their first rows.
std::vector<CutLine> sorted_lines(const Lines &lines)
{
  std::vector<CutLine> all;
  for (int l = 0; l < lines.size(); ++l)
    all.push_back({lines.row.data() + lines.start[l], lines.start[l + 1] - lines.start[l]});
  std::sort(all.begin(), all.end(),
            [](const CutLine &a, const CutLine &b) { return a.n != b.n ? a.n > b.n : *a.row < *b.row; });
  return all;
}

// Elimination without pivoting needs positive pivots, which a stable T has.
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
// S = T⁻¹, where T is the tridiagonal part of A along lines of strong couplings (strong_lines). The lines come from the
// values of the matrix; if these change on the device, from the values at construction. In stretched cells and
// anisotropic materials, neighbours couple far more in one direction than in the others. The error of Jacobi steps then
// decays in that direction alone. Where no direction is strong, lines are single rows, and S is Jacobi's. Lines end
// where constraints, components or ranks do.
template <typename Number>
class LineSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit LineSmoother(const DeviceLevel<Number> &level)
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
  void update() final
  {
    if (level.changing())
      level.device.for_each(T.size(),
                            GatherTridiagonal{place_on_device.data(), level.changing()->values.data(), T.data()});
    else
      {
        take_lines(level.matrix());
        Array<double> values(place.size(), 0.);
        for (std::size_t i = 0; i < place.size(); ++i)
          if (place[i] >= 0)
            values[i] = level.matrix().value[place[i]];
        check_pivots(lines, values);
        T.upload(values.data());
      }
    solver->factorize(T);
  }
  void vmult(Number a, const Vector &b, Vector &x, bool) const override
  {
    solver->solve(b, TakeSolution<Number>{a, x.data()});
  }
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &,
               bool) const override // returns x
  {
    level.device.residual(level.A, x, b, r);
    solver->solve(r, CorrectBySolution<Number>{alpha, beta, d_old.data(), d.data(), x.data()});
    return x;
  }

private:
  // Finds the lines, and makes the solver where they are others than before.
  void take_lines(const CSRMatrix<double> &matrix)
  {
    Lines found = strong_lines(matrix, level.A.node_size());
    if (solver && found.row == lines.row && found.start == lines.start)
      return;
    lines  = std::move(found);
    place  = tridiagonal_places(matrix, lines);
    solver = std::make_unique<LineSolver<Number>>(level.device, lines);
    level.device.outdate_graphs();
  }

  DeviceLevel<Number>                 level;
  Lines                               lines;
  Array<EntryNumber>                  place; // of the entries of T in the matrix
  List<EntryNumber>                   place_on_device;
  adamant::Vector<double>             T;
  std::unique_ptr<LineSolver<Number>> solver;
  mutable Vector                      r;
};
} // namespace

template <typename Number>
LineSolver<Number>::LineSolver(const Device &device, const Lines &lines)
  : device(device)
  , n_rows(static_cast<int>(lines.row.size()))
{
  if (lines.longest() > longest_line)
    throw RunError("a line of " + std::to_string(lines.longest()) + " rows, where " + std::to_string(longest_line) +
                   " are the most");
  make_groups(packed(lines));
  for (Vector *factor : {&lower, &inverse, &upper, &to_before, &to_behind})
    *factor = Vector(device, row.size());
  int reductions = 0;
  for (int separators = n_pieces_of(lines.longest()) - 1; 1 << reductions < separators;)
    ++reductions;
  reduction = Vector(device, to_index(2 * static_cast<std::size_t>(reductions) * n_pieces, "reductions of lines"));
  inverse_diagonal = Vector(device, n_pieces);
}

// Groups of few enough pieces for as many teams as are wanted.
template <typename Number>
void LineSolver<Number>::make_groups(const Lines &lines)
{
  const auto all   = sorted_lines(lines);
  long       total = 0;
  for (const CutLine &line : all)
    total += line.n_pieces();
  team_size = !device.traits().many_threads ? 2 * lanes : // which a core's cache holds
                std::clamp(to_lanes(static_cast<int>(std::min(total / teams_wanted, long(most_pieces<Number>)))),
                           2 * lanes, most_pieces<Number>);
  if (!all.empty())
    team_size = std::max(team_size, to_lanes(all.front().n_pieces()));
  Array<LineGroup>      groups;
  Array<int>            lengths, separators, rows, ordered;
  Array<unsigned short> slots;
  for (std::size_t next = 0, end = 0; next < all.size(); next = end)
    {
      const int m = all[next].n_pieces();
      while (end < all.size() && all[end].n_pieces() == m && static_cast<int>(end - next + 1) * m <= team_size)
        ++end;
      const int first = to_index(lengths.size(), "pieces of lines"), w = static_cast<int>(end - next);
      groups.push_back({first, w, m, to_index(ordered.size(), "rows of lines")});
      lengths.resize(first + to_lanes(w * m), 0);
      separators.resize(lengths.size(), -1);
      rows.resize(to_index(longest_piece * lengths.size(), "places of rows in lines"), 0);
      n_pieces = static_cast<int>(lengths.size());
      std::vector<std::pair<int, unsigned short>> in_order; // rows and their slots
      for (int i = 0; i < w * m; ++i)
        {
          const CutLine &line  = all[next + i % w];
          const int     *begin = line.row + line.begin(i / w);
          lengths[first + i]   = line.length(i / w);
          const auto add       = [&](int k, int row_k) {
            in_order.emplace_back(row_k, static_cast<unsigned short>(slot_of<Number>(k, i)));
          };
          for (int k = 0; k < lengths[first + i]; ++k)
            {
              rows[pieces().place(first + i, k)] = begin[k];
              add(k, begin[k]);
            }
          if (i / w + 1 < m)
            {
              separators[first + i] = begin[lengths[first + i]];
              add(longest_piece, separators[first + i]);
            }
        }
      std::sort(in_order.begin(), in_order.end());
      for (const auto &[row_k, slot_k] : in_order)
        {
          ordered.push_back(row_k);
          slots.push_back(slot_k);
        }
    }
  n_groups = static_cast<int>(groups.size());
  groups.push_back({n_pieces, 0, 0, static_cast<int>(ordered.size())});
  group       = List<LineGroup>(device, groups);
  length      = List<int>(device, lengths);
  separator   = List<int>(device, separators);
  row         = List<int>(device, rows);
  ordered_row = List<int>(device, ordered);
  slot        = List<unsigned short>(device, slots);
}

template <typename Number>
LinePieces LineSolver<Number>::pieces() const
{
  return {n_rows, n_pieces, group.data(), length.data(), separator.data(), row.data(), ordered_row.data(), slot.data()};
}

template <typename Number>
LineFactors<Number> LineSolver<Number>::factors() const
{
  return {lower.data(),     inverse.data(),   upper.data(),           to_before.data(),
          to_behind.data(), reduction.data(), inverse_diagonal.data()};
}

template <typename Number>
void LineSolver<Number>::factorize(const adamant::Vector<double> &T)
{
  for_each_by_teams(device, n_groups, team_size, FactorLines<Number>{pieces(), T.data(), factors()});
}

template class LineSolver<double>;
template class LineSolver<float>;

SmootherKind line_kind()
{
  return made_as<LineSmoother>({"line", "the inverse of A's tridiagonal part along lines of strong couplings"});
}
} // namespace adamant
