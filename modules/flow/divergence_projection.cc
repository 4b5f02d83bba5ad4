#include "flow/divergence_projection.h"

#include "flow/flow_functionals.h"
#include "solvers/cg.h"

namespace adamant
{
template <int dim>
DivergenceProjection<dim>::DivergenceProjection(const FlowMatrices<dim> &flow, FlowProducts<dim> &products,
                                                HangingNodes<dim> &hanging, const Vector<double> &inverse_mass,
                                                const Matrix<double> &interpolation,
                                                const LinearSolver   &pressure_solver)
  : device(inverse_mass.device())
  , flow(flow)
  , products(products)
  , hanging(hanging)
  , inverse_mass(inverse_mass)
  , interpolation(interpolation)
  , pressure_solver(pressure_solver)
  , zero(device, dim * inverse_mass.size())
  , w(device, zero.size())
  , on_velocity_mesh(device, inverse_mass.size())
  , product(device, flow.pressure().n_owned())
{}

// y = a B w + b y: a momentum step of length 1 from rest with the pressure λ gives w = -M⁻¹ ∇λ = M⁻¹ Bᵀ λ.
template <int dim>
void DivergenceProjection<dim>::multiply(double a, const Vector<double> &lambda, double b, Vector<double> &y) const
{
  device.multiply(1., interpolation, lambda, 0., on_velocity_mesh);
  const VelocityUpdate<dim> from_rest{inverse_mass.size(), 1., zero.data(), inverse_mass.data(), nullptr, w.data()};
  products.momentum(from_rest, zero, on_velocity_mesh, [](const char *, const auto &work) { work(); });
  hanging.apply(w);
  products.divergence(w, product);
  device.axpby(a, product, b, y);
}

// g += c m, c a constant: as much has to flow out as the boundary values let.
template <int dim>
void DivergenceProjection<dim>::correct_mean(const Vector<double> &divergence, Vector<double> &g) const
{
  const Vector<double> mass(device, flow.pressure_mass), ones(device, Array<double>(mass.size(), 1.));
  device.axpby((device.dot(ones, divergence) - device.dot(ones, g)) / device.dot(ones, mass), mass, 1., g);
}

template <int dim>
ProjectedDivergence DivergenceProjection<dim>::apply(Vector<double> &g, Vector<double> &u, const SolverControl &control)
{
  ProjectedDivergence largest;
  Vector<double>      missing(device, product.size()), lambda(device, product.size());
  products.divergence(u, missing);
  if (flow.singular)
    correct_mean(missing, g);
  largest.interpolated = largest_divergence(flow, to_host(missing));
  largest.wanted       = largest_divergence(flow, to_host(g));
  device.axpby(1., g, -1., missing);
  CG(device, *this, pressure_solver.preconditioner()).solve(missing, lambda, control);
  multiply(1., lambda, 0., missing); // leaves w
  device.axpby(1., w, 1., u);
  products.divergence(u, missing);
  largest.projected = largest_divergence(flow, to_host(missing));
  return largest;
}

template class DivergenceProjection<2>;
template class DivergenceProjection<3>;
} // namespace adamant
