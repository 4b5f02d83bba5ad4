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
  ValuesAt         area;     ///< N dA of the undeformed face
  StretchView<dim> stretch;
  ValuesAt         traction, change; ///< see FaceTraction, FaceTractionChange

  /// Adds ∫ p φ_a n da over the faces of a cell; of_points: `traction`, or its `change`.
  ADAMANT_HOST_DEVICE void add_forces(int cell, int a, const ValuesAt &of_points, double *sum) const
  {
    if (first == nullptr)
      return;
    for (int point = first[cell] * shapes.n_q; point < first[cell + 1] * shapes.n_q; ++point)
      for (int c = 0; c < dim; ++c)
        sum[c] += value[static_cast<long>(point) * shapes.n + a] * of_points(c, point);
  }

  /// Adds row c of the derivative of these forces to u at node b, φ_a (t ⊗ (cof F h) - (cof F h) ⊗ t) / J. There t = p
  /// n da, and h = ∇φ_b.
  template <int c>
  ADAMANT_HOST_DEVICE void add_tangent(int cell, int a, int b, double (&row)[dim]) const
  {
    if (first == nullptr)
      return;
    for (int point = first[cell] * shapes.n_q; point < first[cell + 1] * shapes.n_q; ++point)
      {
        const Stretch<dim> at     = stretch(point);
        const long         place  = static_cast<long>(point) * shapes.n;
        const double       weight = value[place + a] / (1. + at.j);
        double             along[dim];
        for (int d = 0; d < dim; ++d)
          along[d] = dot<dim>(at.cofactor[d], shapes.gradient + (place + b) * dim);
        for (int d = 0; d < dim; ++d)
          row[d] += weight * (traction(c, point) * along[d] - along[c] * traction(d, point));
      }
  }
};

/// Stores p cof F N dA, by Device::for_each over points of faces.
template <int dim>
struct FaceTraction
{
  PressedFacesView<dim> faces;
  const double         *p; ///< on each boundary

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at       = faces.stretch(point);
    const double       pressure = p[faces.boundary[point / faces.shapes.n_q]];
    double             area[dim];
    for (int c = 0; c < dim; ++c)
      area[c] = faces.area(c, point);
    for (int c = 0; c < dim; ++c)
      faces.traction(c, point) = pressure * dot<dim>(at.cofactor[c], area);
  }
};

/// Stores how the traction t changes for a displacement that changes by δ: (t (cof F : ∇δ) - cof F ∇δᵀ t) / J. It is
/// for Device::for_each over points of faces.
template <int dim>
struct FaceTractionChange
{
  PressedFacesView<dim> faces;
  const double         *delta; ///< nodal values

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at = faces.stretch(point);
    double             H[dim][dim], back[dim] = {}, trace = 0.;
    GradientOf<dim>{faces.shapes, delta}(point, H);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          trace += at.cofactor[c][d] * H[c][d];
          back[d] += H[c][d] * faces.traction(c, point);
        }
    for (int c = 0; c < dim; ++c)
      faces.change(c, point) = (faces.traction(c, point) * trace - dot<dim>(at.cofactor[c], back)) / (1. + at.j);
  }
};
} // namespace adamant
