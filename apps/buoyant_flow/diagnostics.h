#pragma once

#include "fem/forms/integrals.h"
#include "fem/functions/points.h"
#include "multigrid/smoothers/functors.h"
#include "stokes/stokes_flow.h"
#include "stokes/transport/limited_transport.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace buoyant_flow
{
using adamant::Array;

/// Numbers that describe a state.
struct Facts
{
  double least, most;  ///< the least and the most of c
  double mass, height; ///< mass is ∫ c; height is ∫ c (-x · g) / |g| over it, the mean height of c
  double speed;        ///< the root mean square of u
};

/// Computes integrals by weights of nodal values, on the device. All ranks call all functions together.
template <int dim>
class Diagnostics
{
public:
  using Vector = adamant::Vector<double>;

  Diagnostics() = default;
  Diagnostics(const adamant::Device &device, const adamant::StokesFlow<dim> &flow,
              const adamant::Field<dim> &composition, const adamant::LimitedTransport<dim> &transport,
              const std::vector<double> &gravity, const dealii::Mapping<dim> &mapping)
    : device(device)
    , volume(dealii::GridTools::volume(flow.space().triangulation(), mapping))
    , weighted(flow.velocity().vector())
  {
    const dealii::Functions::ConstantFunction<dim> one(1., dim);
    const auto ones  = adamant::load_vector(flow.space(), mapping, dealii::QGauss<dim>(2), dealii::QGauss<dim - 1>(2),
                                            adamant::everywhere(one), {});
    velocity_weights = Vector(device, adamant::transposed_product(flow.space().owned_H(), ones));
    const auto    nodes = adamant::support_points(composition.finest(), mapping);
    const int     n     = transport.weights().size();
    Array<double> height(n, 0.);
    double        g = 0.;
    for (int d = 0; d < dim; ++d)
      g = std::hypot(g, gravity[d]);
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < dim; ++d)
        height[i] -= gravity[d] / g * nodes[std::size_t(d) * n + i];
    heights = Vector(device, height);
    scale(transport.weights(), heights, heights);
  }

  Facts operator()(const adamant::LimitedTransport<dim> &transport, const Vector &c, const Vector &u) const
  {
    std::array<double, 2> extremes{{-1e300, -1e300}}; // of -c and c
    for (const double value : adamant::to_host(c))
      extremes = {{std::max(extremes[0], -value), std::max(extremes[1], value)}};
    device.communicator().max(extremes.data(), 2);
    scale(velocity_weights, u, weighted);
    const double mass = transport.mass(c);
    return {-extremes[0], extremes[1], mass, device.dot(heights, c) / mass,
            std::sqrt(device.dot(weighted, u) / volume)};
  }

private:
  void scale(const Vector &by, const Vector &x, Vector &y) const // elementwise
  {
    device.for_each(x.size(), adamant::ScaleByDiagonal<double>{1., by.data(), x.data(), y.data()});
  }

  adamant::Device device;
  double          volume = 0.;
  Vector          heights, velocity_weights;
  mutable Vector  weighted;
};
} // namespace buoyant_flow
