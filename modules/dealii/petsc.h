#pragma once

#include "dealii/preconditioner.h"

#include <deal.II/base/config.h>
#include <deal.II/lac/petsc_matrix_base.h>
#include <deal.II/lac/petsc_precondition.h>
#include <petscpc.h>

#include <iostream>

namespace adamant
{
/// Multigrid as a preconditioner of PETSc's solvers, such as PETScWrappers::SolverCG:
/// ```
///   const adamant::PETScPreconditioner preconditioner(multigrid, system_matrix);
///   PETScWrappers::SolverCG(control).solve(system_matrix, solution, rhs, preconditioner);
/// ```
/// It refers to `multigrid` and to the matrix, which has the rows of the matrix of initialize(). PETSc has to have real
/// numbers.
class PETScPreconditioner : public dealii::PETScWrappers::PreconditionBase
{
public:
  PETScPreconditioner(const DealiiMultigrid &multigrid, const dealii::PETScWrappers::MatrixBase &of)
  {
    const Mat petsc = static_cast<Mat>(const_cast<dealii::PETScWrappers::MatrixBase &>(of)); // no const conversion
#if DEAL_II_VERSION_GTE(9, 5, 0)
    create_pc_with_mat(petsc);
#else
    matrix = petsc;
    create_pc();
#endif
    PCSetType(pc, PCSHELL);
    PCShellSetName(pc, "multigrid of adamant");
    PCShellSetContext(pc, const_cast<DealiiMultigrid *>(&multigrid));
    PCShellSetApply(pc, &apply);
    PCSetUp(pc);
  }

private:
  static PetscErrorCode apply(PC pc, Vec src, Vec dst)
  {
    void              *context = nullptr;
    const PetscScalar *from    = nullptr;
    PetscScalar       *to      = nullptr;
    PetscInt           n = 0, first = 0, end = 0;
    PCShellGetContext(pc, &context);
    VecGetSize(src, &n);
    VecGetOwnershipRange(src, &first, &end);
    VecGetArrayRead(src, &from);
    VecGetArray(dst, &to);
    PetscErrorCode failed = 0;
    try
      {
        const auto      &multigrid = *static_cast<const DealiiMultigrid *>(context);
        dealii::IndexSet entries(n);
        entries.add_range(first, end);
        multigrid.apply(from, to, multigrid.complaint(entries));
      }
    catch (const std::exception &error) // which PETSc's C code must not see
      {
        std::cerr << error.what() << std::endl;
        failed = PETSC_ERR_LIB;
      }
    VecRestoreArrayRead(src, &from);
    VecRestoreArray(dst, &to);
    return failed;
  }
};
} // namespace adamant
