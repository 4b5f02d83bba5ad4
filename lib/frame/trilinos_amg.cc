#include "frame/trilinos_amg.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "fem/dealii_trilinos.h"
#include "fem/forms/cell_loop.h"

#ifdef ADAMANT_DEALII_HAS_EPETRA
#include <deal.II/base/index_set.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <Epetra_MultiVector.h>
#include <ml_MultiLevelPreconditioner.h>
#include <ml_operator.h>
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

// ML for rows of this rank; `coarsest_rows` is about the most that its coarsest level has.
std::shared_ptr<ML> make_ml(const CSRMatrix<double> &source, const TrilinosAMGOptions &options, int coarsest_rows)
{
  const std::shared_ptr<ML>                                 ml(new ML{trilinos_matrix(source), {}, {}});
  dealii::TrilinosWrappers::PreconditionAMG::AdditionalData data;
  data.elliptic              = options.elliptic;
  data.smoother_type         = options.smoother.c_str();
  data.n_cycles              = options.cycles;
  data.smoother_sweeps       = options.smoother_sweeps;
  data.aggregation_threshold = options.aggregation_threshold;
  Teuchos::ParameterList              list;
  std::unique_ptr<Epetra_MultiVector> unused; // deal.II takes modes of zeros and ones only: the others go to ML itself
  data.set_parameters(list, unused, ml->matrix.trilinos_matrix());
  list.set("coarse: max size", coarsest_rows);
  // Modes of another level, on which multigrid was to begin, are of no use.
  const auto &modes = options.near_null_space;
  if (!modes.empty() && modes[0].size() == static_cast<std::size_t>(source.n_rows))
    {
      ml->modes.reserve(1); // not null on a rank without rows
      for (const auto &mode : modes)
        ml->modes.insert(ml->modes.end(), mode.begin(), mode.end());
      list.set("null space: type", "pre-computed");
      list.set("null space: dimension", static_cast<int>(modes.size()));
      list.set("null space: vectors", ml->modes.data());
      list.set("PDE equations", options.node_size);
    }
  ml->amg.initialize(ml->matrix, list);
  return ml;
}

// A prolongation of ML in the order of the numbers of its rows, without rows of number -1. Sets `number` to the numbers
// of its columns. A column is empty, and left out, where an aggregate has fewer rows than there are modes.
SharedMatrix to_csr(ML_Operator &matrix, Array<int> &number)
{
  Array<int>          columns(matrix.invec_leng), of_columns(matrix.invec_leng, -1);
  std::vector<double> values(columns.size());
  std::vector<Row>    rows(number.size());
  int                 n_rows = 0, n = 0;
  for (int i = 0, length = 0; i < matrix.outvec_leng; ++i)
    {
      if (number[i] < 0)
        continue;
      if (ML_Operator_Getrow(&matrix, 1, &i, matrix.invec_leng, columns.data(), values.data(), &length) == 0)
        throw RunError("Trilinos ML: a row of a prolongation has more entries than there are columns");
      for (int k = 0; k < length; ++k)
        if (int &column = of_columns[columns[k]]; values[k] != 0.)
          rows[number[i]].emplace_back(column = column < 0 ? n++ : column, values[k]);
      compress(rows[number[i]]);
      ++n_rows;
    }
  number = std::move(of_columns);
  return std::make_shared<const CSRMatrix<double>>(
    matrix_of_rows(n_rows, n, [&rows](int i, Row &row) { row = rows[i]; }));
}
} // namespace

TrilinosAMG trilinos_amg(const CSRMatrix<double> &source, const TrilinosAMGOptions &options)
{
  const auto ml = make_ml(source, options, 2000);
  return [ml](const double *v, double *z) { ml->vmult(v, z); };
}

MakeProlongations make_trilinos_prolongations(const TrilinosAMGOptions &options)
{
  return [options](const CSRMatrix<double> &matrix) {
    const auto  ml     = make_ml(matrix, options, 500);
    const auto *levels = dynamic_cast<const ML_Epetra::MultiLevelPreconditioner &>(ml->amg.trilinos_operator()).GetML();
    auto        number = numbers_below(matrix.n_rows);
    std::vector<SharedMatrix> prolongations;
    for (int level = 1; level < levels->ML_num_actual_levels; ++level)
      prolongations.push_back(to_csr(levels->Pmat[level], number));
    return prolongations;
  };
}
#else
TrilinosAMG trilinos_amg(const CSRMatrix<double> &, const TrilinosAMGOptions &)
{
  throw InputError("trilinos_amg is not there: deal.II was built without Trilinos' Epetra");
}

MakeProlongations make_trilinos_prolongations(const TrilinosAMGOptions &)
{
  return nullptr;
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
