#pragma once

#include "dealii/preconditioner.h"
#include "fem/spaces/field.h"

namespace adamant
{
/// Returns how a user's DoFHandler numbers the DoFs of a field's finest level. Throws RunError where it does not
/// distribute the field's element on its mesh. All ranks call it together.
template <int dim>
UserDofs dofs_of_field(const Field<dim> &field, const dealii::DoFHandler<dim> &dofs);

/// Returns for each row of a level's matrix whether it is a row of the identity, as constrained DoFs have it.
Array<char> identity_rows(const CSRMatrix<double> &A);

/// Returns the diagonal of a user's matrix by the level's numbers. Throws RunError on all ranks where it has other
/// rows.
Array<double> diagonal_of(const MatrixRows &rows, const UserDofs &dofs);

/// Returns the largest difference of a user's matrix and a level's matrix A. Entries in constrained columns do not
/// count, and of constrained rows only couplings of the user's matrix do. All ranks call it together.
MatrixDifference largest_difference(const MatrixRows &rows, const UserDofs &dofs, const CSRMatrix<double> &A,
                                    const Array<char> &constrained);
} // namespace adamant
