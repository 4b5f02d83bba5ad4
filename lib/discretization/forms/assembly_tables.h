#pragma once

#include "algebra/compressed_rows.h"
#include "discretization/forms/cell_kernel.h"
#include "discretization/forms/quadrature_data.h"

#include <functional>
#include <memory>
#include <optional>

namespace adamant
{
template <int dim>
class LevelForm;

/// The matrices of all cells before they are added up, as blocks of nodes (LocalMatrices), in host memory: one for all
/// cells of a shape, or one for each.
struct TabulatedMatrices
{
  Array<double> values;
  Array<int>    table;    ///< of each cell
  Array<int>    of_cells; ///< that they were computed on
};

/// How the values of a form's matrix on one level follow from its kernel, on a device: values = G ℓ, ℓ the local
/// matrices of all cells, G with entries 1, or products of interpolation weights at hanging nodes. By blocks of nodes,
/// each the sum of a list of contributions, which are integrated where they are needed: ℓ is not stored, sums have a
/// fixed order, and no two threads write the same entry. The device makes the lists. Bytes of an update: 8 for each
/// contribution, 12 for each block, 8 for each entry.
template <int dim>
class AssemblyTables
{
public:
  /// `form` has its pattern. Throws RunError where nodes are mixed, columns are neither unknowns() nor nodal_values(),
  /// or a hanging node is interpolated from different nodes in its components.
  AssemblyTables(const Device &device, const LevelForm<dim> &form, const dealii::Mapping<dim> &mapping,
                 const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags);

  template <class Kernel>
  void assemble(const Device &device, const Kernel &kernel)
  {
    check(Kernel::rows, Kernel::columns);
    device.for_each(row.size(), AssembleBlocks<dim, Kernel>{view(), kernel, matrix->values.data()});
  }

  /// The same of matrices that the host computes by `tabulate`, which is given the last ones. Waits.
  void assemble_tabulated(const Device &device, const std::function<void(TabulatedMatrices &)> &tabulate);

  std::shared_ptr<CompressedRows> matrix; ///< whose values `assemble` computes

private:
  void         list_blocks(const Device &device, const LevelForm<dim> &form);
  void         list_contributions(const Device &device, const LevelForm<dim> &form);
  void         set_identity(const Device &device, const LevelForm<dim> &form);
  AssemblyView view() const;
  void         check(int row_components, int column_components) const; // throws RunError unless they are the fields'

  int                                m, n; // components of a row's and of a column's node
  QuadratureData<dim>                row_data;
  std::optional<QuadratureData<dim>> column_data; // where it is another field's
  List<int>                          row, column, first_block;
  std::shared_ptr<int>               start;         // of each block's contributions, and behind the last one
  std::shared_ptr<Contribution>      contributions; // in the memory of the device
  List<double>                       weights;
  List<int>                          table; // of local matrices
  TabulatedMatrices                  local;
  List<unsigned char>                free_row, free_column;
};
} // namespace adamant
