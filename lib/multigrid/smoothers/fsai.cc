#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace adamant
{
namespace
{
// The pattern of fsai_factor, without values.
CSRMatrix<double> fsai_pattern(const CSRMatrix<double> &A)
{
  return matrix_of_rows(A.n_rows, A.n_rows, [&A](int i, Row &row) { // other ranks' unknowns are left out
    for (auto k = A.row_start[i]; k < A.row_start[i + 1] && A.column[k] <= i; ++k)
      row.emplace_back(A.column[k], 0.);
  });
}

// S = GᵀG is the factorised sparse approximate inverse of fsai_factor.
template <typename Number>
class FSAI : public StoredSmoother<Number>
{
public:
  explicit FSAI(const DeviceLevel<Number> &level)
    : StoredSmoother<Number>(level)
  {
    this->s = Vector<Number>(level.device, level.n_rows());
    update();
  }
  void update() final
  {
    const auto       &level = this->level;
    const bool        made  = this->inner.n_rows() > 0;
    CSRMatrix<double> G, Gt;
    if (!level.changing())
      {
        G  = fsai_factor(level.matrix());
        Gt = transpose(G);
      }
    else
      {
        if (!made)
          make_patterns(G, Gt);
        factorize();
      }
    take_rows(level.device, made, G, changing.get(), 1, this->inner);
    take_rows(level.device, made, Gt, changing_transposed.get(), 1, this->S);
  }

private:
  void make_patterns(CSRMatrix<double> &G, CSRMatrix<double> &Gt)
  {
    const auto &level = this->level;
    G                 = fsai_pattern(level.matrix());
    for (EntryNumber k = 0; k < EntryNumber(G.n_nonzeros()); ++k)
      G.value[k] = static_cast<double>(k); // the transpose then tells where each entry was
    Gt = transpose(G);
    for (int i = 0; i < G.n_rows; ++i)
      widest = std::max(widest, static_cast<int>(G.row_start[i + 1] - G.row_start[i]));
    place               = List<EntryNumber>(level.device, Array<EntryNumber>(Gt.value.begin(), Gt.value.end()));
    changing            = std::make_unique<CompressedRows>(level.device, G);
    changing_transposed = std::make_unique<CompressedRows>(level.device, Gt);
  }

  // The values of G and Gᵀ, on the device.
  void factorize()
  {
    const auto &level = this->level;
    const auto  rows  = [&](auto most) {
      level.device.for_each(
          level.n_rows(), FactorRows<most.value>{level.changing()->view(), changing->view(), changing->values.data()});
    };
    if (widest <= 16)
      rows(std::integral_constant<int, 16>());
    else if (widest <= 48)
      rows(std::integral_constant<int, 48>());
    else
      throw InputError("Linear solver/Smoother = fsai, where values change: a row has " + std::to_string(widest) +
                       " entries up to its diagonal, at most 48 can be; use another smoother");
    level.device.for_each(changing->values.size(),
                          Permute{place.data(), changing->values.data(), changing_transposed->values.data()});
  }

  // Rows of G and Gᵀ, and where each entry of Gᵀ stands in G, if the values of A change on the device.
  std::unique_ptr<CompressedRows> changing, changing_transposed;
  List<EntryNumber>               place;
  int                             widest = 0; // entries of the longest row of G
};
} // namespace

CSRMatrix<double> fsai_factor(const CSRMatrix<double> &A)
{
  CSRMatrix<double> G      = fsai_pattern(A);
  int               failed = A.n_rows; // the first row whose local matrix is not positive definite
#pragma omp parallel reduction(min : failed)
  {
    std::vector<double> local, y;
#pragma omp for schedule(static)
    for (int i = 0; i < A.n_rows; ++i)
      {
        const int  m    = static_cast<int>(G.row_start[i + 1] - G.row_start[i]);
        const int *cols = A.column.data() + A.row_start[i];
        local.resize(m * (m + 1) / 2);
        y.resize(m);
        for (int p = 0; p < m; ++p)
          for (int q = 0; q <= p; ++q)
            local[p * (p + 1) / 2 + q] = 0.5 * (entry(A, cols[p], cols[q]) + entry(A, cols[q], cols[p]));
        if (m == 0 || cols[m - 1] != i || !solve_last_unit(local.data(), m, y.data()))
          {
            failed = std::min(failed, i);
            continue;
          }
        for (int p = 0; p < m; ++p)
          G.value[G.row_start[i] + p] = y[p] / std::sqrt(y[m - 1]);
      }
  }
  if (failed < A.n_rows)
    throw RunError("FSAI smoother: the matrix is not positive definite at row " + std::to_string(failed) +
                   "; use the Jacobi smoother, or is a coefficient negative, too large or NaN?");
  return G;
}

SmootherKind fsai_kind()
{
  return made_as<FSAI>({"fsai", "a factorised sparse approximate inverse of A"});
}
} // namespace adamant
