#include "flow/flow_matrices.h"

#include "coefficients/coarser_values.h"
#include "coefficients/level_points.h"
#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace adamant
{
namespace
{
// The integrals of the shape functions, added up for the free nodes: a lumped mass matrix; `volume` is their sum.
template <int dim>
Array<double> lumped_mass(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, double &volume)
{
  const dealii::Functions::ConstantFunction<dim> one(1.);
  const auto integrals = load_vector(space, mapping, quadrature, dealii::QGauss<dim - 1>(2), everywhere(one), {});
  volume               = std::accumulate(integrals.begin(), integrals.end(), 0.);
  space.communicator().sum(&volume, 1);
  return transposed_product(space.owned_H(), integrals);
}

DirichletBoundary all_of(const std::set<dealii::types::boundary_id> &ids)
{
  DirichletBoundary boundary;
  for (const auto id : ids)
    boundary[id] = dealii::ComponentMask();
  return boundary;
}

// For ν at the quadrature points. assemble(integrand) returns a matrix on the velocity's mesh.
template <int dim, typename Assemble>
void assemble_viscous(FlowMatrices<dim> &flow, const Array<double> &nu, const Assemble &assemble)
{
  const auto at = [&nu](const auto &cell, unsigned int q) {
    return nu[std::size_t(cell.cell_number()) * cell.n_quadrature_points() + q];
  };
  double extremes[] = {-HUGE_VAL, 0.}; // -least and most
  for (const double value : nu)
    {
      extremes[0] = std::max(extremes[0], -value);
      extremes[1] = std::max(extremes[1], value);
    }
  flow.velocity().communicator().max(extremes, 2);
  flow.viscous = {-extremes[0], extremes[1], {}, {}};
  for (unsigned int c = 0; c < dim; ++c)
    for (unsigned int d = 0; d < dim; ++d)
      flow.viscous.matrices.push_back(
        assemble([c, d, &at](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
          return at(cell, q) * cell.gradient(j, q)[c] * cell.gradient(i, q)[d];
        }));
  // At pressure node k: ∫ ν ψ_k / ∫ ψ_k, as sums over the velocity's nodes.
  const auto mass    = assemble([&at](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
    return at(cell, q) * cell.value(i, q) * cell.value(j, q);
  });
  const auto of_mass = transposed_product(*flow.interpolation, flow.velocity_mass);
  auto      &values  = flow.viscous.at_pressures;
  values = transposed_product(*flow.interpolation, product(*mass, Array<double>(flow.velocity().n_owned(), 1.)));
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = of_mass[k] > 0. ? values[k] / of_mass[k] : flow.viscous.least;
}

template <int dim>
void assemble_momentum(FlowMatrices<dim> &flow, const dealii::Mapping<dim> &mapping,
                       const dealii::Quadrature<dim> &quadrature, const Coefficient &viscosity)
{
  typename Form<dim>::Kernel kernel; // of one matrix after the other: their pattern is found once
  Form<dim>  form("momentum", flow.velocity_field, nodal_values(flow.velocity_field), mapping, quadrature,
                  dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                  [&kernel](const auto &cell, auto &local) { kernel(cell, local); });
  const auto assemble = [&](const auto &integrand) {
    kernel = [&integrand](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += integrand(cell, i, j, q) * cell.JxW(q);
    };
    form.update();
    return std::make_shared<const CSRMatrix<double>>(*form.finest());
  };
  if (const auto number = viscosity.number())
    {
      viscosity.check_materials(flow.velocity().communicator(), materials_of(flow.velocity()));
      flow.viscous = {*number,
                      *number,
                      {assemble([](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
                        return cell.gradient(j, q) * cell.gradient(i, q);
                      })},
                      {}};
    }
  else
    assemble_viscous(flow, positive_values(viscosity, flow.velocity(), mapping, quadrature), assemble);
  for (unsigned int d = 0; d < dim; ++d)
    flow.gradient[d] = assemble([d](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
      return cell.value(i, q) * cell.gradient(j, q)[d];
    });
}

template <int dim>
Form<dim> laplacian_of(const Field<dim> &field, const Columns<dim> &columns, const dealii::Mapping<dim> &mapping,
                       const dealii::Quadrature<dim> &quadrature, Levels levels)
{
  return Form<dim>(
    "Laplacian", field, columns, mapping, quadrature, dealii::update_gradients | dealii::update_JxW_values,
    [](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
    },
    levels);
}

template <int dim>
void assemble_pressure(FlowMatrices<dim> &flow, const dealii::Mapping<dim> &mapping,
                       const dealii::Quadrature<dim> &quadrature)
{
  auto laplacian = laplacian_of(flow.pressure_field, unknowns(flow.pressure_field), mapping, quadrature, Levels::all);
  laplacian.update();
  flow.pressure_levels = levels_of(flow.pressure_field, laplacian);

  flow.singular = true;
  for (std::size_t l = 0; l < flow.pressure_field.n_levels(); ++l)
    flow.singular = flow.singular && flow.pressure_field.space(l).prescribed_partition().size() == 0;
}
} // namespace

template <int dim>
FlowMatrices<dim>::FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim>              &quadrature,
                                const std::set<dealii::types::boundary_id> &open, const LevelMeshOptions &levels,
                                const Coefficient &viscosity)
  : meshes(velocity_mesh, halved_mesh_options(velocity_mesh, levels))
  , velocity_field(meshes, "velocity", dealii::FE_Q<dim>(1))
  , pressure_field(meshes, "pressure", dealii::FE_Q<dim>(1), all_of(open), halved_level(meshes))
{
  double velocity_volume = 0.;
  velocity_mass          = lumped_mass(velocity(), mapping, quadrature, velocity_volume);
  pressure_mass          = lumped_mass(pressure(), mapping, quadrature, pressure_volume);
  const auto transfer    = transfer_matrices(meshes.finest(), velocity(), pressure());
  interpolation = std::make_shared<const CSRMatrix<double>>(product(velocity().owned_H(), transfer.prolongation));
  assemble_momentum(*this, mapping, quadrature, viscosity);
  for (unsigned int d = 0; d < dim; ++d)
    divergence[d] = std::make_shared<const CSRMatrix<double>>(product(transfer.restriction, *gradient[d]));
  assemble_pressure(*this, mapping, quadrature);
}

template <int dim>
typename FlowMatrices<dim>::Lifting FlowMatrices<dim>::lifting(const dealii::Mapping<dim>    &mapping,
                                                               const dealii::Quadrature<dim> &quadrature) const
{
  const Field<dim> all(meshes, "pressure", dealii::FE_Q<dim>(1), {}, halved_level(meshes));
  const auto       transfer = transfer_matrices(meshes.finest(), velocity(), all.finest());
  auto             form     = laplacian_of(pressure_field, unknowns(all), mapping, quadrature, Levels::finest);
  form.update();
  return {product(velocity().owned_H(), transfer.prolongation), *form.finest()};
}

template <int dim>
CSRMatrix<double> FlowMatrices<dim>::injection() const
{
  return at_common_nodes(*interpolation, velocity(), pressure());
}

template <int dim>
SharedMatrix FlowMatrices<dim>::stiffness(const dealii::Mapping<dim>    &mapping,
                                          const dealii::Quadrature<dim> &quadrature) const
{
  if (!viscous.varies())
    return viscous.matrices[0];
  auto form = laplacian_of(velocity_field, nodal_values(velocity_field), mapping, quadrature, Levels::finest);
  form.update();
  return std::make_shared<const CSRMatrix<double>>(*form.finest());
}

template <int dim>
FlowProducts<dim>::FlowProducts(const Device &device, const FlowMatrices<dim> &flow, bool separate,
                                const HeatDiffusion &heat)
  : device(device)
  , n(flow.gradient[0]->n_rows)
  , n_viscous(static_cast<int>(flow.viscous.matrices.size()))
  , diffusion(flow.viscous.varies() ? heat.diffusivity : heat.diffusivity / flow.viscous.factor())
{
  std::vector<const CSRMatrix<double> *> momentum, divergence;
  CSRMatrix<double>                      K; // times a constant viscosity
  for (const auto &matrix : flow.viscous.matrices)
    momentum.push_back(matrix.get());
  if (!flow.viscous.varies())
    {
      K = *flow.viscous.matrices[0];
      for (double &value : K.value)
        value *= flow.viscous.factor();
      momentum[0] = &K;
    }
  for (unsigned int d = 0; d < dim; ++d)
    {
      momentum.push_back(flow.gradient[d].get());
      divergence.push_back(flow.divergence[d].get());
    }
  if (diffusion > 0. && flow.viscous.varies())
    momentum.push_back(heat.K.get());
  if (!separate)
    {
      momentum_bundle   = make_bundle(device, momentum, diffusion > 0. ? dim + 2 : dim + 1);
      divergence_bundle = make_bundle(device, divergence, dim);
      return;
    }
  for (const auto *matrix : momentum)
    momentum_matrix.emplace_back(device, *matrix);
  for (const auto *matrix : divergence)
    divergence_matrix.emplace_back(device, *matrix);
  u_u = Vector(device, VelocityProducts<dim>::number * n);
  rhs = Vector(device, dim * n);
  if (diffusion <= 0.)
    return;
  u_T      = Vector(device, dim * n);
  force    = Vector(device, dim * n);
  heat_rhs = Vector(device, n);
}

template <int dim>
void FlowProducts<dim>::momentum(const VelocityUpdate<dim> &update, const Vector &u, const Vector &p,
                                 const Timed &timed, const HeatStep<dim> *heat, const Vector &T)
{
  if (!separate())
    return timed("momentum", [&] {
      with_n_viscous([&](auto number) {
        if (heat != nullptr)
          for_each_row(device, momentum_bundle, BuoyantStep<dim, number>{update, p.data(), *heat, diffusion});
        else if (diffusion > 0.)
          for_each_row(device, momentum_bundle, MomentumStep<dim, number, true>{update, p.data()});
        else
          for_each_row(device, momentum_bundle, MomentumStep<dim, number>{update, p.data()});
      });
    });
  const auto add = [this](int matrix, const Vector &x, int c, double b) {
    Vector to = component(rhs, c);
    device.multiply(1., momentum_matrix[matrix], x, b, to);
  };
  timed("mom-rhs-nonlin", [&] {
    device.for_each(n, VelocityProducts<dim>{n, u.data(), u_u.data()});
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        add(n_viscous + d, component(u_u, VelocityProducts<dim>::place(d, c)), c, d == 0 ? 0. : 1.);
  });
  timed("mom-rhs-p", [&] {
    for (int c = 0; c < dim; ++c)
      add(n_viscous + c, p, c, 1.);
  });
  timed("mom-rhs-visc", [&] {
    for (int c = 0; c < dim; ++c)
      {
        add(0, component(u, c), c, 1.);
        for (int d = 0; d < dim && n_viscous > 1; ++d)
          {
            if (d > 0)
              add(d * dim + d, component(u, c), c, 1.);
            add(c * dim + d, component(u, d), c, 1.);
          }
      }
  });
  auto with_buoyancy = update;
  if (heat != nullptr)
    timed("temperature", [&] {
      heat_product(u, T, heat_rhs);
      device.for_each(
        n, UpdateTemperature<dim>{*heat, n, heat_rhs.data(), update.inverse_mass, update.force, force.data()});
      with_buoyancy.force = force.data();
    });
  timed("mom-solve", [&] { device.for_each(n, UpdateVelocity<dim>{with_buoyancy, rhs.data()}); });
}

template <int dim>
void FlowProducts<dim>::heat_product(const Vector &u, const Vector &T, Vector &rhs)
{
  if (!separate())
    return with_n_viscous([&](auto number) {
      for_each_row(device, momentum_bundle, HeatProduct<dim, number>{n, u.data(), T.data(), diffusion, rhs.data()});
    });
  const int place_of_K = n_viscous > 1 ? n_viscous + dim : 0;
  device.for_each(n, CarriedHeat<dim>{n, u.data(), T.data(), u_T.data()});
  device.multiply(diffusion, momentum_matrix[place_of_K], T, 0., rhs);
  for (int d = 0; d < dim; ++d)
    device.multiply(1., momentum_matrix[n_viscous + d], component(u_T, d), 1., rhs);
}

template <int dim>
void FlowProducts<dim>::divergence(const Vector &u, Vector &g) const
{
  if (!separate())
    return for_each_row(device, divergence_bundle, Divergence<dim>{n, u.data(), g.data()});
  for (int d = 0; d < dim; ++d)
    device.multiply(1., divergence_matrix[d], component(u, d), d == 0 ? 0. : 1., g);
}

template <int dim>
void FlowProducts<dim>::add_to(RunRecord &record) const
{
  if (separate())
    return;
  double bytes[] = {double(momentum_bytes()), double(divergence_bytes())};
  device.communicator().sum(bytes, 2);
  record["bytes"] = {{"momentum", std::llround(bytes[0])}, {"divergence", std::llround(bytes[1])}};
}

template struct FlowMatrices<2>;
template struct FlowMatrices<3>;
template class FlowProducts<2>;
template class FlowProducts<3>;
} // namespace adamant
