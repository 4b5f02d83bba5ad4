#pragma once

#include "base/exceptions.h"
#include "dealii/matrix_rows.h"
#include "dealii/user_dofs.h"
#include "dealii/vectors.h"
#include "fem/forms/form.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/subscriptor.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/solver_control.h>

#include <memory>
#include <optional>
#include <type_traits>

namespace adamant
{
/// Settings of DealiiPreconditioner, as AdditionalData of deal.II's preconditioners.
struct DealiiOptions
{
  DealiiOptions();

  /// The smoother is Chebyshev's polynomial of degree 3, before and after the coarse correction. An empty smoother type
  /// means "block_jacobi" for two to eight components, and "jacobi" for one or more than eight.
  MultigridOptions multigrid;
  unsigned int     coarsest_cells = 50; ///< coarsening ends with the first mesh of at most so many cells
};

/// The largest difference of two matrices.
struct MatrixDifference
{
  double                          largest = 0.;        ///< infinity where an entry is no number
  double                          scale   = 0.;        ///< the largest absolute value of the user's matrix
  dealii::types::global_dof_index row = 0, column = 0; ///< where it is, in the user's numbers
};

/// The base of DealiiPreconditioner<float> and DealiiPreconditioner<double>, with all functions that users call.
///
/// The matrix may be a SparseMatrix, a block of a BlockSparseMatrix, or a matrix of TrilinosWrappers or PETScWrappers.
/// Vectors may be Vector<double>, Vector<float>, LinearAlgebra::distributed::Vector, TrilinosWrappers::MPI::Vector and
/// PETScWrappers::MPI::Vector. All ranks of the mesh call everything together.
///
/// initialize() copies its data from the matrix and the constraints. The DoFHandler has to live until the last call of
/// initialize(matrix), and the mesh as long as vmult() is called. The object must not be moved or copied.
class DealiiMultigrid : public dealii::Subscriptor
{
public:
  ~DealiiMultigrid() override;

  /// Makes the levels, the transfer and, by R A P, the coarser matrices for `matrix`. The matrix has been assembled
  /// with `constraints`: hanging nodes and prescribed values. Rows without entries off the diagonal count as
  /// prescribed, too. Throws RunError on all ranks for what multigrid does not take: other constraints, which it names,
  /// and other meshes or elements. The object is then as after clear().
  template <class Matrix, int dim>
  void initialize(const Matrix &matrix, const dealii::DoFHandler<dim> &dofs,
                  const dealii::AffineConstraints<double> &constraints)
  {
    say_debug(in_debug);
    set_up(matrix_rows(matrix), dofs, constraints, dealii::ComponentMask());
  }
  /// Takes some components of a larger DoFHandler: `components` is an extractor, such as FEValuesExtractors::Vector, or
  /// a ComponentMask. `matrix` is their block, whose rows count from their first DoF.
  template <class Matrix, int dim, class Components>
  void initialize(const Matrix &matrix, const dealii::DoFHandler<dim> &dofs,
                  const dealii::AffineConstraints<double> &constraints, const Components &components)
  {
    say_debug(in_debug);
    if constexpr (std::is_same_v<Components, dealii::ComponentMask>)
      set_up(matrix_rows(matrix), dofs, constraints, components);
    else
      set_up(matrix_rows(matrix), dofs, constraints, dofs.get_fe().component_mask(components));
  }
  /// Takes over new values on the same mesh. The pattern and the set of decoupled rows may change, which costs the time
  /// of a whole set-up. Rows that the constraints of the first call constrain must stay decoupled, however. Throws
  /// RunError on all ranks where initialize() has not been called with a DoFHandler, where such a row couples, or where
  /// the mesh or the DoFs have changed since.
  template <class Matrix>
  void initialize(const Matrix &matrix)
  {
    update_values(matrix_rows(matrix));
  }
  void clear(); ///< frees everything, as the default constructor leaves it

  /// Computes dst = M src, where M is the V-cycle. Where a DoF is constrained, M is one over the diagonal entry. Throws
  /// RunError where initialize() has not been called or has failed, where the mesh has been refined since, or where a
  /// vector has another size.
  template <class DealiiVector>
  void vmult(DealiiVector &dst, const DealiiVector &src) const;
  /// Does what vmult() does for a symmetric matrix, with as many smoothing steps before the coarse correction as after
  /// it. Throws RunError otherwise.
  template <class DealiiVector>
  void Tvmult(DealiiVector &dst, const DealiiVector &src) const
  {
    check_symmetric();
    vmult(dst, src);
  }
  /// Computes the n owned entries `dst` of M src, for vectors of other libraries.
  void apply(const double *src, double *dst) const;

  /// Returns the largest difference between the finest level's matrix and another one, in rows and columns of unknowns.
  /// This finds a kernel, a boundary id or a mapping that differs between a Form and the user's own assembly.
  template <class Matrix>
  MatrixDifference check(const Matrix &matrix) const
  {
    return difference(matrix_rows(matrix));
  }

  const Device &device() const { return where; } ///< where the V-cycle runs; none before initialize()
  std::size_t   n_levels() const;                ///< 0 before initialize()

  /// Does the work of adamant::solve() for owned entries in host memory.
  void solve(const MatrixRows &rows, const double *rhs, double *solution, dealii::SolverControl &control) const;
  /// Throws RunError where a user's vector has another size, or where vmult() would throw.
  void check_vector(std::uint64_t n_global, std::size_t n_owned) const;

protected:
  DealiiMultigrid(std::optional<Device> device, Precision precision, const DealiiOptions &options);

  template <int dim>
  void set_up(const Device &device, const Field<dim> &field, const Form<dim> &form,
              const dealii::DoFHandler<dim> &dofs);
  void update_from_form();
  void take_diagonal(const MatrixRows &rows);

private:
#ifdef DEBUG
  static constexpr bool in_debug = true; // deal.II's debug library
#else
  static constexpr bool in_debug = false;
#endif
  static void say_debug(bool in_debug); // once, that it is slow

  struct State;
  template <int dim>
  void             set_up(const MatrixRows &rows, const dealii::DoFHandler<dim> &dofs,
                          const dealii::AffineConstraints<double> &constraints, const dealii::ComponentMask &mask);
  void             build();
  void             update_values(const MatrixRows &rows);
  void             check_symmetric() const;
  MatrixDifference difference(const MatrixRows &rows) const;
  State           &ready() const;

  std::optional<Device>  given; // by the user
  Device                 where; // in use
  Precision              precision;
  DealiiOptions          options;
  std::unique_ptr<State> state; // null: not initialized
  mutable Array<double>  source, result;
};

template <class DealiiVector>
void DealiiMultigrid::vmult(DealiiVector &dst, const DealiiVector &src) const
{
  check_vector(src.size(), src.locally_owned_size());
  check_vector(dst.size(), dst.locally_owned_size());
  result.resize(dst.locally_owned_size());
  apply(own_values(src, source), result.data());
  write(result.data(), dst);
}
} // namespace adamant
