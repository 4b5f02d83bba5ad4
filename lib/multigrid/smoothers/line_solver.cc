#include "multigrid/smoothers/line_solver.h"

#include "base/exceptions.h"

#include <algorithm>
#include <numeric>
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

// Lines with the couplings of T, which are zero at their ends, as well: of points, 16 to a line, neighbouring points in
// neighbouring lines, and of short lines, as many as make up a piece.
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

// Those of as many pieces together, then of as many rows, in the order of their first rows.
std::vector<CutLine> sorted_lines(const Lines &lines)
{
  std::vector<CutLine> all;
  for (int l = 0; l < lines.size(); ++l)
    all.push_back({lines.row.data() + lines.start[l], lines.start[l + 1] - lines.start[l]});
  std::sort(all.begin(), all.end(),
            [](const CutLine &a, const CutLine &b) { return a.n != b.n ? a.n > b.n : *a.row < *b.row; });
  return all;
}
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
  team_size = std::clamp(to_lanes(static_cast<int>(std::min(total / teams_wanted, long(most_pieces<Number>)))),
                         2 * lanes, most_pieces<Number>);
  if (!all.empty())
    team_size = std::max(team_size, to_lanes(all.front().n_pieces()));

  Array<int>               firsts(1, 0), widths, pieces_per_line, lengths, separators;
  std::vector<const int *> rows; // of each piece
  for (std::size_t next = 0; next < all.size();)
    {
      const int   m   = all[next].n_pieces();
      std::size_t end = next;
      while (end < all.size() && all[end].n_pieces() == m && static_cast<int>(end - next + 1) * m <= team_size)
        ++end;
      for (int i = 0; i < m; ++i)
        for (std::size_t l = next; l < end; ++l)
          {
            const CutLine &line = all[l];
            lengths.push_back(line.length(i));
            rows.push_back(line.row + line.begin(i));
            separators.push_back(i + 1 < m ? line.row[line.begin(i + 1) - 1] : -1);
          }
      widths.push_back(static_cast<int>(end - next));
      pieces_per_line.push_back(m);
      firsts.push_back(to_index(to_lanes(static_cast<int>(lengths.size())), "pieces of lines"));
      lengths.resize(firsts.back(), 0);
      rows.resize(firsts.back(), nullptr);
      separators.resize(firsts.back(), -1);
      next = end;
    }
  n_pieces  = firsts.back();
  first     = List<int>(device, firsts);
  n_lines   = List<int>(device, widths);
  per_line  = List<int>(device, pieces_per_line);
  length    = List<int>(device, lengths);
  separator = List<int>(device, separators);
  make_places(lengths, rows);
  make_order(firsts, lengths, separators, rows);
}

template <typename Number>
void LineSolver<Number>::make_places(const Array<int> &lengths, const std::vector<const int *> &rows)
{
  Array<int> slices;
  int        n_places = 0;
  for (int p = 0; p < n_pieces; p += lanes)
    {
      slices.push_back(n_places);
      const int longest = *std::max_element(lengths.begin() + p, lengths.begin() + p + lanes);
      n_places          = to_index(n_places + static_cast<std::size_t>(lanes) * longest, "places of rows in lines");
    }
  Array<int> places(n_places, 0);
  for (int p = 0; p < n_pieces; ++p)
    for (int k = 0; k < lengths[p]; ++k)
      places[slices[p / lanes] + p % lanes + lanes * k] = rows[p][k];
  slice = List<int>(device, slices);
  row   = List<int>(device, places);
}

template <typename Number>
void LineSolver<Number>::make_order(const Array<int> &firsts, const Array<int> &lengths, const Array<int> &separators,
                                    const std::vector<const int *> &rows)
{
  Array<int>            first_of_group(1, 0), all;
  Array<unsigned short> slots;
  for (std::size_t group = 0; group + 1 < firsts.size(); ++group)
    {
      std::vector<std::pair<int, unsigned short>> of_group; // rows and slots
      const auto                                  add = [&](int row, int k, int p) {
        of_group.emplace_back(row, static_cast<unsigned short>(slot_of<Number>(k, p - firsts[group])));
      };
      for (int p = firsts[group]; p < firsts[group + 1]; ++p)
        {
          for (int k = 0; k < lengths[p]; ++k)
            add(rows[p][k], k, p);
          if (separators[p] >= 0)
            add(separators[p], longest_piece, p);
        }
      std::sort(of_group.begin(), of_group.end());
      for (const auto &[row, slot] : of_group)
        {
          all.push_back(row);
          slots.push_back(slot);
        }
      first_of_group.push_back(to_index(all.size(), "rows of lines"));
    }
  first_ordered = List<int>(device, first_of_group);
  ordered_row   = List<int>(device, all);
  slot          = List<unsigned short>(device, slots);
}

template <typename Number>
LinePieces LineSolver<Number>::pieces() const
{
  return {n_rows,           n_pieces,     first.data(), n_lines.data(),       per_line.data(),    length.data(),
          separator.data(), slice.data(), row.data(),   first_ordered.data(), ordered_row.data(), slot.data()};
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
  for_each_by_teams(device, n_lines.size(), team_size, FactorLines<Number>{pieces(), T.data(), factors()});
}

template class LineSolver<double>;
template class LineSolver<float>;
} // namespace adamant
