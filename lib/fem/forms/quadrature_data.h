#pragma once

#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"
#include "fem/forms/cell_kernel.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// The shape functions of a field's nodes at the quadrature points of all cells of one level, on a device. They are the
/// values of deal.II's FEValues for each shape of cells. All components of a node have the same shape function.
template <int dim>
class QuadratureData
{
public:
  /// Computes the data; `flags` may have update_hessians. Throws RunError where nodes have different components.
  QuadratureData(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                 const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags = dealii::update_default);

  ShapesView view() const;
  int        n_points() const { return n_cells * n_q; } ///< of all cells
  int        n_shapes() const { return JxW.size() / n_q; }

private:
  void tabulate_shapes(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                       const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Array<int> &cells);

  int          n_cells, n, n_q;
  List<double> value, gradient, laplacian, JxW;
  List<int>    shape, node;
};

/// Returns the number of the shape function of each node's first component.
template <int dim>
std::vector<unsigned int> first_components(const dealii::FiniteElement<dim> &fe);

/// Returns the matrix that adds up loads of cells as loads of the unknowns, in host memory. The load of DoF i of a cell
/// is at [cell n + i]. Loads of constrained DoFs go to unknowns from which they are interpolated; with `prescribed`
/// they go to prescribed values instead, as reactions, and other loads nowhere. All ranks call it together.
template <int dim>
CSRMatrix<double> sum_of_cell_loads(const LevelSpace<dim> &space, bool prescribed = false);
} // namespace adamant
