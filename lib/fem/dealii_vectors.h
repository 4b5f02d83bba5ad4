#pragma once

#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/index_set.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace adamant
{
/// The numbers that a DoFHandler of a program gives this rank's DoFs. Entry i of a deal.II vector's own part is the DoF
/// owned.nth_index_in_set(i). In vectors of the field it has the number `in_field[i]`.
struct DofNumbers
{
  dealii::IndexSet owned;
  Array<int>       in_field;
};

/// Returns the numbers of `dofs`, which has the mesh and element of `space`; throws RunError where it does not.
template <int dim>
DofNumbers numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs);

/// Copies between deal.II's vectors in host memory and a device's vectors. The matrix has rows of the identity for
/// constrained DoFs. There device vectors are zero; deal.II's solution is its right-hand side times a scaling.
class DealiiVectors
{
public:
  /// `matrix` belongs to the finest level. Without `numbers` vectors have one rank's entries in the field's own order.
  DealiiVectors(const Device &device, const CSRMatrix<double> &matrix, const DofNumbers &numbers = {});

  /// Takes the scaling of constrained rows from the diagonal of a condensed matrix of deal.II; else it is 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    for (auto &row : constrained)
      row.scaling = 1. / matrix.diag_element(row.global);
  }

  /// Computes x = the own part of a deal.II vector, converted to Number. Throws RunError where it has another size.
  template <class DealiiVector, typename Number>
  void take(const DealiiVector &source, Vector<Number> &x) const
  {
    check_size(source.locally_owned_size());
    take(source.begin(), x);
  }
  /// Writes x into the own part of `target`; constrained DoFs get their values from `rhs`. Throws as take() does.
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
  List<int>                   entry, row; // entry: of deal.II's vector for each row of the field; row: the reverse
  mutable Vector<double>      on_device;  // holds deal.II's vector, where the device is not the host
};
} // namespace adamant
