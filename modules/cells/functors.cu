// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "cells/cell_matrix.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const ScaleOfCells &);
template void for_each(const DeviceInterface &, int, const ToFirstNodes<double> &);
template void for_each(const DeviceInterface &, int, const ToFirstNodes<float> &);

#define OF_BLOCKS(...)                                                                                 \
  template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double, __VA_ARGS__> &); \
  template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float, __VA_ARGS__> &);
OF_BLOCKS(GridBlocks<1>)
OF_BLOCKS(GridBlocks<2>)
OF_BLOCKS(ClusterBlocks<CellKind<2, 1, 1>>)
OF_BLOCKS(ClusterBlocks<CellKind<2, 1, 2>>)
OF_BLOCKS(ClusterBlocks<CellKind<2, 1, 4>>)
OF_BLOCKS(ClusterBlocks<CellKind<2, 2, 1>>)
OF_BLOCKS(ClusterBlocks<CellKind<2, 2, 2>>)
OF_BLOCKS(ClusterBlocks<CellKind<3, 1, 1>>)
OF_BLOCKS(ClusterBlocks<CellKind<3, 1, 2>>)
OF_BLOCKS(ClusterBlocks<CellKind<3, 1, 5>>)
OF_BLOCKS(ClusterBlocks<CellKind<3, 3, 1>>)
OF_BLOCKS(ClusterBlocks<CellKind<3, 3, 2>>)
#undef OF_BLOCKS
} // namespace adamant::cuda
