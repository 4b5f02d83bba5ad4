// Products of a matrix in double precision with a vector in float, in double precision.

#include "algebra/functors.cuh"

template void adamant::cuda::for_each_row(const DeviceInterface &, const MatrixStorage<double> &,
                                          const Entries<float> &, const Product<double> &);
