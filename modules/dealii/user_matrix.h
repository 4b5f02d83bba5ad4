#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "dealii/matrix_rows.h"
#include "dealii/user_dofs.h"

#include <vector>

namespace adamant
{
/// The values of a user's matrix in the numbers of a LevelSpace.
struct UserValues
{
  CSRMatrix<double> A;               ///< couplings of free DoFs; constrained DoFs have rows of the identity
  CSRMatrix<double> coupling;        ///< of free rows to constrained columns, which elimination of columns leaves empty
  Array<double>     diagonal;        ///< of the user's matrix
  bool              changed = false; ///< whether the last copy has brought other values than were here, on any rank
};

/// How a user's matrix is copied to a LevelSpace's numbers: the pattern is found once, and each copy of new values
/// writes them to their places.
///
/// A DoF is constrained where its kind says so, or where its row of the matrix is decoupled: all entries off the
/// diagonal are zero, as MatrixTools::apply_boundary_values leaves them.
class UserMatrix
{
public:
  /// Copies a matrix to `values`. dof_kinds() has made `kinds`; decoupled rows become prescribed_dof. All ranks call it
  /// together. Throws RunError on all ranks where the matrix or `kinds` is for other DoFs than `dofs`, or where the row
  /// of a constrained DoF is not decoupled. It also throws where an entry of a free DoF's row is no finite number, or
  /// its diagonal entry is zero.
  UserMatrix(const MatrixRows &rows, const UserDofs &dofs, Array<char> kinds, UserValues &values);

  const Array<char> &kinds() const { return kind; } ///< of the owned DoFs in the space

  /// Copies the values of a matrix to `to`, which has the pattern, and sets to.changed. Returns false on all ranks if
  /// the matrix has another pattern, or where other rows are decoupled. All ranks call it together. Throws RunError on
  /// all ranks where the constructor would refuse an entry.
  bool copy_values(const MatrixRows &rows, const UserDofs &dofs, UserValues &to) const;
  /// Does what copy_values() does, but only compares: `changed` tells whether the matrix has other values.
  bool compare(const MatrixRows &rows, const UserDofs &dofs, const UserValues &values, bool &changed) const;

private:
  struct Copy;

  void number_columns(const MatrixRows &rows, const UserDofs &dofs, CSRMatrix<double> &A);
  void copy(const MatrixRows &rows, const UserDofs &dofs, UserValues &values);
  int  key_of(const UserDofs &dofs, dealii::types::global_dof_index column) const;
  void place_row(int k, const MatrixRow &row, const UserDofs &dofs, UserValues &values, Copy &copy);
  template <class Values>
  bool take_row(int k, const MatrixRow &row, const UserDofs &dofs, Values &to, bool &changed) const;
  template <class Values>
  bool take(const MatrixRows &rows, const UserDofs &dofs, Values &to, bool &changed) const;
  bool is_decoupled(int k, const MatrixRow &row, const UserDofs &dofs, double &diagonal) const;

  // Rows and entries are read in the order of the user's memory, and their tables have that order, too. A column has a
  // key: its number, or its number + `lowest`, which is negative, where its DoF is free.
  Array<char>                                  kind;   // of each DoF of the space
  Array<int>                                   key;    // of each owned row's column
  std::vector<dealii::types::global_dof_index> ghosts; // columns of other ranks in the user's numbers, ascending
  Array<int>                                   ghost_key;
  Array<EntryNumber>                           start; // of each of the user's rows, its first entry in `place`
  Array<int>                                   place; // of the user's entries, in the row of A or of `coupling`
};
} // namespace adamant
