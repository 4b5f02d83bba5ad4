#include "stokes/saddle_point_solver.h"

#include "multigrid/multigrid_preconditioner.h"

#include <utility>

namespace adamant
{
SaddlePointSolver::SaddlePointSolver(const Device &device, const SaddlePointData &data, int dim, SchurComplement type,
                                     const LinearSolverOptions &options, const MultigridOptions &schur_options,
                                     std::unique_ptr<Preconditioner> external)
  : data(data)
  , options(options)
  , A_matrix(make_matrix<double>(device, data.velocity.back()))
  , A_operator(A_matrix, device, data.Bt->n_rows)
  , B_operator(Matrix<double>(device, *data.B), device, data.Bt->n_rows)
  , Bt_operator(Matrix<double>(device, *data.Bt, data.velocity.back().node_size), device, data.B->n_rows)
  , system({{&A_operator, &Bt_operator}, {&B_operator, nullptr}})
  , V(external ? std::move(external) : make_multigrid(device, data.velocity, options.precision, options.multigrid))
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
  const auto *cycle = dynamic_cast<const MultigridPreconditioner<float> *>(V.get());
  if (cycle == nullptr)
    A_in_float = make_matrix<float>(device, data.velocity.back());
  return std::make_unique<SchurBFBT<float>>(device, cycle != nullptr ? cycle->cycle.matrix() : A_in_float, *data.B,
                                            *data.Bt, *data.C, data.schur, schur_options);
}

void SaddlePointSolver::update()
{
  const LevelData &finest = data.velocity.back();
  update_matrix(finest, A_matrix);
  if (A_in_float.n_rows() > 0)
    update_matrix(finest, A_in_float);
  triangular.update();
}
} // namespace adamant
