#pragma once

#include "fem/forms/form.h"
#include "frame/device_field.h"
#include "frame/linear_solver_setup.h"
#include "frame/time_dependent_problem.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/lac/full_matrix.h>

#include <memory>
#include <string>
#include <type_traits>

namespace adamant
{
class LinearSolverParameters;
class SectionTimer;

/// How the forms of an Unknown integrate, and how far its levels go.
struct UnknownOptions
{
  unsigned int        n_points       = 0; ///< Gauss points in each direction; 0: degree of the element + 1
  unsigned int        coarsest_cells = 0; ///< 0: as "Coarsest level cells" says
  dealii::UpdateFlags flags          = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
};

namespace internal
{
template <int dim>
struct FieldOnLevels
{
  std::unique_ptr<LevelMeshes<dim>> meshes_;
  std::unique_ptr<Field<dim>>       field_;
};
} // namespace internal

/// The unknown of an equation: a field on the levels of the program's present mesh, with all that its forms share. See
/// DeviceField for vectors of unknowns x and nodal values u = H x + B g.
template <int dim>
class Unknown : private internal::FieldOnLevels<dim>, public DeviceField<dim>
{
public:
  /// Makes levels and constraints for the solver that the parameters describe; they and `program` have to outlive the
  /// object. `name` is the field's in output files.
  Unknown(TimeDependentProblem<dim> &program, const std::string &name, const dealii::FiniteElement<dim> &element,
          const DirichletBoundary &dirichlet, const LinearSolverParameters &parameters,
          const UnknownOptions &options = {});
  ~Unknown();

  const dealii::QGauss<dim> quadrature;

  /// Returns the quadrature points, see DeviceField.
  Array<double> quadrature_points() const { return DeviceField<dim>::quadrature_points(quadrature); }

  /// Lets functions that take a field take the unknown.
  operator const Field<dim> &() const { return this->field(); }

  using Kernel = typename Form<dim>::Kernel;
  /// Returns a form without values; its rows and columns belong to this unknown. See Form.
  std::unique_ptr<Form<dim>> form(const std::string &name, ColumnKind columns, const Kernel &kernel,
                                  Levels levels = Levels::finest) const;
  /// Returns the form of a system matrix: its columns are the unknowns, on all levels.
  std::unique_ptr<Form<dim>> system(const std::string &name, const Kernel &kernel) const
  {
    return form(name, ColumnKind::unknowns, kernel, Levels::all);
  }
  /// Returns the finest matrix of a form, on the device; see assemble_on.
  Matrix<double> matrix(const std::string &name, ColumnKind columns, const Kernel &kernel) const
  {
    return assemble_on(this->device, *form(name, columns, kernel));
  }

  /// Returns the solver of A x = b; messages call the problem `name`. If the device has values of A, these may change:
  /// see make_linear_solver. If A has no values, it is assembled once and for all, level by level, and the solver
  /// refuses update(). Once the device has a level's matrix, the host's copy is freed, as are the coarser meshes and
  /// spaces (HierarchyBuilder). The timer counts the transfer as "init/hierarchy", the matrices as "init/assembly".
  std::unique_ptr<LinearSolver> solver_for(Form<dim> &A, const std::string &name,
                                           const NearNullSpace<dim> &near_null_space = nullptr);

  const LinearSolverParameters &parameters; ///< of the solver

private:
  SectionTimer             &timer;
  const dealii::UpdateFlags flags;
};

/// Returns the kernel of a form that integrates integrand(cell, i, j, q), for the shape functions i and j of a cell and
/// its quadrature points q. Where columns are quadrature points, it takes integrand(cell, i, q).
template <int dim, class Integrand>
typename Form<dim>::Kernel integral(const Integrand &integrand)
{
  return [integrand](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        if constexpr (std::is_invocable_v<Integrand, const CellContext<dim> &, unsigned int, unsigned int>)
          local(i, q) = integrand(cell, i, q) * cell.JxW(q);
        else
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += integrand(cell, i, j, q) * cell.JxW(q);
  };
}
} // namespace adamant
