#pragma once

#include "algebra/vector.h"
#include "base/array.h"
#include "cells/cell_matrix.h"
#include "fem/spaces/field.h"
#include "frame/parameters/linear_solver_parameters.h"

#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// How the levels' matrices are multiplied.
enum class Products
{
  rows,     ///< entries are stored
  cells,    ///< products use numbers of each cell (CellMatrix) where a level's cells are boxes of one shape, but not on
            ///< the coarsest level
  automatic ///< cells on a GPU in 3D, on levels of which a rank has at least 20 000 nodes; else rows
};

/// Returns the choice, or rows where the device has no others, or automatic means rows on it.
Products products_on(const Device &device, Products products);

/// Returns for each level of the field the matrix by cells that its products use, and null where they go by rows.
/// Coefficients of cells are not set. of_shapes(level) is what cells_of_level takes; it is asked for levels that may go
/// by cells. Where `products` are cells, a note names the levels that go by rows. All ranks call it together.
template <int dim>
std::vector<std::shared_ptr<CellMatrix>>
matrices_by_cells(const Device &device, const Field<dim> &field, Products products,
                  const std::function<Array<double>(std::size_t)> &of_shapes, int n_coefficients = 1);

/// Returns the matrices of all shapes of a rank's cells, as cells_of_level takes them: add(values, result) appends the
/// ones of a shape. `values` has Q1 at Gauss' 2^dim points, with gradients and JxW. The result is empty where cells
/// have as many shapes as a mesh of boxes has not.
template <int dim>
Array<double> matrices_of_shapes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                 const std::function<void(const dealii::FEValues<dim> &, Array<double> &)> &add);

/// The key "Products" of a section "Linear solver".
class ProductsParameter
{
public:
  /// Adds the key. The section has to outlive the object. `automatic` says in the description what auto does.
  ProductsParameter(LinearSolverParameters &section, const std::string &automatic);

  /// Returns the choice; it is rows where the smoother or the interpolation needs entries, or where `missing` names
  /// something else that products by cells lack. Throws InputError where the key says cells then.
  Products products(const std::string &missing) const;

private:
  LinearSolverParameters &section;
  std::string             text = "auto";
};
} // namespace adamant
