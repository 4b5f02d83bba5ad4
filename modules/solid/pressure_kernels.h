#pragma once

#include "solid/stretch.h"

// Functors of pressures that follow the faces of a body, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Faces under pressure. Their points and shape functions are in ShapesView, where faces take the place of cells and
/// have a shape each. The traction at a point is p n da, with the outer normal n and the area da of the
/// deformed face: n da = cof F N dA.
template <int dim>
struct PressedFacesView
{
  const int       *first; ///< first face of each cell, and the end; null: there are no faces
  ShapesView       shapes;
  const double    *value;    ///< of node a at a point: [point n + a]
  const int       *boundary; ///< number of each face's boundary
  const double    *p;        ///< on each boundary
  ValuesAt         area;     ///< N dA of the undeformed face
  StretchView<dim> stretch;
  ValuesAt         traction, change; ///< see FaceTraction, FaceTractionChange

  ADAMANT_HOST_DEVICE double pressure(int point) const { return p[boundary[point / shapes.n_q]]; }

  /// Adds ∫ p φ_a n da over the faces of a cell; of_points: `traction`, or its `change`.
  ADAMANT_HOST_DEVICE void add_forces(int cell, int a, const ValuesAt &of_points, double *sum) const
  {
    if (first == nullptr)
      return;
    for (int point = first[cell] * shapes.n_q; point < first[cell + 1] * shapes.n_q; ++point)
      for (int c = 0; c < dim; ++c)
        sum[c] += value[static_cast<long>(point) * shapes.n + a] * of_points(c, point);
  }

  /// Computes w = p F (N dA × h): for u + e_d f with h = ∇f, the traction t = p cof F N dA changes by skew<c>(d, w).
  /// As w is linear in F, cells of coarser levels may be turned inside out.
  ADAMANT_HOST_DEVICE void axis(int point, const double *h, double (&w)[3]) const
  {
    if constexpr (dim == 2)
      {
        w[0] = w[1] = 0.;
        w[2]        = pressure(point) * (area(0, point) * h[1] - area(1, point) * h[0]);
      }
    else
      {
        double across[3];
        for (int c = 0; c < 3; ++c)
          across[c] = area((c + 1) % 3, point) * h[(c + 2) % 3] - area((c + 2) % 3, point) * h[(c + 1) % 3];
        for (int c = 0; c < 3; ++c)
          {
            w[c] = 0.;
            for (int d = 0; d < 3; ++d)
              w[c] += (stretch.at(dim * c + d, point) + (c == d ? 1. : 0.)) * across[d];
            w[c] *= pressure(point);
          }
      }
  }
  /// Returns Σ_k ε_cdk w_k.
  template <int c>
  ADAMANT_HOST_DEVICE static double skew(int d, const double (&w)[3])
  {
    return d == c ? 0. : d == (c + 1) % 3 ? w[3 - c - d] : -w[3 - c - d];
  }

  /// Adds row c of the derivative of these forces to u at node b.
  template <int c>
  ADAMANT_HOST_DEVICE void add_tangent(int cell, int a, int b, double (&row)[dim]) const
  {
    if (first == nullptr)
      return;
    for (int point = first[cell] * shapes.n_q; point < first[cell + 1] * shapes.n_q; ++point)
      {
        const long place = static_cast<long>(point) * shapes.n;
        double     w[3];
        axis(point, shapes.gradient + (place + b) * dim, w);
        for (int d = 0; d < dim; ++d)
          row[d] += value[place + a] * skew<c>(d, w);
      }
  }
};

/// Stores p cof F N dA, by Device::for_each over points of faces.
template <int dim>
struct FaceTraction
{
  PressedFacesView<dim> faces;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at = faces.stretch.without_strain(point);
    double             area[dim];
    for (int c = 0; c < dim; ++c)
      area[c] = faces.area(c, point);
    for (int c = 0; c < dim; ++c)
      faces.traction(c, point) = faces.pressure(point) * dot<dim>(at.cofactor[c], area);
  }
};

/// Stores how the traction changes for a displacement that changes by δ, by Device::for_each over points of faces.
template <int dim>
struct FaceTractionChange
{
  PressedFacesView<dim> faces;
  const double         *delta; ///< nodal values

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double H[dim][dim], sum[3] = {};
    GradientOf<dim>{faces.shapes, delta}(point, H);
    for (int d = 0; d < dim; ++d)
      {
        double w[3];
        faces.axis(point, H[d], w);
        sum[0] += faces.template skew<0>(d, w);
        sum[1] += faces.template skew<1>(d, w);
        sum[2] += faces.template skew<2>(d, w);
      }
    for (int c = 0; c < dim; ++c)
      faces.change(c, point) = sum[c];
  }
};
} // namespace adamant
