#include "base/exceptions.h"
#include "tensor/fast_diagonalization.h"

#include <cmath>
#include <cstddef>
#include <string>

namespace adamant
{
namespace
{
// Equal cells of length h: v_i is sin iθ or cos iθ.
Eigenpairs of_equal_cells(int cells, double h, bool first, bool last)
{
  const double pi = std::acos(-1.);
  Eigenpairs   pairs;
  pairs.n_nodes = cells + 1;
  pairs.n       = cells + 1 - first - last;
  pairs.vectors.resize(std::size_t(pairs.n_nodes) * pairs.n);
  for (int k = 0; k < pairs.n; ++k)
    {
      // θ in quarter turns over the number of cells; multiples are reduced before they are rounded.
      const long   quarters = first && last ? 2 * k + 2 : first || last ? 2 * k + 1 : 2 * k;
      const auto   angle    = [&](long i) { return pi / (2 * cells) * double(i * quarters % (4 * cells)); };
      const auto   v        = [&](int i) { return first ? std::sin(angle(i)) : std::cos(angle(i)); };
      const double c        = std::cos(angle(1));
      double       square = 0, ends = 0;
      for (int i = 0; i <= cells; ++i)
        {
          const double value                          = (i == 0 && first) || (i == cells && last) ? 0. : v(i);
          pairs.vectors[std::size_t(i) * pairs.n + k] = value;
          square += value * value;
          ends += i == 0 || i == cells ? 0.5 * value * value : 0.;
        }
      for (int i = 0; i <= cells; ++i)
        pairs.vectors[std::size_t(i) * pairs.n + k] /= std::sqrt(square);
      // M v = h (2 + cos θ) / 3 v and K v = 2 (1 - cos θ) / h v; at natural ends both are half of that.
      pairs.value.push_back(6. / (h * h) * (1. - c) / (2. + c));
      pairs.weight.push_back(square / ((square - ends) * h * (2. + c) / 3.));
      if (first == last)
        pairs.parity.push_back(k % 2 == 0 ? 1 : -1);
    }
  return pairs;
}

// lambda v = M⁻¹ K v by LAPACK's generalized symmetric eigenproblem.
extern "C" void dsygv_(const int *type, const char *job, const char *part, const int *n, double *K, const int *row_K,
                       double *M, const int *row_M, double *values, double *work, const int *length, int *info);

// Stiffness and mass matrix of the nodes that are free, as one of the numbers of `place` each, times `sign`.
void assemble(const std::vector<double> &x, bool first, const Array<int> &place, const Array<double> &sign, int n,
              Array<double> &K, Array<double> &M)
{
  K.assign(std::size_t(n) * n, 0.);
  M.assign(std::size_t(n) * n, 0.);
  const int n_free = static_cast<int>(place.size());
  for (int cell = 0; cell + 1 < static_cast<int>(x.size()); ++cell)
    {
      const double h = x[cell + 1] - x[cell];
      for (const int i : {cell - first, cell + 1 - first})
        for (const int j : {cell - first, cell + 1 - first})
          if (i >= 0 && i < n_free && j >= 0 && j < n_free && sign[i] * sign[j] != 0.)
            {
              const std::size_t at = std::size_t(place[i]) * n + place[j];
              K[at] += sign[i] * sign[j] * (i == j ? 1. : -1.) / h;
              M[at] += sign[i] * sign[j] * h * (i == j ? 1. / 3. : 1. / 6.);
            }
    }
}

// Even vectors (parity 1), odd ones (-1) or all of them (0). Where there are even and odd ones, each kind is an
// eigenproblem of half of the nodes; together two of nearly the same value could be any mixtures of both.
void add_pairs(const std::vector<double> &x, bool first, int n_free, int parity, Eigenpairs &pairs)
{
  Array<int>    place(n_free);
  Array<double> sign(n_free, 1.), K, M;
  const int     n = parity == 0 ? n_free : (n_free + (parity > 0)) / 2, type = 1, length = 64 * n + 3 * n;
  if (n == 0)
    return;
  for (int i = 0; i < n_free; ++i)
    {
      const int  mirrored = n_free - 1 - i;
      const bool second   = parity != 0 && mirrored < i;
      place[i]            = second ? mirrored : i;
      sign[i]             = second ? parity : place[i] < n ? 1. : 0.; // the node in the middle has no odd part
    }
  assemble(x, first, place, sign, n, K, M);
  Array<double> value(n), work(length);
  int           info = 0;
  dsygv_(&type, "V", "U", &n, K.data(), &n, M.data(), &n, value.data(), work.data(), &length, &info);
  if (info != 0)
    throw RunError("fast diagonalization: LAPACK's dsygv failed with info = " + std::to_string(info) +
                   "; are the nodes of a direction distinct and ascending?");
  for (int k = 0; k < n; ++k)
    {
      const auto at     = [&](int i) { return sign[i] == 0. ? 0. : sign[i] * K[std::size_t(k) * n + place[i]]; };
      double     square = 0; // vᵀM v = 1
      for (int i = 0; i < n_free; ++i)
        square += at(i) * at(i);
      const int number = static_cast<int>(pairs.value.size());
      for (int i = 0; i < n_free; ++i)
        pairs.vectors[std::size_t(i + first) * pairs.n + number] = at(i) / std::sqrt(square);
      pairs.value.push_back(value[k]);
      pairs.weight.push_back(square);
      if (parity != 0)
        pairs.parity.push_back(parity);
    }
}

Eigenpairs of_any_cells(const std::vector<double> &x, bool first, bool last)
{
  const int nodes = static_cast<int>(x.size()), n = nodes - first - last;
  bool      symmetric = first == last;
  for (int i = 0; i < nodes; ++i)
    symmetric = symmetric && std::abs(x[i] + x[nodes - 1 - i] - x.front() - x.back()) < 1e-13 * (x.back() - x.front());
  Eigenpairs pairs;
  pairs.n_nodes = nodes;
  pairs.n       = n;
  pairs.vectors = Array<double>(std::size_t(nodes) * n, 0.);
  for (const int parity : symmetric ? std::vector<int>{1, -1} : std::vector<int>{0})
    add_pairs(x, first, n, parity, pairs);
  return pairs;
}
// K and M of all nodes, without rows and columns of those prescribed.
void set_matrices(const std::vector<double> &x, bool first, bool last, Eigenpairs &pairs)
{
  const int  nodes   = static_cast<int>(x.size());
  const auto is_free = [&](int i) { return (i > 0 || !first) && (i + 1 < nodes || !last); };
  for (Tridiagonal *A : {&pairs.K, &pairs.M})
    A->diagonal = A->next = Array<double>(nodes, 0.);
  for (int cell = 0; cell + 1 < nodes; ++cell)
    {
      const double h = x[cell + 1] - x[cell];
      for (const int i : {cell, cell + 1})
        if (is_free(i))
          {
            pairs.K.diagonal[i] += 1. / h;
            pairs.M.diagonal[i] += h / 3.;
          }
      if (is_free(cell) && is_free(cell + 1))
        {
          pairs.K.next[cell] = -1. / h;
          pairs.M.next[cell] = h / 6.;
        }
    }
}

// Without the nodes at the ends that are prescribed.
void leave_out_prescribed(bool first, bool last, Eigenpairs &pairs)
{
  const auto shorten = [&](Array<double> &rows, int row) {
    if (last)
      rows.erase(rows.end() - row, rows.end());
    if (first)
      rows.erase(rows.begin(), rows.begin() + row);
  };
  shorten(pairs.vectors, pairs.n);
  for (Tridiagonal *A : {&pairs.K, &pairs.M})
    for (auto *entries : {&A->diagonal, &A->next})
      shorten(*entries, 1);
  pairs.n_nodes -= first + last;
}
} // namespace

Eigenpairs one_dimensional_eigenpairs(const std::vector<double> &x, bool first, bool last, bool without_prescribed)
{
  const int    cells = static_cast<int>(x.size()) - 1;
  const double h     = (x.back() - x.front()) / cells;
  bool         equal = true;
  for (int i = 0; i < cells; ++i)
    equal = equal && std::abs(x[i + 1] - x[i] - h) < 1e-12 * std::abs(x.back() - x.front());
  Eigenpairs pairs = equal ? of_equal_cells(cells, h, first, last) : of_any_cells(x, first, last);
  set_matrices(x, first, last, pairs);
  if (without_prescribed)
    leave_out_prescribed(first, last, pairs);
  return pairs;
}
} // namespace adamant
