// How the GPU's kernels follow each other, and what of it outlives a device.

#include "algebra/compressed_rows.h"
#include "algebra/cuda/runtime/context.h"
#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "support/functors.h"
#include "support/krylov.h"

#include <memory>

using namespace adamant;
using namespace adamant::test;

namespace
{
class CudaLaunches : public OnDevice
{
protected:
  CudaLaunches()
    : OnDevice(Place::cuda)
  {}
  const cuda::Context &context() const { return static_cast<const cuda::Context &>(device.interface()); }
};
} // namespace

// Kernels may start early only where they were compiled to wait: not where the driver makes code for a new GPU from a
// program that was built for older ones.
TEST_F(CudaLaunches, OverlapWhereKernelsWait)
{
  const Vector<double> memory(device, 1);
  int                 *architecture = reinterpret_cast<int *>(const_cast<double *>(memory.data()));
  device.for_each(1, CompiledFor{architecture});
  int found = 0;
  device.interface().download(&found, architecture, sizeof(found));
  EXPECT_GT(found, 0);
  EXPECT_EQ(context().overlaps_launches(), found >= 900) << "compiled for " << found / 100.;
}

// What loads values of matrices before it waits does not overlap with the kernel that writes them.
TEST_F(CudaLaunches, NothingOverlapsWithAKernelThatWritesAMatrix)
{
  const int      n     = 20;
  Matrix<double> dense = Matrix<double>::dense(device, Array<double>(n * n, 1.), n);
  dense.update_dense(Vector<double>(device, Array<double>(n * n, 2.)));
  EXPECT_FALSE(context().next_launch_may_overlap()) << "behind new values of a dense matrix";
  EXPECT_EQ(context().next_launch_may_overlap(), context().overlaps_launches()) << "only the first launch is apart";

  const auto     pattern = random_matrix(300, 300, Rows::irregular, 1);
  CompressedRows rows(device, pattern);
  rows.values.upload(pattern.value.data());
  Matrix<double> sparse(device, pattern, rows);
  sparse.update(rows);
  EXPECT_FALSE(context().next_launch_may_overlap()) << "behind new values of " << sparse.format();
}

// The last operations of steps that are launched together hold loops, and those the device.
TEST_F(CudaLaunches, ADeviceEndsWithItsLastHandle)
{
  std::weak_ptr<const DeviceInterface> observed;
  {
    const Device fresh  = *make_device(Place::cuda).device;
    observed            = static_cast<cuda::Context &>(fresh.interface()).weak_from_this();
    const Levels levels = q1_levels(2, 3, 3);
    const System p(fresh, levels, MultigridOptions());
    CG           cg(fresh, p.A, p.M);
    GMRES        gmres(fresh, p.A, p.M);
    const auto   b = to_device(fresh, random_values(levels.n_rows(), 1));
    for (int step = 0; step < 3; ++step)
      for (KrylovMethod *method : {static_cast<KrylovMethod *>(&cg), static_cast<KrylovMethod *>(&gmres)})
        {
          Vector<double> x(fresh, b.size());
          fresh.together([&] { return method->launch(b, x, SolverControl()); }).wait();
        }
  }
  EXPECT_TRUE(observed.expired());
}
