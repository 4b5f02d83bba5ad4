#pragma once

#include "direct/column_matrix.h"
#include "multigrid/chebyshev.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/smoothers/setup.h"
#include "operators/level_data.h"
#include "solvers/preconditioner.h"
#include "tensor/dense_products.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// Returns the cost of a V-cycle with `steps` steps of Chebyshev's polynomial before and after the coarse correction,
/// for numbers of `size` bytes and matrices in compressed rows. `flop` counts operations of its products for one
/// column. `traffic` are the bytes that it reads and writes at least for all n_columns, its vectors in double included.
struct CycleCost
{
  double flop = 0, traffic = 0;
};
inline CycleCost cycle_cost(const std::vector<LevelData> &levels, int steps, int n_columns, std::size_t size)
{
  const auto entries = [](const CSRMatrix<double> &A) { return static_cast<double>(A.value.size()); };
  const auto bytes   = [&](const CSRMatrix<double> &A) {
    return entries(A) * double(size + sizeof(int)) + (A.n_rows + 1.) * sizeof(std::int64_t);
  };
  const double vector = double(size) * n_columns, coarsest = levels[0].n_rows(), finest = levels.back().n_rows();
  // The conversions of b and x, and the product with the dense inverse.
  CycleCost cost{2. * coarsest * coarsest, 2. * finest * (vector + sizeof(double) * n_columns) +
                                             double(size) * coarsest * coarsest + 2. * coarsest * vector};
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const auto  &A = levels[l].matrix(), &P = *levels[l].prolongation, &R = *levels[l].restriction;
      const double n = A.n_rows, n_coarse = P.n_cols;
      cost.flop += 2. * (2. * steps * entries(A) + entries(P) + entries(R));
      // All steps but the first one, from zero, read b, x and d and write x and d; then the residual, and the transfer.
      cost.traffic += 2. * steps * (bytes(A) + double(size) * n) + bytes(P) + bytes(R) +
                      vector * (n * (3. + 5. * (2. * steps - 1.) + 3. + 3.) + 2. * n_coarse);
    }
  return cost;
}

/// A V-cycle for several right-hand sides at once: it reads matrices once for all of them. Chebyshev's polynomial in
/// D⁻¹A on [1.1 λ / range, 1.1 λ] smooths, and a dense inverse solves on the coarsest level. Vectors are the flat ones
/// of multi_vector.h; they hold the unknowns without constrained ones.
template <typename Number>
class ColumnCycle : public Preconditioner
{
public:
  struct Options
  {
    int    steps    = 3; ///< the degree of the polynomial, before and after the coarse correction
    double range    = 8.;
    bool   singular = false; ///< see MultigridOptions
  };

  ColumnCycle(const Device &device, const std::vector<LevelData> &data, int n_columns, const Options &options)
    : device(device)
    , r(n_columns)
    , products(device, sizeof(Number) == sizeof(double) ? Arithmetic::float64 : Arithmetic::float32)
  {
    for (std::size_t l = 0; l < data.size(); ++l)
      {
        levels.push_back(std::make_unique<Level>());
        Level    &level = *levels.back();
        const int n     = to_index(std::size_t(data[l].n_rows()) * r, "entries of right-hand sides");
        level.b         = Vector<Number>(device, n);
        level.x         = Vector<Number>(device, n);
        if (l == 0)
          continue;
        const PolynomialSmoother<double> smoother({device, data[l]}, {"jacobi", true, 0., options.range});
        for (const auto &[alpha, beta] : smoother.coefficients(options.steps))
          level.coefficients.emplace_back(static_cast<Number>(alpha), static_cast<Number>(beta));
        level.A        = ColumnMatrix<Number>(device, data[l].matrix());
        level.P        = ColumnMatrix<Number>(device, *data[l].prolongation);
        level.R        = ColumnMatrix<Number>(device, *data[l].restriction);
        level.diagonal = Vector<Number>(device, diagonal(data[l].matrix()));
        level.d        = Vector<Number>(device, n);
        level.y        = Vector<Number>(device, n);
      }
    inverse = to_list<Number>(device, dense_inverse(device, data[0].matrix(), {options.singular, 1, 0}));
  }

  void vmult(const Vector<double> &v, Vector<double> &z) const override
  {
    Level &finest = *levels.back();
    device.copy(v, finest.b);
    cycle(levels.size() - 1);
    device.copy(finest.x, z);
  }

  void        update() override {} ///< the matrices do not change
  bool        recordable() const override { return true; }
  std::size_t bytes() const
  {
    std::size_t sum = inverse.bytes();
    for (const auto &level : levels)
      sum += level->A.bytes() + level->P.bytes() + level->R.bytes() +
             sizeof(Number) * (level->b.size() + level->x.size() + level->d.size() + level->y.size());
    return sum;
  }

private:
  struct Level
  {
    ColumnMatrix<Number>                   A, P, R;
    Vector<Number>                         diagonal, b, x, d, y; // y: the next x, or a residual
    std::vector<std::pair<Number, Number>> coefficients;         // of Chebyshev's polynomial
  };
  void cycle(std::size_t l) const
  {
    Level &level = *levels[l];
    if (l == 0)
      {
        const int n = level.x.size() / r;
        return products.multiply({n, r, n, false, false, n, r, r}, 1., inverse.data(), level.b.data(), 0.,
                                 level.x.data());
      }
    Level &coarse = *levels[l - 1];
    smooth(level, true);
    level.A.multiply(r, Number(-1), level.x, Number(1), level.b, level.y);
    level.R.multiply(r, Number(1), level.y, Number(0), coarse.b, coarse.b);
    cycle(l - 1);
    level.P.multiply(r, Number(1), coarse.x, Number(1), level.x, level.x);
    smooth(level, false);
  }

  void smooth(Level &level, bool from_zero) const
  {
    for (std::size_t k = 0; k < level.coefficients.size(); ++k)
      {
        const auto [alpha, beta] = level.coefficients[k];
        // With alpha = 0 in the first step, d need not be zero, but a number.
        with_columns_at_once<Number>(r, [&, alpha = alpha, beta = beta](auto W) {
          const ColumnTiles<W> tiles{level.A.n_rows(), r};
          device.for_each(tiles.size(),
                          ColumnStep<Number, W>{tiles, k == 0 && from_zero, level.A.view(), alpha, beta, level.b.data(),
                                                level.diagonal.data(), level.x.data(), level.d.data(), level.y.data()});
        });
        std::swap(level.x, level.y);
      }
  }

  Device                              device;
  int                                 r;
  std::vector<std::unique_ptr<Level>> levels;
  DenseProducts                       products;
  List<Number>                        inverse; // of the coarsest level's matrix
};
} // namespace adamant
