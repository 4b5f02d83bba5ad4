// The equations of stationary_navier_stokes and their linear solver: the derivative against differences, exact flows,
// hanging nodes, and iteration counts.
#include "apps/stationary_navier_stokes/continuation.h"
#include "apps/stationary_navier_stokes/estimator.h"
#include "apps/stationary_navier_stokes/results.h"

#include "flow/hanging_vertices.h"

#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <gtest/gtest.h>

#include <iostream>
#include <random>

using namespace stationary_navier_stokes;
using adamant::Device;
using adamant::Linearization;
using adamant::to_host;

namespace
{
Array<double> random_values(std::size_t n, unsigned int seed)
{
  std::mt19937  random(seed);
  Array<double> values(n);
  for (double &value : values)
    value = 2. * random() / 4294967296. - 1.;
  return values;
}

// A level with all that it refers to. Nothing is solved yet.
template <int dim>
struct Setting
{
  using Vector = adamant::Vector<double>;

  explicit Setting(unsigned int refinements, double viscosity = 0.01, unsigned int coarsest_cells = 64)
    : coarsest_cells(coarsest_cells)
  {
    ParameterAcceptor::clear();
    parameters                     = std::make_unique<Parameters>();
    parameters->problem.viscosity  = {"Problem/Viscosity", std::to_string(viscosity), nullptr};
    parameters->problem.body_force = {"Problem/Body force", "0; 0; 0", nullptr,
                                      adamant::Coefficient::Components::vector};
    parameters->problem.dimension  = dim;
    parameters->problem.set("Boundary velocity", "3: 1; 0; 0");
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(refinements);
  }

  FlowLevel<dim> &level()
  {
    if (!flow)
      {
        meshes = std::make_unique<adamant::LevelMeshes<dim>>(mesh, adamant::LevelMeshOptions{coarsest_cells});
        flow   = std::make_unique<FlowLevel<dim>>(device, *parameters, *meshes, meshes->size() - 1, mapping);
      }
    return *flow;
  }

  // From rest, to rounding where nothing else is said.
  Vector solve(double tolerance = 1e-12)
  {
    Vector            x = level().on_device.vector();
    Continuation<dim> continuation(*parameters, record);
    continuation.solve(*flow, tolerance, 0., x);
    return x;
  }

  double energy(const Vector &x)
  {
    return flow_integrals(level().field.finest(), mapping, to_host(level().nodal_values(x))).energy;
  }

  // GMRES's for the derivative at x and a random right-hand side, to 1e-6.
  int iterations(const Vector &x)
  {
    level().linearize(x, Linearization::newton);
    auto        b      = random_values(flow->on_device.size(), 1);
    const auto &space  = flow->field.finest();
    double      mean   = 0.;
    int         n_free = 0;
    for (int i = 0; i < space.n_dofs(); ++i)
      if (!space.is_free(i))
        b[i] = 0.;
      else if (i % (dim + 1) == dim)
        {
          mean += b[i];
          ++n_free;
        }
    for (int i = dim; i < space.n_dofs(); i += dim + 1)
      if (space.is_free(i))
        b[i] -= mean / n_free;
    Vector d = flow->on_device.vector();
    return flow->solve(Vector(device, b), d, 1e-6).iterations;
  }

  const Device                               device = Device::host(2);
  MappingQ1<dim>                             mapping;
  Triangulation<dim>                         mesh;
  adamant::RunRecord                         record = adamant::RunRecord::array();
  std::unique_ptr<Parameters>                parameters;
  std::unique_ptr<adamant::LevelMeshes<dim>> meshes;
  std::unique_ptr<FlowLevel<dim>>            flow;
  unsigned int                               coarsest_cells;
};

// F(x + s d) - F(x - s d) = 2 s J d + O(s³), for a random flow.
template <int dim>
void compare_with_differences(Setting<dim> &setting)
{
  auto       &flow  = setting.level();
  const int   n     = flow.on_device.size();
  const auto &space = flow.field.finest();
  auto        x = random_values(n, 1), d = random_values(n, 2);
  for (int i = 0; i < n; ++i)
    if (!space.is_free(i))
      x[i] = d[i] = 0.;
  using Vector   = adamant::Vector<double>;
  const double s = 1e-4;
  const auto   F = [&](double length) {
    auto moved = x;
    for (int i = 0; i < n; ++i)
      moved[i] += length * d[i];
    Vector r(setting.device, n);
    flow.equations.residual(flow.nodal_values(Vector(setting.device, moved)), r);
    return to_host(r);
  };
  flow.equations.linearize(flow.nodal_values(Vector(setting.device, x)), 1.);
  const auto                    top = flow.field.n_levels() - 1;
  const adamant::Matrix<double> J(setting.device, *flow.equations.J.matrix(top), *flow.equations.J.on_device(top));
  Vector                        Jd(setting.device, n);
  setting.device.multiply(1., J, Vector(setting.device, d), 0., Jd);
  // The error of central differences of two lengths, extrapolated.
  const auto one_up = F(s), one_down = F(-s), two_up = F(2. * s), two_down = F(-2. * s), exact = to_host(Jd);
  double     error = 0., norm = 0.;
  for (int i = 0; i < n; ++i)
    {
      const double first = (one_up[i] - one_down[i]) / (2. * s), second = (two_up[i] - two_down[i]) / (4. * s);
      error += std::pow(-(4. * first - second) / 3. - exact[i], 2); // residual() gives -F
      norm += exact[i] * exact[i];
    }
  EXPECT_GT(norm, 0.);
  EXPECT_LE(std::sqrt(error / norm), 1e-9);
}
} // namespace

TEST(FlowEquations, DerivativeIsThatOfTheResidual)
{
  for (const bool force : {false, true})
    for (const double viscosity : {0.1, 1e-3})
      {
        Setting<2> plane(3, viscosity, 1);
        Setting<3> space(1, viscosity, 1);
        if (force) // and a viscosity that varies
          {
            const adamant::Coefficient varies("Problem/Viscosity", std::to_string(viscosity) + "*(1+x*y)", nullptr);
            plane.parameters->problem.body_force = space.parameters->problem.body_force = {
              "force", "1 + y; x; 2", nullptr, adamant::Coefficient::Components::vector};
            plane.parameters->problem.viscosity = space.parameters->problem.viscosity = varies;
          }
        GridTools::distort_random(0.2, plane.mesh, true, 1); // general quadrilaterals
        GridTools::distort_random(0.2, space.mesh, true, 1);
        for (int k = 0; k < 2; ++k) // hanging nodes
          {
            plane.mesh.begin_active()->set_refine_flag();
            plane.mesh.execute_coarsening_and_refinement();
          }
        space.mesh.begin_active()->set_refine_flag();
        space.mesh.execute_coarsening_and_refinement();
        compare_with_differences(plane);
        compare_with_differences(space);
      }
}

// Couette's flow has no curvature, so that nothing is left out: exact on any mesh.
TEST(FlowEquations, CouettesFlowIsExact)
{
  Setting<2> plane(3, 0.02);
  plane.parameters->problem.set("Boundary velocity", "0: y; 0, 1: y; 0, 3: 1; 0");
  plane.mesh.begin_active()->set_refine_flag();
  plane.mesh.execute_coarsening_and_refinement();
  const auto nodal = to_host(plane.level().nodal_values(plane.solve()));
  const auto y     = adamant::support_points(plane.level().field.finest(), plane.mapping);
  const auto n     = nodal.size();
  const auto p     = nodal[2];
  for (std::size_t i = 0; i < n; i += 3)
    {
      EXPECT_NEAR(nodal[i], y[n + i], 1e-10);
      EXPECT_NEAR(nodal[i + 1], 0., 1e-10);
      EXPECT_NEAR(nodal[i + 2], p, 1e-10);
    }
}

namespace
{
// (u, p) of the nodes, from functions of y and x; u_y = 0.
template <typename Velocity, typename Pressure>
Array<double> parallel_flow(Setting<2> &setting, const Velocity &u, const Pressure &p)
{
  const auto    points = adamant::support_points(setting.level().field.finest(), setting.mapping);
  const auto    n      = points.size() / 2;
  Array<double> nodal(n, 0.);
  for (std::size_t i = 0; i < n; i += 3)
    {
      nodal[i]     = u(points[n + i]);
      nodal[i + 2] = p(points[i]);
    }
  return nodal;
}
} // namespace

namespace
{
// The flux of prescribed_velocities through boundary 0, into a box whose cells there are of two sizes.
template <int dim>
double inflow(const std::string &velocity, bool keep_flux)
{
  Setting<dim> box(dim == 2 ? 3 : 2, 0.02);
  box.parameters->problem.set("Boundary velocity", "0: " + velocity);
  box.parameters->problem.set("Boundaries", "1: outflow");
  box.parameters->problem.keep_flux = keep_flux;
  box.mesh.begin_active()->set_refine_flag();
  box.mesh.execute_coarsening_and_refinement();
  auto &level = box.level();
  return -flux_of(to_host(level.nodal_values(level.on_device.vector())), level.field.finest(), box.mapping, 0).net;
}
} // namespace

// A parabola interpolated on n cells lacks 1 / n² of its flux.
TEST(FlowEquations, InflowIsWhatTheExpressionSays)
{
  EXPECT_NEAR(inflow<2>("6 * y * (1 - y); 0.3 * y", true), 1., 1e-13);
  EXPECT_NEAR(inflow<3>("36 * y * (1 - y) * z * (1 - z); 0; 0", true), 1., 1e-13);
  EXPECT_NEAR(inflow<2>("6 * y * (1 - y); 0", false), 1. - 1. / 64., 2e-3);
}

// Couette's flow beside a force that the pressure balances, p = 1 + x. On the lower wall are its shear stress and the
// pressure. The test function falls to 0 along the side walls, which adds ∫ p n_x over 1/16 of each. Where nodes hang
// beside the wall the test function must not jump.
TEST(FlowEquations, ForceOnAWallIsThatOfStressAndPressure)
{
  Setting<2> plane(3, 0.02);
  plane.parameters->problem.body_force = {"force", "1; 0", nullptr, adamant::Coefficient::Components::vector};
  for (int k = 0; k < 2; ++k)
    {
      for (const auto &cell : plane.mesh.active_cell_iterators())
        if (cell->center().distance(Point<2>(0.45, 0.)) < 0.2)
          cell->set_refine_flag();
      plane.mesh.execute_coarsening_and_refinement();
    }
  const auto shear    = [](double y) { return y; };
  const auto pressure = [](double x) { return 1. + x; };
  const auto nodal    = parallel_flow(plane, shear, pressure);
  ASSERT_GT(plane.level().field.finest().n_hanging(), 0);
  const auto force = plane.level().equations.force_on(2, adamant::Vector<double>(plane.device, nodal));
  EXPECT_NEAR(force[0], 0.02 + 1. / 16., 1e-14);
  EXPECT_NEAR(force[1], -1.5, 1e-14);
}

// Poiseuille's flow u = y (1 - y), p = -2 ν x, R = ∇p, where viscosity prevails: τ = h² / (12 ν), so that τ |R| is
// h² / 6; and at the inflow ∫ |u_D - u|² = h⁵ / 30. Elsewhere on the boundary the velocity is prescribed exactly.
TEST(FlowEquations, ResidualsAreThoseOfPoiseuillesFlow)
{
  const double viscosity = 1e3, h = 0.125;
  Setting<2>   plane(3, viscosity);
  plane.parameters->problem.set("Boundary velocity", "0: y * (1 - y); 0");
  plane.parameters->problem.set("Boundaries", "1: outflow");
  const auto  parabola = [](double y) { return y * (1. - y); };
  const auto  linear   = [&](double x) { return -2. * viscosity * x; };
  const auto  nodal    = parallel_flow(plane, parabola, linear);
  const auto &space    = plane.level().field.finest();
  const auto  indicators =
    residual_indicators(plane.parameters->problem, space, plane.mapping,
                        plane.level().equations.unresolved(adamant::Vector<double>(plane.device, nodal)), nodal);
  ASSERT_EQ(indicators.size(), 64U);
  for (const auto &cell : space.active_cells())
    {
      const double inside = std::pow(h * h / 6. * h, 2), inflow = std::sqrt(2.) * std::pow(h, 6) / 30.;
      EXPECT_NEAR(indicators[cell->active_cell_index()], std::sqrt(inside + (cell->at_boundary(0) ? inflow : 0.)),
                  1e-5 * h * h * h);
    }
}

// The prototype's kinetic energies in the cavity, an independent program.
TEST(FlowEquations, EnergiesAreThoseOfTheSpecification)
{
  const std::map<double, double> plane = {{100., 0.0341552}, {250., 0.0368380}, {400., 0.0382034}, {1000., 0.0387168}};
  for (const auto &[reynolds, energy] : plane)
    {
      Setting<2> setting(4, 1. / reynolds);
      EXPECT_NEAR(setting.energy(setting.solve()), energy, 6e-8) << "Re = " << reynolds;
    }
  Setting<3> cube(3, 0.01);
  EXPECT_NEAR(cube.energy(cube.solve()), 0.0239035, 6e-8);
}

// A lid without corners: u = 16 x² (1 - x)², whose energy at viscosity 1 is 0.0186244.
TEST(FlowEquations, ConvergesToSecondOrder)
{
  std::vector<double> errors;
  for (const unsigned int refinements : {3, 4, 5})
    {
      Setting<2> setting(refinements, 1.);
      setting.parameters->problem.set("Boundary velocity", "3: 16 * x^2 * (1 - x)^2; 0");
      errors.push_back(std::abs(setting.energy(setting.solve()) - 0.0186244));
    }
  EXPECT_LE(errors[1], 4e-5);
  EXPECT_NEAR(errors[0] / errors[1], 4., 0.4);
  EXPECT_NEAR(errors[1] / errors[2], 4., 0.4);
}

// Refined where the flow turns, the error is nearly that of a uniform mesh of the fine width.
TEST(FlowEquations, HangingNodesAreAsGoodAsUniformMeshes)
{
  Setting<2> coarse(4, 1.), fine(5, 1.), local(4, 1.);
  for (auto *setting : {&coarse, &fine, &local})
    setting->parameters->problem.set("Boundary velocity", "3: 16 * x^2 * (1 - x)^2; 0");
  for (const auto &cell : local.mesh.active_cell_iterators())
    if (cell->center()[1] > 0.3)
      cell->set_refine_flag();
  local.mesh.execute_coarsening_and_refinement();
  const double reference    = 0.0186244;
  const double coarse_error = std::abs(coarse.energy(coarse.solve()) - reference),
               fine_error   = std::abs(fine.energy(fine.solve()) - reference),
               local_error  = std::abs(local.energy(local.solve()) - reference);
  EXPECT_GT(local.level().field.finest().n_hanging(), 0);
  EXPECT_LE(local_error, 1.6 * fine_error);
  EXPECT_LE(local_error, 0.4 * coarse_error);
}

// GMRES around V(2,2) by cell patches: the prototype's counts, which hardly depend on the mesh.
TEST(FlowEquations, IterationCountsAreThoseOfTheSpecification)
{
  const std::map<double, std::vector<int>> plane = {{100., {7, 8, 8}}, {400., {11, 11}}, {1000., {17, 17}}};
  for (const auto &[reynolds, counts] : plane)
    for (unsigned int k = 0; k < counts.size(); ++k)
      {
        Setting<2> setting(4 + k, 1. / reynolds);
        EXPECT_NEAR(setting.iterations(setting.solve(1e-5)), counts[k], 2)
          << "Re = " << reynolds << ", n = " << (16 << k);
      }
  Setting<3> cube(3, 0.01);
  EXPECT_NEAR(cube.iterations(cube.solve(1e-5)), 7, 2);
}

// A linear function is itself on all meshes, at hanging nodes and on the boundary, too.
TEST(FlowEquations, EmbeddingInterpolates)
{
  Setting<2> setting(3, 0.01, 1);
  for (int k = 0; k < 3; ++k)
    {
      setting.mesh.begin_active()->set_refine_flag();
      setting.mesh.execute_coarsening_and_refinement();
    }
  const auto &field     = setting.level().field;
  const auto  linear_on = [&](std::size_t l) {
    const auto    points = adamant::support_points(field.space(l), setting.mapping);
    const auto    n      = std::size_t(field.space(l).n_dofs());
    Array<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = 1. + points[i] - 3. * points[n + i] + double(i % 3);
    return values;
  };
  ASSERT_GT(field.finest().n_hanging(), 0);
  for (std::size_t l = 1; l < field.n_levels(); ++l)
    {
      const auto fine     = product(adamant::embedding((*setting.meshes)[l], field.space(l), field.space(l - 1)),
                                    linear_on(l - 1)),
                 expected = linear_on(l);
      for (std::size_t i = 0; i < fine.size(); ++i)
        ASSERT_NEAR(fine[i], expected[i], 1e-14) << "level " << l << ", DoF " << i;
    }
}

namespace
{
// A channel with a cylinder, refined beside that so that vertices hang on curved edges.
template <int dim>
void refine_at_cylinder(Triangulation<dim> &mesh, unsigned int times, adamant::HangingVertices<dim> *hanging)
{
  GridGenerator::channel_with_cylinder(mesh, 0.03, 2, 2.0, true);
  if (hanging != nullptr)
    hanging->straighten(mesh);
  for (unsigned int k = 0; k <= times; ++k)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        {
          const auto center = cell->center();
          if (k == times || std::hypot(center[0] - 0.17, center[1] - 0.22) < 0.12 / (k + 1))
            cell->set_refine_flag();
        }
      if (hanging != nullptr)
        hanging->restore(mesh);
      mesh.execute_coarsening_and_refinement();
      if (hanging != nullptr)
        hanging->straighten(mesh);
    }
}

// Vertices in the middle of faces beside finer cells, in the mesh of so many global refinements ago.
template <int dim>
void check_gaps(const Triangulation<dim> &mesh, unsigned int generation)
{
  int    n_hanging = 0;
  double gap       = 0.;
  for (const auto &cell : mesh.cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (const auto face = cell->face(f);
          cell->max_refinement_depth() == generation && face->max_refinement_depth() > generation)
        {
          ++n_hanging;
          const unsigned int last = face->n_vertices() - 1;
          Point<dim>         average;
          for (const unsigned int v : face->vertex_indices())
            average += face->vertex(v) / double(face->n_vertices());
          gap = std::max(gap, face->child(0)->vertex(last).distance(average));
        }
  EXPECT_GT(n_hanging, 20) << generation;
  EXPECT_LE(gap, 1e-15) << generation;
}

template <int dim>
void check_hanging_vertices()
{
  Triangulation<dim>            as_it_was, moved;
  adamant::HangingVertices<dim> hanging;
  refine_at_cylinder(as_it_was, 2, static_cast<adamant::HangingVertices<dim> *>(nullptr));
  refine_at_cylinder(moved, 2, &hanging);
  check_gaps(moved, 0);
  hanging.restore(moved);
  double difference = 0., largest = 0.;
  for (unsigned int v = 0; v < moved.n_vertices(); ++v)
    {
      largest    = std::max(largest, moved.get_vertices()[v].norm());
      difference = std::max(difference, moved.get_vertices()[v].distance(as_it_was.get_vertices()[v]));
    }
  EXPECT_GT(largest, 2.);
  EXPECT_LE(difference, 1e-14) << "new vertices lie where they would if none had been moved";
}

// The mesh of refine_at_cylinder() ends with a global refinement: seen from before it other vertices hang.
template <int dim>
void check_globally_refined()
{
  Triangulation<dim> mesh;
  refine_at_cylinder(mesh, 2, static_cast<adamant::HangingVertices<dim> *>(nullptr));
  adamant::HangingVertices<dim>().straighten(mesh, 1);
  for (const unsigned int generation : {1, 0})
    check_gaps(mesh, generation);
  const FE_Q<dim>       element(1);
  const QTrapezoid<dim> corners;
  FEValues<dim>         values(element, corners, update_JxW_values);
  double                least = 1.;
  for (const auto &cell : mesh.active_cell_iterators())
    {
      values.reinit(cell);
      for (const unsigned int q : values.quadrature_point_indices())
        least = std::min(least, values.JxW(q) / std::pow(cell->diameter(), dim));
    }
  EXPECT_GT(least, dim == 2 ? 0.01 : 0.001) << "no cell is turned inside out or nearly flat";
}
} // namespace

// They lie on the straight edges that they hang on, and the rest of the mesh is as without it.
TEST(FlowEquations, HangingVerticesLeaveNoGaps)
{
  check_hanging_vertices<2>();
  check_hanging_vertices<3>();
  check_globally_refined<2>();
  check_globally_refined<3>();
}

// 2.5 long and 0.41 wide and high, with a cylinder of diameter 0.1 across.
TEST(FlowEquations, ChannelsIn3DAreTheBenchmarks)
{
  ParameterAcceptor::clear();
  adamant::MeshParameters parameters;
  parameters.type        = "cylinder";
  parameters.refinements = 1;
  Triangulation<3> mesh;
  parameters.check(3);
  parameters.make(mesh);
  EXPECT_NEAR(GridTools::volume(mesh), 0.41 * (2.5 * 0.41 - numbers::PI * 0.0025), 2e-4);
  double first = 0., last = 0.;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        {
          const auto id            = cell->face(f)->boundary_id();
          (id == 0 ? first : last) = id < 2 ? cell->face(f)->center()[0] : last;
          if (id == 2)
            {
              EXPECT_NEAR(cell->face(f)->vertex(0).distance({0.2, 0.2, cell->face(f)->vertex(0)[2]}), 0.05, 1e-12);
            }
        }
  EXPECT_NEAR(first, -0.3, 1e-12);
  EXPECT_NEAR(last, 2.2, 1e-12);
}
