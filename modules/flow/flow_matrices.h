#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <memory>
#include <ostream>
#include <set>
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
  /// `velocity_mesh` has to outlive the object. The pressure is zero on the boundaries `outflow`. Coarsening of the
  /// pressure mesh ends at `coarsest_cells` cells; LevelMeshOptions explains `cells_per_rank`. Throws RunError where
  /// the last refinement of the mesh was not global.
  FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
               const dealii::Quadrature<dim> &quadrature, const std::set<dealii::types::boundary_id> &outflow,
               unsigned int coarsest_cells, unsigned int cells_per_rank = 1000);

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
  template <int d>
  friend std::ostream &operator<<(std::ostream &out, const FlowMatrices<d> &flow);

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
  CSRMatrix<double> injection() const;

  /// Levels of (∇q, ∇ψ). Without outflow they are singular, as constants are free: see MultigridOptions::singular.
  std::vector<LevelData> pressure_levels;
  bool                   singular = false;

private:
  void assemble_momentum(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature);
  void transfer_between_the_meshes();
  void assemble_pressure(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature);
};
} // namespace adamant
