#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace
{
// This process gets a folder of its own for Open MPI's files, unless a launcher gave it one. In a common folder
// programs that start and end at once fail: one removes it while another one enters it ("orte_session_dir failed").
struct SessionFolder
{
  SessionFolder()
  {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK") || std::getenv("PMI_RANK"))
      return;
    path = (std::filesystem::temp_directory_path() / "adamant_mpi_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      return;
    setenv("OMPI_MCA_orte_tmpdir_base", path.c_str(), 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1); // no daemon: 0.1 s
  }
  ~SessionFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string path;
};
} // namespace

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  const SessionFolder                            folder;
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 2);
  dealii::MultithreadInfo::set_thread_limit(2); // as the applications have it
  return RUN_ALL_TESTS();
}
