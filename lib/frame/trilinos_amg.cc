#include "frame/trilinos_amg.h"

#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "fem/dealii_trilinos.h"

#ifdef ADAMANT_DEALII_HAS_EPETRA
#include <deal.II/base/index_set.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <Epetra_MultiVector.h>
#include <Teuchos_ParameterList.hpp>
#endif

#include <algorithm>
#include <memory>

namespace adamant
{
#ifdef ADAMANT_DEALII_HAS_EPETRA
namespace
{
struct ML
{
  const dealii::TrilinosWrappers::SparseMatrix matrix;
  std::vector<double>                          modes; // ML keeps a pointer
  dealii::TrilinosWrappers::PreconditionAMG    amg;

  void vmult(const double *v, double *z) const
  {
    const Epetra_Map  &map = matrix.trilinos_matrix().RowMap(); // of vectors that are views of v and z
    Epetra_MultiVector from(::View, map, const_cast<double *>(v), std::max(map.NumMyElements(), 1), 1);
    Epetra_MultiVector to(::View, map, z, std::max(map.NumMyElements(), 1), 1);
    if (const int error = amg.trilinos_operator().ApplyInverse(from, to))
      throw RunError("Trilinos ML: ApplyInverse failed with error " + std::to_string(error));
  }
};

dealii::TrilinosWrappers::SparseMatrix trilinos_matrix(const CSRMatrix<double> &source)
{
  using Index           = dealii::types::global_dof_index;
  const auto *ghosts    = source.ghosts.get(); // null on one rank
  const Index first_row = ghosts ? static_cast<Index>(ghosts->first_owned) : 0,
              n_rows    = ghosts ? static_cast<Index>(ghosts->n_global) : source.n_rows;
  dealii::IndexSet rows(n_rows);
  rows.add_range(first_row, first_row + source.n_rows);
  unsigned int longest = 0;
  for (int i = 0; i < source.n_rows; ++i)
    longest = std::max<unsigned int>(longest, source.row_start[i + 1] - source.row_start[i]);
  dealii::TrilinosWrappers::SparseMatrix matrix(rows, ghosts ? ghosts->communicator.handle() : MPI_COMM_SELF, longest);
  std::vector<Index>                     columns;
  for (int i = 0; i < source.n_rows; ++i)
    {
      columns.assign(source.column.begin() + source.row_start[i], source.column.begin() + source.row_start[i + 1]);
      if (ghosts)
        for (Index &column : columns)
          column = static_cast<Index>(ghosts->global(static_cast<int>(column)));
      matrix.set(first_row + i, columns.size(), columns.data(), source.value.data() + source.row_start[i]);
    }
  matrix.compress(dealii::VectorOperation::insert);
  return matrix;
}
} // namespace

TrilinosAMG trilinos_amg(const CSRMatrix<double> &source, const TrilinosAMGOptions &options)
{
  const std::shared_ptr<ML>                                 ml(new ML{trilinos_matrix(source), {}, {}});
  dealii::TrilinosWrappers::PreconditionAMG::AdditionalData data;
  data.elliptic              = options.elliptic;
  data.smoother_type         = options.smoother.c_str();
  data.n_cycles              = options.cycles;
  data.smoother_sweeps       = options.smoother_sweeps;
  data.aggregation_threshold = options.aggregation_threshold;
  if (options.near_null_space.empty())
    ml->amg.initialize(ml->matrix, data);
  else
    {
      // deal.II takes modes of zeros and ones only: the others go to ML itself.
      Teuchos::ParameterList              list;
      std::unique_ptr<Epetra_MultiVector> unused;
      data.set_parameters(list, unused, ml->matrix.trilinos_matrix());
      ml->modes.reserve(1); // not null on a rank without rows
      for (const auto &mode : options.near_null_space)
        ml->modes.insert(ml->modes.end(), mode.begin(), mode.end());
      list.set("null space: type", "pre-computed");
      list.set("null space: dimension", static_cast<int>(options.near_null_space.size()));
      list.set("null space: vectors", ml->modes.data());
      list.set("PDE equations", options.node_size);
      ml->amg.initialize(ml->matrix, list);
    }
  return [ml](const double *v, double *z) { ml->vmult(v, z); };
}
#else
TrilinosAMG trilinos_amg(const CSRMatrix<double> &, const TrilinosAMGOptions &)
{
  throw InputError("trilinos_amg is not there: deal.II was built without Trilinos' Epetra");
}
#endif

MakeExternalSolver make_trilinos_amg(const TrilinosAMGOptions &options)
{
  return [options](const CSRMatrix<double> &matrix) -> ExternalSolver {
    const auto amg = trilinos_amg(matrix, options);
    return {[amg](const Array<double> &b, Array<double> &x) { amg(b.data(), x.data()); }, "Trilinos ML"};
  };
}
} // namespace adamant
