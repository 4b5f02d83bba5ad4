// Parameter files, --set, and the output of time series.
#include "base/exceptions.h"
#include "frame/output/output.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/parameters.h"
#include "frame/parameters/time_parameters.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"
#include "frame/start_up.h"
#include "multigrid/smoothers/registry.h"
#include "solvers/extrapolation.h"

#include <deal.II/base/parameter_handler.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <omp.h>
#include <regex>
#include <sstream>
#include <unistd.h>

using namespace dealii;

namespace
{
struct Shape : ParameterAcceptor
{
  double      length = 1.;
  int         count  = 2;
  std::string kind   = "round";

  Shape()
    : ParameterAcceptor("/Shape")
  {
    add_parameter("Length", length, "", prm, Patterns::Double(0.));
    add_parameter("Count", count);
    add_parameter("Kind", kind, "", prm, Patterns::Selection("round|square"));
  }
};

class Application : public testing::Test
{
protected:
  Application()
    : folder(std::filesystem::temp_directory_path() / ("adamant_application_" + std::to_string(getpid())))
  {
    ParameterAcceptor::clear();
    shape  = std::make_unique<Shape>();
    solver = std::make_unique<adamant::LinearSolverParameters>();
    std::filesystem::create_directories(folder);
  }
  ~Application() override
  {
    shape.reset();
    solver.reset();
    ParameterAcceptor::clear();
    std::filesystem::remove_all(folder);
  }

  std::string write(const std::string &name, const std::string &text) const
  {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  void read(const std::string &file, const std::vector<std::string> &settings = {}) const
  {
    adamant::CommandLine line;
    line.parameter_file = file;
    line.settings       = settings;
    adamant::read_parameters(line);
  }

  // The message of the InputError that reading ends with has all of these texts.
  void expect_error(const std::string &file, const std::vector<std::string> &settings,
                    const std::vector<std::string> &texts) const
  {
    try
      {
        read(file, settings);
        ADD_FAILURE() << "InputError expected";
      }
    catch (const adamant::InputError &error)
      {
        const std::string message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos) << "one line expected: " << message;
        for (const auto &text : texts)
          EXPECT_NE(message.find(text), std::string::npos) << "expected '" << text << "' in: " << message;
      }
  }

  std::filesystem::path                            folder;
  std::unique_ptr<Shape>                           shape;
  std::unique_ptr<adamant::LinearSolverParameters> solver;
};

TEST_F(Application, FileThenSettings)
{
  read(write("good.prm", "subsection Shape\n set Length = 2.5\n set Count = 7\nend\n"),
       {"Shape/Count=9", " Shape/Kind = square ", "Linear solver/Trilinos AMG/Sweeps=3"});
  EXPECT_EQ(shape->length, 2.5);
  EXPECT_EQ(shape->count, 9) << "--set comes after the file";
  EXPECT_EQ(shape->kind, "square");
  EXPECT_EQ(solver->amg.smoother_sweeps, 3u);
}

// As some editors write it, with the mark of UTF-8 and ends of lines of two characters.
TEST_F(Application, FileOfAnotherSystem)
{
  read(write("other.prm", "\xEF\xBB\xBFsubsection Shape\r\n set Length = 2.5\r\nend\r\n"));
  EXPECT_EQ(shape->length, 2.5);
}

TEST_F(Application, DefaultsWithoutAFile)
{
  read("");
  EXPECT_EQ(shape->length, 1.);
  EXPECT_EQ(solver->tolerance, 1e-8);
}

TEST_F(Application, PrintedParametersAreAFile)
{
  read("", {"Shape/Length=3"});
  const auto text = adamant::parameter_text(dealii::ParameterHandler::PRM);
  shape->length   = 0.;
  read(write("printed.prm", text));
  EXPECT_EQ(shape->length, 3.);
}

TEST_F(Application, Include)
{
  const auto common = write("common.prm", "subsection Shape\n set Length = 4\nend\n");
  read(write("including.prm", "include " + common + "\nsubsection Shape\n set Count = 5\nend\n"));
  EXPECT_EQ(shape->length, 4.);
  EXPECT_EQ(shape->count, 5);
  const auto wrong = write("wrong.prm", "\nsubsection Shape\n set Lenth = 4\nend\n");
  expect_error(write("including.prm", "include " + wrong + "\n"), {},
               {"wrong.prm", "Line <3>", "Lenth", "did you mean 'Length'"});
  expect_error(write("including.prm", "include nowhere.prm\n"), {}, {"including.prm", "line 1", "nowhere.prm"});
}

// Paths are relative to the including file, not to where the program runs; messages name the file and line at fault.
TEST_F(Application, IncludeFromOtherFolders)
{
  std::filesystem::create_directories(folder / "parts" / "deep");
  write("parts/deep/length.prm", "# a comment\nset Length = 6\n");
  write("parts/shape.prm", "subsection Shape\n  include deep/length.prm # here\n  set Count = 8\nend\n");
  const auto top = write("top.prm", "\ninclude parts/shape.prm\nsubsection Shape\n  set Kind = square\nend\n");
  read(top);
  EXPECT_EQ(shape->length, 6.);
  EXPECT_EQ(shape->count, 8);
  EXPECT_EQ(shape->kind, "square");
  write("parts/deep/length.prm", "\n\nset Length = long\n");
  expect_error(top, {}, {"top.prm", "Line <3>", "deep/length.prm", "long", "Double"});
  write("parts/deep/length.prm", "\nset Lenth = 3\n");
  expect_error(top, {}, {"Line <2>", "deep/length.prm", "did you mean 'Length'"});
  write("parts/deep/length.prm", "set Length = 3\n");
  write("top.prm", "\ninclude parts/shape.prm\nsubsection Shape\n  set Kint = square\nend\n");
  expect_error(top, {}, {"Line <4>", "top.prm", "did you mean 'Kind'"});
  write("top.prm", "include parts/shape.prm\nend\n");
  expect_error(top, {}, {"Line <2>", "top.prm"});
  write("top.prm", "include parts/../top.prm\n");
  expect_error(top, {}, {"top.prm", "include itself"});
  write("top.prm", "include /dev/zero\n");
  expect_error(top, {}, {"/dev/zero", "line 1", "is no file"});
  write("top.prm", "include parts\n");
  expect_error(top, {}, {"parts", "line 1", "folder"});
}

TEST_F(Application, ErrorsInFiles)
{
  const auto check = [&](const std::string &text, std::vector<std::string> texts) {
    texts.push_back("bad.prm");
    expect_error(write("bad.prm", text), {}, texts);
  };
  check("subsection Shape\n set Lenth = 2\nend\n", {"Line <2>", "Lenth", "did you mean 'Length'"});
  check("\n\nsubsection Shap\nend\n", {"Line <3>", "Shap", "did you mean 'Shape'"});
  check("subsection Shape\n set Tolerance = 1\nend\n", {"Line <2>", "there is 'Linear solver/Tolerance'"});
  check("subsection Shape\n set Length = -1\nend\n", {"Line <2>", "Length", "-1", "Double 0"});
  check("subsection Shape\n set Count = two\nend\n", {"Line <2>", "Count", "two", "Integer"});
  check("subsection Shape\n set Kind = oval\nend\n", {"Line <2>", "Kind", "oval", "round|square"});
  check("subsection Shape\n set Kind = sqare\nend\n", {"Line <2>", "did you mean 'square'"});
  check("subsection Shape\n sett Count = 2\nend\n", {"Line <2>", "did you mean 'set'"});
  check("subsection Shape\n", {"end"});
  check("", {"empty"});
  expect_error((folder / "missing.prm").string(), {}, {"missing.prm", "cannot be opened"});
  expect_error(folder.string(), {}, {folder.string(), "folder"});
}

TEST_F(Application, ErrorsInSettings)
{
  expect_error("", {"Shape/Lenth=2"}, {"--set \"Shape/Lenth=2\"", "did you mean 'Shape/Length'"});
  expect_error("", {"Shape/Length"}, {"--set \"Shape/Length\"", "Section/key=value"});
  expect_error("", {"Length=2"}, {"'Length'", "there is 'Shape/Length'"});
  expect_error("", {"Shape/Tolerance=2"}, {"'Shape/Tolerance'", "there is 'Linear solver/Tolerance'"});
  expect_error("", {"Shape/Length=long"}, {"Shape/Length=long", "Double"});
  std::string smoothers;
  for (const auto &kind : adamant::smoothers())
    smoothers += (smoothers.empty() ? "" : "|") + kind.name;
  expect_error("", {"Linear solver/Smoother=jakobi"}, {"jakobi", smoothers, "did you mean 'jacobi'"});
}

TEST_F(Application, SolverOptions)
{
  read("", {});
  EXPECT_EQ(solver->options("").multigrid.coarse_solver, adamant::CoarseSolverType::automatic);
  read("", {"Linear solver/Solver=cg", "Linear solver/Precision=float64", "Linear solver/Smoother=block_jacobi",
            "Linear solver/Chebyshev=true", "Linear solver/Pre-smoothing steps=5",
            "Linear solver/Coarse solver=smoothing"});
  const auto options = solver->options("pressure");
  EXPECT_EQ(options.type, adamant::SolverType::cg);
  EXPECT_EQ(options.precision, adamant::Precision::float64);
  EXPECT_EQ(options.multigrid.smoother.type, "block_jacobi");
  EXPECT_TRUE(options.multigrid.smoother.chebyshev);
  EXPECT_EQ(options.multigrid.pre_steps, 5);
  EXPECT_EQ(options.multigrid.coarse_solver, adamant::CoarseSolverType::smoothing);
  EXPECT_EQ(options.control.name, "pressure");
  EXPECT_TRUE(solver->coarsest_on_one_rank());
  EXPECT_FALSE(options.multigrid.make_coarse_solver);

  read("", {"Linear solver/Coarse solver=trilinos_amg"});
  EXPECT_EQ(solver->options("").multigrid.coarse_solver, adamant::CoarseSolverType::external);
  EXPECT_TRUE(solver->options("").multigrid.make_coarse_solver);
  EXPECT_FALSE(solver->coarsest_on_one_rank());
}

// Two solvers of one program, each with a section of its own.
TEST_F(Application, SectionsOfSeveralSolvers)
{
  adamant::LinearSolverOptions defaults;
  defaults.type = adamant::SolverType::cg;
  const adamant::LinearSolverParameters pressure(defaults, 64, "/Pressure solver");
  read("", {"Pressure solver/Tolerance=1e-4", "Linear solver/Tolerance=1e-6"});
  EXPECT_EQ(pressure.tolerance, 1e-4);
  EXPECT_EQ(solver->tolerance, 1e-6);
  EXPECT_EQ(pressure.options("").type, adamant::SolverType::cg);
  EXPECT_EQ(pressure.coarsest_cells, 64u);
}

// The end time is a multiple of the time step, or refused.
TEST_F(Application, TimeParameters)
{
  struct Time : adamant::TimeParameters
  {
    Time()
      : adamant::TimeParameters(1., 0.25, "/Clock")
    {
      add_extrapolation_order(2);
      add_output_interval(3);
    }
  };
  const Time time;
  read("", {"Clock/End time=0.9", "Clock/Time step=0.3"});
  EXPECT_NO_THROW(time.check()) << "rounding is no offence";
  const auto schedule = time.schedule();
  EXPECT_EQ(schedule.n_steps, 3u);
  EXPECT_EQ(schedule.step, 0.3);
  EXPECT_EQ(time.extrapolation_order, 2u);
  for (unsigned int step = 0; step <= 7; ++step)
    EXPECT_EQ((adamant::Schedule{0.1, 7, 3}).due(3, step), step % 3 == 0 || step == 7) << step;
  EXPECT_FALSE(schedule.due(0, 3)) << "0: never";
  for (const auto &[settings, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{"Clock/End time=1", "Clock/Time step=0.3"}, "Clock/End time = 1 is not a multiple of Clock/Time step = 0.3"},
         {{"Clock/End time=1", "Clock/Time step=1e-300"}, "Clock/Time step = 1e-300 gives more steps"}})
    {
      read("", settings);
      try
        {
          time.check();
          ADD_FAILURE() << "InputError expected: " << text;
        }
      catch (const adamant::InputError &error)
        {
          EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    }
}

TEST_F(Application, StatisticsHaveOneHeader)
{
  adamant::Statistics statistics;
  statistics.add({{"step", 1}, {"time", 0.1}});
  statistics.add({{"step", 2}, {"time", 1. / 3.}});
  EXPECT_EQ(statistics.text, "step,time\n1,0.1\n2,0.333333333333\n");
}

// One function saves and loads; vectors come back in their order.
TEST_F(Application, StateIsSavedAndLoaded)
{
  const auto                  device = adamant::Device::host(2);
  const adamant::StorageOrder order{adamant::Communicator(), {2, 0, 1}};
  Triangulation<2>            mesh;
  GridGenerator::hyper_cube(mesh);
  const adamant::LevelSpace<2> space(std::shared_ptr<const Triangulation<2>>(&mesh, [](const auto *) {}), FE_Q<2>(1),
                                     {});
  const auto                   serialize = [&](adamant::State state, adamant::Vector<double> &u, double &energy,
                             std::map<unsigned int, std::vector<double>> &forces, adamant::Extrapolation &guess) {
    state.scalar(energy);
    state.scalar(forces);
    state.vector(u, order);
    state.history(guess, device, space);
  };
  adamant::Vector<double>                     u(device, adamant::Array<double>{1., 2., 3.});
  double                                      energy = 0.5;
  std::map<unsigned int, std::vector<double>> forces{{3, {1., 2.}}};
  adamant::Extrapolation                      guess(device, 2);
  for (const double value : {4., 7.})
    {
      adamant::Vector<double> x(device, adamant::Array<double>{value, value + 1., 2., 3.});
      guess.keep(x);
    }
  std::stringstream file;
  {
    adamant::CheckpointWriter::Archive archive(file);
    serialize(adamant::State(archive), u, energy, forces, guess);
  }
  adamant::Vector<double>                     loaded(device, 3);
  double                                      loaded_energy = 0;
  std::map<unsigned int, std::vector<double>> loaded_forces;
  adamant::Extrapolation                      loaded_guess(device, 2);
  {
    adamant::CheckpointReader::Archive archive(file);
    serialize(adamant::State(archive), loaded, loaded_energy, loaded_forces, loaded_guess);
  }
  EXPECT_EQ(adamant::to_host(loaded), adamant::to_host(u));
  EXPECT_EQ(loaded_energy, energy);
  EXPECT_EQ(loaded_forces, forces);
  ASSERT_EQ(loaded_guess.history().size(), 2u);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(adamant::to_host(loaded_guess.history()[i]), adamant::to_host(guess.history()[i]));
  // A vector of another size is refused.
  file.clear();
  file.seekg(0);
  adamant::CheckpointReader::Archive archive(file);
  adamant::Vector<double>            longer(device, 4);
  EXPECT_THROW(serialize(adamant::State(archive), longer, loaded_energy, loaded_forces, loaded_guess),
               adamant::RunError);
}

// The index names every file, in the order of time, and each exists and is not empty.
TEST_F(Application, TimeSeries)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(1);
  DoFHandler<2> dofs(mesh);
  dofs.distribute_dofs(FE_Q<2>(1));
  dealii::Vector<double> values(dofs.n_dofs());
  DataOut<2>             data;
  data.attach_dof_handler(dofs);
  data.add_data_vector(values, "theta");
  data.build_patches();
  adamant::TimeSeries series(folder.string(), "solution");
  for (int k = 0; k < 3; ++k)
    {
      series.write(data, 0.5 * k);
      std::ifstream     in(folder / "solution.pvd");
      const std::string pvd(std::istreambuf_iterator<char>(in), {});
      const std::regex  entry("timestep=\"([^\"]*)\"[^>]*file=\"([^\"]*)\"");
      int               n = 0;
      for (std::sregex_iterator match(pvd.begin(), pvd.end(), entry), end; match != end; ++match, ++n)
        {
          EXPECT_EQ(std::stod((*match)[1]), 0.5 * n);
          const auto file = folder / (*match)[2].str();
          ASSERT_TRUE(std::filesystem::exists(file)) << file << " is listed in " << pvd;
          EXPECT_GT(std::filesystem::file_size(file), 100u);
        }
      EXPECT_EQ(n, k + 1) << "the index after each write: " << pvd;
    }
}

TEST_F(Application, FilesBesideTheProgram)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  DoFHandler<2> dofs(mesh);
  dofs.distribute_dofs(FE_Q<2>(1));
  adamant::TimeSeries series(folder.string(), "beside");
  for (int k = 0; k < 4; ++k)
    {
      series.wait();
      series.start(
        [&, k] {
          dealii::Vector<double> values(dofs.n_dofs());
          DataOut<2>             data;
          data.attach_dof_handler(dofs);
          data.add_data_vector(values, "theta");
          data.build_patches();
          series.write(data, k);
        },
        k > 1);
    }
  series.wait();
  for (const char *file : {"beside_0000.vtu", "beside_0003.vtu"})
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << "expected " << file;
  const auto fail = [] { throw adamant::RunError("the disk is full"); };
  EXPECT_THROW(series.start(fail, false), adamant::RunError);
  series.start(fail, true);
  EXPECT_THROW(series.wait(), adamant::RunError) << "expected what the task threw";
  EXPECT_NO_THROW(series.wait());
}

// OMP_DYNAMIC lets each parallel region have another number of threads.
TEST(SetThreads, AllRegionsHaveAsMany)
{
  const int before = omp_get_max_threads();
  omp_set_dynamic(1);
  adamant::set_threads(3);
  EXPECT_EQ(omp_get_dynamic(), 0);
  int n = 0;
#pragma omp parallel reduction(+ : n)
  n += 1;
  EXPECT_EQ(n, 3);
  adamant::set_threads(before);
}
} // namespace
