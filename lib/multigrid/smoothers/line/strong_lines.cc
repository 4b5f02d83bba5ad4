#include "multigrid/smoothers/line/line.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace adamant
{
namespace
{
EntryNumber find(const CSRMatrix<double> &A, int row, int col)
{
  const auto begin = A.column.begin() + A.row_start[row], end = A.column.begin() + A.row_start[row + 1];
  const auto found = std::lower_bound(begin, end, col);
  return found != end && *found == col ? static_cast<EntryNumber>(found - A.column.begin()) : EntryNumber(-1);
}

struct Coupling
{
  double strength;
  int    i, j; // i < j
};

// Calls action(j, s_ij) for the other owned rows j of the same component with s_ij > 0.
template <typename Action>
void for_each_coupling(const CSRMatrix<double> &A, int node_size, int i, const Action &action)
{
  for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
    {
      const int j = A.column[k];
      if (j == i || j >= A.n_rows || j % node_size != i % node_size)
        continue;
      const EntryNumber mirrored = find(A, j, i);
      const double      s        = -0.5 * (A.value[k] + (mirrored < 0 ? 0. : A.value[mirrored]));
      if (s > 0)
        action(j, s);
    }
}

// Returns the couplings that the threshold leaves, without the rows that keep more than two.
std::vector<Coupling> strong_couplings(const CSRMatrix<double> &A, int node_size, double threshold)
{
  const int     n = A.n_rows;
  Array<double> strongest(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    {
      double most = 0;
      for_each_coupling(A, node_size, i, [&](int, double s) { most = std::max(most, s); });
      strongest[i] = most;
    }
  Array<std::array<Coupling, 2>> kept(n);
  Array<int>                     n_kept(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    {
      n_kept[i] = 0;
      for_each_coupling(A, node_size, i, [&](int j, double s) {
        if (s < threshold * std::min(strongest[i], strongest[j]))
          return;
        if (n_kept[i] < 2)
          kept[i][n_kept[i]] = {s, i, j};
        ++n_kept[i];
      });
    }
  std::vector<Coupling> all;
  for (int i = 0; i < n; ++i)
    for (int k = 0; n_kept[i] <= 2 && k < n_kept[i]; ++k)
      if (const Coupling &c = kept[i][k]; c.i < c.j && n_kept[c.j] <= 2)
        all.push_back(c);
  return all;
}

// Each row's partners in its line, -1 where there is none.
std::vector<std::array<int, 2>> partners(std::vector<Coupling> couplings, int n)
{
  std::sort(couplings.begin(), couplings.end(), [](const Coupling &a, const Coupling &b) {
    return a.strength != b.strength ? a.strength > b.strength : a.i != b.i ? a.i < b.i : a.j < b.j;
  });
  std::vector<int> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  std::vector<std::array<int, 2>> partner(n, {-1, -1});
  for (const Coupling &c : couplings)
    if (const int a = root(c.i), b = root(c.j); a != b)
      {
        parent[a]                           = b;
        partner[c.i][partner[c.i][0] != -1] = c.j;
        partner[c.j][partner[c.j][0] != -1] = c.i;
      }
  return partner;
}
} // namespace

int Lines::longest() const
{
  int most = 0;
  for (int l = 0; l < size(); ++l)
    most = std::max(most, start[l + 1] - start[l]);
  return most;
}

Lines strong_lines(const CSRMatrix<double> &matrix, int node_size, double threshold)
{
  const int         n       = matrix.n_rows;
  const auto        partner = partners(strong_couplings(matrix, node_size, threshold), n);
  Lines             lines;
  std::vector<char> done(n, 0);
  lines.start.push_back(0);
  for (int first = 0; first < n; ++first)
    {
      if (done[first] || partner[first][1] != -1) // the middle of a line
        continue;
      for (int row = first, before = -1; row != -1;)
        {
          done[row] = 1;
          if (static_cast<int>(lines.row.size()) - lines.start.back() == longest_line)
            lines.start.push_back(static_cast<int>(lines.row.size()));
          lines.row.push_back(row);
          const int next = partner[row][0] != before ? partner[row][0] : partner[row][1];
          before         = row;
          row            = next;
        }
      lines.start.push_back(static_cast<int>(lines.row.size()));
    }
  return lines;
}

Array<EntryNumber> tridiagonal_places(const CSRMatrix<double> &matrix, const Lines &lines)
{
  const int          n = matrix.n_rows;
  Array<EntryNumber> place(3 * static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
  for (int l = 0; l < lines.size(); ++l)
    for (int k = lines.start[l]; k < lines.start[l + 1]; ++k)
      {
        const int  row              = lines.row[k];
        const auto places           = [&](int other) { return other < 0 ? EntryNumber(-1) : find(matrix, row, other); };
        place[row]                  = places(k > lines.start[l] ? lines.row[k - 1] : -1);
        place[std::size_t(n) + row] = places(row);
        place[2 * std::size_t(n) + row] = places(k + 1 < lines.start[l + 1] ? lines.row[k + 1] : -1);
      }
  return place;
}
} // namespace adamant
