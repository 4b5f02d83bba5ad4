#pragma once

#include "algebra/vector.h"
#include "base/csr_matrix.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/index_set.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace adamant
{
/// How a DoFHandler of a program numbers this rank's DoFs: entry i of a deal.II vector's own part is the DoF
/// owned.nth_index_in_set(i), and `in_field[i]` in vectors of the field.
struct DofNumbers
{
  dealii::IndexSet owned;
  Array<int>       in_field;
};

/// Of `dofs`, which has the mesh and element of `space`; throws RunError where it does not.
template <int dim>
DofNumbers numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs);

/// The door between deal.II's vectors, in host memory, and those of a device, whose matrix has the identity in the rows
/// of constrained DoFs: there device vectors are zero, and deal.II's solution is its right-hand side times a scaling.
class DealiiVectors
{
public:
  /// `matrix` is the finest level's. Without numbers the vectors have one rank's entries in the field's own order.
  DealiiVectors(const Device &device, const CSRMatrix<double> &matrix, const DofNumbers &numbers = {});

  /// Takes the scaling of constrained rows from the diagonal of a condensed matrix of deal.II; else it is 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    for (auto &row : constrained)
      row.scaling = 1. / matrix.diag_element(row.global);
  }

  /// x = the own part of a deal.II vector, converted. Throws RunError where it has another size.
  template <class DealiiVector, typename Number>
  void take(const DealiiVector &source, Vector<Number> &x) const
  {
    check_size(source.locally_owned_size());
    take(source.begin(), x);
  }
  /// The own part of target = x, with what `rhs` says of constrained DoFs.
  template <class DealiiVector, typename Number>
  void give(const Vector<Number> &x, const DealiiVector &rhs, DealiiVector &target) const
  {
    check_size(target.locally_owned_size());
    give(x, target.begin());
    for (const auto &row : constrained)
      target.begin()[row.local] = row.scaling * rhs.begin()[row.local];
  }

private:
  void check_size(std::size_t n) const;
  template <typename Number>
  void take(const double *source, Vector<Number> &x) const;
  template <typename Number>
  void give(const Vector<Number> &x, double *target) const;

  struct ConstrainedRow
  {
    int                             local;
    dealii::types::global_dof_index global;
    double                          scaling;
  };
  Device                      device;
  std::vector<ConstrainedRow> constrained;
  List<int>                   entry, row; // of deal.II's vector for each row of the field's, and the reverse
  mutable Vector<double>      on_device;  // deal.II's vector, where the device is not the host
};
} // namespace adamant
