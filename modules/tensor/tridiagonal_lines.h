#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "tensor/fast_diagonalization.h"
#include "tensor/fast_diagonalization_functors.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace adamant
{
/// The systems that remain of the Laplacian when the eigenvectors of all directions but one separate it. For each
/// coefficient s of these it solves the tridiagonal system (λ_s M + K) x = w_s b along the last direction, by
/// elimination in double. Even and odd parts are systems of their own. Where a system is singular (λ = 0, natural
/// ends), it applies the pseudo-inverse for constants.
class TridiagonalLines
{
public:
  TridiagonalLines() = default;
  /// `lambda` and `weight` are λ and w of each coefficient, w = 0 where there is none; sums of eigenvalues up to `zero`
  /// are zero.
  TridiagonalLines(const Device &device, const Eigenpairs &last, const FoldedDirection &folded,
                   const Array<double> &lambda, const Array<double> &weight, double zero, int n_columns)
    : device(device)
    , folded(folded)
    , n_lines(static_cast<int>(lambda.size()))
    , n_columns(n_columns)
    , lambda(device, lambda)
    , weight(device, weight)
  {
    const int         m = folded.m, parts = folded.parts;
    const std::size_t square = std::size_t(m) * m;
    const double      least  = *std::min_element(last.value.begin(), last.value.end());
    Array<double>     K_next, M_next, pivots(std::size_t(parts) * m * n_lines, 0.), P;
    for (int s = 0; s < n_lines; ++s)
      if (weight[s] != 0. && lambda[s] + least <= zero)
        singular = s;
    if (singular >= 0)
      P.assign(parts * square, 0.);
    for (int p = 0; p < parts; ++p)
      {
        const Part K(last.K, folded, p == 0 ? 1 : -1), M(last.M, folded, p == 0 ? 1 : -1);
        K_next.insert(K_next.end(), K.next.begin(), K.next.end());
        M_next.insert(M_next.end(), M.next.begin(), M.next.end());
        for (int s = 0; s < n_lines; ++s)
          if (weight[s] != 0. && s != singular)
            add_pivots(K, M, lambda[s], m,
                       [&](int row) -> double & { return pivots[std::size_t(row * parts + p) * n_lines + s]; });
        if (singular >= 0)
          add_pseudo_inverse(last, folded, p, weight[singular], zero, &P[p * square]);
      }
    K                = Vector<double>(device, K_next);
    M                = Vector<double>(device, M_next);
    inverse          = Vector<double>(device, pivots);
    singular_inverse = Vector<double>(device, P);
  }

  /// Solves all systems. Row (k parts + p) of `from` and `to` has entry k of part p for all coefficients and columns.
  /// `to` is not `from`.
  void solve(const double *from, double *to) const
  {
    const auto launch = [&](auto W) {
      const int            groups = n_columns / W, n = n_lines * folded.parts * groups;
      const int            extra = singular < 0 ? 0 : folded.row() * groups;
      const LineSystems<W> lines{n_lines,
                                 groups,
                                 folded.parts,
                                 folded.m,
                                 singular,
                                 lambda.data(),
                                 weight.data(),
                                 K.data(),
                                 M.data(),
                                 inverse.data(),
                                 singular_inverse.data(),
                                 from,
                                 to};
      device.for_each(2 * n, SweepLines<W, true>{lines});
      device.for_each(n, MeetInLines<W>{lines});
      device.for_each(2 * n + extra, SweepLines<W, false>{lines});
    };
    // On the host one column at a time, so that its bits do not depend on the others.
    if (device.traits().many_threads && n_columns % 2 == 0)
      launch(std::integral_constant<int, 2>());
    else
      launch(std::integral_constant<int, 1>());
  }
  std::size_t bytes() const { return sizeof(double) * (inverse.size() + singular_inverse.size()); }

private:
  // The tridiagonal matrix of one part: where there are two, x_i and its mirrored value are equal, or opposite.
  struct Part
  {
    Array<double> diagonal, next; // next: entry (k, k + 1)

    Part(const Tridiagonal &A, const FoldedDirection &folded, int parity)
      : diagonal(folded.m, 0.)
      , next(folded.m, 0.)
    {
      const int n = folded.nodes, rows = folded.parts == 1 ? n : (n + (parity > 0)) / 2;
      for (int k = 0; k < rows; ++k)
        {
          const int mirrored = n - 1 - k;
          diagonal[k]        = A.diagonal[k];
          next[k]            = k + 1 < rows ? A.next[k] : 0.;
          if (folded.parts == 1 || mirrored == k)
            continue;
          diagonal[k] += A.diagonal[mirrored] + (mirrored == k + 1 ? 2. * parity * A.next[k] : 0.);
          next[k] += k + 1 < rows ? A.next[mirrored - 1] : 0.;
        }
    }
  };

  // Σ v vᵀ w / λ over the pairs of one part that are not constant.
  static void add_pseudo_inverse(const Eigenpairs &pairs, const FoldedDirection &folded, int p, double factor,
                                 double zero, double *P)
  {
    const int rows = folded.parts == 1 ? folded.nodes : (folded.nodes + !p) / 2;
    for (int pair = 0; pair < pairs.n; ++pair)
      if (pairs.value[pair] > zero && (folded.parts == 1 || (pairs.parity[pair] < 0) == (p == 1)))
        for (int i = 0; i < rows; ++i)
          {
            const double *v = pairs.vectors.data() + pair;
            const double  a = factor * pairs.weight[pair] / pairs.value[pair] * v[std::size_t(i) * pairs.n];
            for (int j = 0; j < rows; ++j)
              P[std::size_t(i) * folded.m + j] += a * v[std::size_t(j) * pairs.n];
          }
  }

  // The inverse pivots of λ M + K: elimination goes from both ends to the middle.
  template <class Pivot>
  static void add_pivots(const Part &K, const Part &M, double lambda, int m, const Pivot &pivot)
  {
    const auto eliminate = [&](int k, int from, int to) { // the entries before and behind k, where they are among these
      const auto share = [&](int other, int first) {
        const double e = lambda * M.next[first] + K.next[first];
        return other < from || other > to ? 0. : e * e * pivot(other);
      };
      const double rest =
        lambda * M.diagonal[k] + K.diagonal[k] - share(k - 1, k - 1 < 0 ? 0 : k - 1) - share(k + 1, k);
      pivot(k) = M.diagonal[k] > 0. ? 1. / rest : 0.; // zero where a value is prescribed
    };
    for (int k = 0; k < m / 2; ++k)
      eliminate(k, 0, k - 1);
    for (int k = m - 1; k > m / 2; --k)
      eliminate(k, k + 1, m - 1);
    eliminate(m / 2, 0, m - 1);
  }

  Device          device;
  FoldedDirection folded;
  int             n_lines = 0, n_columns = 0, singular = -1; // the singular line, or -1
  Vector<double>  lambda, weight, K, M;                      // K and M: of each part's entry and the next one
  Vector<double>  inverse;                                   // of the pivots
  Vector<double>  singular_inverse;                          // a matrix for each part
};
} // namespace adamant
