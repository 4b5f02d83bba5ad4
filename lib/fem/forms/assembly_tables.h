#pragma once

#include "algebra/compressed_rows.h"
#include "fem/forms/cell_kernel.h"
#include "fem/forms/cell_loop.h"
#include "fem/forms/quadrature_data.h"

#include <functional>
#include <memory>
#include <optional>

namespace adamant
{
template <int dim>
class LevelForm;

/// The local matrices of all cells before they are added up, in host memory, as blocks of nodes (LocalMatrices). There
/// is one for all cells of a shape, or one for each cell, which then has a shape of its own.
struct TabulatedMatrices
{
  Array<double> values;
  CellShapes    shapes; ///< of the acting cells
};

/// Computes the values of a form's matrix on one level from its kernel, on a device. The values are G ℓ. Here ℓ are the
/// local matrices of all cells, and G has entries 1 or products of interpolation weights at hanging nodes. Each block
/// of nodes is the sum of a list of contributions, which are integrated where they are needed. So ℓ is not stored, sums
/// have a fixed order, and no two threads write the same entry. The device makes the lists. An update moves 8 bytes for
/// each contribution, 12 for each block and 8 for each entry. Conditions u . n = 0 at nodes, which H has beside the
/// conditions at hanging nodes, change the sums of whole blocks (TiltedNodes).
template <int dim>
class AssemblyTables
{
public:
  /// Makes the lists on the device; `form` has to have its pattern. Throws RunError where the columns are neither
  /// unknowns(), nor nodal_values(), nor prescribed_values() of one component. It throws, too, where nodes have different
  /// components, or where a hanging node's components differ in their masters.
  AssemblyTables(const Device &device, const LevelForm<dim> &form, const dealii::Mapping<dim> &mapping,
                 const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags);

  template <class Kernel>
  void assemble(const Device &device, const Kernel &kernel)
  {
    check(Kernel::rows, Kernel::columns);
    device.for_each(row.size(), AssembleBlocks<dim, Kernel>{view(), kernel, matrix->values.data()});
  }

  /// Adds up local matrices that `tabulate` makes on the host from the last call's matrices; waits for the device.
  void assemble_tabulated(const Device &device, const std::function<void(TabulatedMatrices &)> &tabulate);

  std::shared_ptr<CompressedRows> matrix; ///< the matrix whose values `assemble` computes

private:
  void         list_blocks(const Device &device, const LevelForm<dim> &form);
  void         list_contributions(const Device &device, const LevelForm<dim> &form);
  void         set_identity(const Device &device, const LevelForm<dim> &form);
  AssemblyView view() const;
  void         check(int row_components, int column_components) const; // throws RunError if the fields have others

  int                                m, n; // components of a row's and of a column's node
  QuadratureData<dim>                row_data;
  std::optional<QuadratureData<dim>> column_data; // where the columns have another field
  List<int>                          row, column, first_block;
  List<int>                          start; // of each block's contributions, and the end
  List<Contribution>                 contributions;
  List<double>                       weights;
  List<int>                          table; // number of each cell's local matrix
  TabulatedMatrices                  local;
  List<unsigned char>                free_row, free_column;
  List<int>                          row_tilt, column_tilt; // see TiltedNodes; columns of another field have their own
  List<double>                       row_tilts, column_tilts;
};
} // namespace adamant
