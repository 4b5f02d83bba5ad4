#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <gtest/gtest.h>

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 2);
  dealii::MultithreadInfo::set_thread_limit(2); // as the applications have it
  return RUN_ALL_TESTS();
}
