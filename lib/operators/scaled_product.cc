#include "operators/scaled_product.h"

#include "base/csr_product.h"
#include "base/exceptions.h"

#include <algorithm>
#include <limits>

namespace adamant
{
namespace
{
CompressedRows on_device(const Device &device, const CSRMatrix<double> &matrix)
{
  CompressedRows rows(device, matrix);
  rows.values.upload(matrix.value.data());
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

ScaledProduct::ScaledProduct(const Device &device, const CSRMatrix<double> &A, const CSRMatrix<double> &B)
  : device(device)
  , A(on_device(device, A))
  , B(on_device(device, B))
{
  if (A.n_cols != B.n_rows || A.n_rows != B.n_cols || A.ghosts || B.ghosts)
    throw RunError("scaled product: the matrices do not fit together, or are spread over ranks");
  host = std::make_shared<const CSRMatrix<double>>(pattern_of_product(A, B));
  K    = std::make_shared<CompressedRows>(device, *host);
}

void ScaledProduct::update(const Vector<double> &d)
{
  device.for_each(host->n_rows, ScaledProductRow{A.view(), B.view(), d.data(), K->view(), K->values.data()});
}
} // namespace adamant
