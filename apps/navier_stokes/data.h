#pragma once

#include "algebra/bundle_functors.h"
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

/// u_new = u + dt (f - r / m), by components; f may be null. u_new must not be u.
template <int dim>
struct VelocityUpdate
{
  long          n;
  double        dt;
  const double *u, *inverse_mass, *force;
  double       *u_new;

  ADAMANT_HOST_DEVICE void operator()(int i, const double (&rhs)[dim]) const
  {
    const double m = inverse_mass[i];
    double       old[dim], f[dim];
    for (int c = 0; c < dim; ++c)
      {
        old[c] = u[c * n + i];
        f[c]   = force != nullptr ? force[c * n + i] : 0.;
      }
    for (int c = 0; c < dim; ++c)
      u_new[c * n + i] = old[c] + dt * (f[c] - rhs[c] * m);
  }
};

/// A momentum step (Liebchen et al., equations (14), (15)) as one product of the bundle K, A_1, ..., A_dim: with A_d,ij = (φ_i, ∂_d φ_j), K the
/// stiffness matrix times the viscosity and m the lumped mass
///   u_new,c = u_c + dt (f_c - (Σ_d A_d (u_d u_c) + A_c p + K u_c) / m),
/// products of nodal values taken on the fly. Where 1 / m is set to zero (prescribed nodes, hanging nodes) and f with it, u stays. It moves
/// 8 (dim + 1) bytes an entry and 16 (dim + 1) a node (f: 8 dim more).
template <int dim>
struct MomentumStep : adamant::BundleFunctor
{
  static constexpr int n_matrices = dim + 1, n_values = dim + 1, n_sums = dim;

  VelocityUpdate<dim> update;
  const double       *p;
  MomentumStep(const VelocityUpdate<dim> &update, const double *p)
    : update(update)
    , p(p)
  {}

  ADAMANT_HOST_DEVICE const double *values(int k) const { return k < dim ? update.u + k * update.n : p; }
  // sum[c] += (K + Σ_d A_d u_d)_ij u_cj + A_c,ij p_j
  ADAMANT_HOST_DEVICE void add(const double (&a)[dim + 1], const double (&v)[dim + 1], double (&sum)[dim]) const
  {
    double w = a[0];
    for (int d = 0; d < dim; ++d)
      w += a[1 + d] * v[d];
    for (int c = 0; c < dim; ++c)
      sum[c] += w * v[c] + a[1 + c] * v[dim];
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[dim]) const { update(i, sum); }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[dim]) const
  {
    for (int c = 0; c < dim; ++c)
      update.u_new[c * update.n + i] -= update.dt * sum[c] * update.inverse_mass[i];
  }
};

/// The divergence g = Σ_d W_d u_d as one product of the bundle W_1, ..., W_dim, whose rows are few and long; n entries a component.
template <int dim>
struct Divergence : adamant::BundleFunctor
{
  static constexpr int n_matrices = dim, n_values = dim, n_sums = 1, parts = 8;

  long          n;
  const double *u;
  double       *g;
  Divergence(long n, const double *u, double *g)
    : n(n)
    , u(u)
    , g(g)
  {}

  ADAMANT_HOST_DEVICE const double *values(int d) const { return u + d * n; }
  ADAMANT_HOST_DEVICE void          add(const double (&a)[dim], const double (&v)[dim], double (&sum)[1]) const
  {
    for (int d = 0; d < dim; ++d)
      sum[0] += a[d] * v[d];
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[1]) const { g[i] = sum[0]; }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[1]) const { g[i] += sum[0]; }
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
