#pragma once

#include "algebra/vector.h"
#include "discretization/fields/coarser_values.h"
#include "discretization/fields/field.h"
#include "discretization/forms/form.h"
#include "discretization/meshes/level_meshes.h"
#include "multigrid/saddle_point_data.h"
#include "operators/scaled_product.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace adamant
{
struct StokesOptions
{
  LevelMeshOptions levels;                                       ///< of the velocity mesh
  Average          coarse_viscosity     = Average::arithmetic;   ///< of the cells of coarser levels
  SchurComplement  schur                = SchurComplement::mass; ///< for which matrices are made
  double           bfbt_exponent        = 0.75;                  ///< q: C = diag(1 / ∫ η^q φ_i)
  double           bfbt_boundary_weight = 1.;                    ///< of cells at walls in these integrals
  double           length               = 1.;                    ///< of the domain, about
};

/// The matrices of the Q1-iso-Q2/Q1 discretization of -div(2 η ε(u)) + ∇p = f, div u = 0: the velocity is Q1 on a mesh,
/// the pressure Q1 on that mesh with its last, global refinement undone. With shape functions φ of the velocity and ψ
/// of the pressure
///
///   A = (2 η ε(φ_j), ε(φ_i)) on all levels,   B = -(ψ_k, div φ_j) / L,   L the length of the domain,
///
/// so that the second unknown is L p, and both equations have residuals of one size. η is a number for each cell of the
/// velocity mesh; `update` takes a new one, and all that depends on it is computed where it is, on the device. One
/// rank.
template <int dim>
class StokesMatrices
{
public:
  /// `velocity_mesh` and `mapping` have to outlive the object. `walls` are the boundaries where all components of the
  /// velocity are prescribed. Throws RunError on several ranks, and where the last refinement was not global.
  StokesMatrices(const Device &device, dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
                 const DirichletBoundary &dirichlet, const std::set<dealii::types::boundary_id> &walls,
                 const StokesOptions &options);
  StokesMatrices(const StokesMatrices &)            = delete;
  StokesMatrices &operator=(const StokesMatrices &) = delete;

  LevelMeshes<dim> meshes;
  Field<dim>       velocity;         ///< dim components a node
  Field<dim>       pressure;         ///< up to the second finest mesh
  Field<dim>       nodal_pressure;   ///< on the velocity mesh: of output, and of B before it is restricted
  Matrix<double>   to_velocity_mesh; ///< nodal values there of a pressure's unknowns

  /// The quadrature points of A, at which `update` may take η.
  const dealii::QGauss<dim> quadrature{2};

  /// η > 0 of the velocity mesh's cells; where `at_points` is given, A of the finest level has these values at its
  /// quadrature points instead.
  void update(const Vector<double> &viscosity, const Vector<double> *at_points = nullptr);

  /// b -= [A_g; B_g] g for the prescribed velocities g: what they add to the equations of the free unknowns.
  void subtract_prescribed(const Vector<double> &g, Vector<double> &b) const;

  /// The unknowns of a pressure from its nodal values on the velocity mesh.
  CSRMatrix<double> injection() const;

  /// Subtracts its mean over the domain from a pressure, unknowns of its field.
  void remove_mean(Vector<double> &p) const;

  const SaddlePointData &data() const { return saddle_point; } ///< for a SaddlePointSolver, after an update
  const LevelSpace<dim> &space() const { return velocity.finest(); }
  const Form<dim>       &viscous() const { return A; }

private:
  void assemble_divergence(const dealii::Mapping<dim> &mapping);
  void assemble_masses(const dealii::Mapping<dim> &mapping, const std::set<dealii::types::boundary_id> &walls);
  void tabulate_shapes();
  void update_bfbt(const Vector<double> &viscosity);

  Device                       device;
  StokesOptions                options;
  const dealii::Mapping<dim>  &mapping;
  Form<dim>                    A, M;
  std::optional<Form<dim>>     laplacian;
  CellAverages<dim>            coarse_viscosity, geometric_viscosity;
  std::optional<ScaledProduct> K;
  List<int>                    fine_cell;       // of the points of M
  Matrix<double>               V, B_prescribed; // V: cells to ∫ φ_i
  Vector<double>               weights, C, mean_weights, ones;
  const Vector<double>        *given = nullptr, *given_at_points = nullptr; // of the last update
  SaddlePointData              saddle_point;
  std::vector<Vector<double>>  of_shapes; // by level, see ViscousStressOfShapes; empty where cells have too many shapes
};
} // namespace adamant
