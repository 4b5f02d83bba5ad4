#include "stokes/saddle_point_solver.h"

#include "multigrid/chebyshev.h"
#include "multigrid/multigrid_preconditioner.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/v_cycle.h"
#include "stokes/stokes_kernels.h"

#include <cmath>
#include <utility>

namespace adamant
{
namespace
{
// Chebyshev's interval for D⁻¹ M; the smoother multiplies the largest eigenvalue by 1.1.
SmootherOptions mass_options(int dim)
{
  SmootherOptions options;
  options.chebyshev = true;
  options.largest   = std::pow(1.5, dim) / 1.1;
  options.range     = std::pow(3., dim);
  return options;
}

// 1 in the rows that have entries.
Array<double> ones_of(const CSRMatrix<double> &matrix)
{
  Array<double> ones(matrix.n_rows);
  for (int i = 0; i < matrix.n_rows; ++i)
    ones[i] = matrix.row_start[i] < matrix.row_start[i + 1];
  return ones;
}

// Approximate inverses of the Schur complement S = B A⁻¹ Bᵀ of a saddle point problem
//
//   [ A  Bᵀ ] [ u ]   [ f ]
//   [ B  0  ] [ p ] = [ g ],
//
// where A is the matrix of (2 η ε(u), ε(v)) or the like. As preconditioners they compute z = -Ŝ⁻¹ v, with the sign of
// the second pivot of elimination, as a TriangularPreconditioner needs.

// The mass matrix weighted by 1/η: Ŝ⁻¹ = factor p(M). p is Chebyshev's polynomial of degree 3 in D⁻¹ M, and D the
// diagonal of M. It is for bilinear elements in dim dimensions: the eigenvalues of D⁻¹ M are in [2^-dim, 1.5^dim]
// (Wathen 1987).
class SchurMass : public Preconditioner
{
public:
  // `mass` has a single level, M. `factor` is 2 for 2 η ε, 1 for η grad, times any other scale of B.
  SchurMass(const Device &device, const LevelData &mass, int dim, double factor)
    : device(device)
    , mass(device, mass)
    , chebyshev(this->mass, mass_options(dim))
    , factor(factor)
    , x(device, mass.n_rows())
    , y(device, mass.n_rows())
  {}

  void vmult(const Vector<double> &v, Vector<double> &z) const override
  {
    device.axpby(-factor, chebyshev.vmult(3, v, x, y), 0., z);
  }
  void update() override
  {
    mass.update();
    chebyshev.update();
  }
  bool recordable() const override { return true; }

private:
  Device                     device;
  DeviceLevel<double>        mass;
  PolynomialSmoother<double> chebyshev;
  double                     factor;
  mutable Vector<double>     x, y;
};

// The weighted least-squares commutator ("BFBT") of Rudi, Stadler and Ghattas (SIAM J. Sci. Comput. 39, 2017): Ŝ⁻¹ =
// L⁻¹ (B C A C Bᵀ) L⁻¹. C is a positive diagonal matrix, zero at constrained unknowns of u. L⁻¹ is one V-cycle for K =
// B C Bᵀ.
template <typename Number>
class SchurBFBT : public Preconditioner
{
public:
  // The object has its own device matrices in this precision of A, B and Bᵀ. It reads C at each update; the finest of
  // `levels` is K. With options.singular the pressure has a free constant: all vectors are kept at zero mean over the
  // rows of B with entries.
  SchurBFBT(const Device &device, const Matrix<Number> &A, const CSRMatrix<double> &B, const CSRMatrix<double> &Bt,
            const adamant::Vector<double> &C, const std::vector<LevelData> &levels, const MultigridOptions &options)
    : device(device)
    , A(A)
    , B(device, B)
    , Bt(device, Bt, A.node_size())
    , exact_C(C)
    , C(device, C.size())
    , ones(device, ones_of(B))
    , singular(options.singular)
    , L(device, levels, options)
    , sum(device, 1)
    , r(device, B.n_rows)
    , p(device, B.n_rows)
    , w(device, Bt.n_rows)
    , y(device, Bt.n_rows)
  {
    n_ones = device.dot(ones, ones);
    device.copy(exact_C, this->C);
  }

  void vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override
  {
    device.copy(v, r);
    solve();
    device.multiply(Number(1), Bt, p, Number(0), w);
    scale_by_C(w);
    device.multiply(Number(1), A, w, Number(0), y);
    scale_by_C(y);
    device.multiply(Number(1), B, y, Number(0), r);
    solve();
    device.scale(Number(-1), p);
    device.copy(p, z);
  }
  void update() override
  {
    device.copy(exact_C, C);
    L.update();
  }
  bool recordable() const override { return true; }

private:
  using Vector = adamant::Vector<Number>;
  void solve() const // computes p = L⁻¹ r
  {
    remove_mean(r);
    device.copy(L.vmult(r), p);
    remove_mean(p);
  }
  void remove_mean(Vector &v) const
  {
    if (!singular)
      return;
    device.dot(ones, v, sum, 0);
    device.for_each(v.size(), RemoveMean<Number>{ones.data(), sum.data(), n_ones, v.data()});
  }
  void scale_by_C(Vector &v) const
  {
    device.for_each(v.size(), ScaleByDiagonal<Number>{Number(1), C.data(), v.data(), v.data()});
  }

  Device                         device;
  Matrix<Number>                 A, B, Bt;
  const adamant::Vector<double> &exact_C;
  Vector                         C, ones;
  double                         n_ones;
  bool                           singular;
  VCycle<Number>                 L;
  mutable Scalars                sum;
  mutable Vector                 r, p, w, y;
};

// The finest matrix of a V-cycle in this precision; null: the preconditioner is another one.
template <typename Number>
const Matrix<Number> *matrix_of(const Preconditioner &V)
{
  const auto *multigrid = dynamic_cast<const MultigridPreconditioner<Number> *>(&V);
  return multigrid != nullptr ? &multigrid->cycle.matrix() : nullptr;
}
} // namespace

SaddlePointSolver::SaddlePointSolver(const Device &device, const SaddlePointData &data, int dim, SchurComplement type,
                                     const LinearSolverOptions &options, const MultigridOptions &schur_options,
                                     std::unique_ptr<Preconditioner> external, const LinearOperator *tangent)
  : data(data)
  , options(options)
  , V(external ? std::move(external) : make_multigrid(device, data.velocity, options.precision, options.multigrid))
  , A_matrix(matrix_of<double>(*V) != nullptr ? *matrix_of<double>(*V) :
                                                make_matrix<double>(device, data.velocity.back()))
  , A_operator(A_matrix, device, data.Bt->n_rows)
  , B_operator(Matrix<double>(device, *data.B), device, data.Bt->n_rows)
  , Bt_operator(Matrix<double>(device, *data.Bt, data.velocity.back().node_size), device, data.B->n_rows)
  , A_and_tangent(A_operator, tangent)
  , system({{&A_and_tangent, &Bt_operator}, {&B_operator, nullptr}})
  , S(make_schur(device, data, dim, type, schur_options))
  , triangular(device, system, {V.get(), S.get()}, TriangularPreconditioner::Part::upper)
  , gmres(device, system, triangular, options.restart)
{
  // What is made and recorded at the first solve, and kernels that are loaded then, are so now.
  const Vector<double> b(device, system.n_rows());
  Vector<double>       x(device, system.n_rows());
  gmres.solve(b, x, options.control);
}

std::unique_ptr<Preconditioner> SaddlePointSolver::make_schur(const Device &device, const SaddlePointData &data,
                                                              int dim, SchurComplement type,
                                                              const MultigridOptions &schur_options)
{
  if (type == SchurComplement::mass)
    return std::make_unique<SchurMass>(device, data.mass, dim, data.mass_factor);
  if (options.precision == Precision::float64)
    return std::make_unique<SchurBFBT<double>>(device, A_matrix, *data.B, *data.Bt, *data.C, data.schur, schur_options);
  const Matrix<float> *A = matrix_of<float>(*V);
  if (A == nullptr)
    A = &(A_in_float = make_matrix<float>(device, data.velocity.back()));
  return std::make_unique<SchurBFBT<float>>(device, *A, *data.B, *data.Bt, *data.C, data.schur, schur_options);
}

void SaddlePointSolver::update()
{
  const LevelData &finest = data.velocity.back();
  if (matrix_of<double>(*V) == nullptr)
    update_matrix(finest, A_matrix);
  if (A_in_float.n_rows() > 0)
    update_matrix(finest, A_in_float);
  triangular.update();
}
} // namespace adamant
