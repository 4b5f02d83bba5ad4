#include "multigrid/smoothers/line_solver.h"

#include <algorithm>
#include <numeric>

namespace adamant
{
namespace
{
constexpr int piece_of_cut_line = 8, lanes = 32;

int n_pieces_of(int n)
{
  return n <= longest_piece ? 1 : (n + 1 + piece_of_cut_line) / (piece_of_cut_line + 1);
}
} // namespace

template <typename Number>
LineSolver<Number>::LineSolver(const Device &device, const Lines &lines)
  : device(device)
  , n_rows(static_cast<int>(lines.row.size()))
  , y(device, n_rows)
{
  // A line's n rows without its separators are spread evenly over the pieces.
  Array<int> rows, start(1, 0), cut;
  for (int l = 0; l < lines.size(); ++l)
    {
      const int n = lines.start[l + 1] - lines.start[l], n_pieces = n_pieces_of(n), n_inside = n - (n_pieces - 1);
      for (int p = 0, next = lines.start[l]; p < n_pieces; ++p)
        {
          const int length = (n_inside * (p + 1L)) / n_pieces - (n_inside * static_cast<long>(p)) / n_pieces;
          rows.insert(rows.end(), lines.row.begin() + next, lines.row.begin() + next + length);
          start.push_back(static_cast<int>(rows.size()));
          next += length;
          if (p + 1 < n_pieces)
            cut.push_back(next++);
        }
    }
  make_pieces(rows, start);
  if (!cut.empty())
    make_separators(lines, cut);
}

// Pieces of one length lie together, so that threads beside each other have as much to do, in the order of their rows:
// where lines lie beside each other the threads read neighbouring entries.
template <typename Number>
void LineSolver<Number>::make_pieces(const Array<int> &rows, const Array<int> &start)
{
  const int  n         = static_cast<int>(start.size()) - 1;
  const auto length_of = [&](int p) { return start[p + 1] - start[p]; };
  Array<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return length_of(a) != length_of(b) ? length_of(a) > length_of(b) : rows[start[a]] < rows[start[b]];
  });
  Array<int> slices, lengths(n);
  int        n_places = 0;
  for (int p = 0; p < n; ++p)
    {
      lengths[p] = length_of(order[p]);
      if (p % lanes == 0)
        {
          slices.push_back(n_places);
          n_places = to_index(n_places + static_cast<std::size_t>(lanes) * lengths[p], "places of rows in lines");
        }
    }
  Array<int> places(n_places, 0);
  for (int p = 0; p < n; ++p)
    for (int k = 0; k < lengths[p]; ++k)
      places[slices[p / lanes] + p % lanes + lanes * k] = rows[start[order[p]] + k];
  slice   = List<int>(device, slices);
  length  = List<int>(device, lengths);
  row     = List<int>(device, places);
  lower   = Vector(device, n_places);
  inverse = Vector(device, n_places);
  upper   = Vector(device, n_places);
}

template <typename Number>
void LineSolver<Number>::make_separators(const Lines &lines, const Array<int> &cut)
{
  auto      &s = separators;
  Array<int> rows, rows_before, rows_behind, slots, slot_of_row(n_rows, 0);
  Lines      reduced;
  reduced.start.push_back(0);
  const auto add_slot = [&] {
    reduced.row.push_back(s.n_slots++);
    return s.n_slots - 1;
  };
  const auto end_line = [&] { reduced.start.push_back(s.n_slots); };
  for (int l = 0, c = 0; l < lines.size(); ++l)
    {
      const int first = lines.start[l], end = lines.start[l + 1];
      if (n_pieces_of(end - first) == 1)
        continue;
      int slot = add_slot(); // the empty one before
      end_line();
      for (int k = first; k < end; ++k)
        {
          if (c < static_cast<int>(cut.size()) && cut[c] == k)
            {
              slot = add_slot();
              rows.push_back(lines.row[k]);
              rows_before.push_back(lines.row[k - 1]);
              rows_behind.push_back(lines.row[k + 1]);
              slots.push_back(slot);
              ++c;
            }
          slot_of_row[lines.row[k]] = slot;
        }
      end_line();
      add_slot(); // behind
      end_line();
    }
  s.n           = static_cast<int>(rows.size());
  s.row         = List<int>(device, rows);
  s.row_before  = List<int>(device, rows_before);
  s.row_behind  = List<int>(device, rows_behind);
  s.slot        = List<int>(device, slots);
  s.slot_of_row = List<int>(device, slot_of_row);
  Array<double> before(n_rows, 0.); // y is zero at separators: their value is minus this times their own slot
  for (const int i : rows)
    before[i] = -1.;
  s.exact_before = adamant::Vector<double>(device, before);
  s.exact_behind = adamant::Vector<double>(device, n_rows);
  s.before       = Vector(device, n_rows);
  s.behind       = Vector(device, n_rows);
  s.T            = adamant::Vector<double>(device, 3 * n_rows);
  Array<double> identity(3 * static_cast<std::size_t>(s.n_slots), 0.);
  std::fill_n(identity.begin() + s.n_slots, s.n_slots, 1.);
  s.reduced  = adamant::Vector<double>(device, identity);
  s.residual = Vector(device, s.n_slots);
  s.solver   = std::make_unique<LineSolver>(device, reduced);
}

template <typename Number>
void LineSolver<Number>::factorize(const adamant::Vector<double> &T)
{
  auto &s = separators;
  device.for_each(length.size(), FactorPieces<Number>{pieces(), T.data(), lower.data(), inverse.data(), upper.data(),
                                                      s.exact_before.data(), s.exact_behind.data()});
  if (s.n == 0)
    return;
  device.copy(T, s.T);
  device.for_each(s.n, FactorSeparators{n_rows, s.n_slots, s.row.data(), s.row_before.data(), s.row_behind.data(),
                                        s.slot.data(), T.data(), s.exact_before.data(), s.exact_behind.data(),
                                        s.reduced.data()});
  device.convert(s.exact_before, s.before);
  device.convert(s.exact_behind, s.behind);
  s.solver->factorize(s.reduced);
}

template <typename Number>
LineSolution<Number> LineSolver<Number>::solve(const Vector &r) const
{
  device.for_each(length.size(),
                  SolvePieces<Number>{pieces(), lower.data(), inverse.data(), upper.data(), r.data(), y.data()});
  const auto &s = separators;
  if (s.n == 0)
    return {y.data(), nullptr, nullptr, nullptr, nullptr};
  device.for_each(s.n, SeparatorResidual<Number>{n_rows, s.row.data(), s.row_before.data(), s.row_behind.data(),
                                                 s.slot.data(), s.T.data(), r.data(), y.data(), s.residual.data()});
  const auto inner = s.solver->solve(s.residual);
  if (inner.slot == nullptr)
    return {y.data(), s.before.data(), s.behind.data(), inner.y, s.slot_of_row.data()};
  device.for_each(s.n_slots, TakeSolution<Number>{Number(1), inner, s.residual.data()});
  return {y.data(), s.before.data(), s.behind.data(), s.residual.data(), s.slot_of_row.data()};
}

template class LineSolver<double>;
template class LineSolver<float>;
} // namespace adamant
