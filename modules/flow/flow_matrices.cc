#include "flow/flow_matrices.h"

#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/meshes/level_meshes.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
// The integrals of the shape functions, added up for the free nodes: a lumped mass matrix; `volume` is their sum.
template <int dim>
Array<double> lumped_mass(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, double &volume)
{
  const dealii::Functions::ConstantFunction<dim> one(1.);
  const auto integrals = load_vector(space, mapping, quadrature, dealii::QGauss<dim - 1>(2), one, {});
  volume               = std::accumulate(integrals.begin(), integrals.end(), 0.);
  space.communicator().sum(&volume, 1);
  return transposed_product(space.owned_H(), integrals);
}

SharedMatrix share(CSRMatrix<double> matrix)
{
  return std::make_shared<const CSRMatrix<double>>(std::move(matrix));
}

DirichletBoundary all_of(const std::set<dealii::types::boundary_id> &ids)
{
  DirichletBoundary boundary;
  for (const auto id : ids)
    boundary[id] = dealii::ComponentMask();
  return boundary;
}
} // namespace

template <int dim>
FlowMatrices<dim>::FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim>              &quadrature,
                                const std::set<dealii::types::boundary_id> &outflow, unsigned int coarsest_cells,
                                unsigned int cells_per_rank)
  : meshes(velocity_mesh, halved_mesh_options(velocity_mesh, {coarsest_cells, cells_per_rank}))
  , velocity_field(meshes, "velocity", dealii::FE_Q<dim>(1))
  , pressure_field(meshes, "pressure", dealii::FE_Q<dim>(1), all_of(outflow), halved_level(meshes))
{
  double velocity_volume = 0.;
  velocity_mass          = lumped_mass(velocity(), mapping, quadrature, velocity_volume);
  pressure_mass          = lumped_mass(pressure(), mapping, quadrature, pressure_volume);
  assemble_momentum(mapping, quadrature);
  transfer_between_the_meshes();
  assemble_pressure(mapping, quadrature);
}

template <int dim>
std::ostream &operator<<(std::ostream &out, const FlowMatrices<dim> &flow)
{
  return out << flow.meshes.finest_mesh()->n_global_active_cells() << " cells, " << dim << " x "
             << flow.velocity().n_global_dofs() << " velocities, " << flow.pressure().n_global_dofs() << " pressures, "
             << flow.pressure_levels.size() << " pressure levels";
}

template <int dim>
void FlowMatrices<dim>::assemble_momentum(const dealii::Mapping<dim>    &mapping,
                                          const dealii::Quadrature<dim> &quadrature)
{
  typename Form<dim>::Kernel kernel; // of one matrix after the other: their pattern is found once
  Form<dim>                  form("momentum", velocity_field, nodal_values(velocity_field), mapping, quadrature,
                                  dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                                  [&kernel](const auto &cell, auto &local) { kernel(cell, local); });
  const auto                 assemble = [&](const auto &integrand) {
    kernel = [&integrand](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += integrand(cell, i, j, q) * cell.JxW(q);
    };
    form.update();
    return share(*form.finest());
  };
  stiffness = assemble([](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
    return cell.gradient(j, q) * cell.gradient(i, q);
  });
  for (unsigned int d = 0; d < dim; ++d)
    gradient[d] = assemble([d](const auto &cell, unsigned int i, unsigned int j, unsigned int q) {
      return cell.value(i, q) * cell.gradient(j, q)[d];
    });
}

template <int dim>
void FlowMatrices<dim>::transfer_between_the_meshes()
{
  const auto transfer = transfer_matrices(meshes.finest(), velocity(), pressure());
  interpolation       = share(product(velocity().owned_H(), transfer.prolongation));
  for (unsigned int d = 0; d < dim; ++d)
    divergence[d] = share(product(transfer.restriction, *gradient[d]));
}

// An entry of the interpolation is 1 where a node is the pressure's, too, and less elsewhere.
template <int dim>
CSRMatrix<double> FlowMatrices<dim>::injection() const
{
  CSRMatrix<double> same_node = *interpolation;
  for (double &value : same_node.value)
    value = value == 1. ? 1. : 0.;
  const auto       &nodes = velocity().partition();
  const Partitioner rows(nodes.locally_owned_range(), nodes.get_mpi_communicator());
  const auto        columns = same_node.ghosts ? make_partitioner(*same_node.ghosts) : nullptr;
  return sum_rows(transpose(same_node), columns ? *columns : pressure().partition(), rows);
}

template <int dim>
void FlowMatrices<dim>::assemble_pressure(const dealii::Mapping<dim>    &mapping,
                                          const dealii::Quadrature<dim> &quadrature)
{
  Form<dim> laplacian(
    "pressure Laplacian", pressure_field, unknowns(pressure_field), mapping, quadrature,
    dealii::update_gradients | dealii::update_JxW_values,
    [](const auto &cell, auto &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
    },
    Levels::all);
  laplacian.update();
  pressure_levels = levels_of(pressure_field, laplacian);

  singular = true;
  for (std::size_t l = 0; l < pressure_field.n_levels(); ++l)
    singular = singular && pressure_field.space(l).prescribed_partition().size() == 0;
}

template struct FlowMatrices<2>;
template struct FlowMatrices<3>;
template std::ostream &operator<<(std::ostream &, const FlowMatrices<2> &);
template std::ostream &operator<<(std::ostream &, const FlowMatrices<3> &);
} // namespace adamant
