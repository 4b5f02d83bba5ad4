#pragma once

#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"

namespace adamant
{
/// A matrix whose values change, in compressed rows in the memory of a device. Assembly writes the values; products'
/// formats (Matrix::update), diagonals and factors are made of them there. The pattern is that of a matrix in host
/// memory, whose own values are not read. Where its rows are spread over ranks, it is the pattern of one rank, ghosts
/// included.
class CompressedRows
{
public:
  CompressedRows(const Device &device, const CSRMatrix<double> &pattern)
    : values(device, to_index(pattern.n_nonzeros(), "entries of a matrix whose values change"))
    , n_rows(pattern.n_rows)
    , row_start(device, pattern.row_start)
    , column(device, pattern.column)
  {}

  RowsView view() const { return {n_rows, elements(row_start), elements(column), elements(values)}; }

  Vector<double> values; ///< in the order of the pattern's entries

private:
  int               n_rows;
  List<EntryNumber> row_start;
  List<int>         column;
};

template <typename Number>
Matrix<Number>::Matrix(const Device &device, const CSRMatrix<double> &pattern, const CompressedRows &rows,
                       int node_size)
{
  const RowsView view = rows.view();
  matrix              = device.interface().operations(Number()).create_matrix(pattern, node_size, &view);
}

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
