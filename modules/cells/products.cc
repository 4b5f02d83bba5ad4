#include "cells/products.h"

#include "base/exceptions.h"
#include "cells/cells_of_level.h"
#include "multigrid/smoothers/registry.h"

#include <deal.II/base/patterns.h>

#include <iostream>
#include <utility>

namespace adamant
{
Products products_on(const Device &device, Products products)
{
  const bool rows = device.matrix_format() == MatrixFormat::cusparse ||
                    (products == Products::automatic && !device.traits().many_threads);
  return rows ? Products::rows : products;
}

namespace
{
// Says which levels keep rows although the key says cells. The mesh decides on it.
template <int dim>
void note_rows(const Device &device, const std::vector<std::shared_ptr<CellMatrix>> &matrices)
{
  std::string levels;
  for (std::size_t level = 1; level < matrices.size(); ++level)
    if (!matrices[level])
      levels += (levels.empty() ? "" : ", ") + std::to_string(level);
  const std::string why =
    device.matrix_format() == MatrixFormat::cusparse ? "Matrix format = cusparse has products by rows alone" :
    matrices.size() == 1 ? "the mesh has one level, the coarsest, and that goes by rows (Coarsest level cells)" :
    dim == 2             ? "in two dimensions levels go by rows" :
    !levels.empty()      ? "cells of these levels are no boxes of one shape, or nodes hang in other ways than Q1's, so "
                           "that they go by rows: " +
                        levels :
                      "";
  if (!why.empty())
    std::cout << "note: Linear solver/Products = cells: " << why << std::endl;
}
} // namespace

// The coarsest level's entries are needed for its inverse. On small levels, which the cache holds, rows are as quick.
template <int dim>
std::vector<std::shared_ptr<CellMatrix>>
matrices_by_cells(const Device &device, const Field<dim> &field, Products products,
                  const std::function<Array<double>(std::size_t)> &of_shapes, int n_coefficients)
{
  std::vector<std::shared_ptr<CellMatrix>> result(field.n_levels());
  const bool                               by_rows = products_on(device, products) == Products::rows;
  if constexpr (dim == 3)
    for (std::size_t level = 1; !by_rows && level < field.n_levels(); ++level)
      {
        const auto &space = field.space(level);
        double      n     = space.n_owned(); // of the rank that has most
        space.communicator().max(&n, 1);
        if (products == Products::automatic && n < 20000 * dim)
          continue;
        if (auto mesh = cells_of_level(space, of_shapes(level), n_coefficients))
          result[level] = std::make_shared<CellMatrix>(device, std::move(*mesh));
      }
  if (products == Products::cells)
    note_rows<dim>(device, result);
  return result;
}

template std::vector<std::shared_ptr<CellMatrix>>
matrices_by_cells(const Device &, const Field<2> &, Products, const std::function<Array<double>(std::size_t)> &, int);
template std::vector<std::shared_ptr<CellMatrix>>
matrices_by_cells(const Device &, const Field<3> &, Products, const std::function<Array<double>(std::size_t)> &, int);

ProductsParameter::ProductsParameter(LinearSolverParameters &section, const std::string &automatic)
  : section(section)
{
  section.add_parameter("Products", text,
                        "Products with the matrices of the levels: rows, as stored; cells, by numbers of each cell on "
                        "levels whose cells are boxes of one shape, of any sizes. Cells are taken in 3D, with the "
                        "smoothers jacobi and block_jacobi; auto: " +
                          automatic,
                        section.prm, dealii::Patterns::Selection("auto|rows|cells"));
}

Products ProductsParameter::products(const std::string &missing) const
{
  const bool possible = missing.empty() && section.preconditioner == "multigrid" &&
                        section.interpolation == "embedding" &&
                        smoother_kind(section.options("").multigrid.smoother.type).matrix != nullptr;
  require(possible || text != "cells", "Linear solver/Products = cells needs ", missing, missing.empty() ? "" : ", ",
          "multigrid, Interpolation = embedding, and the smoother jacobi or block_jacobi");
  return !possible || text == "rows" ? Products::rows : text == "cells" ? Products::cells : Products::automatic;
}
} // namespace adamant
