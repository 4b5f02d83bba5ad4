#pragma once

#include "stokes/cells/cell_matrix.h"

#include <memory>

// The storages of a CellMatrix (host_storage.cc, cells.cu).

namespace adamant
{
namespace host
{
/// Returns a matrix by cells whose products n_threads threads of the host compute, in double or float.
template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cell_storage(int n_threads, const CellMatrix &source);
} // namespace host

namespace cuda
{
/// Returns a matrix by cells in the memory of a GPU, in double or float.
template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cell_storage(DeviceInterface &device, const CellMatrix &source);
} // namespace cuda
} // namespace adamant
