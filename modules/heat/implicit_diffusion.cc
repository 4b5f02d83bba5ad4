#include "heat/implicit_diffusion.h"

#include "base/csr/csr_operations.h"
#include "fem/forms/form.h"
#include "frame/linear_solver_setup.h"
#include "frame/unknown.h"
#include "heat/heat_kernels.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <utility>

namespace adamant
{
template <int dim>
ImplicitDiffusion<dim>::ImplicitDiffusion(const Device &device, const LevelMeshes<dim> &meshes,
                                          const dealii::Mapping<dim> &mapping, const Array<double> &of_nodes,
                                          const SplitHeatParameters &parameters)
  : device(device)
  , mapping(mapping)
  , parameters(parameters)
  , field(meshes, "temperature", dealii::FE_Q<dim>(1), parameters.boundaries.dirichlet(*meshes.finest_mesh()))
  , mass(of_nodes)
  , guess(device, 3)
{
  parameters.linear_solver.require_ranks(device.communicator().size());
  Array<double> inverse(mass.size(), 0.);
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (field.finest().is_free(static_cast<int>(i)))
      inverse[i] = 1. / mass[i];
    else
      mass[i] = 0.;
  inverse_mass = Vector<double>(device, inverse);
  b            = Vector<double>(device, mass.size());
  d            = Vector<double>(device, mass.size());
}

// The matrices are m/dt + κ K on all levels; coarser ones have the masses that the transfer makes of the finer ones'.
template <int dim>
void ImplicitDiffusion<dim>::prepare(double dt)
{
  if (dt == step)
    return;
  const double kappa = parameters.diffusivity;
  Form<dim>    form("temperature", field, unknowns(field), mapping, dealii::QGauss<dim>(2),
                    dealii::update_gradients | dealii::update_JxW_values,
                    integral<dim>([kappa](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
                   return kappa * (cell.gradient(i, q) * cell.gradient(j, q));
                 }),
                    Levels::all);
  form.update();
  auto          levels = levels_of(field, form);
  Array<double> m      = mass;
  for (std::size_t l = levels.size(); l-- > 0;)
    {
      auto A = std::make_shared<CSRMatrix<double>>(levels[l].matrix());
      for (int i = 0; i < A->n_rows; ++i)
        for (auto k = A->row_start[i]; k < A->row_start[i + 1]; ++k)
          if (A->column[k] == i)
            A->value[k] += m[i] / dt;
      levels[l].values = SharedMatrix(A);
      if (l > 0)
        m = product(*levels[l].restriction, m);
    }
  solver = make_linear_solver(device, field, form, parameters.linear_solver, "temperature", {}, levels);
  step   = dt;
}

template <int dim>
PendingResult ImplicitDiffusion<dim>::advance(double dt, const Vector<double> &T, const Product &diffuse,
                                              Vector<double> &T_new)
{
  prepare(dt);
  const bool varies = parameters.boundaries.vary();
  if (varies)
    {
      device.for_each(d.size(), PrescribedChange{T.data(), T_new.data(), inverse_mass.data(), d.data()});
      diffuse(d, b);
    }
  device.for_each(b.size(), DiffusionRhs{dt, T.data(), T_new.data(), inverse_mass.data(), varies, b.data()});
  guess.predict(d);
  const auto result = PendingResult::of([&] { return solver->launch(b, d); });
  device.for_each(d.size(), TakeChange{T.data(), inverse_mass.data(), d.data(), T_new.data()});
  guess.keep(d);
  return result;
}

template <int dim>
void ImplicitDiffusion<dim>::add_change(const Vector<double> &T, const Vector<double> &T_new, const Product &diffuse,
                                        Vector<double> &y)
{
  device.copy(T_new, d);
  device.axpby(-1., T, 1., d);
  diffuse(d, b);
  device.axpby(1., b, 1., y);
}

template <int dim>
void ImplicitDiffusion<dim>::serialize(State &state)
{
  state.history(guess, device, field.finest());
}

template class ImplicitDiffusion<2>;
template class ImplicitDiffusion<3>;
} // namespace adamant
