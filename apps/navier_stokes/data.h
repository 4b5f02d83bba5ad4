#pragma once

#include "base/host_device.h"

/// What a step of the Navier-Stokes program does node by node, for host and GPU. Velocities are stored by components; numbers
/// of nodes are kept as doubles, the one type that vectors have.
namespace navier_stokes
{
/// Prescribed or interpolated velocities: u at the listed nodes.
struct SetValues
{
  int           dim, n_listed, n;
  const double *node, *value; // value[c n_listed + i]
  double       *u;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int c = 0; c < dim; ++c)
      u[c * static_cast<long>(n) + static_cast<int>(node[i])] = value[c * n_listed + i];
  }
};

/// Nodes where boundaries meet take the smallest of their velocities, or the largest. One of them after the other: `role` of the
/// present one is 0 where it does not apply, 2 where it is the node's first, else 1.
struct ChooseBoundaryValues
{
  int           dim, n_listed;
  bool          smallest;
  const double *role, *candidate; // candidate[c n_listed + i]
  double       *value;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double candidate_square = 0, value_square = 0;
    for (int k = i; k < dim * n_listed; k += n_listed)
      {
        candidate_square += candidate[k] * candidate[k];
        value_square += value[k] * value[k];
      }
    if (role[i] == 2. ||
        (role[i] == 1. && (smallest ? candidate_square < value_square : candidate_square > value_square)))
      for (int k = i; k < dim * n_listed; k += n_listed)
        value[k] = candidate[k];
  }
};

/// f = 0 at the nodes that no step moves: those with 1 / m = 0.
struct KeepMoving
{
  int           dim, n;
  const double *inverse_mass;
  double       *f;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int c = 0; c < dim; ++c)
      if (inverse_mass[i] == 0.)
        f[c * static_cast<long>(n) + i] = 0.;
  }
};

/// u_new = u + dt (f - r / m), by components; f may be null.
struct MomentumUpdate
{
  int           dim, n;
  double        dt;
  const double *u, *rhs, *inverse_mass, *force;
  double       *u_new;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int c = 0; c < dim; ++c)
      {
        const long k = c * static_cast<long>(n) + i;
        u_new[k]     = u[k] + dt * ((force != nullptr ? force[k] : 0.) - rhs[k] * inverse_mass[i]);
      }
  }
};

/// The pressure's right-hand side b = -(g - mean) / dt; `sum` of g is where the mean has to be projected out, else null.
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

/// q loses its mean, p += q - nu g / m, and s = p + q is what the next momentum step takes.
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
