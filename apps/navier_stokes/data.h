#pragma once

#include "base/host_device.h"

/// Functors for a step of the Navier-Stokes program, node by node, for host and GPU. Velocities are stored by
/// components: component c of node i is u[c n + i].
namespace navier_stokes
{
/// Sets f = 0 at nodes that no step moves: they have 1 / m = 0.
struct KeepMoving
{
  int           dim;
  long          n;
  const double *inverse_mass;
  double       *f;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int c = 0; c < dim; ++c)
      if (inverse_mass[i] == 0.)
        f[c * n + i] = 0.;
  }
};

/// Computes the pressure's right-hand side b = -(g - mean) / dt. `sum` points to the sum of g where the mean is
/// subtracted, else it is null.
struct PressureRhs
{
  double        dt, volume;
  const double *g, *mass, *sum;
  double       *b;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    b[k] = -(g[k] - (sum != nullptr ? *sum * mass[k] / volume : 0.)) / dt;
  }
};

/// Subtracts the mean of q, adds q - nu g / m to p, and computes s = p + q, which the next momentum step takes.
struct PressureUpdate
{
  double        viscosity, volume;
  const double *g, *inverse_mass, *integral; // the integral of q, or null
  double       *q, *p, *s;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    const double increment = q[k] - (integral != nullptr ? *integral / volume : 0.);
    q[k]                   = increment;
    p[k] += increment - viscosity * g[k] * inverse_mass[k];
    s[k] = p[k] + increment;
  }
};
} // namespace navier_stokes
