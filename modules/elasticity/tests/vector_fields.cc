// Fields of several components: nodal values, errors, rigid-body modes, kernels by pairs of nodes, stresses and
// energies.
#include "elasticity/elastic_results.h"
#include "elasticity/stiffness.h"
#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "fem/support.h"

#include <deal.II/base/function_parser.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor_function.h>
#include <deal.II/fe/mapping_q1.h>

#include <cmath>

using namespace test;
using adamant::CellContext;
using adamant::LevelSpace;

namespace
{
Vector<double> as_vector(const adamant::Array<double> &values)
{
  return Vector<double>(values.begin(), values.end());
}

// u_c = sum_d G_cd x_d.
template <int dim>
class LinearField : public Function<dim>
{
public:
  explicit LinearField(const Tensor<2, dim> &gradient)
    : Function<dim>(dim)
    , gradient(gradient)
  {}
  double value(const Point<dim> &p, unsigned int c) const override { return gradient[c] * p; }

private:
  const Tensor<2, dim> gradient;
};

template <int dim>
Tensor<2, dim> some_gradient()
{
  Tensor<2, dim> gradient;
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      gradient[c][d] = 0.3 * c - 0.7 * d + c * d + 0.1;
  return gradient;
}

template <int dim>
void compare_nodal_values(unsigned int degree)
{
  const MappingQ1<dim>      mapping;
  const LevelSpace<dim>     space(random_mesh<dim>(5), FESystem<dim>(FE_Q<dim>(degree), dim), {});
  const SmoothFunction<dim> f(dim), g(1);
  Vector<double>            expected(space.n_dofs());
  VectorTools::interpolate(mapping, space.dof_handler(), f, expected);
  const auto values = adamant::nodal_values(space, mapping, f);
  expect_close(as_vector(values), expected, 1e-15, "nodal values");

  const auto component = adamant::components(space);
  const auto second    = adamant::nodal_values(space, mapping, g, 1); // g in the component 1 alone
  for (int i = 0; i < space.n_dofs(); ++i)
    if (component[i] != 1)
      {
        ASSERT_EQ(second[i], 0.) << i;
      }
  EXPECT_EQ(adamant::nodal_values(space, mapping, f, {3, 1, 4})[2], values[4]);

  Vector<double> cells(space.n_cells());
  const double   found = adamant::l2_error(space, mapping, QGauss<dim>(3), second.data(), f);
  VectorTools::integrate_difference(mapping, space.dof_handler(), as_vector(second), f, cells, QGauss<dim>(3),
                                    VectorTools::L2_norm);
  EXPECT_NEAR(found, cells.l2_norm(), 1e-13 * found);
}

TEST(VectorFields, NodalValuesAndErrorsAgainstDealii)
{
  for (const unsigned int degree : {1, 2})
    {
      compare_nodal_values<2>(degree);
      compare_nodal_values<3>(degree);
    }
}

TEST(VectorFields, PrescribedAxes)
{
  const FESystem<3> element(FE_Q<3>(1), 6); // two vectors
  const auto        dirichlet = adamant::prescribed_axes<3>({{0, "zx"}, {5, "y"}}, element);
  ASSERT_EQ(dirichlet.size(), 2u);
  for (const unsigned int vector : {0, 3})
    {
      EXPECT_TRUE(dirichlet.at(0)[vector] && !dirichlet.at(0)[vector + 1] && dirichlet.at(0)[vector + 2]);
      EXPECT_TRUE(!dirichlet.at(5)[vector] && dirichlet.at(5)[vector + 1] && !dirichlet.at(5)[vector + 2]);
    }
  EXPECT_TRUE(adamant::prescribed_axes<2>({{4, "z"}}, FESystem<2>(FE_Q<2>(1), 2)).empty());
}

// The matrix of ∫ sigma(φ_j) : epsilon(φ_i), once by pairs of nodes and once by shape functions.
template <int dim>
void compare_elasticity(unsigned int degree)
{
  const adamant::ElasticMaterial  material{3., 2., 5.};
  const MappingQ1<dim>            mapping;
  const QGauss<dim>               quadrature(degree + 1);
  const auto                      mesh = random_mesh<dim>(6);
  const adamant::LevelMeshes<dim> meshes(*mesh, {});
  const adamant::Field<dim>       u(meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim));
  const auto                     &space = u.finest();
  const auto                      make  = [&](const typename adamant::Form<dim>::Kernel &kernel) {
    adamant::Form<dim> form("K", u, adamant::nodal_values(u), mapping, quadrature,
                                                  update_values | update_gradients | update_JxW_values, kernel);
    form.update();
    return form.finest();
  };
  const auto by_nodes     = make([&](const CellContext<dim> &cell, FullMatrix<double> &local) {
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      for (const unsigned int q : cell.quadrature_point_indices())
        {
          const auto G = outer_product(cell.gradient(a, q) * cell.JxW(q), cell.gradient(b, q));
          for (unsigned int c = 0; c < dim; ++c)
            for (unsigned int d = 0; d < dim; ++d)
              entry(c, d) += material.lambda * G[c][d] + material.mu * (G[d][c] + (c == d ? trace(G) : 0.));
        }
    });
  });
      const auto by_functions = make([&](const CellContext<dim> &cell, FullMatrix<double> &local) {
    const auto strain = [&](unsigned int i, unsigned int q) {
      Tensor<2, dim> gradient;
      gradient[cell.component(i)] = cell.gradient(i, q);
      return symmetrize(gradient);
    };
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += material.stress(strain(j, q)) * strain(i, q) * cell.JxW(q);
  });
  const auto x = random_vector(space.n_dofs(), 7);
  expect_close(multiply(*by_nodes, x), multiply(*by_functions, x), 1e-13, "K x");

  // Rigid motions have no stress.
  const auto modes = adamant::rigid_body_modes(space, mapping);
  ASSERT_EQ(modes.size(), dim == 2 ? 3u : 6u);
  for (const auto &mode : modes)
    {
      EXPECT_GT(as_vector(mode).linfty_norm(), 0.9);
      EXPECT_LT(multiply(*by_nodes, as_vector(mode)).linfty_norm(), 1e-12);
    }

  // A homogeneous strain, and as the velocity the same field.
  const LinearField<dim> field(some_gradient<dim>());
  const auto             values = adamant::nodal_values(space, mapping, field);
  const auto             strain = symmetrize(some_gradient<dim>());
  const auto energies = adamant::energies(space, mapping, quadrature, {material}, values.data(), values.data());
  EXPECT_NEAR(energies.strain, 0.5 * (material.stress(strain) * strain), 1e-12 * energies.strain);
  const double norm = adamant::l2_error(space, mapping, quadrature, values.data(), Functions::ZeroFunction<dim>(dim));
  EXPECT_NEAR(energies.kinetic, 0.5 * material.density * norm * norm, 1e-12 * energies.kinetic);
}

TEST(VectorFields, ElasticityByPairsOfNodes)
{
  for (const unsigned int degree : {1, 2})
    {
      compare_elasticity<2>(degree);
      compare_elasticity<3>(degree);
    }
}

TEST(VectorFields, Stresses)
{
  // Uniaxial stress in x with Young's modulus 2 mu (1 + nu), nu = lambda / (2 (lambda + mu)).
  const adamant::ElasticMaterial material{3., 2., 1.};
  const double                   nu = 0.3, young = 5.2;
  SymmetricTensor<2, 3>          strain;
  strain[0][0] = 1.;
  strain[1][1] = strain[2][2] = -nu;
  EXPECT_NEAR(material.stress(strain)[0][0], young, 1e-14);
  EXPECT_NEAR(material.stress(strain)[1][1], 0., 1e-14);
  EXPECT_NEAR(adamant::von_mises(material.stress(strain), 0.), young, 1e-14);

  const adamant::MeshFileParameters    mesh_file;
  const adamant::SolidOutputParameters parameters(mesh_file);
  const auto                           stress = adamant::elastic_fields<2>(parameters, {{1., 1., 1.}, {{7, material}}});
  EXPECT_EQ(stress->get_names(), (std::vector<std::string>{"stress_xx", "stress_xy", "stress_yy", "von_mises"}));
  DataPostprocessorInputs::Vector<2> input;
  input.solution_values.assign(1, Vector<double>(2));
  input.evaluation_points.resize(1);
  input.solution_gradients.assign(1, std::vector<Tensor<1, 2>>(2));
  input.solution_gradients[0][0][1] = 0.5; // du_x / dy: pure shear
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.begin_active()->set_material_id(7);
  const DoFHandler<2> dofs(mesh);
  input.set_cell<2>(dofs.begin_active());
  std::vector<Vector<double>> results(1, Vector<double>(4));
  stress->evaluate_vector_field(input, results);
  EXPECT_NEAR(results[0](1), material.mu * 0.5, 1e-15);
  EXPECT_NEAR(results[0](3), std::sqrt(3.) * material.mu * 0.5, 1e-15);
}

// A homogeneous strain, in two cells of different materials.
template <int dim>
void compare_stresses()
{
  Triangulation<dim>        mesh;
  std::vector<unsigned int> cells(dim, 1);
  Point<dim>                corner;
  cells[0] = 2;
  for (unsigned int d = 0; d < dim; ++d)
    corner[d] = cells[d];
  GridGenerator::subdivided_hyper_rectangle(mesh, cells, Point<dim>(), corner);
  mesh.last_active()->set_material_id(7);
  const adamant::ElasticMaterials materials{{3., 2., 1.}, {{7, {5., 1., 1.}}}};
  const adamant::LevelMeshes<dim> meshes(mesh, {});
  const adamant::Field<dim>       u(meshes, "u", FESystem<dim>(FE_Q<dim>(2), dim));
  const MappingQ1<dim>            mapping;
  const LinearField<dim>          field(some_gradient<dim>());
  const auto                      strain = symmetrize(some_gradient<dim>());
  std::vector<Point<dim>>         points(2);
  for (unsigned int d = 0; d < dim; ++d)
    points[0][d] = points[1][d] = 0.3;
  points[1][0] += 1.;
  const auto        values = adamant::product(adamant::stress_matrix("key", u.finest(), mapping, materials, points),
                                              adamant::nodal_values(u.finest(), mapping, field));
  const std::size_t n      = adamant::stress_names<dim>().size();
  ASSERT_EQ(values.size(), 2 * (n + 1));
  for (const unsigned int p : {0, 1})
    {
      const auto &material = materials.in(p == 0 ? 0 : 7);
      const auto  sigma    = material.stress(strain);
      std::size_t k        = p * (n + 1);
      for (int a = 0; a < dim; ++a)
        for (int b = a; b < dim; ++b)
          EXPECT_NEAR(values[k++], sigma[a][b], 1e-12) << "component " << a << b << " at point " << p;
      EXPECT_NEAR(values[k], dim == 2 ? material.lambda * trace(strain) : sigma[dim - 1][dim - 1], 1e-12);
    }
}

TEST(VectorFields, StressesAtPoints)
{
  compare_stresses<2>();
  compare_stresses<3>();
}

// B-bar on one cell [0, 1/2]²: The divergence of u = (x² y, x y²/2) is 3 x y. Its projection is 3/16 (4 x + 4 y - 1),
// or to constants 3/16; energies, stresses at points and stresses of DataOut take it.
TEST(VectorFields, ProjectedDilatation)
{
  for (const unsigned int degree : {1, 2})
    {
      Triangulation<2> mesh;
      GridGenerator::hyper_cube(mesh, 0., 0.5);
      const adamant::ElasticMaterial  material{3., 2., 1.};
      const adamant::ElasticMaterials materials{material, {}, true};
      const adamant::LevelMeshes<2>   meshes(mesh, {});
      const adamant::Field<2>         u(meshes, "u", FESystem<2>(FE_Q<2>(degree), 2));
      const MappingQ1<2>              mapping;
      FunctionParser<2>               field("x^2*y; x*y^2/2"); // of degree 1 its interpolant, (x y, x y / 2) / 2
      const auto                      values = adamant::nodal_values(u.finest(), mapping, field);
      const Point<2>                  point(0.1, 0.35);
      SymmetricTensor<2, 2>           strain;
      const double                    x = point[0], y = point[1];
      strain[0][0]            = degree == 1 ? y / 2 : 2 * x * y;
      strain[1][1]            = degree == 1 ? x / 4 : x * y;
      strain[0][1]            = degree == 1 ? (x + y / 2) / 4 : (x * x + y * y / 2) / 2;
      const double dilatation = 3. / 16. * (degree == 1 ? 1. : 4. * x + 4. * y - 1.);
      const auto   expected   = material.stress(strain, dilatation);

      const auto at_point =
        adamant::product(adamant::stress_matrix("key", u.finest(), mapping, materials, {point}), values);
      EXPECT_NEAR(at_point[0], expected[0][0], 1e-13);
      EXPECT_NEAR(at_point[1], expected[0][1], 1e-13);
      EXPECT_NEAR(at_point[2], expected[1][1], 1e-13);
      EXPECT_NEAR(at_point[3], material.lambda * dilatation, 1e-13);

      // DataOut takes the points of the element.
      DataPostprocessorInputs::Vector<2> input;
      const DoFHandler<2>               &dofs = u.finest().dof_handler();
      FEValues<2>                        on_cell(mapping, dofs.get_fe(), QIterated<2>(QTrapezoid<1>(), degree),
                                                 update_gradients | update_quadrature_points);
      on_cell.reinit(dofs.begin_active());
      input.evaluation_points = on_cell.get_quadrature_points();
      input.solution_values.resize(input.evaluation_points.size(), Vector<double>(2));
      input.solution_gradients.resize(input.evaluation_points.size(), std::vector<Tensor<1, 2>>(2));
      for (unsigned int q = 0; q < input.evaluation_points.size(); ++q)
        for (const unsigned int i : on_cell.dof_indices())
          input.solution_gradients[q][dofs.get_fe().system_to_component_index(i).first] +=
            values[u.finest().cell_dofs(0)[i]] * on_cell.shape_grad(i, q);
      input.set_cell<2>(dofs.begin_active());
      std::vector<Vector<double>>          results(input.evaluation_points.size(), Vector<double>(4));
      const adamant::MeshFileParameters    mesh_file;
      const adamant::SolidOutputParameters parameters(mesh_file);
      adamant::elastic_fields<2>(parameters, materials)->evaluate_vector_field(input, results);
      const auto at_nodes = adamant::product(
        adamant::stress_matrix("key", u.finest(), mapping, materials, input.evaluation_points), values);
      for (unsigned int q = 0; q < results.size(); ++q)
        for (unsigned int k = 0; k < 3; ++k)
          EXPECT_NEAR(results[q](k), at_nodes[4 * q + k], 1e-13) << "component " << k << " at " << q;

      // ∫ mu |strain|² + lambda/2 |dilatation|²
      const QGauss<2> quadrature(degree + 1);
      const auto with = adamant::energies(u.finest(), mapping, quadrature, materials, values.data(), values.data());
      const auto without =
        adamant::energies(u.finest(), mapping, quadrature, {{0., 2., 1.}}, values.data(), values.data());
      // ∫ (3/16)² (4 x + 4 y - 1)² = 9/256 (∫ 1 + ∫ 16 ((x - 1/4)² + (y - 1/4)²)) on the cell
      const double square = 9. / 256. * 0.25 * (1. + (degree == 1 ? 0. : 32. * 0.25 / 12.));
      EXPECT_NEAR(with.strain, without.strain + 0.5 * material.lambda * square, 1e-14);
    }
}
} // namespace
