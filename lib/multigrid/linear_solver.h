#pragma once

#include "multigrid/level_data.h"
#include "multigrid/options.h"
#include "solvers/control.h"
#include "solvers/krylov.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace adamant
{
enum class SolverType
{
  gmres,
  cg, ///< for symmetric positive definite matrices
  bicgstab,
  multigrid ///< the V-cycle alone
};

enum class Precision
{
  float32,
  float64
};

struct LinearSolverOptions
{
  SolverType       type      = SolverType::gmres;
  int              restart   = 30;                 ///< of GMRES
  Precision        precision = Precision::float32; ///< of the V-cycle; everything else is double
  SolverControl    control   = {};
  MultigridOptions multigrid = {};
};

/// The solver of A x = b on the finest of `levels`: a Krylov method in double precision around a V-cycle in the chosen
/// precision, all on one device.
class LinearSolver
{
public:
  /// The matrices of the levels are shared: `update` reads them again. An `external` preconditioner replaces multigrid.
  LinearSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
               std::unique_ptr<Preconditioner> external = nullptr);
  ~LinearSolver();

<<<<<<< HEAD
  /// Solves A x = b from the guess x. Throws SolverError where the tolerance is not reached.
  SolverResult solve(const Vector<double> &b, Vector<double> &x);
=======
  /// The levels are copied to the backend and not needed afterwards. An `external` preconditioner replaces multigrid.
  LinearSolver(const Backend &backend, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
               Preconditioner<Backend> external = nullptr)
    : backend(backend)
    , options(options)
    , A(backend.create_matrix(*levels.back().matrix, levels.back().node_size))
  {
    Preconditioner<Backend> precondition = external;
    if (!external && options.precision == Precision::float64)
      {
        full_cycle.emplace(backend, levels, options.multigrid);
        precondition = [this](const Vector &v, Vector &z) { this->backend.copy(full_cycle->vmult(v), z); };
      }
    else if (!external)
      {
        single_cycle.emplace(backend, levels, options.multigrid);
        precondition = [this](const Vector &v, Vector &z) { single_cycle->vmult(this->backend, v, z); };
      }
    switch (options.type)
      {
        case SolverType::gmres: gmres.emplace(backend, A, precondition, options.restart); break;
        case SolverType::cg: cg.emplace(backend, A, precondition); break;
        case SolverType::multigrid: richardson.emplace(backend, A, precondition); break;
      }
    this->precondition = precondition;
  }
  LinearSolver(const LinearSolver &)            = delete; // the preconditioner holds its address
  LinearSolver &operator=(const LinearSolver &) = delete;

  /// Solves A x = b from the guess x; vectors on the backend. Throws SolverError where the tolerance is not reached.
  SolverResult solve(const Vector &b, Vector &x)
  {
    if (gmres)
      return gmres->solve(b, x, options.control);
    if (cg)
      return cg->solve(b, x, options.control);
    return richardson->solve(b, x, options.control);
  }
>>>>>>> forms

  /// z = M v: one application of the preconditioner.
  void vmult(const Vector<double> &v, Vector<double> &z) const { M->vmult(v, z); }

  /// Takes over the values that the levels' matrices have now; patterns and transfer stay.
  void update();

  /// On a GPU: the seconds of one application of the preconditioner as a graph, without the
  /// host's launch, and the launches it replaces.
  struct Cost
  {
    double seconds;
    int    launches;
  };
  Cost measure_preconditioner() const;

<<<<<<< HEAD
  const Device         &device() const { return where; }
  const Matrix<double> &matrix() const { return A; } ///< of the finest level, in double precision
  const Preconditioner &preconditioner() const { return *M; }
  Preconditioner       &preconditioner() { return *M; }
=======
  /// Takes over new values of the level matrices; patterns and transfer stay.
  void update(const std::vector<LevelData> &levels)
  {
    backend.update_values(A, *levels.back().matrix);
    if (full_cycle)
      full_cycle->update(levels);
    if (single_cycle)
      single_cycle->mg.update(levels);
  }
>>>>>>> forms

  friend std::ostream &operator<<(std::ostream &out, const LinearSolver &solver);

private:
<<<<<<< HEAD
  Device                                   where;
  LinearSolverOptions                      options;
  std::shared_ptr<const CSRMatrix<double>> matrix_on_host;
  Matrix<double>                           A;
  MatrixOperator                           A_operator;
  std::unique_ptr<Preconditioner>          M;
  std::unique_ptr<KrylovMethod>            method;
=======
  using SingleBackend = typename Backend::template Rebind<float>;

  // The V-cycle in single precision behind its door.
  struct SingleCycle
  {
    SingleCycle(const Backend &backend, const std::vector<LevelData> &levels, const MultigridOptions &options)
      : single(backend)
      , mg(single, levels, options)
      , b(single.create_vector(levels.back().matrix->n_rows))
    {}
    void vmult(const Backend &backend, const Vector &v, Vector &z)
    {
      single.convert(v, b);
      backend.convert(mg.vmult(b), z);
    }
    SingleBackend                  single;
    Multigrid<SingleBackend>       mg;
    typename SingleBackend::Vector b;
  };

  Backend                            backend;
  LinearSolverOptions                options;
  Matrix                             A;
  std::optional<Multigrid<Backend>>  full_cycle;
  std::optional<SingleCycle>         single_cycle;
  std::optional<GMRES<Backend>>      gmres;
  std::optional<CG<Backend>>         cg;
  std::optional<Richardson<Backend>> richardson;
  Preconditioner<Backend>            precondition;
>>>>>>> forms
};

/// The V-cycle as a preconditioner in the chosen precision.
std::unique_ptr<Preconditioner> make_multigrid(const Device &device, const std::vector<LevelData> &levels,
                                               Precision precision, const MultigridOptions &options);
} // namespace adamant
