#pragma once

#include "algebra/matrix.h"
#include "operators/level_data.h"

#include <memory>
#include <utility>
#include <variant>

namespace adamant
{
/// Returns A of a level in host memory, with its present values.
inline CSRMatrix<double> matrix_on_host(const LevelData &level)
{
  if (level.rowless())
    return level.rowless()->rows();
  CSRMatrix<double> matrix = level.matrix();
  if (level.changing())
    matrix.value = to_host(level.changing()->values);
  return matrix;
}

/// Returns the rows of A in the memory of `device`. Where their values do not change there, this is a copy.
inline std::shared_ptr<const CompressedRows> rows_on(const Device &device, const LevelData &level)
{
  if (const auto *changing = std::get_if<ValuesOnDevice>(&level.values))
    return changing->rows;
  auto copy = std::make_shared<CompressedRows>(device, level.matrix());
  copy->values.upload(level.matrix().value.data());
  return copy;
}

/// Returns A of a level in the memory of `device`.
template <typename Number>
Matrix<Number> make_matrix(const Device &device, const LevelData &level)
{
  if (level.rowless())
    return {device, *level.rowless()};
  return level.changing() ? Matrix<Number>(device, level.matrix(), *level.changing(), level.node_size) :
                            Matrix<Number>(device, level.matrix(), level.node_size);
}

/// Copies the values that a level has now to A. Throws RunError where A was not to change and its entries have been
/// freed.
template <typename Number>
void update_matrix(const LevelData &level, Matrix<Number> &A)
{
  if (level.rowless())
    return A.update(*level.rowless());
  if (level.matrix().column.empty() && level.matrix().n_nonzeros() > 0)
    throw RunError("the entries of a matrix that was not to change have been freed, so that it takes no new values");
  level.changing() ? A.update(*level.changing()) : A.update(level.matrix());
}

/// A level with its matrix on a device, in precision Number, for the V-cycle, its smoothers and its coarse solver.
/// Copies mean the same matrix.
template <typename Number>
struct DeviceLevel : LevelData
{
  DeviceLevel() = default;
  /// Makes A, also where it is made on demand. The object has no P and R: where nobody else has them, they are freed
  /// before A is made.
  DeviceLevel(const Device &device, LevelData data)
    : LevelData(std::move(data))
    , device(device)
  {
    prolongation = restriction = nullptr;
    if (const auto *demand = std::get_if<MadeOnDemand>(&values))
      values = demand->matrix();
    A = make_matrix<Number>(device, *this);
  }
  void update() { update_matrix(*this, A); } ///< takes over the values that the level has now

  Device         device;
  Matrix<Number> A;
};
} // namespace adamant
