#pragma once

#include "dealii/matrix_levels.h"
#include "dealii/preconditioner.h"
#include "solvers/preconditioner.h"

#include <boost/signals2/connection.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// A V-cycle as the preconditioner of another solver, which does not own it. update() leaves it as it is.
class Borrowed : public Preconditioner
{
public:
  explicit Borrowed(const Preconditioner &M, int &n_applications)
    : M(M)
    , n_applications(n_applications)
  {}
  void vmult(const Vector<double> &v, Vector<double> &z) const override
  {
    ++n_applications;
    M.vmult(v, z);
  }
  bool                 in_float() const override { return M.in_float(); }
  const Vector<float> &vmult_in_float(const Vector<float> &v) const override
  {
    ++n_applications;
    return M.vmult_in_float(v);
  }
  Vector<float> input_in_float() const override { return M.input_in_float(); }
  void          update() override {}
  bool          recordable() const override { return M.recordable(); }

private:
  const Preconditioner &M;
  int                  &n_applications;
};

/// The Krylov method of adamant::solve(). It shares the matrix of the levels until it solves with another one.
struct DealiiKrylov
{
  std::shared_ptr<UserValues>   values;
  bool                          current        = false; ///< whether the solver has the values
  bool                          symmetric      = false;
  int                           n_applications = 0; ///< of the preconditioner, where the host runs it
  std::unique_ptr<LinearSolver> solver;
  Vector<double>                b, x;
};

/// What an initialized DealiiMultigrid has.
struct DealiiMultigrid::State
{
  Communicator                    ranks;
  UserDofs                        form_dofs; ///< with a form
  std::unique_ptr<MatrixLevels>   levels;    ///< null with a form
  std::vector<LevelData>          data;
  Array<char>                     constrained; ///< of the finest level's owned DoFs
  DealiiVectors                   vectors;
  MultigridOptions                options; ///< of the cycle
  std::unique_ptr<Preconditioner> cycle;
  Vector<double>                  b, z;
  double                          scale    = 1.; ///< a power of two, with which vectors come to the cycle in float
  int                             exponent = 0;  ///< of the largest diagonal entry
  std::optional<bool>             symmetric;     ///< of the present matrix and cycle, once known
  std::unique_ptr<DealiiKrylov>   krylov;        ///< once needed

  /// Makes the hierarchy anew; null with a form. `by_constraints` has the kinds that the constraints gave.
  std::function<DofHierarchy(const dealii::AffineConstraints<double> *, Array<char> &)> make_hierarchy;
  Array<char>                                                                           by_constraints;

  bool                                            mesh_has_changed = false;
  std::vector<boost::signals2::scoped_connection> connections;

  const UserDofs &dofs() const { return levels ? levels->dofs() : form_dofs; }
  bool            follow(double largest); ///< whether vectors with this largest entry have got another scale
};

/// Returns the largest absolute value of n entries; NaN is passed over.
double largest_entry(const double *entries, std::size_t n);
} // namespace adamant
