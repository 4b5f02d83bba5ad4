#include "stokes/viscous_levels.h"

#include "fem/forms/patches.h"
#include "fem/spaces/field.h"
#include "stokes/stokes_kernels.h"
#include "stokes/transport/grid_of_cells.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace adamant
{
namespace
{
const auto viscous_flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;

// Whether cells have one matrix: of those whose coordinates are rounded there may be a few, which differ by that.
template <int dim>
bool agree_to_rounding(const Array<double> &of_shapes)
{
  const std::size_t n       = (dim << dim) * (dim << dim);
  double            largest = 0., difference = 0.;
  for (std::size_t k = 0; k < of_shapes.size(); ++k)
    {
      largest    = std::max(largest, std::abs(of_shapes[k]));
      difference = std::max(difference, std::abs(of_shapes[k] - of_shapes[k % n]));
    }
  return of_shapes.size() >= n && difference <= 1e-11 * largest;
}

template <int dim>
std::unique_ptr<Field<dim>> bilinear_at_nodes(const Field<dim> &velocity, const DirichletBoundary &dirichlet)
{
  if (velocity.element().degree == 1)
    return nullptr;
  return std::make_unique<Field<dim>>(velocity.meshes(), "velocity at nodes",
                                      dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim), dirichlet);
}
} // namespace

template <int dim>
ViscousLevels<dim>::ViscousLevels(const Device &device, const Field<dim> &velocity, const DirichletBoundary &dirichlet,
                                  const dealii::Mapping<dim> &mapping, Average coarse_viscosity,
                                  VelocityProduct product)
  : device(device)
  , velocity(velocity)
  , mapping(mapping)
  , nodes(bilinear_at_nodes(velocity, dirichlet))
  , A("A", bilinear(), unknowns(bilinear()), mapping, dealii::QGauss<dim>(2), viscous_flags, nullptr, Levels::all)
  , viscosity(device, bilinear(), coarse_viscosity)
{
  for (std::size_t level = 0; level < bilinear().n_levels(); ++level)
    of_shapes.push_back(tabulate_shapes(bilinear().space(level), dealii::QGauss<dim>(2)));
  find_grids(product);
  if (!nodes)
    return;
  A_of_q2.emplace("A", velocity, unknowns(velocity), mapping, dealii::QGauss<dim>(3), viscous_flags, nullptr);
  of_shapes.push_back(tabulate_shapes(velocity.finest(), dealii::QGauss<dim>(3)));
}

// Of as many shapes as a sixteenth of the cells: more take more memory than they are worth.
template <int dim>
Vector<double> ViscousLevels<dim>::tabulate_shapes(const LevelSpace<dim>         &space,
                                                   const dealii::Quadrature<dim> &quadrature) const
{
  const QuadratureData<dim> cells(device, space, mapping, quadrature, viscous_flags);
  const int                 n_nodes = space.dofs_per_cell() / dim;
  const bool                few     = cells.n_shapes() <= std::max(64, space.n_cells() / 16);
  const int                 n_pairs = few ? cells.n_shapes() * n_nodes * n_nodes : 0;
  Vector<double>            result(device, n_pairs * dim * dim);
  device.for_each(n_pairs, ViscousStressOfShapes<dim>{cells.view(), result.data()});
  return result;
}

// The coarsest level's entries are needed for its inverse. On small levels, which the cache holds, rows are as quick.
template <int dim>
void ViscousLevels<dim>::find_grids(VelocityProduct product)
{
  grids.resize(bilinear().n_levels());
  const bool automatic = product == VelocityProduct::automatic, on_gpu = device.asynchronous();
  if (product == VelocityProduct::rows || device.matrix_format() == MatrixFormat::cusparse || (automatic && !on_gpu))
    return;
  for (std::size_t level = 1; level < bilinear().n_levels(); ++level)
    {
      const auto &space = bilinear().space(level);
      if (automatic && space.n_owned() < 20000 * dim)
        continue;
      const auto local = to_host(of_shapes[level]);
      auto       grid  = agree_to_rounding<dim>(local) ? grid_of_cells(space, local) : std::nullopt;
      if (grid)
        grids[level] = {std::make_shared<CellMatrix>(device, std::move(grid->grid)),
                        List<int>(device, grid->first_node)};
    }
}

template <int dim>
void ViscousLevels<dim>::update(const Vector<double> &of_cells, const Vector<double> &of_finest,
                                const Vector<double> *at_points)
{
  viscosity.update(of_finest);
  const std::size_t n      = bilinear().n_levels();
  const auto        kernel = [&](std::size_t level, const Vector<double> &eta) {
    if (at_points != nullptr && level + 1 == of_shapes.size())
      return ShapedViscousStress<dim>(at_points->data(), true, nullptr);
    const auto &shapes = of_shapes[level];
    return ShapedViscousStress<dim>(eta.data(), false, shapes.size() > 0 ? shapes.data() : nullptr);
  };
  for (std::size_t level = 0; level < n; ++level)
    if (const auto &grid = grids[level]; grid.matrix)
      device.for_each(grid.first_node.size(),
                      ToFirstNodes{grid.first_node.data(), viscosity[level].data(), grid.matrix->coefficients.data()});
    else
      A.update(device, level, kernel(level, viscosity[level]));
  if (A_of_q2)
    A_of_q2->update(device, [&](std::size_t) { return kernel(n, of_cells); });
  if (data.empty())
    set_levels();
}

template <int dim>
void ViscousLevels<dim>::set_levels()
{
  std::vector<std::shared_ptr<CellMatrix>> cells;
  for (const auto &grid : grids)
    cells.push_back(grid.matrix);
  data = levels_of(bilinear(), A, cells);
  if (!A_of_q2)
    return;
  const auto &space  = velocity.finest();
  auto        values = transfer_matrices(velocity.meshes().finest(), bilinear().finest(), space); // of Q2 at nodes
  data.push_back(
    {A_of_q2->values(velocity.n_levels() - 1), std::make_shared<const CSRMatrix<double>>(std::move(values.restriction)),
     std::make_shared<const CSRMatrix<double>>(std::move(values.prolongation)), velocity.node_size(),
     [&space](PatchKind kind) { return make_patches(space, kind == PatchKind::cells ? kind : PatchKind::vertices); }});
}

template class ViscousLevels<2>;
template class ViscousLevels<3>;
} // namespace adamant
