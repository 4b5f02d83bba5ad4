#include "stokes/flow_power.h"

#include "stokes/strain_kernels.h"

#include <algorithm>
#include <cmath>

namespace adamant
{
template <int dim>
PowerOfFlow<dim>::PowerOfFlow(const Device &device, const StokesFlow<dim> &flow, const dealii::Mapping<dim> &mapping,
                              const std::vector<double> &gravity)
  : device(device)
  , flow(flow)
  , gravity(gravity)
  , of_velocity(device, flow.space(), mapping, flow.matrices().quadrature)
  , ghosts(device, exchange_plan(flow.space().partition()), flow.space().n_owned())
  , ones(device, Array<double>(flow.space().n_cells(), 1.))
  , integrals(device, to_index(4 * std::size_t(flow.space().n_cells()), "integrals of cells"))
{}

template <int dim>
FlowPower PowerOfFlow<dim>::operator()(const Vector<double> &density) const
{
  const Vector<double>  u         = ghosts.with_ghosts(flow.u);
  const auto           &eta       = flow.cell_viscosity();
  const int             n_cells   = ones.size();
  const Vector<double> &viscosity = eta.averaged ? eta.of_cells : eta.at_points; // scaled
  PowerInCell<dim>      of_cell{{of_velocity.view(), u.data()},
                           density.data(),
                           viscosity.data(),
                           std::max(1, of_velocity.n_points() / std::max(1, viscosity.size())),
                           {},
                           n_cells,
                           integrals.data()};
  std::copy(gravity.begin(), gravity.begin() + dim, of_cell.gravity);
  device.for_each(n_cells, of_cell);
  const auto sum = [&](int k) { return device.dot(ones, integrals.part(k * n_cells, n_cells)); };
  return {std::sqrt(sum(1) / sum(0)), sum(2), eta.scale * sum(3)};
}

template <int dim>
void PowerOfFlow<dim>::add_to(Statistics::Row &row, const Vector<double> &density) const
{
  const FlowPower now = (*this)(density);
  const auto     &eta = flow.cell_viscosity();
  row.insert(row.end(), {{"speed", now.speed},
                         {"work", now.work},
                         {"dissipation", now.dissipation},
                         {"least_viscosity", eta.scale * eta.least},
                         {"most_viscosity", eta.scale * eta.most}});
}

template <int dim>
void PowerOfFlow<dim>::add_to(RunRecord &record, const Vector<double> &density) const
{
  const FlowPower now = (*this)(density);
  const auto     &eta = flow.cell_viscosity();
  record.update({{"speed", now.speed}, {"work", now.work}, {"dissipation", now.dissipation}});
  record["viscosity"] = {{"min", eta.scale * eta.least}, {"max", eta.scale * eta.most}};
}

template class PowerOfFlow<2>;
template class PowerOfFlow<3>;
} // namespace adamant
