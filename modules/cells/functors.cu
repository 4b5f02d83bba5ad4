// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "cells/cell_matrix.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const ScaleOfCells &);
template void for_each(const DeviceInterface &, int, const ToFirstNodes<double> &);
template void for_each(const DeviceInterface &, int, const ToFirstNodes<float> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double, GridBlocks<1>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float, GridBlocks<1>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double, ClusterBlocks<1>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float, ClusterBlocks<1>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double, GridBlocks<2>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float, GridBlocks<2>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double, ClusterBlocks<2>> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float, ClusterBlocks<2>> &);
} // namespace adamant::cuda
