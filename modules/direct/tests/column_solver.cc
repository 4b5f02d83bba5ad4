// Conjugate gradients for many columns at once; their agreement with single columns stands in schur.cc.

#include "direct/column_solver.h"

#include "support/errors.h"
#include "support/krylov.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
class Columns : public DeviceTest
{
};

// The recursion of conjugate gradients goes on to fall where ‖b - A x‖ cannot. CG itself says so.
TEST_P(Columns, CGSaysWhatRoundingDoesNotAllow)
{
  const auto                   A = three_stiff_blocks();
  const ColumnMatrix<double>   matrix(device, A);
  const FunctionPreconditioner M = identity(device);
  ColumnSolver                 columns(device, matrix, 3, M, ColumnSolver::Method::conjugate_gradients);
  auto                         B = to_device(device, random_values(std::size_t(3) * A.n_rows, 6));
  Vector<double>               X(device, B.size());
  expect_error<SolverError>([&] { columns.solve(B, X, control(1e-8, 500, "columns")); },
                            {"CG", "columns", "stagnation"});
}

INSTANTIATE_TEST_SUITE_P(Devices, Columns, all_places, place_name);
} // namespace
