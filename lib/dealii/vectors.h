#pragma once

#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"
#include "fem/spaces/level_space.h"

#include <deal.II/dofs/dof_handler.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// Copies between deal.II's vectors in host memory and a device's vectors. The matrix has rows of the identity for
/// constrained DoFs. There device vectors are zero; deal.II's solution is its right-hand side times a scaling.
class DealiiVectors
{
public:
  /// `matrix` belongs to `space`, and deal.II's vectors belong to `dofs`. Throws RunError where `dofs` does not
  /// distribute the element of `space` on its mesh.
  template <int dim>
  DealiiVectors(const Device &device, const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs,
                const CSRMatrix<double> &matrix);

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
