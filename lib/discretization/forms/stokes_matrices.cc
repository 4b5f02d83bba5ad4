#include "discretization/forms/stokes_matrices.h"

#include "base/exceptions.h"
#include "discretization/fields/distributed_rows.h"
#include "discretization/fields/transfer.h"
#include "discretization/forms/load.h"
#include "discretization/forms/stokes_kernels.h"
#include "discretization/meshes/halved_mesh.h"

#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
const auto stokes_flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;

// For a quadrature on the cells of a mesh, composed of those of their children: the child that has each point.
template <int dim>
List<int> finer_cells_of_points(const Device &device, const LevelMesh<dim> &finer, int n_cells,
                                const dealii::Quadrature<dim> &quadrature)
{
  constexpr int n_children = 1 << dim;
  Array<int>    child_cell(std::size_t(n_cells) * n_children);
  for (std::size_t cell = 0; cell < finer.coarse_cell.size(); ++cell)
    child_cell[std::size_t(finer.coarse_cell[cell]) * n_children + finer.child[cell]] = static_cast<int>(cell);
  Array<int> of_point;
  for (int cell = 0; cell < n_cells; ++cell)
    for (const auto &point : quadrature.get_points())
      {
        int child = 0;
        for (int d = 0; d < dim; ++d)
          child += (point[d] > 0.5) << d;
        of_point.push_back(child_cell[std::size_t(cell) * n_children + child]);
      }
  return List<int>(device, of_point);
}

template <int dim>
dealii::Triangulation<dim> &on_one_rank(dealii::Triangulation<dim> &mesh)
{
  if (dealii::Utilities::MPI::n_mpi_processes(mesh.get_communicator()) > 1)
    throw RunError("Stokes matrices are not made on several ranks");
  return require_halved(mesh);
}

template <int dim>
Array<double> ones_at_free(const LevelSpace<dim> &space)
{
  Array<double> ones(space.n_owned());
  for (int i = 0; i < space.n_owned(); ++i)
    ones[i] = space.is_free(i);
  return ones;
}
} // namespace

template <int dim>
StokesMatrices<dim>::StokesMatrices(const Device &device, dealii::Triangulation<dim> &velocity_mesh,
                                    const dealii::Mapping<dim> &mapping, const DirichletBoundary &dirichlet,
                                    const std::set<dealii::types::boundary_id> &walls, const StokesOptions &options)
  : meshes(on_one_rank(velocity_mesh), halved_mesh_options(velocity_mesh, options.levels))
  , velocity(meshes, "velocity", dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim), dirichlet)
  , pressure(meshes, "pressure", dealii::FE_Q<dim>(1), {}, halved_level(meshes))
  , nodal_pressure(meshes, "pressure", dealii::FE_Q<dim>(1))
  , device(device)
  , options(options)
  , mapping(mapping)
  , A("A", velocity, unknowns(velocity), mapping, quadrature, stokes_flags, nullptr, Levels::all)
  , M("M", pressure, unknowns(pressure), mapping, dealii::QIterated<dim>(dealii::QGauss<1>(2), 2), stokes_flags,
      nullptr)
  , coarse_viscosity(device, velocity, options.coarse_viscosity)
  , geometric_viscosity(device, velocity, Average::geometric)
{
  tabulate_shapes();
  assemble_divergence(mapping);
  assemble_masses(mapping, walls);
  if (options.schur == SchurComplement::bfbt)
    {
      laplacian.emplace("pressure Laplacian", pressure, unknowns(pressure), mapping, dealii::QGauss<dim>(2),
                        stokes_flags, nullptr, Levels::all);
      K.emplace(device, *saddle_point.B, *saddle_point.Bt, velocity.node_size());
    }
}

// Of as many shapes as a sixteenth of the cells: more take more memory than they are worth.
template <int dim>
void StokesMatrices<dim>::tabulate_shapes()
{
  for (std::size_t level = 0; level < velocity.n_levels(); ++level)
    {
      const auto               &space = velocity.space(level);
      const QuadratureData<dim> data(device, space, mapping, quadrature, stokes_flags);
      const int                 n_nodes = space.dofs_per_cell() / dim;
      const bool                few     = data.n_shapes() <= std::max(64, space.n_cells() / 16);
      const int                 n_pairs = few ? data.n_shapes() * n_nodes * n_nodes : 0;
      of_shapes.emplace_back(device, n_pairs * dim * dim);
      device.for_each(n_pairs, ViscousStressOfShapes<dim>{data.view(), of_shapes.back().data()});
    }
}

// B on the velocity mesh, restricted to the pressure mesh, whose functions are among those of the velocity mesh.
template <int dim>
void StokesMatrices<dim>::assemble_divergence(const dealii::Mapping<dim> &mapping)
{
  const double weight = -1. / options.length;
  const auto   kernel = [weight](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
    const auto &u = cell.columns();
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : u.dof_indices())
          local(i, j) += weight * cell.value(i, q) * u.gradient(j, q)[u.component(j)] * cell.JxW(q);
  };
  const auto transfer   = transfer_matrices(meshes.finest(), nodal_pressure.finest(), pressure.finest());
  const auto restricted = [&](const Columns<dim> &columns) {
    Form<dim> form("B", nodal_pressure, columns, mapping, quadrature, stokes_flags, kernel);
    form.update();
    return product(transfer.restriction, *form.finest());
  };
  saddle_point.B   = std::make_shared<const CSRMatrix<double>>(restricted(unknowns(velocity)));
  saddle_point.Bt  = std::make_shared<const CSRMatrix<double>>(transpose(*saddle_point.B));
  B_prescribed     = Matrix<double>(device, restricted(prescribed_values(velocity)));
  to_velocity_mesh = Matrix<double>(device, product(nodal_pressure.finest().owned_H(), transfer.prolongation));
}

// An entry of the interpolation is 1 where a node is the pressure's, too, and less elsewhere.
template <int dim>
CSRMatrix<double> StokesMatrices<dim>::injection() const
{
  const auto &nodes     = nodal_pressure.finest();
  const auto  transfer  = transfer_matrices(meshes.finest(), nodes, pressure.finest());
  auto        same_node = product(nodes.owned_H(), transfer.prolongation);
  for (double &value : same_node.value)
    value = value == 1. ? 1. : 0.;
  return transpose(same_node);
}

template <int dim>
void StokesMatrices<dim>::assemble_masses(const dealii::Mapping<dim>                 &mapping,
                                          const std::set<dealii::types::boundary_id> &walls)
{
  const auto                  &pressures = pressure.finest();
  const dealii::QIterated<dim> composed(dealii::QGauss<1>(2), 2);
  fine_cell = finer_cells_of_points(device, meshes.finest(), pressures.n_cells(), composed);

  // With one point in each cell its number is the cell's.
  Form<dim> cells_to_masses("masses", velocity, quadrature_points<dim>(), mapping, dealii::QGauss<dim>(1), stokes_flags,
                            [this, &walls](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
                              double weight = 1.;
                              for (const unsigned int face : cell.cell()->face_indices())
                                if (cell.cell()->at_boundary(face) &&
                                    walls.count(cell.cell()->face(face)->boundary_id()) > 0)
                                  weight = options.bfbt_boundary_weight;
                              for (const unsigned int i : cell.dof_indices())
                                local(i, 0) = weight * cell.value(i, 0) * cell.JxW(0);
                            });
  cells_to_masses.update();
  V       = Matrix<double>(device, *cells_to_masses.finest());
  weights = Vector<double>(device, velocity.finest().n_cells());
  C       = Vector<double>(device, velocity.finest().n_owned());

  const dealii::Functions::ConstantFunction<dim> one(1. / dealii::GridTools::volume(*meshes.finest_mesh(), mapping));
  mean_weights = Vector<double>(
    device, transposed_product(pressures.owned_H(), load_vector(pressures, mapping, dealii::QGauss<dim>(2),
                                                                dealii::QGauss<dim - 1>(2), one, {})));
  ones = Vector<double>(device, ones_at_free(pressures));
}

template <int dim>
void StokesMatrices<dim>::update(const Vector<double> &viscosity, const Vector<double> *at_points)
{
  given           = &viscosity;
  given_at_points = at_points;
  coarse_viscosity.update(viscosity);
  const std::size_t finest = velocity.n_levels() - 1;
  A.update(device, [&](std::size_t level) {
    if (level == finest && at_points != nullptr)
      return ShapedViscousStress<dim>(at_points->data(), true, nullptr);
    const auto &shapes = of_shapes[level];
    return ShapedViscousStress<dim>(coarse_viscosity[level].data(), false, shapes.size() > 0 ? shapes.data() : nullptr);
  });
  M.update(device, [&](std::size_t) { return WeightedMass{viscosity.data(), fine_cell.data()}; });
  if (options.schur == SchurComplement::bfbt)
    update_bfbt(viscosity);
  if (!saddle_point.velocity.empty())
    return;
  saddle_point.velocity    = levels_of(velocity, A);
  saddle_point.mass        = {M.finest(), nullptr, nullptr, 1, M.on_device(pressure.n_levels() - 1)};
  saddle_point.mass_factor = 2. * options.length * options.length;
  saddle_point.C           = &C;
  if (K)
    {
      saddle_point.schur                 = levels_of(pressure, *laplacian);
      saddle_point.schur.back().matrix   = K->pattern();
      saddle_point.schur.back().changing = K->rows();
    }
}

template <int dim>
void StokesMatrices<dim>::update_bfbt(const Vector<double> &viscosity)
{
  const double q = options.bfbt_exponent;
  device.for_each(weights.size(), Power{1., q, viscosity.data(), weights.data()});
  device.multiply(1., V, weights, 0., C);
  device.for_each(C.size(), InvertPositive{C.data()});
  K->update(C);
  geometric_viscosity.update(viscosity);
  laplacian->update(device, [&](std::size_t level) {
    const auto &of_level = geometric_viscosity[level];
    device.for_each(of_level.size(), Power{1. / options.length / options.length, -q, of_level.data(), weights.data()});
    return WeightedLaplacian{weights.data()};
  });
}

template <int dim>
void StokesMatrices<dim>::subtract_prescribed(const Vector<double> &g, Vector<double> &b) const
{
  const int      n   = velocity.finest().n_owned();
  Vector<double> b_u = b.part(0, n), b_p = b.part(n, pressure.finest().n_owned());
  device.multiply(-1., B_prescribed, g, 1., b_p);
  const double n_free = device.dot(ones, ones);
  device.axpby(-device.dot(ones, b_p) / n_free, ones, 1., b_p); // the discrete flux through the boundary, about 0
  const auto eta       = to_host(given_at_points != nullptr ? *given_at_points : *given);
  const bool at_points = given_at_points != nullptr;
  Form<dim>  A_prescribed("A_g", velocity, prescribed_values(velocity), mapping, quadrature, stokes_flags,
                          [&](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
                           for (const unsigned int q : cell.quadrature_point_indices())
                             {
                               const int    n_q = static_cast<int>(cell.n_quadrature_points());
                               const double weight =
                                 cell.JxW(q) * eta[at_points ? cell.cell_number() * n_q + q : cell.cell_number()];
                               for (const unsigned int i : cell.dof_indices())
                                 for (const unsigned int j : cell.dof_indices())
                                   {
                                     const unsigned int c = cell.component(i), d = cell.component(j);
                                     const auto        &grad_i = cell.gradient(i, q), &grad_j = cell.gradient(j, q);
                                     local(i, j) += weight * ((c == d ? grad_i * grad_j : 0.) + grad_i[d] * grad_j[c]);
                                   }
                             }
                         });
  A_prescribed.update();
  device.multiply(-1., Matrix<double>(device, *A_prescribed.finest(), dim), g, 1., b_u);
}

template <int dim>
void StokesMatrices<dim>::remove_mean(Vector<double> &p) const
{
  device.axpby(-device.dot(mean_weights, p), ones, 1., p);
}

template class StokesMatrices<2>;
template class StokesMatrices<3>;
} // namespace adamant
