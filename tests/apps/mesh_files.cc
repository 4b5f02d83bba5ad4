// Meshes from files: all formats, names of boundaries and materials, curved boundaries, stresses, and the shipped cases
// against what is known of them.
#include "program.h"

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace
{
using Settings = std::vector<std::string>;

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

// The blob of width 1/4 is zero in double precision 30 away from it; so are its derivatives.
TEST_F(TemplateFromFile, FarFromTheBlob)
{
  write("far.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 80 0 0\n3 80 80 0\n4 0 80 0\n$EndNodes\n"
        "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n");
  const auto outcome = run({"Heat/End time=0.1", "Heat/Output interval=0", "Heat/Refinements=5", "Mesh/File=far.msh"});
  EXPECT_LT(outcome.l2(), 5.) << "the norm of the solution on cells of 2.5 is below 2";
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
  expect({"Mesh/File=nowhere.msh"}, {"Mesh/File", "'nowhere.msh' cannot be read"});
  expect({"Mesh/File=square.stl"}, {"'square.stl'", ".msh, .vtk, .vtu, .inp, .ucd"});
  expect({"Mesh/File=triangle.msh"}, {"'triangle.msh'", "no quadrilaterals"});
  expect({"Mesh/File=empty.msh"}, {"'empty.msh' is no mesh of quadrilaterals"});
  expect({"Mesh/File=square.msh", "Heat/Dimension=3"}, {"'square.msh' is no mesh of hexahedra"});
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
  expect(plate, "Output/Stress points=0, 0", "outside the mesh");
  expect(plate, "Output/Profiles=0, 1, 4", "needs 4 numbers");
  expect(beam, "Problem/Materials=stel: 1; 0; 1", "did you mean 'steel'");
  expect(beam, "Problem/Materials=steel: 1; 0.5; 1", "below 0.5");
  expect(beam, "Problem/Materials=steel: 1; 0.3", "three numbers");
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
  EXPECT_EQ(line, "x,y,stress_xx,stress_xy,stress_yy,von_mises");
  int n = 0;
  for (char comma; std::getline(profile, line); ++n)
    {
      std::istringstream words(line);
      double             x = 0, y = 0, stress = 0;
      words >> x >> comma >> y >> comma >> stress;
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

// Between layers of diffusion 1 and 3, the solution has a kink that the fluxes balance.
TEST_F(TransportFromFile, DiffusionOfMaterials)
{
  const std::string exact  = "if(y<0.5,3*y,1+y)";
  const auto        errors = [&](const std::string &diffusions) {
    return run({"Mesh/File=" ELASTICITY_PRM "/meshes/two_material_beam.msh", "Problem/Source=0",
                "Problem/Transport=0, 0", "Problem/Boundary values=" + exact, "Problem/Initial values=" + exact,
                "Problem/Exact solution=" + exact, "Problem/Diffusion of materials=" + diffusions,
                "Discretization/Refinements=1", "Discretization/Adaptive cycles=1", "Time stepping/Output interval=0",
                "Time stepping/End time=0.2"})
      .l2();
  };
  EXPECT_LT(errors("steel: 1, aluminium: 3"), 1e-7);
  EXPECT_GT(errors("steel: 3, aluminium: 1"), 1e-2);
}
} // namespace
