#pragma once

#include "algebra/vector.h"
#include "coefficients/coarser_values.h"
#include "fem/forms/form.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "stokes/saddle_point_solver.h"
#include "stokes/scaled_product.h"
#include "stokes/viscous_levels.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <optional>
#include <set>

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
  LevelMeshOptions levels;                                       ///< options of the finest mesh's levels
  Average          coarse_viscosity     = Average::arithmetic;   ///< how coarser levels average cells
  SchurComplement  schur                = SchurComplement::mass; ///< its matrices are made
  double           bfbt_exponent        = 0.75;                  ///< q: C = diag(1 / ∫ η^q φ_i)
  double           bfbt_boundary_weight = 1.;                    ///< weight of cells at walls in these integrals
  double           length               = 1.;                    ///< about the length of the domain
  Products         products             = Products::rows;        ///< how A is multiplied
};

/// The matrices of -div(2 η ε(u)) + ∇p = f, div u = 0 in Q1-iso-Q2/Q1 or Q2-Q1 elements. With shape functions φ of the
/// velocity and ψ of the pressure
///
///   A = (2 η ε(φ_j), ε(φ_i)) on all levels (ViscousLevels),   B = -(ψ_k, div φ_j) / L
///
/// L is the length of the domain: the second unknown is L p, and both equations have residuals of one size. The
/// viscosity η is a number for each cell of the velocity's mesh. With a new η, `update` computes all dependent values
/// on the device, on one rank. All ranks call all functions together.
template <int dim>
class StokesMatrices
{
public:
  /// `finest_mesh` is the pressure mesh refined once; it and `mapping` have to outlive the object. `walls` are the
  /// boundaries where all components of the velocity are prescribed, and on `open` ones the stress is. Throws RunError
  /// where the last refinement was not global.
  StokesMatrices(const Device &device, dealii::Triangulation<dim> &finest_mesh, const dealii::Mapping<dim> &mapping,
                 const DirichletBoundary &dirichlet, const std::set<dealii::types::boundary_id> &walls,
                 const std::set<dealii::types::boundary_id> &open, const StokesOptions &options);
  StokesMatrices(const StokesMatrices &)            = delete;
  StokesMatrices &operator=(const StokesMatrices &) = delete;

  LevelMeshes<dim> meshes;
  Field<dim>       velocity;         ///< dim components a node
  Field<dim>       pressure;         ///< its finest level is the second finest mesh
  Field<dim>       nodal_pressure;   ///< Q1 on the velocity's mesh: for output, and for B before it is restricted
  Matrix<double>   to_velocity_mesh; ///< takes a pressure's unknowns to nodal values there

  /// The quadrature points of A; `update` may take η there.
  const dealii::QGauss<dim> quadrature;

  /// Updates all matrices for η > 0 of the cells of the velocity's mesh. Where `at_points` is given, A of the finest
  /// level has these values at its quadrature points instead.
  void update(const Vector<double> &viscosity, const Vector<double> *at_points = nullptr);

  /// Computes b -= [A_g; B_g] g: it moves the prescribed velocities g to the right-hand side.
  void subtract_prescribed(const Vector<double> &g, Vector<double> &b) const;

  /// Returns the matrix that takes nodal values on the velocity's mesh to the unknowns of a pressure.
  CSRMatrix<double> injection() const;

  /// Subtracts from a pressure p, given by its unknowns, its mean over the domain. Where a boundary is open, p has no
  /// free constant, and stays.
  void remove_mean(Vector<double> &p) const
  {
    if (!is_open())
      device.axpby(-device.dot(mean_weights, p), ones, 1., p);
  }
  bool is_open() const { return !open.empty(); } ///< whether the stress is prescribed on some boundary

  const SaddlePointData &data() const { return saddle_point; } ///< for a SaddlePointSolver, after an update
  const LevelSpace<dim> &space() const { return velocity.finest(); }
  bool                   is_q2() const { return options.element == VelocityElement::q2; }

private:
  Transfer between_meshes() const
  {
    return transfer_matrices(meshes.finest(), nodal_pressure.finest(), pressure.finest());
  }
  void assemble_divergence();
  void assemble_masses();
  void set_up_cells();
  void set_up_bfbt(const std::set<dealii::types::boundary_id> &walls);
  void update_bfbt(const Vector<double> &viscosity, const Vector<double> &of_finest);

  Device                             device;
  StokesOptions                      options;
  const dealii::Mapping<dim>        &mapping;
  const std::set<unsigned int>       open;
  ViscousLevels<dim>                 A;
  std::unique_ptr<Field<dim>>        closed_pressure; // zero on open boundaries; null: none is open
  std::optional<Form<dim>>           M, laplacian;
  std::optional<CellAverages<dim>>   geometric_viscosity;
  std::optional<ScaledProduct>       K;
  std::shared_ptr<CSRMatrix<double>> K_of_ranks;                  // replaces K on several ranks
  Matrix<double>                     to_finest_mesh, to_children; // values of cells, see values_of_parents, _children
  Vector<double>                     of_finest, fluidity; // η on the finest mesh, and 1/η in the parts that M uses
  List<int>                          part_of_point;       // for M
  Matrix<double>                     V, B_prescribed;     // V: cells to ∫ φ_i, for bfbt, as weights and C
  Vector<double>                     weights, C, mean_weights, ones;
  const Vector<double>              *given = nullptr, *given_at_points = nullptr; // arguments of the last update
  SaddlePointData                    saddle_point;
};
} // namespace adamant
