// The load vector against deal.II's own function; rigid-body modes in Trilinos ML.
#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/functions/points.h"
#include "fem/ml.h"
#include "fem/spaces/field.h"
#include "fem/support.h"
#include "multigrid/linear_solver.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>

#include <cmath>
#include <memory>

using namespace test;
using adamant::LevelSpace;

namespace
{
template <int dim>
Vector<double> as_vector(const adamant::Array<double> &values)
{
  return Vector<double>(values.begin(), values.end());
}

template <int dim>
void compare_load(const FiniteElement<dim> &fe, unsigned int seed)
{
  SCOPED_TRACE(fe.get_name());
  const MappingQ1<dim>      mapping;
  const QGauss<dim>         quadrature(fe.degree + 1);
  const QGauss<dim - 1>     face_quadrature(fe.degree + 1);
  const LevelSpace<dim>     space(random_mesh<dim>(seed), fe, {});
  const SmoothFunction<dim> f(fe.n_components());
  Vector<double>            volume(space.n_dofs()), surface(space.n_dofs());
  VectorTools::create_right_hand_side(mapping, space.dof_handler(), quadrature, f, volume);
  expect_close(
    as_vector<dim>(adamant::load_vector<dim>(space, mapping, quadrature, face_quadrature, adamant::everywhere(f), {})),
    volume, 1e-14, "∫ f . φ");

  VectorTools::create_boundary_right_hand_side(mapping, space.dof_handler(), face_quadrature, f, surface, {1, 2});
  const Functions::ZeroFunction<dim> none(fe.n_components());
  expect_close(as_vector<dim>(adamant::load_vector<dim>(space, mapping, quadrature, face_quadrature,
                                                        adamant::everywhere(none), {{1, &f}, {2, &f}})),
               surface, 1e-14, "∫ g . φ over boundaries 1 and 2");
  volume += surface;
  expect_close(as_vector<dim>(adamant::load_vector<dim>(space, mapping, quadrature, face_quadrature,
                                                        adamant::everywhere(f), {{1, &f}, {2, &f}})),
               volume, 1e-14, "both");
}

TEST(Load, AgainstDealii)
{
  for (const auto &fe : elements<2>())
    compare_load<2>(*fe, 1);
  for (const auto &fe : elements<3>())
    compare_load<3>(*fe, 2);
  compare_load<2>(FESystem<2>(FE_Q<2>(2), 2), 3);
}

// Two components of four, as the displacement of a system with velocities.
TEST(Load, OfTheFirstComponents)
{
  const MappingQ1<2>      mapping;
  const QGauss<2>         quadrature(2);
  const FESystem<2>       both(FE_Q<2>(1), 4), half(FE_Q<2>(1), 2);
  const auto              mesh = random_mesh<2>(4);
  const LevelSpace<2>     space(mesh, both, {}), smaller(mesh, half, {});
  const SmoothFunction<2> f(2);
  const auto F = adamant::load_vector<2>(space, mapping, quadrature, QGauss<1>(2), adamant::everywhere(f), {{0, &f}});
  const auto G = adamant::load_vector<2>(smaller, mapping, quadrature, QGauss<1>(2), adamant::everywhere(f), {{0, &f}});
  ASSERT_EQ(F.size(), 2 * G.size());
  for (std::size_t i = 0; i < F.size(); ++i)
    EXPECT_EQ(F[i], i % 4 < 2 ? G[i / 4 * 2 + i % 4] : 0.)
      << "nodes of four components, of which two are loaded, DoF " << i;
}

// The load of a function in one material and of another elsewhere is the sum of their loads there.
TEST(Load, ByMaterial)
{
  const MappingQ1<2>               mapping;
  const FE_Q<2>                    element(1);
  const auto                       mesh = random_mesh<2>(5);
  const LevelSpace<2>              space(mesh, element, {});
  const SmoothFunction<2>          f(1);
  const Functions::ZeroFunction<2> zero;
  unsigned int                     k = 0;
  for (const auto &cell : space.active_cells())
    cell->set_material_id(k++ % 3);
  const auto load = [&](const auto &of) {
    return adamant::load_vector<2>(space, mapping, QGauss<2>(2), QGauss<1>(2), of, {});
  };
  const auto in = [&](unsigned int first, unsigned int last) {
    return load([&, first, last](unsigned int material) -> const Function<2> & {
      return material >= first && material <= last ? static_cast<const Function<2> &>(f) : zero;
    });
  };
  const auto all = load(adamant::everywhere<2>(f)), one = in(1, 1), others = in(2, 2), rest = in(0, 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(all[i], one[i] + others[i] + rest[i], 1e-15);
  EXPECT_NE(one, others);
}

// 2 ε(φ_j) : ε(φ_i) + 4 div φ_j div φ_i
void isotropic_elasticity(const adamant::CellContext<3> &cell, FullMatrix<double> &local)
{
  const auto strain = [&](unsigned int i, unsigned int q) {
    Tensor<2, 3> gradient;
    gradient[cell.component(i)] = cell.gradient(i, q);
    return symmetrize(gradient);
  };
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        local(i, j) +=
          (2. * strain(i, q) * strain(j, q) + 4. * trace(strain(i, q)) * trace(strain(j, q))) * cell.JxW(q);
}

// Elasticity of a clamped cube: ML with the rigid-body modes needs fewer iterations than with constants, and both solve
// it.
TEST(TrilinosAMG, RigidBodyModesHelp)
{
  Triangulation<3> mesh;
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(3);
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->center()[0] < 0.25 && cell->center()[1] > 0.5)
      cell->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  const FESystem<3>             fe(FE_Q<3>(1), 3);
  const MappingQ1<3>            mapping;
  const adamant::LevelMeshes<3> meshes(mesh, {mesh.n_active_cells()});
  const adamant::Field<3>       u(meshes, "u", fe, {{0, ComponentMask()}});
  adamant::Form<3>              form("A", u, unknowns(u), mapping, QGauss<3>(2),
                                     update_values | update_gradients | update_JxW_values, isotropic_elasticity,
                                     adamant::Levels::all);
  form.update();
  const auto  levels = levels_of(u, form);
  const auto &space  = u.finest();
  const int   n      = space.n_dofs();

  adamant::TrilinosAMGOptions options;
  options.node_size = 3;
  adamant::Array<int> all(n);
  for (int i = 0; i < n; ++i)
    all[i] = i;
  const auto x = adamant::support_points(space, mapping, all);
  options.near_null_space.assign(6, adamant::Array<double>(n, 0.));
  for (int i = 0; i < n; ++i)
    {
      const int c = i % 3, d = (c + 1) % 3; // rotation in the plane of c and d: (-x_d, x_c)
      options.near_null_space[c][i]               = 1.;
      options.near_null_space[3 + c][i]           = -x[std::size_t(d) * n + i];
      options.near_null_space[3 + (c + 2) % 3][i] = x[std::size_t((c + 2) % 3) * n + i];
    }

  const adamant::Device device = adamant::Device::host(2);
  Vector<double>        values = random_vector(n, 8);
  for (int i = 0; i < n; ++i)
    values[i] = space.is_free(i) ? values[i] : 0.;
  adamant::Vector<double> b(device, n), with(device, n), without(device, n);
  b.upload(values.begin());
  adamant::LinearSolverOptions solver_options;
  solver_options.type              = adamant::SolverType::cg;
  solver_options.control.tolerance = 1e-10;
  const auto iterations = [&](const adamant::TrilinosAMGOptions &amg_options, adamant::Vector<double> &solution) {
    adamant::LinearSolver solver(device, levels, solver_options,
                                 std::make_unique<ML>(levels.back().matrix(), amg_options));
    return solver.solve(b, solution).iterations;
  };
  const int modes = iterations(options, with), constants = iterations({}, without);
  EXPECT_LT(modes, 0.8 * constants) << modes << " iterations with, " << constants << " without the modes";
  const double norm = std::sqrt(device.dot(with, with));
  EXPECT_GT(norm, 0.);
  device.axpby(-1., without, 1., with);
  EXPECT_LT(std::sqrt(device.dot(with, with)), 1e-7 * norm);
}
} // namespace
