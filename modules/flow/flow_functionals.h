#pragma once

#include "base/array.h"
#include "base/communicator.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_matrices.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <vector>

namespace adamant
{
/// Numbers that are computed from a flow on the host, with its matrices. Velocities are stored by components; pressures
/// `p` are nodal values on the velocity mesh. Each of several ranks passes the values of its own nodes and gets the
/// result of all; they call all functions together.

/// The flux through the listed boundary nodes for velocities `values`, component c of node number i in values[c
/// n_listed + i]. `net` is ∫ u . n by nodal interpolation, `scale` the integral of |u| |n|, to compare with.
struct BoundaryFlux
{
  double net, scale;
};
template <int dim>
BoundaryFlux boundary_flux(const FlowMatrices<dim> &flow, const std::vector<int> &nodes, const Array<double> &values);

/// Returns (a, ∇ψ_k) with the acceleration a = f - div(u ⊗ u) + ν Δu; the last term is left out at nodes where
/// `inverse_mass` is 0. This is equation (16) of Liebchen et al. for the initial pressure.
template <int dim>
Array<double> tested_acceleration(const FlowMatrices<dim> &flow, double viscosity, const Array<double> &u,
                                  const Array<double> &f, const Array<double> &inverse_mass);

/// Returns the lumped L² norm of the difference of nodal values of any number of components. `up_to_constant` is for
/// pressures.
template <int dim>
double lumped_l2_error(const FlowMatrices<dim> &flow, const Array<double> &values, const Array<double> &exact,
                       bool up_to_constant);

/// Returns ½ ∫ |u|² with lumped masses.
template <int dim>
double kinetic_energy(const FlowMatrices<dim> &flow, const Array<double> &u);

/// Returns the mean of a pressure, given on its own mesh.
template <int dim>
double mean_pressure(const FlowMatrices<dim> &flow, const Array<double> &pressure);

/// Returns the largest |g_k / m_k| of a divergence g.
template <int dim>
double largest_divergence(const FlowMatrices<dim> &flow, const Array<double> &g);

/// The force on a boundary: the residual of the momentum equation at its nodes. The test function is v = Σ φ_i over
/// these nodes, where φ_i includes the hanging nodes that depend on a free node.
///   F_c = (a_c, v) - (ν (∇u_c, ∇v) + Σ_d (∂_d(u_d u_c), v) - (p, ∂_c v)),   a = f - ∂_t u.
/// It converges faster than integrals of stresses along the boundary (John & Matthies 2001).
template <int dim>
class BoundaryForce
{
public:
  BoundaryForce(const FlowMatrices<dim> &flow, dealii::types::boundary_id id);

  /// `a` is read at the boundary's nodes; an empty `a` is zero.
  std::vector<double> operator()(const Array<double> &u, const Array<double> &p, const Array<double> &a,
                                 double viscosity) const;

private:
  // Sums of matrix rows and columns over the boundary's nodes, where they are not zero.
  struct Weights
  {
    int                     node;
    double                  stiffness, mass;
    std::array<double, dim> row, column; // of A_d
  };

  Communicator         ranks;
  std::size_t          n; // the rank's own nodes
  std::vector<Weights> weights;
};

/// Numbers that are computed on the host from a flow with velocity and pressure in one field. Its nodes have dim + 1
/// unknowns (u, p), and `nodal` has the values of all of them, in host memory, on one rank.

/// Calls action(cell number, FEFaceValues, point) for the points of a Gauss rule on the faces of this boundary, n in
/// each direction.
template <int dim, typename Action>
void for_each_boundary_point(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             dealii::types::boundary_id id, unsigned int n, const Action &action)
{
  dealii::FEFaceValues<dim> face_values(mapping, space.element(), dealii::QGauss<dim - 1>(n),
                                        dealii::update_values | dealii::update_quadrature_points |
                                          dealii::update_normal_vectors | dealii::update_JxW_values);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (const unsigned int face : space.active_cells()[cell]->face_indices())
      if (const auto on = space.active_cells()[cell]->face(face); on->at_boundary() && on->boundary_id() == id)
        {
          face_values.reinit(space.active_cells()[cell], face);
          for (const unsigned int q : face_values.quadrature_point_indices())
            action(cell, face_values, q);
        }
}

/// Returns (u, p) at quadrature point q of a cell.
template <int dim>
std::array<double, dim + 1> value_at(const LevelSpace<dim> &space, const Array<double> &nodal, int cell,
                                     const dealii::FEValuesBase<dim> &at, unsigned int q)
{
  std::array<double, dim + 1> value{};
  for (const unsigned int i : at.dof_indices())
    value[at.get_fe().system_to_component_index(i).first] += nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q);
  return value;
}

/// Returns ∫ u·n and ∫ |u| over a boundary, for a function u.
template <int dim>
BoundaryFlux flux_of(const dealii::Function<dim> &u, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id);

/// Returns ∫ u·n over a boundary for nodal values; `scale` is at least ∫ |u|.
template <int dim>
BoundaryFlux flux_of(const Array<double> &nodal, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id);

/// The integrals ½ ∫ |u|², ∫ p and the volume.
struct FlowIntegrals
{
  double energy = 0., pressure = 0., volume = 0.;
};
template <int dim>
FlowIntegrals flow_integrals(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             const Array<double> &nodal);

/// Returns the largest |u| h of a cell, h its longest edge: over ν it is a Reynolds number.
template <int dim>
double largest_cell_speed(const LevelSpace<dim> &space, const Array<double> &nodal);

/// Returns component c of the nodal values, on the scalar space of these nodes.
template <int dim>
Array<double> component_of(const LevelSpace<dim> &space, const LevelSpace<dim> &scalar, const double *nodal, int c);
} // namespace adamant
