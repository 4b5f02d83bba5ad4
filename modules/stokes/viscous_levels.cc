#include "stokes/viscous_levels.h"

#include "base/exceptions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/patches.h"
#include "fem/meshes/mesh.h"
#include "stokes/stokes_kernels.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace adamant
{
template <int dim>
ViscousLevels<dim>::ViscousLevels(const Device &device, const Field<dim> &velocity, const DirichletBoundary &dirichlet,
                                  const dealii::Mapping<dim> &mapping, Average coarse_viscosity, Products products)
  : device(device)
  , velocity(velocity)
  , mapping(mapping)
  , nodes(velocity.element().degree == 1 ?
            nullptr :
            std::make_unique<Field<dim>>(velocity.meshes(), "velocity at nodes",
                                         dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim), dirichlet))
  , A("A", bilinear(), unknowns(bilinear()), mapping, dealii::QGauss<dim>(2), stokes_flags, nullptr, Levels::all)
  , viscosity(device, bilinear(), coarse_viscosity)
{
  for (std::size_t level = 0; level < bilinear().n_levels(); ++level)
    of_shapes.push_back(tabulate_shapes(bilinear().space(level), dealii::QGauss<dim>(2)));
  by_cells = matrices_by_cells(device, bilinear(), products, [this](std::size_t l) { return to_host(of_shapes[l]); });
  A.take({by_cells.begin(), by_cells.end()});
  if (!nodes)
    return;
  A_of_q2.emplace("A", velocity, unknowns(velocity), mapping, dealii::QGauss<dim>(3), stokes_flags, nullptr);
  of_shapes.push_back(tabulate_shapes(velocity.finest(), dealii::QGauss<dim>(3)));
}

// Of as many shapes as a sixteenth of the cells: more take more memory than they are worth.
template <int dim>
Vector<double> ViscousLevels<dim>::tabulate_shapes(const LevelSpace<dim>         &space,
                                                   const dealii::Quadrature<dim> &quadrature) const
{
  const QuadratureData<dim> cells(device, space, mapping, quadrature, stokes_flags);
  const int                 n_nodes = space.dofs_per_cell() / dim;
  const bool                few     = cells.n_shapes() <= std::max(64, space.n_cells() / 16);
  const int                 n_pairs = few ? cells.n_shapes() * n_nodes * n_nodes : 0;
  Vector<double>            result(device, n_pairs * dim * dim);
  device.for_each(n_pairs, ViscousStressOfShapes<dim>{cells.view(), result.data()});
  return result;
}

template <int dim>
void ViscousLevels<dim>::update(const Vector<double> &of_cells, const Vector<double> &of_finest,
                                const Vector<double> *at_points)
{
  viscosity.update(of_finest);
  const std::size_t n      = bilinear().n_levels();
  const auto        kernel = [&](std::size_t level, const Vector<double> &eta) {
    if (at_points != nullptr && level + 1 == of_shapes.size())
      return ShapedViscousStress<dim>{{at_points->data(), true}, nullptr};
    const auto &shapes = of_shapes[level];
    return ShapedViscousStress<dim>{{eta.data(), false}, shapes.size() > 0 ? shapes.data() : nullptr};
  };
  for (std::size_t level = 0; level < n; ++level)
    if (by_cells[level])
      by_cells[level]->set(viscosity[level]);
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
  data = levels_of(bilinear(), A);
  if (!A_of_q2)
    return;
  const auto &space   = velocity.finest();
  auto        values  = transfer_matrices(velocity.meshes().finest(), bilinear().finest(), space); // of Q2 at nodes
  auto        finest  = A_of_q2->level(velocity.n_levels() - 1);
  finest.prolongation = std::make_shared<const CSRMatrix<double>>(std::move(values.restriction));
  finest.restriction  = std::make_shared<const CSRMatrix<double>>(std::move(values.prolongation));
  finest.patches      = [&space](PatchKind kind) {
    return make_patches(space, kind == PatchKind::cells ? kind : PatchKind::vertices);
  };
  data.push_back(std::move(finest));
}

template class ViscousLevels<2>;
template class ViscousLevels<3>;

void CellViscosity::rescale(double new_scale)
{
  const double factor = scale / new_scale;
  of_cells.device().scale(factor, of_cells);
  if (!averaged)
    at_points.device().scale(factor, at_points);
  least *= factor;
  most *= factor;
  scale = new_scale;
}

CellViscosity CellViscosity::stage(double s) const
{
  const auto power = [&](const Vector<double> &of) {
    Vector<double> result(of.device(), of.size());
    of.device().for_each(of.size(), Power{std::pow(least, 1. - s), s, of.data(), result.data()});
    return result;
  };
  return {
    power(of_cells), averaged ? Vector<double>() : power(at_points), scale, least, least * std::pow(most / least, s),
    averaged};
}

template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells)
{
  const auto   &mesh = space.triangulation();
  Array<double> values(mesh.n_active_cells(), 1.);
  for (int c = 0; c < space.n_cells(); ++c)
    values[space.active_cells()[c]->active_cell_index()] = of_cells[c];
  if (is_distributed(mesh))
    dealii::GridTools::exchange_cell_data_to_ghosts<double, dealii::Triangulation<dim>>(
      mesh, [&](const auto &cell) { return values[cell->active_cell_index()]; },
      [&](const auto &cell, double value) { values[cell->active_cell_index()] = value; });
  double most = 1.;
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (!cell->at_boundary(face) && cell->neighbor(face)->is_active())
        {
          const double ratio = values[cell->active_cell_index()] / values[cell->neighbor(face)->active_cell_index()];
          most               = std::max({most, ratio, 1. / ratio});
        }
  space.communicator().max(&most, 1);
  return most;
}

template double largest_jump(const LevelSpace<2> &, const Array<double> &);
template double largest_jump(const LevelSpace<3> &, const Array<double> &);
} // namespace adamant
