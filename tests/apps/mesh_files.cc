// Meshes from files: all formats, names of boundaries and materials, curved boundaries, stresses, and the shipped cases
// against what is known of them.
#include "frame/parameters/parameters.h"
#include "meshes/mesh_file.h"
#include "program.h"

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{
struct TemplateFromFile : Program
{
  TemplateFromFile()
    : Program(TEMPLATE)
  {}
};

struct TransportFromFile : Program
{
  TransportFromFile()
    : Program(TRANSPORT_DIFFUSION)
  {}
};

struct ElasticityFromFile : Program
{
  ElasticityFromFile()
    : Program(ELASTICITY)
  {}

  Outcome shipped(const std::string &name, const Settings &settings = {})
  {
    std::vector<std::string> arguments = {ELASTICITY_PRM "/" + name, "--backend", "host", "--threads", "2"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    auto outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
};

// The unit square as four cells in the formats that deal.II writes, and in that of Abaqus; all have boundary 0.
void write_squares(const std::filesystem::path &folder)
{
  dealii::Triangulation<2> square;
  dealii::GridGenerator::subdivided_hyper_cube(square, 2);
  dealii::GridOut out;
  out.set_flags(dealii::GridOutFlags::Vtu(true)); // with what deal.II reads
  const auto write = [&](const char *name, const auto &format) {
    std::ofstream file(folder / name);
    format(file);
  };
  write("square.msh", [&](auto &file) { out.write_msh(square, file); });
  write("square.vtk", [&](auto &file) { out.write_vtk(square, file); });
  write("square.vtu", [&](auto &file) { out.write_vtu(square, file); });
  write("square.ucd", [&](auto &file) { out.write_ucd(square, file); });
  std::filesystem::copy_file(folder / "square.ucd", folder / "ucd.inp");
  write("abaqus.inp", [](auto &file) {
    file << "*HEADING\nfour cells\n*NODE\n";
    for (int k = 0; k < 9; ++k)
      file << k + 1 << ", " << 0.5 * (k % 3) << ", " << 0.5 * (k / 3) << ", 0\n";
    file << "*ELEMENT, TYPE=CPS4, ELSET=EB1\n";
    for (int k = 0; k < 4; ++k)
      {
        const int first = 3 * (k / 2) + k % 2 + 1;
        file << k + 1 << ", " << first << ", " << first + 1 << ", " << first + 4 << ", " << first + 3 << '\n';
      }
  });
}

TEST_F(TemplateFromFile, AllFormatsGiveTheBoxesSolution)
{
  const Settings steps = {"Heat/End time=0.1", "Heat/Output interval=0", "Heat/Adaptive cycles=1"};
  const auto     solve = [&](int refinements, const std::string &file) {
    Settings settings = steps;
    settings.insert(settings.end(), {"Heat/Refinements=" + std::to_string(refinements), "Mesh/File=" + file});
    return run(settings);
  };
  write_squares(folder);
  const auto box = solve(4, "");
  for (const char *file : {"square.msh", "square.vtk", "square.vtu", "square.ucd", "ucd.inp", "abaqus.inp"})
    {
      SCOPED_TRACE(file);
      const auto outcome = solve(3, file);
      EXPECT_EQ(outcome.record.at("dofs"), box.record.at("dofs"));
      EXPECT_NEAR(outcome.l2(), box.l2(), 1e-7 * box.l2()) << "the solver's tolerance";
    }
}

// A parameter file would cut such a path at '#', or make a blank of a tab: then the file's name stays as it was given.
TEST_F(TemplateFromFile, FoldersThatParameterFilesCannotName)
{
  write_squares(folder);
  for (const std::string name : {"a#b", "a\tb", "a  b"})
    {
      SCOPED_TRACE(name);
      std::filesystem::create_directories(folder / name);
      std::filesystem::copy_file(folder / "square.msh", folder / name / "here.msh");
      before = "cd '" + name + "' &&";
      const auto outcome =
        run({"Heat/End time=0.1", "Heat/Output interval=0", "Heat/Refinements=1", "Mesh/File=here.msh"});
      EXPECT_EQ(start({outcome.folder + "/parameters.prm", "--backend", "host", "--threads", "1"}).code, 0)
        << read(name + "/err.txt");
    }
}

// The blob of width 1/4 is zero in double precision 30 away from it; so are its derivatives.
TEST_F(TemplateFromFile, FarFromTheBlob)
{
  write("far.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 80 0 0\n3 80 80 0\n4 0 80 0\n$EndNodes\n"
        "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n");
  const auto outcome = run({"Heat/End time=0.1", "Heat/Output interval=0", "Heat/Refinements=5", "Mesh/File=far.msh"});
  EXPECT_LT(outcome.l2(), 5.) << "the norm of the solution on cells of 2.5 is below 2";
}

using Points  = std::vector<std::vector<double>>;
using Numbers = std::vector<std::vector<int>>; // vertices of cells, counted from 1, in the order of Gmsh

// A mesh as text of a format: vertices in 2D or 3D, and quadrilaterals or hexahedra, which the files number from 11 on.
// Where the format has boundaries, `sides` are lines or quadrilaterals with their ids in front.
std::string mesh_text(const std::string &format, const Points &vertices, const Numbers &cells,
                      const Numbers &sides = {})
{
  const bool         hexahedra = cells[0].size() == 8;
  std::ostringstream out;
  out.precision(15);
  const auto list = [&](const char *separator, const std::vector<int> &numbers, int shift = 0) {
    for (const int k : numbers)
      out << separator << k + shift;
    out << '\n';
  };
  const auto points = [&](const char *separator, bool numbered) {
    for (std::size_t k = 0; k < vertices.size(); ++k)
      {
        if (numbered)
          out << k + 1 << separator;
        out << vertices[k][0] << separator << vertices[k][1] << separator
            << (vertices[k].size() > 2 ? vertices[k][2] : 0.) << '\n';
      }
  };
  const auto elements = [&](const char *separator, const std::string &between, const std::string &between_side) {
    int number = 1;
    for (const auto &side : sides)
      {
        out << number++ << between_side << side[0] << separator << side[0];
        list(separator, {side.begin() + 1, side.end()});
      }
    number = 11;
    for (const auto &cell : cells)
      {
        out << number++ << between;
        list(separator, cell);
      }
  };
  const std::size_t n = vertices.size(), n_cells = cells.size();
  if (format == "msh2")
    {
      out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << n << '\n';
      points(" ", true);
      out << "$EndNodes\n$Elements\n" << n_cells + sides.size() << '\n';
      elements(" ", hexahedra ? " 5 2 1 1" : " 3 2 1 1", hexahedra ? " 3 2 " : " 1 2 ");
      out << "$EndElements\n";
    }
  else if (format == "msh4")
    {
      const std::string dim = hexahedra ? "3" : "2";
      out << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 " << (hexahedra ? "0 1" : "1 0")
          << "\n1 0 0 0 9 9 9 0 0\n$EndEntities\n$Nodes\n1 " << n << " 1 " << n << '\n'
          << dim << " 1 0 " << n << '\n';
      for (std::size_t k = 1; k <= n; ++k)
        out << k << '\n';
      points(" ", false);
      out << "$EndNodes\n$Elements\n1 " << n_cells << " 11 " << 10 + n_cells << '\n'
          << dim << " 1 " << (hexahedra ? 5 : 3) << ' ' << n_cells << '\n';
      elements(" ", "", "");
      out << "$EndElements\n";
    }
  else if (format == "ucd")
    {
      out << "# of a test\n" << n << ' ' << n_cells << " 0 0 0\n";
      points(" ", true);
      elements(" ", hexahedra ? " 0 hex" : " 0 quad", "");
    }
  else if (format == "abaqus.inp")
    {
      out << "*HEADING\nof a test\n*NODE\n";
      points(", ", true);
      out << "*ELEMENT, TYPE=" << (hexahedra ? "C3D8" : "CPS4") << ", ELSET=EB1\n";
      elements(", ", "", "");
    }
  else
    {
      out << "# vtk DataFile Version 3.0\nof a test\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << n << " double\n";
      points(" ", false);
      out << "CELLS " << n_cells << ' ' << n_cells * (cells[0].size() + 1) << '\n';
      for (const auto &cell : cells)
        {
          out << cell.size();
          list(" ", cell, -1);
        }
      out << "CELL_TYPES " << n_cells << '\n';
      for (std::size_t k = 0; k < n_cells; ++k)
        out << (hexahedra ? 12 : 9) << '\n';
    }
  return out.str();
}

const std::vector<std::string> formats = {"msh2", "msh4", "ucd", "abaqus.inp", "vtk"};

std::string file_name(const std::string &format)
{
  return format.rfind("msh", 0) == 0 ? format + ".msh" : format.find('.') != std::string::npos ? format : "m." + format;
}

// The line that says which cell it is that is wrong: the second one, whose number is 12, but VTK has none.
std::string second_cell(const std::string &format, const std::string &text)
{
  const std::string start  = format == "vtk" ? "\n4 0 3 4 5\n" : "\n12";
  const auto        before = text.rfind(start);
  return (format == "vtk" ? "cell 2 (line " : "cell 12 (line ") +
         std::to_string(std::count(text.begin(), text.begin() + before, '\n') + 2) + ")";
}

TEST_F(TemplateFromFile, BadCellsAreNamed)
{
  // Beside a square lies a cell that is right, has a reflex vertex, is a triangle, has no area, or two vertices at one
  // place.
  const Points  square = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}};
  const Numbers cells  = {{1, 2, 3, 4}, {1, 4, 5, 6}};
  struct Case
  {
    std::vector<double> vertex;
    std::string         says;
  };
  for (const auto &[vertex, says] :
       {Case{{-1, 0}, ""}, Case{{-0.2, 0.8}, "is turned inside out at its vertex (-0.2, 0.8)"},
        Case{{-0.5, 0.5}, "is flat at its vertex (-0.5, 0.5)"}, Case{{-1, 1}, "is flat at its vertex (-1, 1)"}})
    for (const auto &format : vertex[0] == -0.2 ? formats : std::vector<std::string>{"msh2"})
      {
        SCOPED_TRACE(format + ", " + says);
        auto vertices = square;
        vertices.push_back(vertex);
        const auto text = mesh_text(format, vertices, cells);
        write(file_name(format), text);
        const Settings settings = {"Mesh/File=" + file_name(format), "Heat/Refinements=2", "Heat/End time=0.1"};
        if (says.empty())
          run(settings);
        else
          expect_refused(settings, "/" + file_name(format) + "': " + second_cell(format, text) + " " + says);
      }
}

TEST_F(TemplateFromFile, AMeshFarFromTheOriginIsRefused)
{
  for (const double x : {1e6, 1e8})
    {
      write("far.msh", mesh_text("msh2", {{x, 0}, {x + 1, 0}, {x + 1, 1}, {x, 1}}, {{1, 2, 3, 4}}));
      const Settings settings = {"Mesh/File=far.msh", "Heat/Refinements=2", "Heat/End time=0.1"};
      if (x == 1e6)
        run(settings);
      else
        expect_refused(settings, "times its own size away from the origin");
    }
}

// Gmsh writes the centres of circles, too.
TEST_F(TemplateFromFile, UnusedVerticesDoNotCount)
{
  for (const auto &format : formats)
    {
      SCOPED_TRACE(format);
      const auto solve = [&](const Points &vertices, const Numbers &cells) {
        write(file_name(format), mesh_text(format, vertices, cells));
        return run({"Mesh/File=" + file_name(format), "Heat/Refinements=3", "Heat/End time=0.1"});
      };
      const auto with    = solve({{0, 0}, {50, 50}, {1, 0}, {1, 1}, {0, 1}, {-50, 0}}, {{1, 3, 4, 5}}),
                 without = solve({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {{1, 2, 3, 4}});
      EXPECT_EQ(with.record.at("dofs"), without.record.at("dofs"));
      EXPECT_EQ(with.l2(), without.l2());
    }
}

TEST_F(TemplateFromFile, CellsAreJoinedAsTheyShould)
{
  const auto file = [&](const Points &vertices, const Numbers &cells, const Numbers &sides = {}) {
    write("m.msh", mesh_text("msh2", vertices, cells, sides));
    return Settings{"Mesh/File=m.msh", "Heat/Refinements=2", "Heat/End time=0.1"};
  };
  // In the x-z plane; deal.II 9.6 refuses it itself.
  expect_refused(file({{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}, {{1, 2, 3, 4}}),
                 DEAL_II_VERSION_GTE(9, 6, 0) ?
                   "is no mesh of quadrilaterals that can be read" :
                   "cell 11 (line 13) is flat at its vertex (0, 0); all vertices have y = 0");
  // The second cell lies on the first one.
  expect_refused(file({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.4, 1}, {0.4, 0}}, {{1, 2, 3, 4}, {2, 3, 5, 6}}),
                 "cell 11 (line 15) is folded over cell 12 (line 16)");
  // Cells that are numbered the other way round are turned.
  run(file({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {2, 1}}, {{1, 2, 3, 4}, {3, 6, 5, 2}}));
  // Vertices 2 and 3 again as 5 and 6: a crack, where both sides of it have an id.
  const Points  doubled = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {2, 0}};
  const Numbers two     = {{1, 2, 3, 4}, {5, 8, 7, 6}};
  const auto not_both = "cell 12 (line 19) is not joined to the cell at its face around (1, 0.5): each has vertices of "
                        "its own there, as on 1 such faces";
  expect_refused(file(doubled, two),
                 "cell 11 (line 17) is not joined to the cell at its face around (1, 0.5): each has "
                 "vertices of its own there, as on 2 such faces");
  expect_refused(file(doubled, two, {{3, 2, 3}}), not_both);
  run(file(doubled, two, {{3, 2, 3}, {4, 5, 6}}));
  // Slits in the lower row of two end at the upper one: between them all vertices at the bottom are doubled.
  // One that is open by little is one, too.
  for (const double width : {0., 1e-9, 1e-5, 1e-2})
    {
      const Points slit = {{0, 0}, {1, 0}, {1 + width, 0}, {2, 0}, {2, 0}, {3, 0}, {0, 1},
                           {1, 1}, {2, 1}, {3, 1},         {0, 2}, {1, 2}, {2, 2}, {3, 2}};
      SCOPED_TRACE(width);
      run(file(slit, {{1, 2, 8, 7}, {3, 4, 9, 8}, {5, 6, 10, 9}, {7, 8, 12, 11}, {8, 9, 13, 12}, {9, 10, 14, 13}},
               {{3, 2, 8}, {4, 3, 8}, {5, 4, 9}, {6, 5, 9}}));
    }
}

TEST_F(TemplateFromFile, CellsShareWholeFaces)
{
  const auto file = [&](const Points &vertices, const Numbers &cells) {
    write("m.msh", mesh_text("msh2", vertices, cells));
    return Settings{"Mesh/File=m.msh", "Heat/Refinements=1", "Heat/End time=0.1"};
  };
  const Points  square = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const Numbers one    = {{1, 2, 3, 4}};
  const auto    with   = [&](const Points &vertices, const Numbers &cells) {
    Points  all_vertices = square;
    Numbers all_cells    = one;
    all_vertices.insert(all_vertices.end(), vertices.begin(), vertices.end());
    all_cells.insert(all_cells.end(), cells.begin(), cells.end());
    return file(all_vertices, all_cells);
  };
  // Two halves at a whole face.
  expect_refused(with({{1, 0.5}, {2, 0}, {2, 0.5}, {2, 1}}, {{2, 6, 7, 5}, {5, 7, 8, 3}}),
                 "cell 12 (line 18) has the vertex (1, 0.5), which lies in or at cell 11 (line 17) but is none of its "
                 "vertices; cells have to share whole faces");
  // A gap that nobody means, and one that may be meant.
  const auto beside = [&](double x) { return with({{x, 0}, {2, 0}, {2, 1}, {x, 1}}, {{5, 6, 7, 8}}); };
  expect_refused(beside(1 + 1e-5), "cell 11 (line 17) has the vertex (1, 0), which lies in or at cell 12 (line 18)");
  expect_refused(beside(1 - 1e-5), "cell 11 (line 17) has the vertex (1, 0), which lies in or at cell 12 (line 18)");
  run(beside(1.01));
  // Thin cells beside a square are no gap.
  run(with({{1.0001, 0}, {1.0001, 1}, {2, 0}, {2, 1}}, {{2, 5, 6, 3}, {5, 7, 8, 6}}));
  // Over one another: a part, a smaller one inside, and bars that have no vertex in each other.
  expect_refused(with({{0.6, 0.6}, {1.6, 0.6}, {1.6, 1.6}, {0.6, 1.6}}, {{5, 6, 7, 8}}),
                 "cell 11 (line 17) has the vertex (1, 1), which lies in or at cell 12 (line 18)");
  expect_refused(with({{0.1, 0.1}, {0.3, 0.1}, {0.3, 0.3}, {0.1, 0.3}}, {{5, 6, 7, 8}}),
                 "cell 12 (line 18) lies over cell 11 (line 17)");
  expect_refused(with({{0.4, -1}, {0.6, -1}, {0.6, 2}, {0.4, 2}}, {{5, 6, 7, 8}}),
                 "cell 11 (line 17) lies over cell 12 (line 18); cells have to share whole faces");
}

// Vertices of refined cells that deal.II has written hang; of its mesh the coarse cells count.
TEST_F(TemplateFromFile, RefinedCellsOfVTU)
{
  dealii::Triangulation<2> square;
  dealii::GridGenerator::subdivided_hyper_cube(square, 2);
  square.begin_active()->set_refine_flag();
  square.execute_coarsening_and_refinement();
  dealii::GridOut out;
  out.set_flags(dealii::GridOutFlags::Vtu(true));
  std::ofstream file(folder / "refined.vtu");
  out.write_vtu(square, file);
  file.close();
  EXPECT_EQ(run({"Mesh/File=refined.vtu", "Heat/Refinements=1", "Heat/Adaptive cycles=0", "Heat/End time=0.1"})
              .record.at("cells"),
            16);
}

// The lower edge of a cell bulges over the upper one.
TEST_F(TransportFromFile, CurvesThatTurnCellsInsideOut)
{
  const Points vertices = {{-1, 0}, {1, 0}, {1, 0.5}, {-1, 0.5}};
  write("m.msh", mesh_text("msh2", vertices, {{1, 2, 3, 4}}, {{7, 1, 2}}));
  const auto settings = [](const std::string &y, int refinements, const Settings &further = {}) {
    Settings all = {"Mesh/File=m.msh",
                    "Mesh/Curved boundaries=7: circle; 0; " + y,
                    "Discretization/Refinements=" + std::to_string(refinements),
                    "Discretization/Adaptive cycles=0",
                    "Problem/Transport=0, 0",
                    "Time stepping/End time=0.04"};
    all.insert(all.end(), further.begin(), further.end());
    return all;
  };
  const std::string cell = "/m.msh': cell 11 (line 14), refined to level ",
                    how  = ", is turned inside out at its vertex (";
  run(settings("-2", 2));
  run(settings("-0.2", 0));
  expect_refused(settings("-0.2", 0, {"Discretization/Degree=2"}),
                 cell + "0, is turned inside out by its curved sides near (");
  expect_refused(settings("-0.2", 2), cell + "1" + how);
  expect_refused(settings("-0.2", 2, {"Ranks/Distributed mesh=true"}), cell + "2" + how);
  // Where the mesh changes in the run, output has been written before.
  for (const std::string distributed : {"false", "true"})
    {
      const Settings later     = settings("-0.2", 0,
                                          {"Adaptivity/Interval=1", "Adaptivity/Indicator=h", "Adaptivity/Largest level=1",
                                           "Adaptivity/Refine fraction=1", "Adaptivity/Coarsen fraction=0",
                                           "Ranks/Distributed mesh=" + distributed});
      Settings       arguments = {"--backend", "host", "--threads", "1"};
      for (const auto &setting : later)
        arguments.insert(arguments.end(), {"--set", setting});
      const auto outcome = start(arguments);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_NE(outcome.message().find("on the mesh after step 1: Mesh/Curved boundaries"), std::string::npos)
        << outcome.err;
      EXPECT_NE(outcome.message().find(cell + "1" + how), std::string::npos) << outcome.err;
    }
}

// In 3D a vertex of the second hexahedron lies in the first one; and in the end all is well.
TEST_F(ElasticityFromFile, BadHexahedraAreNamed)
{
  Points vertices;
  for (int x = 0; x < 3; ++x)
    for (const auto &[y, z] : {std::pair{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}})
      vertices.push_back({double(x), y, z});
  const Numbers cells = {{1, 2, 3, 4, 5, 6, 7, 8}, {5, 6, 7, 8, 9, 10, 11, 12}};
  for (const bool good : {false, true})
    for (const auto &format : good ? std::vector<std::string>{"msh4"} : formats)
      {
        SCOPED_TRACE(format);
        vertices[8][0]  = good ? 2. : 0.5;
        const auto text = mesh_text(format, vertices, cells);
        write(file_name(format), text);
        const Settings settings = {"Mesh/File=" + file_name(format),       "Discretization/Refinement=uniform",
                                   "Discretization/Uniform refinements=1", "Discretization/Refinement steps=0",
                                   "Problem/Dirichlet boundaries=0: xyz",  "Time stepping/Stationary=true",
                                   "Output/Points=0.5, 0.5, 0.5"};
        const auto     line     = std::count(text.begin(), text.begin() + text.rfind("\n12"), '\n') + 2;
        if (good)
          run(settings);
        else if (format == "vtk")
          expect_refused(settings, "cell 2 (line ");
        else
          expect_refused(settings, "cell 12 (line " + std::to_string(line) + ") is turned inside out at its vertex (");
      }
}

// The upper half of a face that two cubes share is cut in two; then a cube lies over another one.
TEST_F(ElasticityFromFile, HexahedraShareWholeFaces)
{
  Points     vertices;
  const auto layer = [&](double x, const std::vector<double> &heights) {
    for (const double z : heights)
      vertices.insert(vertices.end(), {{x, 0., z}, {x, 1., z}});
  };
  layer(0, {0, 1});      // 1 to 4
  layer(1, {0, 0.5, 1}); // 5 to 10
  layer(2, {0, 0.5, 1}); // 11 to 16
  const auto settings = [&](const Numbers &cells) {
    write("m.msh", mesh_text("msh2", vertices, cells));
    return Settings{"Mesh/File=m.msh",
                    "Discretization/Refinement=uniform",
                    "Discretization/Uniform refinements=1",
                    "Discretization/Refinement steps=0",
                    "Problem/Dirichlet boundaries=0: xyz",
                    "Time stepping/Stationary=true",
                    "Output/Points=0.5, 0.5, 0.5"};
  };
  const std::vector<int> left = {1, 5, 6, 2, 3, 9, 10, 4};
  expect_refused(settings({left, {5, 11, 12, 6, 7, 13, 14, 8}, {7, 13, 14, 8, 9, 15, 16, 10}}),
                 "cell 12 (line 26) has the vertex (1, 0, 0.5), which lies in or at cell 11 (line 25)");
  run(settings({left, {5, 11, 12, 6, 9, 15, 16, 10}}));
  vertices.insert(
    vertices.end(),
    {{0.2, 0.2, 0.2}, {3, 0.2, 0.2}, {3, 3, 0.2}, {0.2, 3, 0.2}, {0.2, 0.2, 3}, {3, 0.2, 3}, {3, 3, 3}, {0.2, 3, 3}});
  expect_refused(settings({left, {17, 18, 19, 20, 21, 22, 23, 24}}), "cell 11 (line 33) lies over cell 12 (line 34)");
}

// Lamé's thick cylinder, 1 < r < 2, under the pressure 1 from inside: a quarter of it, one cell high. Second order
// needs new vertices on the circles of all heights, edges included.
TEST_F(ElasticityFromFile, ThickCylinderIn3D)
{
  Points    vertices;
  Numbers   cells, sides;
  const int n_angles = 2, per_height = 2 * (n_angles + 1);
  for (int height = 0; height < 2; ++height)
    for (int k = 0; k <= n_angles; ++k)
      for (int r = 1; r <= 2; ++r)
        vertices.push_back({r * std::cos(k * M_PI_2 / n_angles), r * std::sin(k * M_PI_2 / n_angles), 0.5 * height});
  const auto at = [&](int r, int k, int height) { return 1 + r + 2 * k + per_height * height; };
  for (int k = 0; k < n_angles; ++k)
    {
      cells.push_back({at(0, k, 0), at(1, k, 0), at(1, k + 1, 0), at(0, k + 1, 0), at(0, k, 1), at(1, k, 1),
                       at(1, k + 1, 1), at(0, k + 1, 1)});
      for (const int r : {0, 1})
        sides.push_back({1 + r, at(r, k, 0), at(r, k + 1, 0), at(r, k + 1, 1), at(r, k, 1)});
      for (const int height : {0, 1})
        sides.push_back({5, at(0, k, height), at(1, k, height), at(1, k + 1, height), at(0, k + 1, height)});
    }
  for (const int k : {0, n_angles})
    sides.push_back({k == 0 ? 4 : 3, at(0, k, 0), at(1, k, 0), at(1, k, 1), at(0, k, 1)});
  write("cylinder.msh", mesh_text("msh2", vertices, cells, sides));
  // u_r = (1 + nu) / (3 E) ((1 - 2 nu) r + 4 / r) with E = 1, nu = 0.25
  const std::string axis = "cylinder; 0; 0; 0; 0; 0; 1", factor = "*(1.25/3*(0.5+4/(x^2+y^2)))";
  const auto        error = [&](int refinements, const std::string &distributed = "false") {
    const auto outcome =
      run({"Mesh/File=cylinder.msh", "Mesh/Curved boundaries=1: " + axis + ", 2: " + axis, "Problem/Young modulus=1",
           "Problem/Poisson ratio=0.25", "Problem/Body force=0; 0; 0", "Problem/Dirichlet boundaries=3: x, 4: y, 5: z",
           "Problem/Traction=1: x/sqrt(x^2+y^2); y/sqrt(x^2+y^2); 0",
           "Problem/Exact displacement=x" + factor + "; y" + factor + "; 0", "Discretization/Refinement=uniform",
           "Discretization/Refinement steps=0", "Discretization/Uniform refinements=" + std::to_string(refinements),
           "Time stepping/Stationary=true", "Output/Points=1, 0, 0", "Output/Interval=0",
           "Ranks/Distributed mesh=" + distributed});
    return outcome.l2();
  };
  const double coarse = error(1), middle = error(2), fine = error(3);
  EXPECT_NEAR(std::log2(coarse / middle), 2., 0.15) << "errors " << coarse << ", " << middle << ", " << fine;
  EXPECT_NEAR(std::log2(middle / fine), 2., 0.1) << "errors " << coarse << ", " << middle << ", " << fine;
  EXPECT_NEAR(error(1, "true"), coarse, 1e-6 * coarse) << "on a mesh of p4est";
}

// All new vertices of a shell's boundaries lie on its spheres.
TEST_F(TemplateFromFile, NewVerticesAreOnTheSphere)
{
  dealii::Triangulation<3> shell, mesh;
  dealii::GridGenerator::hyper_shell(shell, dealii::Point<3>(), 0.5, 1., 6, true);
  dealii::GridOut out;
  out.set_flags(dealii::GridOutFlags::Msh(true));
  std::ofstream file(folder / "shell.msh");
  file.precision(17);
  out.write_msh(shell, file);
  file.close();
  dealii::ParameterAcceptor::clear();
  {
    adamant::MeshFileParameters parameters;
    adamant::CommandLine        line;
    line.settings = {"Mesh/File=" + (folder / "shell.msh").string(),
                     "Mesh/Curved boundaries=0: sphere; 0; 0; 0, 1: sphere; 0; 0; 0"};
    adamant::read_parameters(line);
    ASSERT_TRUE(parameters.make_coarse(mesh));
  }
  dealii::ParameterAcceptor::clear();
  mesh.refine_global(2);
  unsigned int n_vertices = 0;
  for (const auto &face : mesh.active_face_iterators())
    for (const unsigned int v : face->vertex_indices())
      if (face->at_boundary())
        {
          EXPECT_NEAR(face->vertex(v).norm(), face->boundary_id() == 0 ? 0.5 : 1., 1e-14) << face->vertex(v);
          ++n_vertices;
        }
  EXPECT_EQ(n_vertices, 2 * 6 * 16 * 4u);
}

// A cube, whose curve, surface and volume have groups of one name, and others of one kind only.
TEST_F(ElasticityFromFile, NamesStandForBoundariesAlone)
{
  const std::string cube =
    mesh_text("msh2", {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
              {{1, 2, 3, 4, 5, 6, 7, 8}}, {{1, 1, 4, 8, 5}, {2, 2, 3, 7, 6}});
  const auto end = cube.find("$Nodes");
  write("names.msh", cube.substr(0, end) +
                       "$PhysicalNames\n6\n0 9 \"corner\"\n1 2 \"clamp\"\n2 1 \"clamp\"\n2 2 \"load\"\n3 1 \"clamp\"\n"
                       "3 1 \"body\"\n$EndPhysicalNames\n" +
                       cube.substr(end));
  const Settings common = {"Mesh/File=names.msh",
                           "Discretization/Refinement=uniform",
                           "Discretization/Uniform refinements=1",
                           "Discretization/Refinement steps=0",
                           "Time stepping/Stationary=true",
                           "Output/Points=0, 0.5, 0.5; 1, 0.5, 0.5"};
  const auto     with   = [&](const std::string &setting) {
    auto settings = common;
    settings.push_back(setting);
    return settings;
  };
  const auto clamped = run(with("Problem/Dirichlet boundaries=clamp: xyz")).record.at("displacements");
  EXPECT_EQ(clamped[0][1].get<double>(), 0.) << "the surface";
  EXPECT_NE(clamped[1][1].get<double>(), 0.);
  EXPECT_EQ(run(with("Problem/Dirichlet boundaries=load: xyz")).record.at("displacements")[1][1].get<double>(), 0.);
  expect_refused(with("Problem/Dirichlet boundaries=body: xyz"), "'body' is a group of dimension 3");
  expect_refused(with("Problem/Dirichlet boundaries=corner: xyz"), "'corner' is a group of dimension 0");
  expect_refused(with("Problem/Young modulus=load: 1"), "'load' is no material of the mesh");
  expect_refused(with("Problem/Dirichlet boundaries=clmp: xyz"), "did you mean 'clamp'");
  // Tetrahedra are cells in 3D, too, so that their surfaces' names do not hide what is wrong.
  write("names.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"clamp\"\n$EndPhysicalNames\n"
                     "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                     "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n");
  expect_refused(with("Problem/Dirichlet boundaries=clamp: xyz"), "has cells that are no hexahedra");
}

TEST_F(TemplateFromFile, Mistakes)
{
  write_squares(folder);
  write("triangle.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
                        "$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n");
  write("empty.msh", "");
  const auto expect = [&](const Settings &settings, const std::vector<std::string> &says) {
    std::vector<std::string> arguments;
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const auto outcome = start(arguments);
    EXPECT_EQ(outcome.code, 2) << settings[0];
    for (const auto &text : says)
      EXPECT_NE(outcome.message().find(text), std::string::npos) << "expected '" << text << "' in: " << outcome.err;
  };
  expect({"Mesh/File=nowhere.msh"}, {"Mesh/File", "/nowhere.msh' cannot be read"});
  expect({"Mesh/File=square.stl"}, {"/square.stl'", ".msh, .vtk, .vtu, .inp, .ucd"});
  expect({"Mesh/File=triangle.msh"}, {"/triangle.msh'", "no quadrilaterals"});
  expect({"Mesh/File=empty.msh"}, {"/empty.msh' is no mesh of quadrilaterals"});
  expect({"Mesh/File=square.msh", "Heat/Dimension=3"}, {"/square.msh' is no mesh of hexahedra"});
  expect({"Mesh/Curved boundaries=0: circle; 0; 0"}, {"Curved boundaries needs Mesh/File"});
  expect({"Mesh/File=square.msh", "Mesh/Curved boundaries=0: ellipse; 0; 0"}, {"'ellipse; 0; 0'", "circle; x; y"});
  expect({"Mesh/File=square.msh", "Mesh/Curved boundaries=7: circle; 0; 0"}, {"the mesh has no boundary 7"});
}

TEST_F(ElasticityFromFile, Mistakes)
{
  const std::string plate = ELASTICITY_PRM "/plate_with_hole.prm", beam = ELASTICITY_PRM "/two_material_beam.prm";
  const auto        expect = [&](const std::string &file, const std::string &setting, const std::string &says) {
    const auto outcome = start({file, "--set", setting});
    EXPECT_EQ(outcome.code, 2) << setting;
    EXPECT_EQ(outcome.out.find("written to"), std::string::npos);
    EXPECT_NE(outcome.message().find(says), std::string::npos) << "expected '" << says << "' in: " << outcome.err;
  };
  expect(plate, "Problem/Dirichlet boundaries=lft: x", "'lft' is no boundary of the mesh");
  expect(plate, "Problem/Dirichlet boundaries=lft: x", "did you mean 'left'");
  expect(plate, "Problem/Traction=19: 1; 0", "the mesh has no boundary 19");
  expect(plate, "Discretization/Refinement=edge", "uniform or kelly");
  expect(plate, "Output/Stress points=0, 0", "Output/Stress points: the point (0 0) lies outside the mesh");
  expect(plate, "Output/Points=0, 2; 0, 0", "Output/Points: the point (0 0) lies outside the mesh");
  expect(plate, "Output/Profiles=0, 0, 4, 4", "Output/Profiles: the point (0 0) lies outside the mesh");
  expect(plate, "Output/Profiles=0, 1, 4", "needs 4 numbers");
  expect(beam, "Problem/Young modulus=stel: 1, 1", "did you mean 'steel'");
  expect(beam, "Problem/Poisson ratio=steel: 0.5, 0.3", "below 0.5");
  expect(beam, "Problem/Young modulus=steel: 1", "there is no entry for material 6");
}

// Lame: a pressure in the hole. Quadratic elements have cells with curved sides, and order 3.
TEST_F(ElasticityFromFile, PressurizedHole)
{
  for (const std::string degree : {"1", "2"})
    {
      const auto solve = [&](int n) {
        return shipped("pressurized_hole.prm",
                       {"Discretization/Degree=" + degree, "Discretization/Uniform refinements=" + std::to_string(n)});
      };
      const auto coarse = solve(2), fine = solve(3);
      EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), degree == "1" ? 2. : 3., 0.1) << "degree " << degree;
      EXPECT_NEAR(fine.record.at("stresses")[0].at("stress_xx"), 10., degree == "1" ? 0.4 : 0.03);
    }
}

// Kirsch: 3 times the stress far away at the top of the hole, -1 times at its side.
TEST_F(ElasticityFromFile, StressesAtAHole)
{
  const auto  outcome  = shipped("plate_with_hole.prm");
  const auto &stresses = outcome.record.at("stresses");
  EXPECT_NEAR(stresses[0].at("stress_xx"), 3., 0.03);
  EXPECT_NEAR(stresses[0].at("stress_yy"), 0., 0.03);
  EXPECT_NEAR(stresses[1].at("stress_yy"), -1., 0.01);
  EXPECT_NEAR(stresses[1].at("stress_xx"), 0., 0.03);
  EXPECT_LE(outcome.record.at("dofs"), 8000);
  // Along x = 0, at a distance y from the centre: 1 + 1 / (2 y²) + 3 / (2 y⁴).
  std::ifstream profile(outcome.folder + "/profile_0.csv");
  std::string   line;
  std::getline(profile, line);
  EXPECT_EQ(line, "x,y,u_x,u_y,stress_xx,stress_xy,stress_yy,von_mises");
  int n = 0;
  for (char comma; std::getline(profile, line); ++n)
    {
      std::istringstream words(line);
      double             x = 0, y = 0, u = 0, stress = 0;
      words >> x >> comma >> y >> comma >> u >> comma >> u >> comma >> stress;
      const double exact = 1. + 0.5 / (y * y) + 1.5 / std::pow(y, 4);
      EXPECT_NEAR(stress, exact, 0.02 * exact) << "at y = " << y;
    }
  EXPECT_EQ(n, 151);
  EXPECT_NEAR(outcome.record.at("profiles")[0].at("stress_xx").at("max"), 3., 0.03);
  // The parameters that were used are a file of their own, in another folder.
  const auto again = start({outcome.folder + "/parameters.prm", "--backend", "host", "--threads", "2"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.record.at("stresses"), stresses);
}

// Without its shape the hole would stay the polygon of the coarse mesh, whose corners have unbounded stresses.
TEST_F(ElasticityFromFile, NewVerticesAreOnTheCircle)
{
  const Settings uniform = {"Discretization/Refinement=uniform", "Discretization/Refinement steps=3"};
  const auto     top     = [&](const Settings &settings) -> double {
    Settings all = uniform;
    all.insert(all.end(), settings.begin(), settings.end());
    return shipped("plate_with_hole.prm", all).record.at("stresses")[0].at("stress_xx");
  };
  EXPECT_NEAR(top({}), 3., 0.1);
  EXPECT_GT(std::abs(top({"Mesh/Curved boundaries="}) - 3.), 0.3);
}

// The theory of composite beams, sigma = E' M (y - y0) / EI with E' = E / (1 - nu²), y0 = 3/8 the neutral axis.
TEST_F(ElasticityFromFile, TwoMaterials)
{
  const auto   outcome = shipped("two_material_beam.prm");
  const double EI = 9.479166667 / 0.91, force = 1e-3, length = 10.;
  EXPECT_NEAR(outcome.record.at("displacements")[0][1], -force * std::pow(length, 3) / (3. * EI),
              0.01 * force * std::pow(length, 3) / (3. * EI))
    << "shear adds half a percent";
  const std::vector<std::pair<double, double>> at = {{210, 0.}, {210, 0.499}, {70, 0.501}, {70, 1.}};
  for (std::size_t k = 0; k < at.size(); ++k)
    {
      const auto [young, y] = at[k];
      const double exact    = young / 0.91 * force * 4.95 * (y - 0.375) / EI;
      EXPECT_NEAR(outcome.record.at("stresses")[k].at("stress_xx"), exact, 1e-3 * std::abs(exact)) << "at y = " << y;
    }
}

// The work of the load on uniform meshes of 9963, 70 227 and 525 987 unknowns tends to 1.1027e-6 (docs/elasticity.md).
TEST_F(ElasticityFromFile, Bracket)
{
  const auto outcome = shipped("bracket.prm");
  EXPECT_NEAR(outcome.record.at("work_of_load"), 1.1027e-6, 0.008 * 1.1027e-6);
  EXPECT_LE(outcome.record.at("dofs"), 12000);
}

// Shigley's group of bolts: a rigid bar has 16 kN / 4 on each, and its moment of 6800 kN mm by their distances of 96.05
// mm from the centre. Elastic bars load the bolts near the end more. Springs and load balance as far as the solver goes.
TEST_F(ElasticityFromFile, BoltedBracket)
{
  const auto expect = [&](const Settings &settings, double tolerance_near, double tolerance_far) {
    const auto                    record = shipped("bolted_bracket.prm", settings).record;
    std::map<std::string, double> forces; // by component
    for (const std::string bolt : {"a", "b", "c", "d"})
      {
        const auto force = [&](const std::string &component) {
          const double integral =
            record.at("statistics").at("integral_u_" + component + "_on_boundary_bolt_" + bolt).get<double>();
          forces[component] -= 1000. * integral;
          return 1000. * integral;
        };
        const bool   near  = bolt == "a" || bolt == "b";
        const double shear = std::hypot(force("x"), force("y")), exact = near ? 20.98e3 : 14.80e3;
        EXPECT_NEAR(shear, exact, (near ? tolerance_near : tolerance_far) * exact) << "bolt " << bolt;
      }
    EXPECT_NEAR(forces["x"], 0., 1e-3);
    EXPECT_NEAR(forces["y"], 16e3, 1e-3);
    return record;
  };
  EXPECT_NEAR(expect({}, 0.02, 0.04).at("stresses")[0].at("stress_xx"), 32., 0.01 * 32.) << "that of a beam";
  expect({"Problem/Young modulus=bar: 207e5, bolts: 207e3", "Discretization/Degree=1",
          "Discretization/Uniform refinements=1"},
         0.005, 0.006);
}

// Between layers of diffusion 1 and 3, the solution has a kink that the fluxes balance.
TEST_F(TransportFromFile, DiffusionOfMaterials)
{
  const std::string exact  = "if(y<0.5,3*y,1+y)";
  const auto        errors = [&](const std::string &diffusions) {
    return run({"Mesh/File=" ELASTICITY_PRM "/meshes/two_material_beam.msh", "Problem/Source=0",
                "Problem/Transport=0, 0", "Problem/Boundary values=" + exact, "Problem/Initial values=" + exact,
                "Problem/Exact solution=" + exact, "Problem/Diffusion=" + diffusions, "Discretization/Refinements=1",
                "Discretization/Adaptive cycles=1", "Time stepping/Output interval=0", "Time stepping/End time=0.2"})
      .l2();
  };
  EXPECT_LT(errors("steel: 1, aluminium: 3"), 1e-7);
  EXPECT_GT(errors("steel: 3, aluminium: 1"), 1e-2);
}
} // namespace
