#include "cells/products.h"

#include "base/exceptions.h"
#include "cells/cells_of_level.h"
#include "fem/forms/cell_loop.h"
#include "multigrid/smoothers/registry.h"

#include <deal.II/base/patterns.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <iostream>
#include <map>
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
// Says which levels keep rows although the key says cells, by causes. The mesh decides on it.
void note_rows(const Device &device, std::size_t n_levels, const std::map<std::string, std::string> &levels)
{
  std::string list;
  for (const auto &[cause, of_cause] : levels)
    list += (list.empty() ? "" : "; ") + cause + ", so that they go by rows: " + of_cause;
  const std::string why =
    device.matrix_format() == MatrixFormat::cusparse ? "Matrix format = cusparse has products by rows alone" :
    n_levels == 1 ? "the mesh has one level, the coarsest, and that goes by rows (Coarsest level cells)" :
                    list;
  static std::string last; // meshes that follow the solution would say it again and again
  if (std::exchange(last, why) != why && !why.empty())
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
  std::map<std::string, std::string>       by_cause; // levels that keep rows
  std::string                              why;
  const bool                               by_rows = products_on(device, products) == Products::rows;
  for (std::size_t level = 1; !by_rows && level < field.n_levels(); ++level)
    {
      const auto &space = field.space(level);
      double      n     = space.n_owned(); // of the rank that has most
      space.communicator().max(&n, 1);
      if (products == Products::automatic && (dim == 2 || n < 20000 * dim))
        continue;
      if (auto mesh = cells_of_level(space, of_shapes(level), n_coefficients, why))
        result[level] = std::make_shared<CellMatrix>(device, std::move(*mesh));
      else
        by_cause[why] += (by_cause[why].empty() ? "" : ", ") + std::to_string(level);
    }
  if (products == Products::cells)
    note_rows(device, field.n_levels(), by_cause);
  return result;
}

template <int dim>
Array<double> matrices_of_shapes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                 const std::function<void(const dealii::FEValues<dim> &, Array<double> &)> &add)
{
  const auto flags  = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
  const auto cells  = numbers_below(space.n_cells());
  const auto shapes = shapes_of(space, cells, cells_of_same_shape(space, cells, mapping, flags, false)).first;
  if (static_cast<int>(shapes.size()) > std::max(64, space.n_cells() / 16))
    return {};
  const dealii::FE_Q<dim> vertices(1);
  dealii::FEValues<dim>   values(mapping, vertices, dealii::QGauss<dim>(2), flags);
  Array<double>           result;
  for (const int shape : shapes)
    {
      values.reinit(space.active_cells()[shape]);
      add(values, result);
    }
  return result;
}

template decltype(matrices_by_cells<2>)  matrices_by_cells<2>;
template decltype(matrices_by_cells<3>)  matrices_by_cells<3>;
template decltype(matrices_of_shapes<2>) matrices_of_shapes<2>;
template decltype(matrices_of_shapes<3>) matrices_of_shapes<3>;

ProductsParameter::ProductsParameter(LinearSolverParameters &section, const std::string &automatic)
  : section(section)
{
  section.add_parameter("Products", text,
                        "Products with the matrices of the levels: rows, as stored; cells, by numbers of each cell on "
                        "levels whose cells are boxes of one shape, of any sizes. Cells are taken with the smoothers "
                        "jacobi and block_jacobi; auto: " +
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
