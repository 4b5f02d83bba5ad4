#pragma once

#include "direct/column_matrix.h"
#include "operators/level_data.h"
#include "solvers/preconditioner.h"
#include "tensor/dense_products.h"

#include <cstddef>
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
CycleCost cycle_cost(const std::vector<LevelData> &levels, int steps, int n_columns, std::size_t size);

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

  ColumnCycle(const Device &device, const std::vector<LevelData> &levels, int n_columns, const Options &options);

  void        vmult(const Vector<double> &v, Vector<double> &z) const override;
  void        update() override {} ///< the matrices do not change
  bool        recordable() const override { return true; }
  std::size_t bytes() const; ///< of matrices and vectors

private:
  struct Level
  {
    ColumnMatrix<Number>                   A, P, R;
    Vector<Number>                         diagonal, b, x, d, y; // y: the next x, or a residual
    std::vector<std::pair<Number, Number>> coefficients;         // of Chebyshev's polynomial
  };
  void cycle(std::size_t l) const; // computes x from b
  void smooth(Level &level, bool from_zero) const;

  Device                              device;
  int                                 r;
  std::vector<std::unique_ptr<Level>> levels;
  DenseProducts                       products;
  List<Number>                        inverse; // of the coarsest level's matrix
};
} // namespace adamant
