#include "solid/newton/nested_iteration.h"

#include "coefficients/coarser_values.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "frame/linear_solver_setup.h"
#include "operators/level_data.h"

#include <deal.II/fe/fe_dgq.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace adamant
{
namespace
{
// Equilibrium on one of the coarser meshes, in a state that begins at rest.
template <int dim>
struct OnLevel
{
  OnLevel(const Device &device, const NestedProblem<dim> &problem, const Field<dim> &finest, std::size_t l,
          bool projected)
    : field(finest.meshes(), finest.name(), finest.element(), problem.dirichlet, l)
    , on_device(device, field, problem.mapping)
    , deformation(device, on_device, problem.mapping, problem.energies, projected, problem.pressed)
    , g(device, problem.prescribed(field.finest()))
    , state(device, deformation.n_state())
  {
    deformation.set_pressures(problem.pressures);
  }

  NewtonResult solve(const Device &device, const NestedProblem<dim> &problem, const LinearSolverParameters &parameters,
                     const EquilibriumOptions &options)
  {
    const Vector<double>          load(device, problem.load(field.finest()));
    Equilibrium<dim>              equilibrium(device, deformation, on_device, parameters.options("tangent"), options);
    std::unique_ptr<LinearSolver> solver;
    equilibrium.set_symmetric(problem.symmetric);
    equilibrium.set_solver([&](bool first) -> LinearSolver & {
      if (solver)
        solver->update(first);
      else
        solver = make_linear_solver<dim>(
          device, field, deformation.tangent(), parameters, "tangent",
          [&problem](const LevelSpace<dim> &level) { return rigid_body_modes(level, problem.mapping); });
      return *solver;
    });
    return equilibrium.solve(problem.factor, load, g, state);
  }

  Field<dim>             field;
  DeviceField<dim>       on_device;
  FiniteDeformation<dim> deformation;
  Vector<double>         g, state;
};

// Each cell takes its coarse cell's function of the unit cell, by values at Gauss's points.
template <int dim>
Array<double> of_children(const Array<double> &coarse, const LevelMesh<dim> &fine, unsigned int degree)
{
  const dealii::FE_DGQArbitraryNodes<dim> nodes(dealii::QGauss<1>(degree + 1));
  const std::size_t                       n = nodes.n_dofs_per_cell();
  Array<double>                           values(n * fine.coarse_cell.size(), 0.);
  for (std::size_t cell = 0; cell < fine.coarse_cell.size(); ++cell)
    for (std::size_t q = 0; q < n; ++q)
      if (const double *parent = &coarse[n * fine.coarse_cell[cell]]; fine.child[cell] == LevelMesh<dim>::same_cell)
        values[n * cell + q] = parent[q];
      else
        for (std::size_t p = 0; p < n; ++p)
          values[n * cell + q] += nodes.get_prolongation_matrix(fine.child[cell])(q, p) * parent[p];
  return values;
}
} // namespace

template <int dim>
NestedGuess guess_by_nested_iteration(const Device &device, const NestedProblem<dim> &problem,
                                      const DeviceField<dim> &field, FiniteDeformation<dim> &finest,
                                      const LinearSolverParameters &linear, const EquilibriumOptions &options)
{
  NestedGuess                   guess{Vector<double>(device, finest.n_state()), {}};
  const auto                   &on_all = field.field();
  const auto                   &meshes = on_all.meshes();
  std::unique_ptr<OnLevel<dim>> coarse, here;
  // Sets a state at rest to what comes from the coarser level, unless cells are inverted there.
  const auto carry = [&](const DeviceField<dim> &fine, FiniteDeformation<dim> &deformation, const Vector<double> &g,
                         std::size_t l, Vector<double> &result) {
    const Matrix<double> embed(device, embedding(meshes[l], fine.space(), coarse->field.finest()));
    Vector<double>       values = fine.vector(), r(device, deformation.n_state());
    auto                 u      = result.part(0, fine.size());
    device.multiply(1., embed, coarse->state.part(0, coarse->on_device.size()), 0., values);
    fine.nodal_values(values, g, u);
    if (deformation.projected())
      for (int k = 0; k < 2; ++k) // θ - 1 and p
        deformation.set_coefficients(
          k, of_children(coarse->deformation.at_points(k, coarse->state), meshes[l], on_all.element().degree), result);
    deformation.residual(result, 0., fine.vector(), r);
    if (deformation.n_inverted() > 0.) // waits, before the coarser level is freed
      result.set_zero();
  };
  for (std::size_t l = 0; l + 1 < on_all.n_levels(); ++l)
    {
      here = std::make_unique<OnLevel<dim>>(device, problem, on_all, l, finest.projected());
      if (coarse)
        carry(here->on_device, here->deformation, here->g, l, here->state);
      guess.coarser.push_back({here->on_device.size(), false, {}});
      try
        {
          guess.coarser.back().newton    = here->solve(device, problem, linear, options);
          guess.coarser.back().converged = true;
        }
      catch (const SolverError &)
        {}
      coarse = std::move(here);
    }
  if (coarse)
    carry(field, finest, Vector<double>(device, problem.prescribed(field.space())), on_all.n_levels() - 1, guess.state);
  return guess;
}

template decltype(guess_by_nested_iteration<2>) guess_by_nested_iteration<2>;
template decltype(guess_by_nested_iteration<3>) guess_by_nested_iteration<3>;
} // namespace adamant
