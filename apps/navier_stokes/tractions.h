#pragma once

#include "parameters.h"

#include "algebra/device.h"
#include "fem/functions/points.h"
#include "flow/flow_boundaries.h"
#include "flow/flow_matrices.h"

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <set>
#include <vector>

namespace navier_stokes
{
using adamant::Array;

/// The tractions ν ∂_n u - p n = g on open boundaries, as a pressure correction can have them. The pressure is
/// prescribed, p = -g·n, at its nodes there. What remains of g is a load of the momentum equation at the velocity's
/// nodes, lumped as the masses are, so that ν ∂_n u = g - (g·n) n. All ranks call all functions together.
template <int dim>
class BoundaryTractions
{
public:
  using Vector = adamant::Vector<double>;

  /// The arguments have to outlive the object.
  BoundaryTractions(const adamant::Device &device, const ProblemParameters &problem,
                    const adamant::FlowMatrices<dim> &flow, const Mapping<dim> &mapping)
    : device(device)
    , flow(flow)
    , tractions(problem)
  {
    if (!any())
      return;
    const auto &velocity = flow.velocity(), &pressure = flow.pressure();
    Array<int>  moving;
    for (int i = 0; i < velocity.n_owned(); ++i)
      if (velocity.is_free(i))
        moving.push_back(i);
    velocities         = nodes_on(tractions.boundaries(), velocity, moving, mapping);
    pressures          = nodes_on(problem.all(&ProblemParameters::is_open, velocity.triangulation()), pressure,
                                  pressure.prescribed, mapping);
    const auto lifting = flow.lifting(mapping, QGauss<dim>(2));
    interpolation      = adamant::Matrix<double>(device, lifting.interpolation);
    laplacian          = adamant::Matrix<double>(device, lifting.laplacian);
    for (Vector *of_pressures : {&given, &change})
      *of_pressures = Vector(device, pressure.n_owned());
    for (Vector *of_velocities : {&given_on_velocity_mesh, &change_on_velocity_mesh})
      *of_velocities = Vector(device, velocity.n_owned());
    set_pressure(0., 0.);
  }

  bool any() const { return !tractions.boundaries().empty(); }
  bool varies() const { return tractions.varies(); }

  /// Sets the prescribed pressures at time t, and their change since the time t - dt.
  void set_pressure(double t, double dt)
  {
    const auto now = pressures_at(t);
    auto       q   = dt > 0. && varies() ? pressures_at(t - dt) : now;
    for (std::size_t k = 0; k < q.size(); ++k)
      q[k] = now[k] - q[k];
    given.upload(now.data());
    change.upload(q.data());
    device.multiply(1., interpolation, given, 0., given_on_velocity_mesh);
    device.multiply(1., interpolation, change, 0., change_on_velocity_mesh);
  }

  /// Moves the prescribed pressures, or their change, to the right-hand side b of (∇q, ∇ψ) = b.
  /// @{
  void subtract_pressure(Vector &b) const
  {
    if (any())
      device.multiply(-1., laplacian, given, 1., b);
  }
  void subtract_change(Vector &b) const
  {
    if (varies())
      device.multiply(-1., laplacian, change, 1., b);
  }
  /// @}
  /// Adds a times the prescribed pressures, `with_change` also their change, to nodal values on the velocity mesh.
  void add_to(Vector &p, double a, bool with_change) const
  {
    if (any())
      device.axpby(a, given_on_velocity_mesh, 1., p);
    if (varies() && with_change)
      device.axpby(a, change_on_velocity_mesh, 1., p);
  }

  /// Adds to the acceleration a at the velocity's nodes, by components, that of the tractions at time t: of all their
  /// load, or of the part that is no pressure.
  void accelerate(double t, bool all, Array<double> &a) const
  {
    for (const auto &[node, id, x, N] : velocities)
      {
        const auto g    = tractions.value(id, x, N / N.norm(), t);
        const auto load = (all ? g : g - g * N / N.norm_square() * N) * N.norm() / flow.velocity_mass[node];
        for (int c = 0; c < dim; ++c)
          a[std::size_t(c) * flow.velocity().n_owned() + node] += load[c];
      }
  }

private:
  struct Node // of a boundary
  {
    int                node;
    types::boundary_id id;
    Point<dim>         x;
    Tensor<1, dim>     N; // the normal times the node's share of the boundary
  };

  // Returns the listed nodes that lie on one of the boundaries, for each of these.
  static std::vector<Node> nodes_on(const std::set<types::boundary_id> &ids, const adamant::LevelSpace<dim> &space,
                                    const Array<int> &listed, const Mapping<dim> &mapping)
  {
    std::vector<Node> nodes;
    const auto        points = adamant::support_points(space, mapping, listed);
    for (const auto id : ids)
      {
        const auto normals = space.nodal_normals(id);
        for (std::size_t k = 0; k < listed.size(); ++k)
          {
            Node node{listed[k], id, {}, {}};
            for (int d = 0; d < dim; ++d)
              {
                node.x[d] = points[d * listed.size() + k];
                node.N[d] = normals[d][listed[k]];
              }
            if (node.N.norm() > 0.)
              nodes.push_back(node);
          }
      }
    return nodes;
  }

  // Where boundaries meet, the means by their sizes.
  Array<double> pressures_at(double t) const
  {
    Array<double> p(flow.pressure().n_owned(), 0.), area(p.size(), 0.);
    for (const auto &[node, id, x, N] : pressures)
      area[node] += N.norm();
    for (const auto &[node, id, x, N] : pressures)
      p[node] -= tractions.value(id, x, N / N.norm(), t) * N / area[node];
    adamant::require_traction(flow.velocity().communicator(), p);
    return p;
  }

  adamant::Device                   device;
  const adamant::FlowMatrices<dim> &flow;
  adamant::Tractions<dim>           tractions;
  std::vector<Node>                 pressures, velocities;
  adamant::Matrix<double>           interpolation, laplacian; // of pressures on open boundaries
  Vector                            given, change, given_on_velocity_mesh, change_on_velocity_mesh;
};
} // namespace navier_stokes
