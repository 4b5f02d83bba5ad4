#pragma once

#include "flow/bundle/bundle_storage.h"

#include <cmath>

// The products of an explicit step for the Navier-Stokes equations, for host and GPU. Velocities are stored by
// components: component c of node i is u[c n + i].

namespace adamant
{
/// Computes u_new = u + dt (f - r / m), by components; f may be null. u_new must not be u.
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

/// A momentum step (Liebchen et al., equations (14), (15)) as one product of the bundle K, A_1, ..., A_dim. The bundle
/// has A_d,ij = (φ_i, ∂_d φ_j) and K, the stiffness matrix times the viscosity. With the lumped mass m the step is
///   `u_new,c = u_c + dt (f_c - (Σ_d A_d (u_d u_c) + A_c p + K u_c) / m)`.
/// Products of nodal values are formed on the fly. Where 1 / m and f are set to zero (prescribed nodes, hanging nodes),
/// u does not change. The step moves 8 (dim + 1) bytes an entry and 16 (dim + 1) bytes a node (f: 8 dim more). Where
/// the viscosity varies, n_viscous = dim² matrices V_cd stand in place of K, and Σ_d V_dd u_c + V_cd u_d in place of K
/// u_c (ViscousTerm). With `beside_heat` the bundle is that of a BuoyantStep, whose temperature is left out.
template <int dim, int n_viscous = 1, bool beside_heat = false>
struct MomentumStep
{
  static constexpr int n_matrices = n_viscous + dim + (beside_heat && n_viscous > 1), n_values = dim + 1 + beside_heat,
                       n_sums = dim, parts = 1;

  VelocityUpdate<dim> update;
  const double       *p;

  ADAMANT_HOST_DEVICE const double *values(int k) const { return k < dim ? update.u + k * update.n : p; }
  ADAMANT_HOST_DEVICE void add(const double (&a)[n_matrices], const double (&v)[n_values], double (&sum)[dim]) const
  {
    add_momentum(a, v, sum);
  }
  // sum[c] += (K + Σ_d A_d u_d)_ij u_cj + A_c,ij p_j
  template <class Entries, class Values, class Sums>
  ADAMANT_HOST_DEVICE static void add_momentum(const Entries &a, const Values &v, Sums &sum)
  {
    double w = a[0];
    if constexpr (n_viscous > 1)
      for (int d = 1; d < dim; ++d)
        w += a[d * dim + d];
    for (int d = 0; d < dim; ++d)
      w += a[n_viscous + d] * v[d];
    for (int c = 0; c < dim; ++c)
      {
        sum[c] += w * v[c] + a[n_viscous + c] * v[dim];
        if constexpr (n_viscous > 1)
          for (int d = 0; d < dim; ++d)
            sum[c] += a[c * dim + d] * v[d];
      }
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[dim]) const { update(i, sum); }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[dim]) const
  {
    for (int c = 0; c < dim; ++c)
      update.u_new[c * update.n + i] -= update.dt * sum[c] * update.inverse_mass[i];
  }
};

/// The divergence g = Σ_d W_d u_d as one product of the bundle W_1, ..., W_dim, whose rows are few and long. A
/// component has n entries.
template <int dim>
struct Divergence
{
  static constexpr int n_matrices = dim, n_values = dim, n_sums = 1, parts = 8;

  long          n;
  const double *u;
  double       *g;

  ADAMANT_HOST_DEVICE const double *values(int d) const { return u + d * n; }
  ADAMANT_HOST_DEVICE void          add(const double (&a)[dim], const double (&v)[dim], double (&sum)[1]) const
  {
    for (int d = 0; d < dim; ++d)
      sum[0] += a[d] * v[d];
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[1]) const { g[i] = sum[0]; }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[1]) const { g[i] += sum[0]; }
};

/// Computes the products u_c u_d, c <= d, one after the other: the first part of a momentum step by single sparse
/// products.
template <int dim>
struct VelocityProducts
{
  static constexpr int number = dim * (dim + 1) / 2;
  static int place(int c, int d) { return c > d ? place(d, c) : c * dim - c * (c - 1) / 2 + d - c; } ///< of u_c u_d

  long          n;
  const double *u;
  double       *products;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    int k = 0;
    for (int c = 0; c < dim; ++c)
      for (int d = c; d < dim; ++d, ++k)
        products[k * n + i] = u[c * n + i] * u[d * n + i];
  }
};

/// Updates the velocity with these sums, by components: the last part of such a momentum step.
template <int dim>
struct UpdateVelocity
{
  VelocityUpdate<dim> update;
  const double       *rhs;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double sum[dim];
    for (int c = 0; c < dim; ++c)
      sum[c] = rhs[c * update.n + i];
    update(i, sum);
  }
};

/// Computes the products u_d T of a velocity and a temperature, one after the other.
template <int dim>
struct CarriedHeat
{
  long          n;
  const double *u, *T;
  double       *products;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int d = 0; d < dim; ++d)
      products[d * n + i] = u[d * n + i] * T[i];
  }
};

/// Computes T_new = T + dt (load - rhs) / m. Nodes with 1 / m = 0 have their T_new already.
struct TemperatureUpdate
{
  double        dt;
  const double *T, *inverse_mass, *load; ///< load may be null
  double       *T_new;

  ADAMANT_HOST_DEVICE void operator()(int i, double rhs) const
  {
    if (inverse_mass[i] != 0.)
      T_new[i] = T[i] + dt * ((load != nullptr ? load[i] : 0.) - rhs) * inverse_mass[i];
  }
};

/// A step of a temperature that a velocity carries, and that forces it by e (T + T_new) / 2.
template <int dim>
struct HeatStep
{
  TemperatureUpdate update;
  double            e[dim];

  ADAMANT_HOST_DEVICE double mean(int i) const { return 0.5 * (update.T[i] + update.T_new[i]); }
  /// Adds the step's change by the force e T to a velocity, where its step moves it.
  ADAMANT_HOST_DEVICE void press(const VelocityUpdate<dim> &of_u, int i, double T) const
  {
    for (int c = 0; c < dim && of_u.inverse_mass[i] != 0.; ++c)
      of_u.u_new[c * of_u.n + i] += of_u.dt * e[c] * T;
  }
};

/// Adds the force of a temperature to a velocity's step that was made without it.
template <int dim>
struct PressByHeat
{
  VelocityUpdate<dim> update;
  HeatStep<dim>       heat;

  ADAMANT_HOST_DEVICE void operator()(int i) const { heat.press(update, i, heat.mean(i)); }
};

/// Computes the flux r = m (T_new - T) / dt + rhs - load that a step needs at each node: 0 but for prescribed nodes.
struct HeatFlux
{
  TemperatureUpdate step;
  const double     *mass, *rhs;
  double           *r;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const double change = mass[i] * (step.T_new[i] - step.T[i]) / step.dt;
    r[i]                = change + rhs[i] - (step.load != nullptr ? step.load[i] : 0.);
  }
};

/// A MomentumStep that also takes the step of a temperature T, one more component that the velocity carries:
///   `T_new = T + dt (load - Σ_d A_d (u_d T) - κ K T) / m`.
/// K is the first matrix, which is to be multiplied by `diffusion` = κ / ν. Where the viscosity varies, it is one more
/// matrix, the last one, and `diffusion` is κ.
template <int dim, int n_viscous = 1>
struct BuoyantStep
{
  static constexpr int place_of_K = n_viscous > 1 ? n_viscous + dim : 0;
  static constexpr int n_matrices = n_viscous + dim + (n_viscous > 1), n_values = dim + 2, n_sums = dim + 1, parts = 1;

  VelocityUpdate<dim> update;
  const double       *p;
  HeatStep<dim>       heat;
  double              diffusion;

  ADAMANT_HOST_DEVICE const double *values(int k) const
  {
    return k < dim ? update.u + k * update.n : k == dim ? p : heat.update.T;
  }
  ADAMANT_HOST_DEVICE void add(const double (&a)[n_matrices], const double (&v)[n_values], double (&sum)[n_sums]) const
  {
    MomentumStep<dim, n_viscous>::add_momentum(a, v, sum);
    double w = diffusion * a[place_of_K];
    for (int d = 0; d < dim; ++d)
      w += a[n_viscous + d] * v[d];
    sum[dim] += w * v[dim + 1];
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[n_sums]) const
  {
    double rhs[dim];
    for (int c = 0; c < dim; ++c)
      rhs[c] = sum[c];
    update(i, rhs);
    heat.update(i, sum[dim]);
    heat.press(update, i, heat.mean(i));
  }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[n_sums]) const
  {
    const double change = -heat.update.dt * sum[dim] * heat.update.inverse_mass[i];
    heat.update.T_new[i] += change;
    for (int c = 0; c < dim; ++c)
      update.u_new[c * update.n + i] -= update.dt * sum[c] * update.inverse_mass[i];
    heat.press(update, i, 0.5 * change);
  }
};

/// Computes Σ_d A_d (u_d T) + κ K T as one product of the bundle of a BuoyantStep.
template <int dim, int n_viscous = 1>
struct HeatProduct
{
  using Step                      = BuoyantStep<dim, n_viscous>;
  static constexpr int n_matrices = Step::n_matrices, n_values = Step::n_values, n_sums = 1, parts = 1;

  long          n;
  const double *u, *T;
  double        diffusion; ///< see BuoyantStep
  double       *rhs;

  ADAMANT_HOST_DEVICE const double *values(int k) const { return k < dim ? u + k * n : T; }
  ADAMANT_HOST_DEVICE void add(const double (&a)[n_matrices], const double (&v)[n_values], double (&sum)[1]) const
  {
    double w = diffusion * a[Step::place_of_K];
    for (int d = 0; d < dim; ++d)
      w += a[n_viscous + d] * v[d];
    sum[0] += w * v[dim + 1];
  }
  ADAMANT_HOST_DEVICE void operator()(int i, const double (&sum)[1]) const { rhs[i] = sum[0]; }
  ADAMANT_HOST_DEVICE void add_ghosts(int i, const double (&sum)[1]) const { rhs[i] += sum[0]; }
};

/// Takes the step of a temperature from the sums of its product, for steps by single sparse products. It also adds the
/// temperature's force to f, by components, at nodes that the velocity's step moves. The given f may be null.
template <int dim>
struct UpdateTemperature
{
  HeatStep<dim> heat;
  long          n;
  const double *rhs, *inverse_mass, *given;
  double       *f;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    heat.update(i, rhs[i]);
    for (int c = 0; c < dim; ++c)
      f[c * n + i] =
        (given != nullptr ? given[c * n + i] : 0.) + (inverse_mass[i] == 0. ? 0. : heat.e[c] * heat.mean(i));
  }
};

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

/// Subtracts the mean of q, adds q - nu g / m to p, and computes s = p + q, which the next momentum step takes. The
/// viscosity is a number, or has a value at each node.
struct PressureUpdate
{
  double        viscosity;
  const double *of_node; // null: the number counts
  double        volume;
  const double *g, *inverse_mass, *integral; // the integral of q, or null
  double       *q, *p, *s;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    const double increment = q[k] - (integral != nullptr ? *integral / volume : 0.);
    q[k]                   = increment;
    p[k] += increment - (of_node != nullptr ? of_node[k] : viscosity) * g[k] * inverse_mass[k];
    s[k] = p[k] + increment;
  }
};

/// Computes `2 most / h² + U / h` at each node: U is the largest component of its velocity, h its shortest edge. It is
/// the inverse of the step that diffusion with the viscosity `most` and convection allow.
template <int dim>
struct StepRate
{
  long          n;
  double        most;
  const double *u, *edge;
  double       *rate;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double largest = 0.;
    for (int c = 0; c < dim; ++c)
      largest = fabs(u[c * n + i]) > largest ? fabs(u[c * n + i]) : largest;
    rate[i] = (2. * most / edge[i] + largest) / edge[i];
  }
};

// These functors change fields at listed nodes: for the listed node number k, component c is value[c n_listed + k].

/// A functor that sets u at the listed nodes to `value`.
struct SetAtNodes
{
  int           n_components, n_listed;
  long          n;
  const int    *node;
  const double *value;
  double       *u;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    for (int c = 0; c < n_components; ++c)
      u[c * n + node[k]] = value[c * n_listed + k];
  }
};

/// Sets u = P u at listed nodes, for a field of dim components, stored one after the other: P takes out what is normal
/// to a boundary.
template <int dim>
struct ProjectAtNodes
{
  long          n;
  const int    *node;
  const double *P; ///< of listed node k by rows: [(k dim + c) dim + d]
  double       *u;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    double before[dim];
    for (int c = 0; c < dim; ++c)
      before[c] = u[c * n + node[k]];
    for (int c = 0; c < dim; ++c)
      {
        double sum = 0.;
        for (int d = 0; d < dim; ++d)
          sum += P[(k * dim + c) * dim + d] * before[d];
        u[c * n + node[k]] = sum;
      }
  }
};

/// A functor that takes, where several values are candidates for a node, the shortest vector or the longest. It runs
/// for one candidate after the other. `role` of the present one is 0 where it does not apply, 2 where it is the node's
/// first, else 1.
struct ChooseCandidate
{
  int           n_components, n_listed;
  bool          shortest;
  const int    *role;
  const double *candidate;
  double       *value;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double candidate_square = 0, value_square = 0;
    for (int k = i; k < n_components * n_listed; k += n_listed)
      {
        candidate_square += candidate[k] * candidate[k];
        value_square += value[k] * value[k];
      }
    if (role[i] == 2 ||
        (role[i] == 1 && (shortest ? candidate_square < value_square : candidate_square > value_square)))
      for (int k = i; k < n_components * n_listed; k += n_listed)
        value[k] = candidate[k];
  }
};
} // namespace adamant
