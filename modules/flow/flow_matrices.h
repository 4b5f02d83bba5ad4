#pragma once

#include "base/csr/csr_matrix.h"
#include "base/csr/csr_operations.h"
#include "base/run_record.h"
#include "coefficients/coefficient.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "flow/bundle/matrix_bundle.h"
#include "flow/flow_functors.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <cstddef>
#include <functional>
#include <ostream>
#include <set>
#include <type_traits>
#include <vector>

namespace adamant
{
/// The viscous term on the velocity mesh, in host memory.
struct ViscousTerm
{
  double least = 1., most = 1.; ///< extremes of the viscosity ν
  /// For a constant ν there is K = (∇φ_j, ∇φ_i), to be multiplied by factor(). Where ν varies, there are the dim² parts
  /// V_cd = (ν ∂_c φ_j, ∂_d φ_i) of (ν (∇u + ∇uᵀ), ∇φ_i), at [c dim + d]. Component c of this term is
  /// `Σ_d V_dd u_c + V_cd u_d`.
  std::vector<SharedMatrix> matrices;
  Array<double>             at_pressures; ///< ν at the pressure's nodes, its average there; empty: it is constant

  bool   varies() const { return matrices.size() > 1; }
  double factor() const { return varies() ? 1. : least; }
  double fastest() const { return varies() ? 2. * most : most; } ///< viscosity of the fastest mode of the term

  /// Returns component c of the term over factor(), for a velocity that is stored by components.
  template <int dim>
  Array<double> component(int c, const Array<double> &u) const
  {
    const std::size_t n      = u.size() / dim;
    const auto        of     = [&](int d) { return Array<double>(u.begin() + d * n, u.begin() + (d + 1) * n); };
    auto              result = product(*matrices[0], of(c));
    const auto        add    = [&](int matrix, int d) {
      const auto part = product(*matrices[matrix], of(d));
      for (std::size_t i = 0; i < n; ++i)
        result[i] += part[i];
    };
    for (int d = 0; d < dim && varies(); ++d)
      {
        if (d > 0)
          add(d * dim + d, c);
        add(c * dim + d, d);
      }
    return result;
  }
};

/// The matrices of the Q1-iso-Q2/Q1 discretization of incompressible flow, in host memory. Scalar Q1 functions φ_i on
/// the velocity mesh serve each component of the velocity. Functions ψ_k live on the pressure mesh, which is the
/// velocity mesh with its last, global refinement undone. Both fields share their level meshes: the velocity lives on
/// the finest one, the pressure on the coarser ones. Hanging nodes take part through H on both meshes: rows belong to
/// free nodes, columns to nodal values. On several ranks, rows and masses belong to the owned nodes.
template <int dim>
struct FlowMatrices
{
  /// `velocity_mesh` has to outlive the object. The pressure is prescribed on the boundaries `open`; `levels` are the
  /// options of its coarser meshes. Throws RunError where the last refinement of the mesh was not global, and
  /// InputError where the viscosity does not fit the mesh's materials or is not positive.
  FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
               const dealii::Quadrature<dim> &quadrature, const std::set<dealii::types::boundary_id> &open,
               const LevelMeshOptions &levels, const Coefficient &viscosity = {"viscosity", "1", nullptr});

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
  friend std::ostream &operator<<(std::ostream &out, const FlowMatrices<dim> &flow)
  {
    return out << flow.meshes.finest_mesh()->n_global_active_cells() << " cells, " << dim << " x "
               << flow.velocity().n_global_dofs() << " velocities, " << flow.pressure().n_global_dofs()
               << " pressures, " << flow.pressure_levels.size() << " pressure levels";
  }

  ViscousTerm                   viscous;
  std::array<SharedMatrix, dim> gradient;      ///< A_d = (φ_i, ∂_d φ_j), on the pattern of the viscous term
  std::array<SharedMatrix, dim> divergence;    ///< W_d = (ψ_k, ∂_d φ_j), n_p x n; all have one pattern
  SharedMatrix                  interpolation; ///< takes a pressure to nodal values on the velocity mesh, n x n_p
  Array<double>                 velocity_mass; ///< lumped; 0 at hanging nodes
  Array<double>                 pressure_mass; ///< lumped; 0 at hanging nodes and where the pressure is prescribed
  /// The volume of the pressure mesh, of all ranks. Where no pressure is prescribed it is the sum of the masses; with
  /// curved boundaries the velocity mesh has another volume.
  double pressure_volume = 0.;

  /// Matrices whose columns are all nodal values of the pressure that do not hang, also prescribed ones.
  struct Lifting
  {
    CSRMatrix<double> interpolation; ///< as the member of this name, n x n_p
    CSRMatrix<double> laplacian;     ///< (∇ψ_k, ∇ψ_l), n_p x n_p, with rows of free pressures alone
  };
  /// Returns what pressures other than 0 on open boundaries need. All ranks call it together.
  Lifting lifting(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature) const;

  /// Returns the matrix that takes nodal values on the velocity mesh to the pressure's free nodes, n_p x n: it undoes
  /// the interpolation. All ranks call it together.
  CSRMatrix<double> injection() const;

  /// Returns K = (∇φ_j, ∇φ_i), on the pattern of the viscous term. All ranks call it together.
  SharedMatrix stiffness(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature) const;

  /// Levels of (∇q, ∇ψ). Without open boundaries they are singular, as constants are free: see
  /// MultigridOptions::singular.
  std::vector<LevelData> pressure_levels;
  bool                   singular = false;
};

/// The diffusion κ K of a temperature.
struct HeatDiffusion
{
  double       diffusivity = 0.; ///< κ; 0: there is no temperature
  SharedMatrix K;                ///< of FlowMatrices::stiffness
};

/// The sparse products of a time step on a device. Each is one pass over a bundle of matrices. With `separate` (the
/// GPU* of the paper's Table 4) it is one product for each matrix and component, in the device's format of matrices.
template <int dim>
class FlowProducts
{
public:
  using Vector = adamant::Vector<double>;
  using Timed  = std::function<void(const char *part, const std::function<void()> &work)>;

  FlowProducts(const Device &device, const FlowMatrices<dim> &flow, bool separate, const HeatDiffusion &heat = {});

  bool separate() const { return !momentum_bundle; }

  /// Takes a MomentumStep, or a BuoyantStep of T where `heat` is not null. `timed(part, work)` does the work, and may count
  /// its time under the name of a part of Table 4.
  void momentum(const VelocityUpdate<dim> &update, const Vector &u, const Vector &p, const Timed &timed,
                const HeatStep<dim> *heat = nullptr, const Vector &T = {});

  /// Computes rhs = Σ_d A_d (u_d T) + κ K T.
  void heat_product(const Vector &u, const Vector &T, Vector &rhs);

  /// Computes the Divergence.
  void divergence(const Vector &u, Vector &g) const;

  /// Bytes that one product with a bundle reads and writes, vectors once and without f; not for separate products.
  std::size_t momentum_bytes() const
  {
    return momentum_bundle->bytes() + sizeof(double) * (2 * (dim + 1) + (diffusion > 0. ? 3 : 0)) * n;
  }
  std::size_t divergence_bytes() const
  {
    return divergence_bundle->bytes() + sizeof(double) * (std::size_t(dim) * n + divergence_bundle->n_rows);
  }

  /// Adds the bytes of all ranks to run.json, where there are bundles.
  void add_to(RunRecord &record) const;

private:
  Vector component(const Vector &u, int c) const { return u.part(c * n, n); }
  // Calls work(number of viscous matrices) with a number that is known to the compiler.
  template <class Work>
  void with_n_viscous(const Work &work) const
  {
    if (n_viscous > 1)
      work(std::integral_constant<int, dim * dim>());
    else
      work(std::integral_constant<int, 1>());
  }

  Device                      device;
  int                         n, n_viscous; // velocity nodes, and matrices of the viscous term
  MatrixBundle                momentum_bundle, divergence_bundle;
  std::vector<Matrix<double>> momentum_matrix, divergence_matrix;
  double                      diffusion = 0.; // see BuoyantStep
  Vector                      u_u, rhs;
  Vector                      u_T, heat_rhs, force; // of a temperature, where products are separate
};
} // namespace adamant
