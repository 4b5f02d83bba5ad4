#pragma once

#include "algebra/cuda/runtime/context.h"

#include <memory>
#include <string>

namespace adamant
{
namespace cuda
{
/// Dense square matrix in device memory, row-major; rows are padded to multiples of 4 numbers.
template <typename Number>
class DenseMatrix : public MatrixStorage<Number>
{
public:
  DenseMatrix(std::shared_ptr<Context> context, const Array<double> &row_major, int n);

  void        multiply(Number a, const Number *x, Number b, Number *y) const override;
  void        update_dense(const Array<double> &row_major) override;
  void        update_dense_values(const double *row_major) override;
  std::size_t bytes() const override { return value.size() * sizeof(Number); }
  std::string format() const override { return "dense, " + std::to_string(this->n_rows) + " rows"; }

private:
  std::shared_ptr<Context> context;
  int                      row_length;
  DeviceArray<Number>      value;
};
} // namespace cuda
} // namespace adamant
