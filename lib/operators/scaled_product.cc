#include "operators/scaled_product.h"

#include "base/csr_product.h"
#include "base/exceptions.h"

#include <algorithm>
#include <limits>

namespace adamant
{
namespace
{
Array<int> rows_of_entries(const CSRMatrix<double> &matrix)
{
  Array<int> rows(matrix.n_nonzeros());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    std::fill(rows.begin() + matrix.row_start[i], rows.begin() + matrix.row_start[i + 1], i);
  return rows;
}

// That of A B, with the diagonal entry in rows where it has none.
CSRMatrix<double> pattern_of_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  const CSRMatrix<double> AB = local_product(A, B);
  CSRMatrix<double>       K;
  K.n_rows = K.n_cols = AB.n_rows;
  K.row_start.resize(K.n_rows + 1);
  for (int i = 0; i < K.n_rows; ++i)
    K.row_start[i + 1] = std::max<EntryNumber>(AB.row_start[i + 1] - AB.row_start[i], 1);
  finish_row_starts(K);
  for (int i = 0; i < K.n_rows; ++i)
    {
      K.column[K.row_start[i]] = i;
      std::copy(AB.column.begin() + AB.row_start[i], AB.column.begin() + AB.row_start[i + 1],
                K.column.begin() + K.row_start[i]);
    }
  std::fill(K.value.begin(), K.value.end(), std::numeric_limits<double>::quiet_NaN()); // they are on the device
  return K;
}
} // namespace

NodeRows::NodeRows(const Device &device, const CSRMatrix<double> &matrix, int node_size)
  : size(node_size)
{
  Array<EntryNumber> starts(matrix.n_rows + 1, 0);
  Array<int>         nodes;
  Array<double>      values;
  for (int i = 0; i < matrix.n_rows; ++i)
    {
      for (EntryNumber k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
        {
          const int of_column = matrix.column[k] / size;
          if (static_cast<EntryNumber>(nodes.size()) == starts[i] || nodes.back() != of_column)
            {
              nodes.push_back(of_column);
              values.resize(values.size() + size, 0.);
            }
          values[values.size() - size + matrix.column[k] % size] = matrix.value[k];
        }
      starts[i + 1] = static_cast<EntryNumber>(nodes.size());
    }
  start = List<EntryNumber>(device, starts);
  node  = List<int>(device, nodes);
  value = List<double>(device, values);
}

ScaledProduct::ScaledProduct(const Device &device, const CSRMatrix<double> &A, const CSRMatrix<double> &B,
                             int node_size)
  : device(device)
  , A(device, A, node_size)
  , B_transposed(device, transpose(B), node_size)
{
  if (A.n_cols != B.n_rows || A.n_rows != B.n_cols || A.ghosts || B.ghosts)
    throw RunError("scaled product: the matrices do not fit together, or are spread over ranks");
  host = std::make_shared<const CSRMatrix<double>>(pattern_of_product(A, B));
  K    = std::make_shared<CompressedRows>(device, *host);
  row  = List<int>(device, rows_of_entries(*host));
}

void ScaledProduct::update(const Vector<double> &d)
{
  device.for_each(row.size(), ScaledProductEntry{A.view(), B_transposed.view(), d.data(), row.data(), K->view().column,
                                                 K->values.data()});
}
} // namespace adamant
