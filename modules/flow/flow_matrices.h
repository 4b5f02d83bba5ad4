#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/meshes/level_meshes.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <numeric>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

namespace adamant
{
/// The matrices of the Q1-iso-Q2/Q1 discretization of incompressible flow, in host memory. Scalar Q1 functions φ_i on
/// the velocity mesh serve each component of the velocity. Functions ψ_k live on the pressure mesh, which is the
/// velocity mesh with its last, global refinement undone. Both fields share their level meshes: the velocity lives on
/// the finest one, the pressure on the coarser ones. Hanging nodes take part through H on both meshes: rows belong to
/// free nodes, columns to nodal values. On several ranks, rows and masses belong to the owned nodes.
template <int dim>
struct FlowMatrices
{
  /// `velocity_mesh` has to outlive the object. The pressure is zero on the boundaries `outflow`; `levels` are the
  /// options of its coarser meshes. Throws RunError where the last refinement of the mesh was not global.
  FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
               const dealii::Quadrature<dim> &quadrature, const std::set<dealii::types::boundary_id> &outflow,
               const LevelMeshOptions &levels)
    : meshes(velocity_mesh, halved_mesh_options(velocity_mesh, levels))
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

  LevelMeshes<dim> meshes;
  Field<dim>       velocity_field; ///< one component; hanging nodes are its only constraints
  Field<dim>       pressure_field; ///< its finest level is the second finest mesh

  const LevelSpace<dim> &velocity() const { return velocity_field.finest(); }
  const LevelSpace<dim> &pressure() const { return pressure_field.finest(); }

  std::size_t n_unknowns() const ///< of all ranks: velocities and pressures
  {
    return dim * velocity().n_global_dofs() + pressure().n_global_dofs();
  }
  /// Prints the numbers of cells, velocities, pressures and pressure levels.
  friend std::ostream &operator<<(std::ostream &out, const FlowMatrices &flow)
  {
    return out << flow.meshes.finest_mesh()->n_global_active_cells() << " cells, " << dim << " x "
               << flow.velocity().n_global_dofs() << " velocities, " << flow.pressure().n_global_dofs()
               << " pressures, " << flow.pressure_levels.size() << " pressure levels";
  }

  SharedMatrix                  stiffness;     ///< (∇φ_j, ∇φ_i)
  std::array<SharedMatrix, dim> gradient;      ///< A_d = (φ_i, ∂_d φ_j), on the pattern of `stiffness`
  std::array<SharedMatrix, dim> divergence;    ///< W_d = (ψ_k, ∂_d φ_j), n_p x n; all have one pattern
  SharedMatrix                  interpolation; ///< takes a pressure to nodal values on the velocity mesh, n x n_p
  Array<double>                 velocity_mass; ///< lumped; 0 at hanging nodes
  Array<double>                 pressure_mass; ///< lumped; 0 at hanging nodes and where the pressure is prescribed
  /// The volume of the pressure mesh, of all ranks. Where no pressure is prescribed it is the sum of the masses; with
  /// curved boundaries the velocity mesh has another volume.
  double pressure_volume = 0.;

  /// Returns the matrix that takes nodal values on the velocity mesh to the pressure's free nodes, n_p x n: it undoes
  /// the interpolation. All ranks call it together.
  CSRMatrix<double> injection() const
  {
    // An entry of the interpolation is 1 where a node is the pressure's, too, and less elsewhere.
    CSRMatrix<double> same_node = *interpolation;
    for (double &value : same_node.value)
      value = value == 1. ? 1. : 0.;
    const auto       &nodes = velocity().partition();
    const Partitioner rows(nodes.locally_owned_range(), nodes.get_mpi_communicator());
    const auto        columns = same_node.ghosts ? make_partitioner(*same_node.ghosts) : nullptr;
    return sum_rows(transpose(same_node), columns ? *columns : pressure().partition(), rows);
  }

  /// Levels of (∇q, ∇ψ). Without outflow they are singular, as constants are free: see MultigridOptions::singular.
  std::vector<LevelData> pressure_levels;
  bool                   singular = false;

private:
  // The integrals of the shape functions, added up for the free nodes: a lumped mass matrix; `volume` is their sum.
  static Array<double> lumped_mass(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                   const dealii::Quadrature<dim> &quadrature, double &volume)
  {
    const dealii::Functions::ConstantFunction<dim> one(1.);
    const auto integrals = load_vector(space, mapping, quadrature, dealii::QGauss<dim - 1>(2), one, {});
    volume               = std::accumulate(integrals.begin(), integrals.end(), 0.);
    space.communicator().sum(&volume, 1);
    return transposed_product(space.owned_H(), integrals);
  }

  static SharedMatrix share(CSRMatrix<double> matrix)
  {
    return std::make_shared<const CSRMatrix<double>>(std::move(matrix));
  }

  static DirichletBoundary all_of(const std::set<dealii::types::boundary_id> &ids)
  {
    DirichletBoundary boundary;
    for (const auto id : ids)
      boundary[id] = dealii::ComponentMask();
    return boundary;
  }

  void assemble_momentum(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
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

  void transfer_between_the_meshes()
  {
    const auto transfer = transfer_matrices(meshes.finest(), velocity(), pressure());
    interpolation       = share(product(velocity().owned_H(), transfer.prolongation));
    for (unsigned int d = 0; d < dim; ++d)
      divergence[d] = share(product(transfer.restriction, *gradient[d]));
  }

  void assemble_pressure(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
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
};
} // namespace adamant
