// Derived fields of files: quantities of a linear function, and numbers of the cells, as DataOut evaluates them.
#include "evaluation/derived_fields.h"
#include "fem/support.h"

#include <deal.II/base/function_parser.h>
#include <deal.II/numerics/data_out.h>

using namespace test;
using State = adamant::PointState<2>;

namespace
{
struct Patches : DataOut<2>
{
  using DataOut<2>::get_patches; // which deal.II protects
};

const std::vector<adamant::Quantity<2>> quantities = {
  {"q", [](const State &state) { return state.value[0] * state.gradient.back()[0]; }},
  {"w_x", [](const State &state) { return state.point[0]; }},
  {"w_y", [](const State &state) { return state.dilatation.value_or(-1.); }},
  {"s_xx", [](const State &) { return 1.; }},
  {"s_xy", [](const State &) { return 2.; }},
  {"w", [](const State &) { return 0.; }, true}};

// Of u = (1 + x + 2 y, 3 x - y), or of its first component.
void compare(unsigned int n_components)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 5);
  for (const auto &cell : mesh.active_cell_iterators())
    cell->set_material_id(cell->center()[0] > 0.5 ? 7 : 1);
  const FESystem<2> system(FE_Q<2>(1), 2);
  const FE_Q<2>     scalar(1);
  DoFHandler<2>     dofs(mesh);
  dofs.distribute_dofs(n_components == 1 ? static_cast<const FiniteElement<2> &>(scalar) : system);
  Vector<double>    u(dofs.n_dofs());
  FunctionParser<2> function(n_components == 1 ? "1+x+2*y" : "1+x+2*y; 3*x-y");
  VectorTools::interpolate(dofs, function, u);

  const adamant::MeshFileParameters mesh_file;
  adamant::EvaluationParameters     parameters(mesh_file, "", "", "", {"q", "w", "s", "viscosity"});
  parameters.fields = {"q", "w", "s", "viscosity", "level", "material", "rank"};
  const adamant::DerivedFields<2> derived(parameters, quantities, [](const auto &, std::vector<State> &states) {
    for (auto &state : states)
      state.dilatation = 10. * states.size() + state.value[0];
  });
  EXPECT_EQ(derived.get_names(),
            (std::vector<std::string>{"q", "w", "w", "s_xx", "s_xy", "level", "material", "rank"}));

  Patches data;
  data.add_data_vector(dofs, u, derived);
  data.build_patches(1);
  auto cell = mesh.begin_active();
  for (const auto &patch : data.get_patches())
    {
      for (unsigned int q = 0; q < 4; ++q)
        {
          const auto               &x        = patch.vertices[q];
          const double              u        = 1. + x[0] + 2. * x[1];
          const std::vector<double> expected = {
            (n_components == 1 ? 1. : 3.) * u, x[0], 40. + u, 1., 2., double(cell->level()),
            double(cell->material_id()),       0.};
          for (unsigned int k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(patch.data(k, q), expected[k], 1e-12) << derived.get_names()[k] << " at " << x;
        }
      ++cell;
    }
  EXPECT_EQ(cell, mesh.end());
}

TEST(DerivedFields, OfAScalar)
{
  compare(1);
}

TEST(DerivedFields, OfAVector)
{
  compare(2);
}
} // namespace
