#pragma once

#include "dealii/preconditioner.h"

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <Epetra_MultiVector.h>
#include <Epetra_Operator.h>

#include <iostream>
#include <string>

namespace adamant
{
/// Multigrid as a preconditioner of Trilinos' solvers, such as TrilinosWrappers::SolverCG:
/// ```
///   const adamant::TrilinosPreconditioner preconditioner(multigrid, system_matrix);
///   TrilinosWrappers::SolverCG(control).solve(system_matrix, solution, rhs, preconditioner);
/// ```
/// It refers to `multigrid` and to the matrix, which has the rows of the matrix of initialize().
class TrilinosPreconditioner : public dealii::TrilinosWrappers::PreconditionBase
{
public:
  TrilinosPreconditioner(const DealiiMultigrid &multigrid, const dealii::TrilinosWrappers::SparseMatrix &matrix)
  {
    preconditioner = Teuchos::rcp(new Operator(multigrid, matrix.trilinos_matrix()));
  }

private:
  class Operator : public Epetra_Operator
  {
  public:
    Operator(const DealiiMultigrid &multigrid, const Epetra_CrsMatrix &matrix)
      : multigrid(multigrid)
      , matrix(matrix)
    {}
    int ApplyInverse(const Epetra_MultiVector &src, Epetra_MultiVector &dst) const override
    {
      try
        {
          const std::string complaint = multigrid.complaint(dealii::IndexSet(src.Map()));
          for (int v = 0; v < src.NumVectors(); ++v)
            {
              source.assign(src[v], src[v] + src.MyLength()); // dst may be src
              multigrid.apply(source.data(), dst[v], complaint);
            }
          return 0;
        }
      catch (const std::exception &error) // which Trilinos' C code must not see
        {
          std::cerr << error.what() << std::endl;
          return -1;
        }
    }
    int                SetUseTranspose(bool use) override { return use ? -1 : 0; }
    int                Apply(const Epetra_MultiVector &, Epetra_MultiVector &) const override { return -1; }
    double             NormInf() const override { return 0.; }
    const char        *Label() const override { return "multigrid of adamant"; }
    bool               UseTranspose() const override { return false; }
    bool               HasNormInf() const override { return false; }
    const Epetra_Comm &Comm() const override { return matrix.Comm(); }
    const Epetra_Map  &OperatorDomainMap() const override { return matrix.OperatorDomainMap(); }
    const Epetra_Map  &OperatorRangeMap() const override { return matrix.OperatorRangeMap(); }

  private:
    const DealiiMultigrid  &multigrid;
    const Epetra_CrsMatrix &matrix;
    mutable Array<double>   source;
  };
};
} // namespace adamant
