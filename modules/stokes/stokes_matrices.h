#pragma once

#include "algebra/vector.h"
#include "discretization/fields/coarser_values.h"
#include "discretization/fields/field.h"
#include "discretization/fields/transfer.h"
#include "discretization/forms/form.h"
#include "discretization/meshes/level_meshes.h"
#include "stokes/saddle_point_data.h"
#include "stokes/scaled_product.h"
#include "stokes/viscous_levels.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace adamant
{
/// The velocity's element; the pressure is continuous and bilinear on the pressure mesh.
enum class VelocityElement
{
  q1_iso_q2, ///< Q1 on the pressure mesh refined once
  q2         ///< Q2 on the pressure mesh (Taylor and Hood 1973)
};

struct StokesOptions
{
  VelocityElement  element = VelocityElement::q1_iso_q2;
  LevelMeshOptions levels;                                       ///< of the finest mesh
  Average          coarse_viscosity     = Average::arithmetic;   ///< of the cells of coarser levels
  SchurComplement  schur                = SchurComplement::mass; ///< for which matrices are made
  double           bfbt_exponent        = 0.75;                  ///< q: C = diag(1 / ∫ η^q φ_i)
  double           bfbt_boundary_weight = 1.;                    ///< of cells at walls in these integrals
  double           length               = 1.;                    ///< of the domain, about
  VelocityProduct  product              = VelocityProduct::rows; ///< of A
};

/// The matrices of -div(2 η ε(u)) + ∇p = f, div u = 0 in Q1-iso-Q2/Q1 or Q2-Q1 elements. With shape functions φ of the
/// velocity and ψ of the pressure
///
///   A = (2 η ε(φ_j), ε(φ_i)) on all levels (ViscousLevels),   B = -(ψ_k, div φ_j) / L,   L the length of the domain,
///
/// so that the second unknown is L p, and both equations have residuals of one size. η is a number for each cell of the
/// velocity's mesh; `update` takes a new one, and on one rank all that depends on it is computed where it is, on the
/// device. All ranks call everything together.
template <int dim>
class StokesMatrices
{
public:
  /// `finest_mesh` is the pressure mesh refined once; it and `mapping` have to outlive the object. `walls` are the
  /// boundaries where all components of the velocity are prescribed. Throws RunError where the last refinement was not
  /// global.
  StokesMatrices(const Device &device, dealii::Triangulation<dim> &finest_mesh, const dealii::Mapping<dim> &mapping,
                 const DirichletBoundary &dirichlet, const std::set<dealii::types::boundary_id> &walls,
                 const StokesOptions &options);
  StokesMatrices(const StokesMatrices &)            = delete;
  StokesMatrices &operator=(const StokesMatrices &) = delete;

  LevelMeshes<dim> meshes;
  Field<dim>       velocity;         ///< dim components a node
  Field<dim>       pressure;         ///< up to the second finest mesh
  Field<dim>       nodal_pressure;   ///< on the velocity's mesh: of output, and of B before it is restricted
  Matrix<double>   to_velocity_mesh; ///< nodal values there of a pressure's unknowns

  /// The quadrature points of A, at which `update` may take η.
  const dealii::QGauss<dim> quadrature;

  /// η > 0 of the cells of the velocity's mesh; where `at_points` is given, A of the finest level has these values at
  /// its quadrature points instead.
  void update(const Vector<double> &viscosity, const Vector<double> *at_points = nullptr);

  /// b -= [A_g; B_g] g for the prescribed velocities g: what they add to the equations of the free unknowns.
  void subtract_prescribed(const Vector<double> &g, Vector<double> &b) const;

  /// The unknowns of a pressure from its nodal values on the velocity's mesh.
  CSRMatrix<double> injection() const;

  /// Subtracts its mean over the domain from a pressure, unknowns of its field.
  void remove_mean(Vector<double> &p) const;

  const SaddlePointData &data() const { return saddle_point; } ///< for a SaddlePointSolver, after an update
  const LevelSpace<dim> &space() const { return velocity.finest(); }
  bool                   is_q2() const { return options.element == VelocityElement::q2; }

private:
  Transfer between_meshes() const
  {
    return transfer_matrices(meshes.finest(), nodal_pressure.finest(), pressure.finest());
  }
  void assemble_divergence();
  void assemble_masses(const std::set<dealii::types::boundary_id> &walls);
  void set_up_cells();
  void set_up_bfbt();
  void update_bfbt(const Vector<double> &viscosity, const Vector<double> &of_finest);

  Device                             device;
  StokesOptions                      options;
  const dealii::Mapping<dim>        &mapping;
  ViscousLevels<dim>                 A;
  std::optional<Form<dim>>           M, laplacian;
  std::optional<CellAverages<dim>>   geometric_viscosity;
  std::optional<ScaledProduct>       K;
  std::shared_ptr<CSRMatrix<double>> K_of_ranks;                  // in its place on several
  Matrix<double>                     to_finest_mesh, to_children; // values of cells, see values_of_parents, _children
  Vector<double>                     of_finest, of_parts;         // η there, and as M takes it
  List<int>                          part_of_point;               // likewise
  Matrix<double>                     V, B_prescribed;             // V: cells to ∫ φ_i
  Vector<double>                     weights, C, mean_weights, ones;
  const Vector<double>              *given = nullptr, *given_at_points = nullptr; // of the last update
  SaddlePointData                    saddle_point;
};
} // namespace adamant
