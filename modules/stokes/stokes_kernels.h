#pragma once

#include "coefficients/average_functors.h"
#include "fem/forms/cell_kernel.h"

#include <cmath>

// Kernels of Stokes flow with a viscosity that varies, for host and GPU.

namespace adamant
{
/// Integrates ∫ 2 η ε(φ_j e_d) : ε(φ_i e_c) = ∫ η (δ_cd ∇φ_i · ∇φ_j + ∂_d φ_i ∂_c φ_j), with η constant in each cell,
/// or given at each quadrature point.
template <int dim>
struct ViscousStress
{
  static constexpr int rows = dim, columns = dim;
  const double        *viscosity;
  bool                 at_points;

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    const double weight = viscosity[at_points ? at.point : at.cell] * at.JxW;
    const double same   = weight * dot<dim>(at.gradient_i, at.gradient_j);
    for (int c = 0; c < dim; ++c)
      {
        for (int d = 0; d < dim; ++d)
          local[c][d] += weight * at.gradient_i[d] * at.gradient_j[c];
        local[c][c] += same;
      }
  }
};

/// Computes the matrices of ViscousStress for cells of each shape and η = 1, by Device::for_each over shapes and pairs
/// of nodes a, b. The entry is at [((shape n + a) n + b) dim² + c dim + d].
template <int dim>
struct ViscousStressOfShapes
{
  ShapesView shapes;
  double    *result;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    n = shapes.n, pair = index % (n * n), a = pair / n, b = pair % n;
    const long   first           = static_cast<long>(index / (n * n)) * shapes.n_q;
    const double one             = 1.;
    double       local[dim][dim] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      ViscousStress<dim>{&one, false}(IntegrationPoint<dim>{0, q, a, b, shapes.JxW[first + q], shapes.value[q * n + a],
                                                            shapes.value[q * n + b],
                                                            shapes.gradient + ((first + q) * n + a) * dim,
                                                            shapes.gradient + ((first + q) * n + b) * dim, 0.},
                                      local);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        result[(static_cast<long>(index) * dim + c) * dim + d] = local[c][d];
  }
};

/// ViscousStress where cells of one shape share a matrix, which is scaled by η, if `of_shapes` is given: see
/// AssembleBlocks below.
template <int dim>
struct ShapedViscousStress : ViscousStress<dim>
{
  const double *of_shapes; ///< results of ViscousStressOfShapes, for η constant in each cell; or null
};

/// Computes the sums of ViscousStress without quadrature: 9 products for each contribution in 3D instead of 8 times 30.
template <int dim>
struct AssembleBlocks<dim, ShapedViscousStress<dim>>
{
  AssemblyView             A;
  ShapedViscousStress<dim> kernel;
  double                  *values;

  ADAMANT_HOST_DEVICE void operator()(int block) const
  {
    if (kernel.of_shapes == nullptr)
      return AssembleBlocks<dim, ViscousStress<dim>>{A, kernel, values}(block);
    const int n             = A.row_shapes.n;
    double    sum[dim][dim] = {};
    for (int k = A.start[block]; k < A.start[block + 1]; ++k)
      {
        const Contribution &from   = A.contributions[k];
        const double        factor = A.weights[from.weight] * kernel.viscosity[from.cell];
        const double       *local =
          kernel.of_shapes + (static_cast<long>(A.row_shapes.shape[from.cell]) * n * n + from.pair) * dim * dim;
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            sum[c][d] += factor * local[c * dim + d];
      }
    A.store(block, sum, values);
  }
};

/// Integrates `∫ w φ_i φ_j`, with w constant in the n_parts parts of each cell: its children or the cell itself. Each
/// of the n_q quadrature points has its part in part_of_point.
struct WeightedMass
{
  static constexpr int rows = 1, columns = 1;
  int                  n_parts, n_q;
  const double        *weight; ///< of part k of cell c: [n_parts c + k]
  const int           *part_of_point;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    const int part = part_of_point[at.point - at.cell * n_q];
    local[0][0] += weight[n_parts * at.cell + part] * at.value_i * at.value_j * at.JxW;
  }
};

/// Integrates ∫ k ∇φ_i · ∇φ_j, with k constant in each cell.
struct WeightedLaplacian
{
  static constexpr int rows = 1, columns = 1;
  const double        *k;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += k[at.cell] * dot<dim>(at.gradient_i, at.gradient_j) * at.JxW;
  }
};

/// Computes y = a x^exponent, elementwise.
struct Power
{
  double                     a, exponent;
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return a * pow(x[i], exponent); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Computes x = 1 / x where x > 0, else 0, elementwise, for lumped masses, which are 0 at constrained unknowns.
struct InvertPositive
{
  double                    *x;
  ADAMANT_HOST_DEVICE double value(int i) const { return x[i] > 0. ? 1. / x[i] : 0.; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { x[i] = value; }
};

/// Computes v -= (1 . v) / n at the entries where `one` is 1, elementwise; `sum` points to 1 . v.
template <typename Number>
struct RemoveMean
{
  const Number              *one;
  const double              *sum;
  double                     n;
  Number                    *v;
  ADAMANT_HOST_DEVICE Number value(int i) const { return v[i] - static_cast<Number>(*sum / n) * one[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { v[i] = value; }
};

/// Computes y_cell, the average over the n positive values x of a cell, which follow each other. A value that is not
/// positive, or infinite, becomes y_cell, where a check finds it: an average may hide it.
struct AverageInCells
{
  Average                  average;
  int                      n;
  const double            *x;
  double                  *y;
  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double *values = x + static_cast<long>(cell) * n;
    double        sum    = 0.;
    for (int q = 0; q < n; ++q)
      {
        if (!(values[q] > 0. && values[q] - values[q] == 0.))
          {
            y[cell] = values[q];
            return;
          }
        sum += average == Average::harmonic  ? 1. / values[q] :
               average == Average::geometric ? log(values[q]) :
                                               values[q];
      }
    y[cell] = average == Average::harmonic ? n / sum : average == Average::geometric ? exp(sum / n) : sum / n;
  }
};

/// Computes y_cell, the largest of the n values x of a cell over the least. It is infinite where a value is not
/// positive.
struct RatioInCells
{
  int                      n;
  const double            *x;
  double                  *y;
  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double *values = x + static_cast<long>(cell) * n;
    double        least = values[0], most = values[0];
    for (int q = 1; q < n; ++q)
      {
        least = values[q] < least ? values[q] : least;
        most  = values[q] > most ? values[q] : most;
      }
    y[cell] = least > 0. ? most / least : HUGE_VAL;
  }
};
} // namespace adamant
