#pragma once

#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/csr_matrix.h"
#include "base/host_device.h"

namespace adamant
{
/// What functors see of compressed rows, in the memory of a device.
struct RowsView
{
  int                n_rows;
  const EntryNumber *row_start;
  const int         *column;
  const double      *value;

  /// The place of the entry (i, j), or -1 where it is not stored; columns ascend.
  ADAMANT_HOST_DEVICE EntryNumber find(int i, int j) const
  {
    EntryNumber first = row_start[i], end = row_start[i + 1];
    while (first < end)
      {
        const EntryNumber middle = first + (end - first) / 2;
        if (column[middle] < j)
          first = middle + 1;
        else
          end = middle;
      }
    return first < row_start[i + 1] && column[first] == j ? first : EntryNumber(-1);
  }
  ADAMANT_HOST_DEVICE double entry(int i, int j) const
  {
    const EntryNumber k = find(i, j);
    return k == EntryNumber(-1) ? 0. : value[k];
  }
};

/// Those of a matrix in host memory.
inline RowsView view_of(const CSRMatrix<double> &matrix)
{
  return {matrix.n_rows, matrix.row_start.data(), matrix.column.data(), matrix.value.data()};
}

/// A matrix whose values change, in compressed rows in the memory of a device: assembly writes the values, and products'
/// formats (Matrix::update), diagonals and factors are made of them there. The pattern is that of a matrix in host
/// memory, whose own values mean nothing.
class CompressedRows
{
public:
  CompressedRows(const Device &device, const CSRMatrix<double> &pattern)
    : values(device, to_index(pattern.n_nonzeros(), "entries of a matrix whose values change"))
    , n_rows(pattern.n_rows)
    , row_start(device, pattern.row_start)
    , column(device, pattern.column)
  {}

  RowsView view() const { return {n_rows, row_start.data(), column.data(), values.data()}; }

  Vector<double> values; ///< in the order of the pattern's entries

private:
  int               n_rows;
  List<EntryNumber> row_start;
  List<int>         column;
};

template <typename Number>
Matrix<Number>::Matrix(const Device &device, const CSRMatrix<double> &pattern, const CompressedRows &rows,
                       int node_size)
  : matrix(device.interface().operations(Number()).create_matrix(pattern, node_size, rows.values.data()))
{}

template <typename Number>
void Matrix<Number>::update(const CompressedRows &rows)
{
  matrix->update_values(rows.view());
}

template <typename Number>
void Matrix<Number>::update_dense(const Vector<double> &row_major)
{
  matrix->update_dense_values(row_major.data());
}
} // namespace adamant
