#pragma once

#include "base/run_record.h"
#include "flow/bundle/matrix_bundle.h"
#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace adamant
{
/// The sparse products of a time step on a device. Each is one pass over a bundle of matrices. With `separate` (the
/// GPU* of the paper's Table 4) it is one product for each matrix and component, in the device's format of matrices.
template <int dim>
class FlowProducts
{
public:
  using Vector = adamant::Vector<double>;

  FlowProducts(const Device &device, const FlowMatrices<dim> &flow, double viscosity, bool separate)
    : device(device)
    , n(flow.stiffness->n_rows)
  {
    CSRMatrix<double> viscous = *flow.stiffness;
    for (double &value : viscous.value)
      value *= viscosity;
    std::vector<const CSRMatrix<double> *> momentum{&viscous}, divergence;
    for (unsigned int d = 0; d < dim; ++d)
      {
        momentum.push_back(flow.gradient[d].get());
        divergence.push_back(flow.divergence[d].get());
      }
    if (!separate)
      {
        momentum_bundle   = make_bundle(device, momentum, dim + 1);
        divergence_bundle = make_bundle(device, divergence, dim);
        return;
      }
    for (const auto *matrix : momentum)
      momentum_matrix.emplace_back(device, *matrix);
    for (const auto *matrix : divergence)
      divergence_matrix.emplace_back(device, *matrix);
    u_u = Vector(device, VelocityProducts<dim>::number * n);
    rhs = Vector(device, dim * n);
  }

  bool separate() const { return !momentum_bundle; }

  /// Takes a MomentumStep. `timed(part, work)` does the work, and may count its time under the name of a part of Table
  /// 4.
  template <typename Timed>
  void momentum(const VelocityUpdate<dim> &update, const Vector &u, const Vector &p, const Timed &timed)
  {
    if (separate())
      separate_momentum(update, u, p, timed);
    else
      timed("momentum", [&] { for_each_row(device, momentum_bundle, MomentumStep<dim>{update, p.data()}); });
  }

  /// Computes the Divergence.
  void divergence(const Vector &u, Vector &g) const
  {
    if (!separate())
      return for_each_row(device, divergence_bundle, Divergence<dim>{n, u.data(), g.data()});
    for (int d = 0; d < dim; ++d)
      device.multiply(1., divergence_matrix[d], component(u, d), d == 0 ? 0. : 1., g);
  }

  /// Bytes that one product with a bundle reads and writes, vectors once and without f; not for separate products.
  std::size_t momentum_bytes() const { return momentum_bundle->bytes() + 2 * sizeof(double) * (dim + 1) * n; }
  std::size_t divergence_bytes() const
  {
    return divergence_bundle->bytes() + sizeof(double) * (std::size_t(dim) * n + divergence_bundle->n_rows);
  }

  /// Adds the bytes of all ranks to run.json, where there are bundles.
  void add_to(RunRecord &record) const
  {
    if (separate())
      return;
    double bytes[] = {double(momentum_bytes()), double(divergence_bytes())};
    device.communicator().sum(bytes, 2);
    record["bytes"] = {{"momentum", std::llround(bytes[0])}, {"divergence", std::llround(bytes[1])}};
  }

private:
  Vector component(const Vector &u, int c) const { return u.part(c * n, n); }

  template <typename Timed>
  void separate_momentum(const VelocityUpdate<dim> &update, const Vector &u, const Vector &p, const Timed &timed)
  {
    const auto add = [this](int matrix, const Vector &x, int c, double b) {
      Vector to = component(rhs, c);
      device.multiply(1., momentum_matrix[matrix], x, b, to);
    };
    timed("mom-rhs-nonlin", [&] {
      device.for_each(n, VelocityProducts<dim>{n, u.data(), u_u.data()});
      for (int c = 0; c < dim; ++c)
        for (int d = 0; d < dim; ++d)
          add(1 + d, component(u_u, VelocityProducts<dim>::place(d, c)), c, d == 0 ? 0. : 1.);
    });
    timed("mom-rhs-p", [&] {
      for (int c = 0; c < dim; ++c)
        add(1 + c, p, c, 1.);
    });
    timed("mom-rhs-visc", [&] {
      for (int c = 0; c < dim; ++c)
        add(0, component(u, c), c, 1.);
    });
    timed("mom-solve", [&] { device.for_each(n, UpdateVelocity<dim>{update, rhs.data()}); });
  }

  Device                      device;
  int                         n; // velocity nodes
  MatrixBundle                momentum_bundle, divergence_bundle;
  std::vector<Matrix<double>> momentum_matrix, divergence_matrix;
  Vector                      u_u, rhs;
};
} // namespace adamant
