#pragma once

#include "dealii/preconditioner.h"

#include <deal.II/base/config.h>
#include <deal.II/base/index_set.h>
#include <deal.II/lac/petsc_matrix_base.h>
#include <deal.II/lac/petsc_precondition.h>
#include <petscpc.h>

#include <iostream>
#include <memory>

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
    : context(std::make_unique<Context>(Context{multigrid, dealii::IndexSet(), 0, 0}))
  {
#if DEAL_II_VERSION_GTE(9, 5, 0)
    create_pc_with_mat(of);
#else
    matrix = static_cast<Mat>(const_cast<dealii::PETScWrappers::MatrixBase &>(of)); // no const conversion
    create_pc();
#endif
    PCSetType(pc, PCSHELL);
    PCShellSetName(pc, "multigrid of adamant");
    PCShellSetContext(pc, context.get());
    PCShellSetApply(pc, &apply);
    PCSetUp(pc);
  }

private:
  // PETSc has its address. `entries` belong to the last vector; they go from `first` to `end`.
  struct Context
  {
    const DealiiMultigrid &multigrid;
    dealii::IndexSet       entries;
    PetscInt               first, end;
  };

  static PetscErrorCode apply(PC pc, Vec src, Vec dst)
  {
    void              *address = nullptr;
    const PetscScalar *from    = nullptr;
    PetscScalar       *to      = nullptr;
    PetscInt           n = 0, first = 0, end = 0;
    PCShellGetContext(pc, &address);
    VecGetSize(src, &n);
    VecGetOwnershipRange(src, &first, &end);
    VecGetArrayRead(src, &from);
    VecGetArray(dst, &to);
    PetscErrorCode failed = 0;
    try
      {
        auto &known = *static_cast<Context *>(address);
        if (known.entries.size() != static_cast<dealii::types::global_dof_index>(n) || known.first != first ||
            known.end != end)
          {
            known.entries = dealii::IndexSet(n);
            known.entries.add_range(first, end);
            known.entries.compress();
            known.first = first;
            known.end   = end;
          }
        known.multigrid.apply(from, to, known.multigrid.complaint(known.entries));
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

  std::unique_ptr<Context> context;
};
} // namespace adamant
