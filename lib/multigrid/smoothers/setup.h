#pragma once

#include "algebra/functors.h"
#include "base/csr/csr_operations.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/registry.h"

#include <memory>
#include <vector>

// The parts that smoothers share.

namespace adamant
{
/// A smoother whose steps x <- x + S (b - A x) are sweeps that change x in place.
template <typename Number>
class Sweep : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  void vmult(Number a, const Vector &b, Vector &x, bool transposed) const override
  {
    x.set_zero(); // and so it stays at unknowns that no sweep reaches, the constrained ones
    sweep(b, x, transposed);
    if (a != Number(1))
      x.device().scale(a, x);
  }
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override ///< returns y
  {
    x.device().copy(x, y);
    sweep(b, y, transposed); // S (b - A x) = y - x
    if (alpha != Number(0) || beta != Number(1) || d.size() > 0)
      x.device().for_each(x.size(), CorrectBySweep<Number>{alpha, beta, x.data(), d_old.data(), d.data(), y.data()});
    return y;
  }
  bool symmetric() const override { return false; }

private:
  virtual void sweep(const Vector &b, Vector &x, bool transposed) const = 0;
};

/// A smoother that is stored as a matrix S, or as the product S inner of two.
template <typename Number>
class StoredSmoother : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit StoredSmoother(const DeviceLevel<Number> &level)
    : level(level)
    , r(level.device, level.n_rows())
  {}
  void vmult(Number a, const Vector &b, Vector &x, bool) const override
  {
    level.device.multiply(a, S, inner_times(b), Number(0), x);
  }
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &,
               bool) const override ///< returns x
  {
    level.device.residual(level.A, x, b, r);
    level.device.for_each_row(S, inner_times(r), Update<Number>(alpha, beta, d_old.data(), d.data(), x.data()));
    return x;
  }

protected:
  DeviceLevel<Number> level;
  Matrix<Number>      S, inner; // `inner` is empty where S is the whole
  mutable Vector      r, s;     // s = inner b, to be made with `inner`

private:
  const Vector &inner_times(const Vector &b) const
  {
    if (inner.n_rows() == 0)
      return b;
    level.device.multiply(Number(1), inner, b, Number(0), s);
    return s;
  }
};

/// Makes A of the given rows, or gives it their values where it is `made`. Where `changing` is not null, it holds the
/// values, and `rows` is needed for the pattern of a new A alone. All ranks call it together.
template <typename Number>
void take_rows(const Device &device, bool made, const CSRMatrix<double> &rows, const CompressedRows *changing,
               int node_size, Matrix<Number> &A)
{
  if (!made)
    A = changing ? Matrix<Number>(device, rows, *changing, node_size) : Matrix<Number>(device, rows, node_size);
  else if (changing)
    A.update(*changing);
  else
    A.update(rows);
}

/// Completes the kind of smoother whose class is `Kind`, constructed from a level and `arguments`.
template <template <typename> class Kind, class... Arguments>
SmootherKind made_as(SmootherKind kind, Arguments... arguments)
{
  kind.make = {[=](const auto &level) { return std::make_unique<Kind<double>>(level, arguments...); },
               [=](const auto &level) { return std::make_unique<Kind<float>>(level, arguments...); }};
  return kind;
}

/// @name The kinds of smoothers, each in the file of its class
/// @{
SmootherKind jacobi_kind();
SmootherKind block_jacobi_kind();
SmootherKind line_kind();
SmootherKind cell_patches_kind();
SmootherKind vertex_patches_kind();
SmootherKind downstream_patches_kind();
SmootherKind fsai_kind();
SmootherKind gauss_seidel_kind();
/// @}

/// Returns the inverses of the diagonal blocks of `matrix`, in host memory; node_size = 1 gives 1/a_ii. Entry (i, j) of
/// a node's block is at [(i node_size + j) n_nodes + node]. Throws RunError that names the row of a singular block.
Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size);

/// Computes the inverses of the diagonal blocks of a level in `diagonal`, in device memory; an empty vector is made
/// first. Where values change on the device, the device inverts; a singular block then gives NaN or infinity.
template <typename Number>
void update_inverse_diagonal(const DeviceLevel<Number> &level, int node_size, Vector<Number> &diagonal);

/// Returns the factor G of the factorised sparse approximate inverse GᵀG of A (Kolotilina & Yeremin 1993). G is lower
/// triangular, with the pattern of A's lower triangle. With the pattern J of row i, A_JJ y = e_i and g_i = y /
/// sqrt(y_i). A nonsymmetric A is replaced by its symmetric part. Throws RunError where a local matrix is not positive
/// definite.
CSRMatrix<double> fsai_factor(const CSRMatrix<double> &matrix);

/// Returns the colours 0, 1, ... of the nodes of a matrix, which have node_size rows each. Nodes that couple have
/// different colours: each node in turn takes the first colour that none of its earlier neighbours has. An entry in
/// either direction is a coupling; nodes of other ranks do not count.
Array<int> colours_of_nodes(const CSRMatrix<double> &matrix, int node_size);

/// Returns the stage 0, 1, ... of each patch, so that stages follow each other downstream and patches of one stage do
/// not couple. The order comes from the cells. Let 1_p be the vector of ones on cell p. For cells p and q that share a
/// node, `f_pq = 1_qᵀ A 1_p - 1_pᵀ A 1_q` is twice the flow from q to p. Cell q is upstream of p where f_pq is more
/// than a twentieth of the largest |f_pr| of p. The depth of a cell is one more than the largest depth of the cells
/// upstream of it. Patches come in the order of the mean depth over their nodes. In a ring of cells, the first cell
/// begins.
std::vector<int> downstream_stages(const CSRMatrix<double> &A, int node_size, const Patches &cells,
                                   const Patches &patches);

/// Returns a fixed pseudo-random vector with n entries in (-1, 1), in host memory.
Array<double> start_vector(int n);
} // namespace adamant
