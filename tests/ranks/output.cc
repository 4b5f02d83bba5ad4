// VTU files that ranks write together where the disk does not take them.
#include "frame/output/output.h"
#include "base/exceptions.h"
#include "rows.h"

#include <deal.II/numerics/data_out.h>

#include <filesystem>

#include <unistd.h>

using namespace test;

namespace
{
/// The message of a write where one of the files is a place without room, `ranks_per_file` ranks share a file.
std::string message_without_room(const std::string &file, int ranks_per_file = 16)
{
  const adamant::Communicator ranks(world);
  int                         process = getpid(); // of the first rank: others of these tests may run beside this one
  MPI_Bcast(&process, 1, MPI_INT, 0, world);
  const auto        name   = "adamant_output_" + std::to_string(process) + "_" + file;
  const std::string folder = (std::filesystem::temp_directory_path() / name).string();
  if (ranks.rank() == 0)
    {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directory(folder);
      std::filesystem::create_symlink("/dev/full", folder + "/" + file);
    }
  MPI_Barrier(world);
  const auto mesh = adaptive_mesh<2>(world);
  DataOut<2> data;
  data.attach_triangulation(*mesh);
  data.build_patches();
  adamant::TimeSeries series(folder, "solution", ranks, ranks_per_file);
  std::string         message = "none";
  try
    {
      series.write(data, 0.);
    }
  catch (const adamant::RunError &error)
    {
      message = error.what();
      if (message.find("a file is not whole") == std::string::npos) // which all ranks say together
        {
          MPI_Barrier(ranks.handle()); // where the others wait for this rank; a program ends by MPI_Abort
          double unused = 0.;
          ranks.max(&unused, 1);
        }
    }
  MPI_Barrier(world);
  if (ranks.rank() == 0)
    std::filesystem::remove_all(folder);
  return message;
}
} // namespace

TEST(Ranks, FilesOfGroupsAreWhole)
{
  for (int repeat = 0; repeat < 20; ++repeat)
    EXPECT_EQ(message_without_room("other", 2), "none");
}

TEST(Ranks, OutputWithoutRoomIsToldAsAnError)
{
  const std::string message = message_without_room("solution_0000.pvtu");
  if (Utilities::MPI::n_mpi_processes(world) > 1 && Utilities::MPI::this_mpi_process(world) == 0) // which writes it
    {
      EXPECT_NE(message.find("cannot write '"), std::string::npos);
    }
}
