#pragma once

#include "base/csr_matrix.h"
#include "base/exchange_plan.h"

#include <deal.II/base/partitioner.h>

#include <memory>
#include <vector>

namespace adamant
{
/// Global numbers of which each rank owns a range and reads others as ghosts. Local numbers: owned ones first, then
/// ghosts, ascending.
using Partitioner = dealii::Utilities::MPI::Partitioner;

/// A range of `n_owned` numbers on each rank, in the order of the ranks. Throws IndexOverflow where deal.II's numbers
/// end.
dealii::IndexSet owned_range(std::uint64_t n_owned, MPI_Comm comm);

/// How ghosts are filled, for the algebra; null on one rank, where there are none.
std::shared_ptr<const ExchangePlan> exchange_plan(const Partitioner &numbers);

/// Adds up the rows that ranks have computed of one matrix: `local` has a row for each local number of `rows` and
/// columns by the local numbers of `columns`. The result has the owned rows, and as columns owned numbers and those
/// ghosts that occur. All ranks call it together; on one rank it gives `local`.
CSRMatrix<double> sum_rows(CSRMatrix<double> local, const Partitioner &rows, const Partitioner &columns);

/// How the values of `sum` = sum_rows(local, rows, columns) follow from the values of `local` on all ranks: a matrix of
/// ones with a row for each entry of `sum`, a column for each entry of `local` and, as ghosts, for those that other
/// ranks have of rows of this one. Of the matrices the patterns are enough. All ranks call it together.
CSRMatrix<double> summation(CSRMatrix<double> local, const CSRMatrix<double> &sum, const Partitioner &rows,
                            const Partitioner &columns);

/// The owned numbers and these ghosts, which may come in any order, several times, and with owned numbers among them;
/// also where there are no numbers at all, by whose number deal.II's own constructor divides.
std::shared_ptr<const Partitioner> make_partitioner(const dealii::IndexSet                      &owned,
                                                    std::vector<dealii::types::global_dof_index> ghosts, MPI_Comm comm);

/// The numbers of a plan's entries.
std::shared_ptr<const Partitioner> make_partitioner(const ExchangePlan &plan);

/// The matrix that acts so on each of n components, where vectors hold the owned values of one component after the
/// other. All ranks call it together.
CSRMatrix<double> by_components(const CSRMatrix<double> &A, int n_components);

/// A B, with every entry that the patterns allow; columns ascend. All ranks call it together.
CSRMatrix<double> product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);

/// The owned rows of a matrix whose rows are complete on their owner.
CSRMatrix<double> owned_rows(const CSRMatrix<double> &local, const Partitioner &rows, const Partitioner &columns);
} // namespace adamant
