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
#include <string>
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

/// Notes that the program uses deal.II's debug library, with which the set-up takes much longer. The first set-up says
/// so. Returns true.
bool note_debug();
#ifdef DEBUG
[[maybe_unused]] static const bool debug_is_noted = note_debug(); // by each source, so that no definition depends on it
#endif

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
    set_up(matrix_rows(matrix), dofs, constraints, dealii::ComponentMask());
  }
  /// Takes some components of a larger DoFHandler: `components` is an extractor, such as FEValuesExtractors::Vector, or
  /// a ComponentMask. `matrix` is their block, whose rows count from their first DoF.
  template <class Matrix, int dim, class Components>
  void initialize(const Matrix &matrix, const dealii::DoFHandler<dim> &dofs,
                  const dealii::AffineConstraints<double> &constraints, const Components &components)
  {
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

  /// Computes dst = M src, where M is the V-cycle. Where a DoF is constrained, M is one over the diagonal entry.
  /// Vectors of any scale are taken, also in float. Throws RunError on all ranks where initialize() has not been called
  /// or has failed, or where the mesh has been refined since. It does so, too, where a vector has other entries on some
  /// rank than the matrix has rows. The ranks agree on that by a reduction that goes on beside the V-cycle.
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
  /// Computes the n owned entries `dst` of M src, for vectors of other libraries. Throws RunError on all ranks where
  /// complaint() has found one on some rank; `src` is not read there. `src` and `dst` do not overlap.
  void apply(const double *src, double *dst, const std::string &complaint) const;
  /// Returns a sentence for a vector with other entries on this rank than the matrix has rows; empty for one that fits.
  std::string complaint(const dealii::IndexSet &entries) const;

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
  /// Returns whether the end of the iteration alone matters to a control.
  static bool takes_whole_solve(const dealii::SolverControl &control);
  /// Returns whether the V-cycle and a matrix with the pattern of the present one are symmetric.
  bool symmetric_with(const MatrixRows &rows) const;
  /// Throws RunError on all ranks where one of two vectors has a complaint(), or where vmult() would throw.
  void check_vectors(const dealii::IndexSet &one, const dealii::IndexSet &other) const;

protected:
  DealiiMultigrid(std::optional<Device> device, Precision precision, const DealiiOptions &options);

  template <int dim>
  void set_up(const Device &device, const Field<dim> &field, const Form<dim> &form,
              const dealii::DoFHandler<dim> &dofs);
  void update_from_form();
  void take_diagonal(const MatrixRows &rows);

private:
  struct State;
  template <int dim>
  void             set_up(const MatrixRows &rows, const dealii::DoFHandler<dim> &dofs,
                          const dealii::AffineConstraints<double> &constraints, const dealii::ComponentMask &mask);
  void             build();
  void             check_values();
  void             update_values(const MatrixRows &rows);
  void             check_symmetric() const;
  MatrixDifference difference(const MatrixRows &rows) const;
  State           &ready() const;
  State           &with_levels() const;

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
  std::string why = complaint(src.locally_owned_elements());
  if (why.empty())
    why = complaint(dst.locally_owned_elements());
  result.resize(dst.locally_owned_size());
  apply(own_values(src, source), result.data(), why);
  write(result.data(), dst);
}
} // namespace adamant
