#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <gtest/gtest.h>

#include <iostream>

int main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 2);
  dealii::MultithreadInfo::set_thread_limit(2);
  // The first rank tells what runs, the others only what fails.
  testing::GTEST_FLAG(brief) = dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) > 0;
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  return dealii::Utilities::MPI::max(failed, MPI_COMM_WORLD);
}
