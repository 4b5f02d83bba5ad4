// Statistics, lines and planes of all programs, against exact values.
#include "program.h"

#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace
{
class Outputs : public Program
{
protected:
  using Program::Program;

  // Of run.json; where the program takes steps, statistics.csv ends with the same numbers.
  nlohmann::json statistics(const Settings &settings)
  {
    const auto outcome = run(settings);
    const auto numbers = outcome.record.at("statistics");
    const auto row     = last_row(outcome.folder + "/statistics.csv");
    for (const auto &[name, value] : numbers.items())
      {
        const double number = value;
        EXPECT_NEAR(row.at(name), number, 1e-10 * std::abs(number) + 1e-15) << name;
      }
    return numbers;
  }

  static std::vector<std::string> cells(const std::string &line)
  {
    std::istringstream       in(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    return cells;
  }

  static std::map<std::string, double> last_row(const std::string &file)
  {
    std::ifstream in(file);
    std::string   header, line, last;
    std::getline(in, header);
    while (std::getline(in, line))
      last = line;
    std::map<std::string, double> row;
    const auto                    names = cells(header), values = cells(last);
    EXPECT_EQ(names.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(row.emplace(names[i], std::stod(values[i])).second) << "two columns " << names[i];
    return row;
  }
};

struct TransportOutputs : Outputs
{
  TransportOutputs()
    : Outputs(TRANSPORT_DIFFUSION)
  {}
};

const Settings at_rest = {"Problem/Transport=0, 0, 0",        "Time stepping/Output interval=0",
                          "Linear solver/Tolerance=1e-13",    "Discretization/Refinements=2",
                          "Discretization/Adaptive cycles=1", "Time stepping/End time=1",
                          "Time stepping/Time step=0.5"};

Settings with_solution(const std::string &exact, const std::string &source)
{
  return {"Problem/Exact solution=" + exact, "Problem/Initial values=" + exact, "Problem/Boundary values=" + exact,
          "Problem/Source=" + source};
}

// A linear function is exact on any mesh. The flux has the diffusion of the end time, and a tensor's off-diagonal.
TEST_F(TransportOutputs, LinearFunctionsAreExact)
{
  const Settings list = {"Output/Statistics=mean theta; min theta; max theta; theta; theta on boundary 2; "
                         "mean theta over material 0; max theta on boundary 0; flux on boundary 1; flux on boundary 2",
                         "Output/Points=0.3, 0.6, 0.7", "Output/Profiles=0, 0.5, 1, 0.25"};
  const auto two = statistics(at_rest + list + with_solution("x+2*y", "0") + Settings{"Problem/Diffusion=0.5*(1+t)"});
  const std::map<std::string, double> expected = {{"mean_theta", 1.5},
                                                  {"min_theta", 0.},
                                                  {"max_theta", 3.},
                                                  {"integral_theta", 1.5},
                                                  {"theta_on_boundary_2", 0.5},
                                                  {"mean_theta_over_material_0", 1.5},
                                                  {"flux_on_boundary_1", -1.},
                                                  {"flux_on_boundary_2", 2.},
                                                  {"max_theta_on_boundary_0", 2.}};
  EXPECT_EQ(two.size(), expected.size());
  for (const auto &[name, value] : expected)
    EXPECT_NEAR(two.at(name).get<double>(), value, 1e-9) << name;
  const auto tensor = statistics(at_rest + list + with_solution("x+2*y", "0") + Settings{"Problem/Diffusion=2; 1; 3"});
  EXPECT_NEAR(tensor.at("flux_on_boundary_1").get<double>(), -4., 1e-9);
  EXPECT_NEAR(tensor.at("flux_on_boundary_2").get<double>(), 7., 1e-9);
}

TEST_F(TransportOutputs, ThreeDimensions)
{
  const auto outcome =
    run(at_rest + with_solution("x+2*y+3*z", "0") +
        Settings{"Problem/Dimension=3", "Problem/Diffusion=0.5", "Discretization/Refinements=1",
                 "Output/Statistics=mean theta on boundary 5; flux on boundary 4", "Output/Points=0.3, 0.6, 0.7",
                 "Output/Planes=0, 0, 0.5, 1, 0, 0, 0, 0.5, 0.5", "Output/Plane points=3, 2"});
  EXPECT_NEAR(outcome.record.at("statistics").at("mean_theta_on_boundary_5"), 4.5, 1e-9);
  EXPECT_NEAR(outcome.record.at("statistics").at("flux_on_boundary_4"), 1.5, 1e-9);
  EXPECT_NEAR(outcome.record.at("at_points").at("theta")[0], 3.6, 1e-9);
  EXPECT_NEAR(outcome.record.at("planes")[0].at("theta").at("max"), 5., 1e-9);
  std::ifstream in(outcome.folder + "/plane_0.csv");
  std::string   line;
  std::getline(in, line);
  EXPECT_EQ(line, "s,t,x,y,z,theta");
  int n = 0;
  for (; std::getline(in, line); ++n)
    {
      std::vector<double> v;
      for (const auto &cell : cells(line))
        v.push_back(std::stod(cell));
      const double s = 0.5 * (n % 3), t = n / 3;
      EXPECT_NEAR(v[0], s, 1e-12);
      EXPECT_NEAR(v[1], std::sqrt(0.5) * t, 1e-10);
      EXPECT_NEAR(v[2], s, 1e-12);
      EXPECT_NEAR(v[3], 0.5 * t, 1e-12);
      EXPECT_NEAR(v[4], 0.5 + 0.5 * t, 1e-12);
      EXPECT_NEAR(v[5], v[2] + 2. * v[3] + 3. * v[4], 1e-9);
    }
  EXPECT_EQ(n, 6);
}

// The state at rest of -u'' = f: integrals converge as u does, the flux by quadrature as its gradient.
TEST_F(TransportOutputs, Orders)
{
  const double pi = std::acos(-1.);
  for (const int degree : {1, 2})
    {
      double mean[2], flux[2];
      for (const int i : {0, 1})
        {
          const auto numbers =
            statistics(at_rest + with_solution("sin(pi*x)*exp(y)", "(pi^2-1)*sin(pi*x)*exp(y)") +
                       Settings{"Problem/Diffusion=1", "Discretization/Degree=" + std::to_string(degree),
                                "Discretization/Refinements=" + std::to_string(3 + i),
                                "Discretization/Adaptive cycles=0", "Time stepping/End time=100",
                                "Time stepping/Time step=10", "Output/Statistics=mean theta; flux on boundary 0"});
          mean[i] = std::abs(numbers.at("mean_theta").get<double>() - 2. / pi * (std::exp(1.) - 1.));
          flux[i] = std::abs(numbers.at("flux_on_boundary_0").get<double>() - pi * (std::exp(1.) - 1.));
        }
      EXPECT_GT(std::log2(mean[0] / mean[1]), degree + 0.9)
        << "degree " << degree << ": " << mean[0] << ", " << mean[1];
      EXPECT_GT(std::log2(flux[0] / flux[1]), degree - 0.1)
        << "degree " << degree << ": " << flux[0] << ", " << flux[1];
    }
}

TEST_F(TransportOutputs, Refusals)
{
  const auto refused = [&](const std::string &list, const std::string &message) {
    expect_refused({"Output/Statistics=" + list}, message);
  };
  refused("maen theta", "'maen' in 'maen theta' is none of mean, integral, min, max, zeros; did you mean");
  refused("mean thet", "'thet' is no quantity of this program, which has gradient_x, gradient_y, flux, flux_x, flux_y, "
                       "theta; did you mean 'theta'?");
  refused("flux", "'flux' needs 'on boundary NAME'");
  refused("mean theta on boundry 1", "did you mean 'boundary'?");
  refused("mean theta over material 7", "no cell has material 7");
  refused("mean theta on boundary 9", "the mesh has no boundary 9");
  refused("zeros theta", "zeros are looked for along a boundary");
  refused("mean", "names no quantity");
  refused("mean theta; mean  theta", "occurs twice");
  refused("mean theta on boundary inlet", "'inlet' is no boundary of the mesh");
  expect_refused({"Output/Planes=0, 0, 1, 0, 0, 2"}, "Output/Planes: the point (0 1.04) lies outside the mesh");
  expect_refused({"Output/Planes=0, 0, 1, 0, 0"}, "a plane needs 6 numbers");
  expect_refused({"Output/Points=0.5, 1.5"}, "Output/Points: the point (0.5 1.5) lies outside the mesh");
}

struct HeatOutputs : Outputs
{
  HeatOutputs()
    : Outputs(NONLINEAR_HEAT)
  {}
};

// A conductivity of the solution and of place; u = x is exact.
TEST_F(HeatOutputs, FluxOfTheSolution)
{
  for (const std::string dimension : {"2", "3"})
    {
      const auto numbers = statistics(
        {"Heat/Dimension=" + dimension, "Heat/Exact solution=x", "Heat/Conductivity=1+u^2+y", "Heat/Refinements=2",
         "Heat/Adaptive cycles=0", "Heat/End time=0.1", "Heat/Output interval=0", "Heat/Newton tolerance=1e-12",
         "Linear solver/Tolerance=1e-10", "Output/Statistics=flux on boundary 0; flux on boundary 1; mean u"});
      EXPECT_NEAR(numbers.at("flux_on_boundary_0").get<double>(), 1.5, 1e-8);
      EXPECT_NEAR(numbers.at("flux_on_boundary_1").get<double>(), -2.5, 1e-8);
      EXPECT_NEAR(numbers.at("mean_u").get<double>(), 0.5, 1e-8);
    }
  expect_refused({"Heat/Dimension=3", "Heat/Conductivity=1+u^2+t", "Output/Statistics=flux on boundary 0"},
                 "flux in three dimensions needs Heat/Conductivity without t");
}

struct StokesOutputs : Outputs
{
  StokesOutputs()
    : Outputs(STOKES)
  {}
};

// Poiseuille's flow u = y (1 - y), p = η (1 - 2 x), which Taylor-Hood elements have exactly.
TEST_F(StokesOutputs, Channel)
{
  const auto numbers = statistics(
    {"Problem/Case=expressions", "Problem/Viscosity=2", "Problem/Body force=0; 0", "Discretization/Velocity=q2",
     "Mesh/Cells=1, 1", "Mesh/Refinements=2", "Problem/Boundary velocity=0: y*(1-y); 0, 1: y*(1-y); 0",
     "Output/Files=false", "Problem/Boundaries=no_slip", "Linear solver/Tolerance=1e-11",
     "Output/Statistics=force on boundary 2; force on boundary 0; volume_flux on boundary 1; "
     "kinetic_energy; max speed; max vorticity; max p; mean strain_rate on boundary 3"});
  const std::map<std::string, double> expected = {{"force_x_on_boundary_2", 2.},
                                                  {"force_y_on_boundary_2", 0.},
                                                  {"force_x_on_boundary_0", -2.},
                                                  {"volume_flux_on_boundary_1", 1. / 6.},
                                                  {"integral_kinetic_energy", 1. / 60.},
                                                  {"max_speed", 0.25},
                                                  {"max_vorticity", 1.},
                                                  {"mean_strain_rate_on_boundary_3", 0.5},
                                                  {"max_p", 2.}};
  for (const auto &[name, value] : expected)
    EXPECT_NEAR(numbers.at(name).get<double>(), value, 1e-7) << name;
}

struct FlowOutputs : Outputs
{
  FlowOutputs()
    : Outputs(STATIONARY)
  {}
};

// u = (y (x - 0.3), -y²/2): the wall shear at y = 0 is ν (x - 0.3). The force is that of Force boundaries.
TEST_F(FlowOutputs, ZerosOfTheWallShear)
{
  const std::string u = "y*(x-0.3); -y^2/2";
  double            errors[2];
  for (const int i : {0, 1})
    {
      const auto outcome =
        run({"Problem/Viscosity=0.1", "Problem/Body force=y^2/2*(x-0.3); y^3/2+0.1",
             "Problem/Boundary velocity=0: " + u + ", 1: " + u + ", 2: " + u + ", 3: " + u,
             "Mesh/Refinements=" + std::to_string(3 + i), "Output/Files=false", "Output/Force boundaries=2",
             "Output/Statistics=zeros wall_shear on boundary 2; force on boundary 2; wall_shear on boundary 2"});
      const auto numbers = outcome.record.at("statistics");
      const auto zeros   = numbers.at("zeros_wall_shear_on_boundary_2");
      ASSERT_EQ(zeros.size(), 1u);
      EXPECT_NEAR(zeros[0][1], 0., 1e-12);
      errors[i] = std::abs(zeros[0][0].get<double>() - 0.3);
      EXPECT_EQ(numbers.at("force_x_on_boundary_2"), outcome.record.at("forces").at("2")[0]);
      EXPECT_NEAR(numbers.at("wall_shear_on_boundary_2"), 0.1 * 0.2, 0.003);
    }
  EXPECT_LT(errors[0], 0.02);
  EXPECT_LT(errors[1], 0.7 * errors[0] + 1e-6);
}

struct SolidOutputs : Outputs
{
  SolidOutputs()
    : Outputs(ELASTICITY)
  {}
};

// A bar in plane strain that is pulled: σ_xx = 1, σ_zz = ν.
TEST_F(SolidOutputs, PulledBar)
{
  const double E = 2., nu = 0.3;
  const auto   numbers =
    statistics({"Problem/Dimension=2", "Time stepping/Stationary=true", "Problem/Young modulus=2",
                "Problem/Poisson ratio=0.3", "Problem/Dirichlet boundaries=0: x, 2: y", "Problem/Traction=1: 1; 0",
                "Problem/Body force=0; 0", "Linear solver/Tolerance=1e-13", "Output/Interval=0",
                "Discretization/Uniform refinements=2", "Discretization/Refinement steps=0",
                "Output/Statistics=force on boundary 0; force on boundary 1; max von_mises; mean u on boundary 1; "
                "max u; integral stress_xx"});
  const std::map<std::string, double> expected = {{"force_x_on_boundary_0", -1.},
                                                  {"force_x_on_boundary_1", 1.},
                                                  {"force_y_on_boundary_1", 0.},
                                                  {"max_von_mises", std::sqrt(1. - nu + nu * nu)},
                                                  {"mean_u_x_on_boundary_1", (1. - nu * nu) / E},
                                                  {"max_u_x", (1. - nu * nu) / E},
                                                  {"max_u_y", 0.},
                                                  {"integral_stress_xx", 1.}};
  for (const auto &[name, value] : expected)
    EXPECT_NEAR(numbers.at(name).get<double>(), value, 1e-9) << name;
}

struct NavierStokesOutputs : Outputs
{
  NavierStokesOutputs()
    : Outputs(NAVIER_STOKES)
  {}
};

// What flows in at the end flows out, and forces equal the recorded ones; another boundary may have one, too.
TEST_F(NavierStokesOutputs, PastACylinder)
{
  const auto outcome =
    run({"Problem/Viscosity=1e-3", "Mesh/Type=cylinder", "Mesh/Refinements=1", "Time stepping/Time step=0.0004",
         "Time stepping/End time=0.01", "Problem/Boundary velocity=0: 6*y*(0.41-y)/0.1681; 0",
         "Problem/Boundaries=1: outflow", "Output/Force boundaries=2", "Output/Force scale=500",
         "Output/Statistics interval=5",
         "Output/Statistics=force on boundary 2; force on boundary 3; volume_flux on boundary 0; volume_flux on "
         "boundary 1; kinetic_energy; max speed"});
  const auto row = last_row(outcome.folder + "/statistics.csv");
  for (const std::string axis : {"x", "y"})
    EXPECT_EQ(row.at("force2_" + axis), row.at("force_" + axis + "_on_boundary_2"));
  EXPECT_NE(row.at("force_x_on_boundary_3"), row.at("force_x_on_boundary_2"));
  EXPECT_FALSE(row.count("force3_x") > 0);
  EXPECT_NEAR(row.at("volume_flux_on_boundary_0"), -0.41, 0.01);
  EXPECT_NEAR(row.at("volume_flux_on_boundary_1"), 0.41, 0.01);
  EXPECT_NEAR(row.at("integral_kinetic_energy"), row.at("kinetic_energy"), 0.05 * row.at("kinetic_energy"));
}
struct FileFields : Outputs
{
  using Outputs::Outputs;

  // The names of the fields in the first VTU file; deal.II writes vectors first.
  std::string in_file(const Settings &settings, const std::string &file = "solution_0000.vtu")
  {
    const auto        outcome = run(settings);
    std::ifstream     in(outcome.folder + "/" + file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto        begin = text.find("<PointData");
    const std::regex  name("DataArray type=\"[A-Za-z0-9]*\" Name=\"([^\"]*)\"");
    std::string       names;
    for (std::sregex_iterator match(text.begin() + static_cast<long>(begin), text.end(), name), end; match != end;
         ++match)
      names += (names.empty() ? "" : " ") + (*match)[1].str();
    return names;
  }
  // By default, and with Output/Fields.
  void compare(const Settings &settings, const std::string &usual, const std::string &list, const std::string &expected)
  {
    EXPECT_EQ(in_file(settings), usual);
    EXPECT_EQ(in_file(settings + Settings{"Output/Fields=" + list}), expected);
  }
};

struct TransportFields : FileFields
{
  TransportFields()
    : FileFields(TRANSPORT_DIFFUSION)
  {}
};

TEST_F(TransportFields, Names)
{
  compare({"Discretization/Refinements=2", "Time stepping/End time=0"}, "theta", "flux, gradient, material, level",
          "flux gradient theta material level");
  expect_refused({"Output/Fields=gradient, flx"},
                 "Output/Fields: 'flx' is no derived field of this program, which has flux, gradient, material, level, "
                 "rank; did you mean 'flux'?");
  expect_refused({"Output/Fields=flux, flux"}, "Output/Fields: 'flux' occurs twice");
}

struct HeatFields : FileFields
{
  HeatFields()
    : FileFields(NONLINEAR_HEAT)
  {}
};

TEST_F(HeatFields, Names)
{
  compare({"Heat/Refinements=2", "Heat/Adaptive cycles=0", "Heat/End time=0"}, "u", "flux, rank", "flux u rank");
  expect_refused({"Heat/Dimension=3", "Heat/Conductivity=1+u^2+t", "Output/Fields=flux"},
                 "flux in three dimensions needs Heat/Conductivity without t");
}

struct SolidFields : FileFields
{
  SolidFields()
    : FileFields(ELASTICITY)
  {}
};

TEST_F(SolidFields, Names)
{
  const Settings bar = {"Problem/Dimension=2", "Discretization/Uniform refinements=1",
                        "Discretization/Refinement steps=0", "Time stepping/Stationary=true", "Output/Interval=1"};
  compare(bar, "displacement velocity stress_xx stress_xy stress_yy von_mises", "strain, material",
          "displacement velocity strain_xx strain_xy strain_yy material");
  EXPECT_EQ(in_file(bar + Settings{"Output/Fields="}), "displacement velocity");
  EXPECT_EQ(in_file(bar + Settings{"Problem/Plane=axial", "Problem/Dirichlet boundaries=2: y", "Output/Fields=stress"}),
            "displacement velocity stress_xx stress_xy stress_yy stress_hoop");
}

struct NavierStokesFields : FileFields
{
  NavierStokesFields()
    : FileFields(NAVIER_STOKES)
  {}
};

TEST_F(NavierStokesFields, Names)
{
  for (const std::string dimension : {"2", "3"})
    compare({"Problem/Dimension=" + dimension, "Mesh/Cells=2, 2, 2", "Mesh/Refinements=1", "Time stepping/End time=0",
             "Time stepping/Time step=1e-6", "Output/Interval=1"},
            "velocity vorticity pressure", "speed, strain_rate", "velocity speed strain_rate pressure");
}

struct StationaryFields : FileFields
{
  StationaryFields()
    : FileFields(STATIONARY)
  {}
};

TEST_F(StationaryFields, Names)
{
  compare({"Mesh/Refinements=2", "Problem/Viscosity=1", "Nonlinear solver/Continuation="}, "velocity pressure",
          "vorticity, divergence", "velocity pressure vorticity divergence");
}

struct StokesFields : FileFields
{
  StokesFields()
    : FileFields(STOKES)
  {}
};

TEST_F(StokesFields, Names)
{
  compare({"Problem/Dimension=2", "Mesh/Cells=1, 1", "Mesh/Refinements=2"}, "velocity strain_rate pressure viscosity",
          "vorticity", "velocity vorticity pressure");
}

struct BuoyantFields : FileFields
{
  BuoyantFields()
    : FileFields(BUOYANT_FLOW)
  {}
};

TEST_F(BuoyantFields, Names)
{
  compare({"Problem/Dimension=2", "Mesh/Cells=1, 1", "Mesh/Refinements=2", "Time stepping/Steps=1"},
          "velocity strain_rate pressure composition viscosity", "viscosity, level",
          "velocity level pressure composition viscosity");
}

struct PoissonOutputs : FileFields
{
  PoissonOutputs()
    : FileFields(POISSON)
  {}
};

TEST_F(PoissonOutputs, Names)
{
  compare({"Mesh/Refinements=2", "Problem/Samples=2"}, "first_sample mean standard_deviation", "flux, level",
          "flux first_sample mean standard_deviation level");
}

// -u'' = 1 + s, u(0) = 0, u'(1) = 0, in two batches: u = (1 + s) (x - x²/2) at the nodes for s = 0, 1, 2.
TEST_F(PoissonOutputs, OfEachSampleAndOfTheMean)
{
  const auto outcome =
    run({"Mesh/Refinements=2", "Problem/Samples=3", "Solver/Columns at once=2", "Solver/Compare=false",
         "Problem/Natural boundaries=1, 2, 3", "Problem/Source=(1+s)", "Solver/Refinement tolerance=1e-12",
         "Output/Statistics=mean u; flux on boundary 0; max u on boundary 1; mean flux_x", "Output/Points=1, 0.5",
         "Output/Profiles=0, 0.5, 1, 0.5", "Output/Profile points=5"});
  const auto row = last_row(outcome.folder + "/statistics.csv");
  EXPECT_EQ(row.at("sample"), 2.);
  const auto &mean = outcome.record.at("statistics");
  for (const std::string name : {"mean_u", "flux_on_boundary_0", "max_u_on_boundary_1", "mean_flux_x"})
    EXPECT_NEAR(row.at(name), 1.5 * mean.at(name).get<double>(), 1e-9) << name;
  EXPECT_NEAR(mean.at("max_u_on_boundary_1"), 1., 1e-9);
  EXPECT_NEAR(row.at("point0_u"), 1.5, 1e-9);
  const auto &points = outcome.record.at("at_points");
  EXPECT_NEAR(points.at("first_sample")[0], 0.5, 1e-9);
  EXPECT_NEAR(points.at("mean")[0], 1., 1e-9);
  EXPECT_NEAR(points.at("standard_deviation")[0], 0.5, 1e-9);
  std::ifstream in(outcome.folder + "/profile_0.csv");
  std::string   line;
  std::getline(in, line);
  EXPECT_EQ(line, "x,y,first_sample,mean,standard_deviation");
  EXPECT_NEAR(outcome.record.at("profiles")[0].at("mean").at("max"), 1., 1e-9);
  expect_refused({"Output/Statistics=mean v"}, "'v' is no quantity of this program");
  expect_refused({"Output/Points=2, 0.5"}, "Output/Points: the point (2 0.5) lies outside the mesh");
  expect_refused({"Problem/Domain=flow_around_square", "Output/Statistics=mean u"},
                 "Problem/Domain = flow_around_square has no Output/Statistics, Points, Profiles and Planes");
}
} // namespace
