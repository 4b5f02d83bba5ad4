#pragma once

#include "algebra/profiler_range.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace adamant
{
/// The V-cycle of Liebchen et al., Algorithm 1, on a hierarchy of levels (0 the coarsest), in the backend's precision.
/// Built once; `update` takes over new matrix values. Not thread-safe: one object, one solve at a time.
template <class Backend>
class Multigrid
{
public:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  Multigrid(const Backend &backend, const std::vector<LevelData> &data, const MultigridOptions &options)
    : backend(backend)
    , options(options)
  {
    if (options.pre_steps < 1 || options.post_steps < 0)
      throw InputError(
        "multigrid needs at least one pre-smoothing step and no negative number of post-smoothing steps");
    if (Backend::asynchronous && options.coarse_solver == CoarseSolverType::external)
      throw InputError("Linear solver/Coarse solver = trilinos_amg needs --backend host");
    for (std::size_t l = 0; l < data.size(); ++l)
      levels.push_back(std::make_unique<Level>(backend, data[l], options, l == 0));
    set_coarse_solver(*data[0].matrix);
  }

  /// Takes over new values of the matrices; patterns and transfer stay.
  void update(const std::vector<LevelData> &data)
  {
    for (std::size_t l = 0; l < levels.size(); ++l)
      {
        backend.update_values(levels[l]->A, *data[l].matrix);
        if (levels[l]->smoother)
          levels[l]->smoother->update(data[l]);
      }
    set_coarse_solver(*data[0].matrix);
  }

  /// One V-cycle from a zero guess. Returns a vector of the hierarchy's own that holds the result until the next call.
  const Vector &vmult(const Vector &b) const { return cycle(levels.size() - 1, b); }

  std::size_t n_levels() const { return levels.size(); }

  /// A line per level: unknowns, nonzeros, eigenvalue estimate.
  friend std::ostream &operator<<(std::ostream &out, const Multigrid &mg)
  {
    for (std::size_t l = mg.levels.size(); l-- > 0;)
      {
        out << "  level " << l << ": " << mg.levels[l]->n_unknowns << " unknowns";
        if (l == 0 && mg.options.coarse_solver == CoarseSolverType::dense_inverse)
          out << ", dense inverse";
        else if (l == 0 && mg.options.coarse_solver == CoarseSolverType::external)
          out << ", external solver";
        else if (mg.options.smoother.chebyshev)
          out << ", largest eigenvalue " << mg.levels[l]->smoother->eigenvalue();
        out << '\n';
      }
    return out;
  }

private:
  struct Level
  {
    Level(const Backend &backend, const LevelData &data, const MultigridOptions &options, bool coarsest)
      : n_unknowns(data.matrix->ghosts ? data.matrix->ghosts->n_global : std::uint64_t(data.matrix->n_rows))
      , A(backend.create_matrix(*data.matrix, data.node_size))
      , x(backend.create_vector(data.matrix->n_rows))
    {
      if (!coarsest)
        {
          P = backend.create_matrix(*data.prolongation, data.node_size);
          R = backend.create_matrix(*data.restriction, data.node_size);
          r = backend.create_vector(data.matrix->n_rows);
        }
      if (!coarsest || options.coarse_solver == CoarseSolverType::smoothing)
        {
          y        = backend.create_vector(data.matrix->n_rows);
          smoother = std::make_unique<Smoother<Backend>>(backend, data, A, options.smoother);
        }
      b = backend.create_vector(data.matrix->n_rows);
    }

    const std::uint64_t                n_unknowns; // of all ranks
    Matrix                             A, P, R;
    Vector                             b, x, y, r;
    std::unique_ptr<Smoother<Backend>> smoother;
  };

  // A solver from outside, and its vectors.
  struct External
  {
    CoarseSolver  solve;
    Array<double> b, x;
  };

  void set_coarse_solver(const CSRMatrix<double> &matrix)
  {
    if (options.coarse_solver == CoarseSolverType::dense_inverse)
      coarse_inverse = backend.create_dense_matrix(dense_inverse(matrix), matrix.n_rows);
    else if (options.coarse_solver == CoarseSolverType::external)
      external = {options.make_coarse_solver(matrix), Array<double>(matrix.n_rows), Array<double>(matrix.n_rows)};
  }

  const Vector &solve_coarsest(const Vector &b) const
  {
    Level &level = *levels[0];
    if (options.coarse_solver == CoarseSolverType::smoothing)
      return level.smoother->vmult(options.coarse_steps, b, level.x, level.y);
    if (options.coarse_solver == CoarseSolverType::dense_inverse)
      backend.gemv(coarse_inverse, b, level.x);
    else
      {
        backend.download(b, external.b.data());
        external.solve(external.b, external.x);
        backend.upload(external.x.data(), level.x);
      }
    return level.x;
  }

  const Vector &cycle(std::size_t l, const Vector &b) const
  {
    const ProfilerRange range("V-cycle level " + std::to_string(l));
    if (l == 0)
      return solve_coarsest(b);
    Level  &level   = *levels[l];
    Level  &coarse  = *levels[l - 1];
    Vector &x       = level.smoother->vmult(options.pre_steps, b, level.x, level.y);
    Vector &scratch = &x == &level.x ? level.y : level.x;
    backend.residual_restrict(level.A, x, b, level.R, level.r, coarse.b);
    backend.spmv(1, level.P, cycle(l - 1, coarse.b), 1, x);
    return level.smoother->step(options.post_steps, b, x, scratch);
  }

  Backend                             backend;
  MultigridOptions                    options;
  std::vector<std::unique_ptr<Level>> levels;
  typename Backend::DenseMatrix       coarse_inverse;
  mutable External                    external;
};
} // namespace adamant
