#pragma once

#include "base/csr/csr_operations.h"
#include "base/exchange_plan.h"

#include <deal.II/base/partitioner.h>

#include <memory>
#include <vector>

namespace adamant
{
/// Global numbers, of which each rank owns a range and reads others as ghosts. Local numbers count the owned numbers
/// first and then the ghosts, both ascending.
using Partitioner = dealii::Utilities::MPI::Partitioner;

/// Returns this rank's range of `n_owned` global numbers; ranges follow each other in the order of the ranks. Throws
/// IndexOverflow where deal.II's type cannot count all numbers. All ranks call it together.
dealii::IndexSet owned_range(std::uint64_t n_owned, MPI_Comm comm);

/// Returns how the algebra fills the ghosts of `numbers`; null on one rank, where there are no ghosts.
std::shared_ptr<const ExchangePlan> exchange_plan(const Partitioner &numbers);

/// Adds up a matrix's rows that ranks have computed in parts. `local` has a row for each local number of `rows`, and
/// its columns are local numbers of `columns`. The result has the owned rows; its columns are the owned numbers and the
/// ghosts that occur. All ranks call it together. On one rank it returns `local`.
CSRMatrix<double> sum_rows(CSRMatrix<double> local, const Partitioner &rows, const Partitioner &columns);

/// Returns the matrix of ones that computes the values of `sum` = sum_rows(local, rows, columns) from the values of
/// `local` on all ranks. It has a row for each entry of `sum` and a column for each entry of `local`. Its ghosts are
/// other ranks' entries in rows of this rank. Only the matrices' patterns are read. All ranks call it together.
CSRMatrix<double> summation(CSRMatrix<double> local, const CSRMatrix<double> &sum, const Partitioner &rows,
                            const Partitioner &columns);

/// Returns a Partitioner with the owned numbers and these ghosts. `ghosts` may be in any order, repeat numbers and
/// contain owned ones. It also works where there are no numbers at all; deal.II's own constructor then divides by zero.
std::shared_ptr<const Partitioner> make_partitioner(const dealii::IndexSet                      &owned,
                                                    std::vector<dealii::types::global_dof_index> ghosts, MPI_Comm comm);

/// Returns the Partitioner with the owned numbers and ghosts of a plan.
std::shared_ptr<const Partitioner> make_partitioner(const ExchangePlan &plan);

/// Returns Aᵀ, for a matrix whose columns are the numbers of `columns`. All ranks call it together.
CSRMatrix<double> transposed_over_ranks(const CSRMatrix<double> &A, const Partitioner &columns);

/// Returns A B, with every entry that the patterns allow; columns ascend. All ranks call it together.
CSRMatrix<double> product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);

/// Returns the owned rows of a matrix whose rows are complete on their owner.
CSRMatrix<double> owned_rows(const CSRMatrix<double> &local, const Partitioner &rows, const Partitioner &columns);
} // namespace adamant
