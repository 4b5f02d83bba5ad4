#include "dealii/galerkin/galerkin_on_device.h"

#include "dealii/galerkin/sparse_products.h"

namespace adamant
{
CompressedRows rows_on_device(const Device &device, const CSRMatrix<double> &matrix)
{
  CompressedRows rows(device, matrix);
  rows.values.upload(matrix.value.data());
  return rows;
}

GalerkinOnDevice::GalerkinOnDevice(const Device &device, const CSRMatrix<double> &P_, const CSRMatrix<double> &R_,
                                   const CSRMatrix<double> &AP)
  : device(device)
  , P(rows_on_device(device, P_))
  , R(rows_on_device(device, R_))
  , n_rows(AP.n_rows)
  , row_start(device, AP.row_start)
  , column(device, AP.column.size())
  , values(device, to_index(AP.n_nonzeros(), "entries of a product on a device"))
{
  const List<int> unsorted(device, AP.column);
  device.for_each_by_lanes(n_rows, SortColumns{row_start.data(), unsorted.data(), column.data()});
  device.synchronize(); // before `unsorted` goes
}

void GalerkinOnDevice::set_part(const CSRMatrix<double> &part_of_rank, const CSRMatrix<double> &summation)
{
  part = std::make_unique<CompressedRows>(rows_on_device(device, part_of_rank));
  sum  = Matrix<double>(device, summation);
}

void GalerkinOnDevice::compute(const CompressedRows &A, CompressedRows &C)
{
  const RowsView AP{n_rows, elements(row_start), elements(column), elements(values)};
  device.for_each_by_lanes(n_rows, MultiplyRows{A.view(), P.view(), AP, values.data()});
  CompressedRows &product = part ? *part : C;
  device.for_each_by_lanes(R.view().n_rows, MultiplyRows{R.view(), AP, product.view(), product.values.data()});
  if (part)
    device.multiply(1., sum, part->values, 0., C.values);
}
} // namespace adamant
