#pragma once

#include "coefficients/coefficient.h"
#include "fem/forms/form.h"
#include "frame/unknown.h"
#include "scalar/scalar_boundaries.h"
#include "scalar/scalar_kernels.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/lac/full_matrix.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adamant
{
/// The coefficients b, r, Λ of d_t u + b . grad u + r u - div(Λ grad u) = f, in the section "Problem". The conservative
/// form has div(b u) in place of b . grad u.
class ScalarCoefficients : public dealii::ParameterAcceptor
{
public:
  explicit ScalarCoefficients(const MeshFileParameters &mesh_file);

  /// Throws InputError for mistakes that show without a mesh. `upwind` says whether the equation is stabilised.
  void check(unsigned int dim, unsigned int degree, bool upwind) const;
  bool are_constant() const; ///< in each material
  bool depend_on_time() const;
  bool conservative() const { return form == "conservative"; }

  Coefficient velocity, diffusion, reaction; ///< once read
  std::string velocities = "0, -1, 0", diffusions = "0.01", reactions = "0", form = "advective";
};

/// The factors of K in the matrices of a time step.
struct StepWeights
{
  double implicit_part, explicit_part;
};

/// The matrices of a scalar equation. M has the integrals of φ_j ψ_i, and K(t) the integrals of diffusion, transport,
/// reaction and Robin's conditions. Test functions are ψ_i = φ_i, or φ_i + τ b . ∇φ_i with upwind stabilisation (see
/// ScalarKernel). A time step needs A = M + w K(t) on all levels and E = M - v K(t_old), with its weights w (implicit)
/// and v (explicit). It also needs the part C of A that acts on prescribed values. Where the coefficients are constant
/// in each material, and no boundary has Robin's condition, the host assembles these matrices once. Otherwise cell
/// kernels compute them on the device, anew where they depend on time.
template <int dim>
class ScalarEquation
{
public:
  /// The arguments have to outlive the object. All ranks call all functions together. `with_source` says whether there
  /// will be a source. Throws InputError for a material without a coefficient.
  ScalarEquation(const Device &device, Unknown<dim> &unknown, const dealii::Mapping<dim> &mapping,
                 const ScalarCoefficients &coefficients, const ScalarBoundaries &boundaries, bool upwind,
                 bool with_source);

  /// Returns the flags that an Unknown's forms need for the equation.
  static dealii::UpdateFlags flags(unsigned int degree, bool upwind);

  /// Returns whether A and E are others at another time.
  bool depends_on_time() const { return in_time; }

  /// Makes the matrices of the step from t_old to t. Where `changes` is set, A will change: the device has its values.
  /// Throws InputError for coefficients that are no numbers, and for a negative diffusion.
  void assemble(const StepWeights &weights, double t, double t_old, bool changes);
  /// Computes the matrices anew, after assemble().
  void       update(const StepWeights &weights, double t, double t_old);
  Form<dim> &A() { return *system; }

  /// Computes rhs = E u - C g from nodal values u and the prescribed values g at the end of the step.
  void multiply(const Vector<double> &u, const Vector<double> &g, Vector<double> &rhs);
  /// Adds `factor` times the integrals of f ψ_i; `f` has values at the unknown's quadrature points.
  void add_source(double factor, const Vector<double> &f, Vector<double> &rhs);
  /// Adds `factor` times the load of fluxes and Robin's conditions at time t.
  void add_boundary_load(double factor, double t, Vector<double> &rhs) { load.add(factor, t, rhs); }

private:
  std::string                text_in(unsigned int material) const;
  void                       make_constants();
  void                       make_points();
  void                       make_source_matrices();
  void                       evaluate(double t);
  void                       check_values(const Array<double> &at) const;
  void                       compute(const StepWeights &weights, double t, double t_old);
  ScalarKernel<dim>          kernel(std::size_t level, double mass, double stiffness) const;
  const std::vector<double> &constants(unsigned int material) const;
  dealii::Tensor<1, dim>     shift_of(const CellContext<dim> &cell) const;
  void                       add_integrals(const CellContext<dim> &cell, double mass, double stiffness,
                                           dealii::FullMatrix<double> &local) const;
  /// Returns whether E has other values in this step, or none yet; without explicit part and shift it is M.
  bool E_changes() const { return !E_made || now.explicit_part != 0. || upwind; }
  int  n_values() const { return places.template size<dim>(); }

  const Device               &device;
  Unknown<dim>               &unknown;
  const dealii::Mapping<dim> &mapping;
  const ScalarCoefficients   &coefficients;
  const ScalarBoundaries     &boundaries;
  const bool                  with_source, upwind, varying, in_time; // varying: in place or time, or Robin's condition
  const bool                  lifted;                                // whether prescribed values may differ from zero
  bool                        E_made = false;
  CoefficientPlaces           places;
  StepWeights                 now{}; // of A

  std::map<unsigned int, std::vector<double>> constants_of; // by material, unless they vary

  // Where they vary, values at the quadrature points of all levels, one level after the other.
  std::vector<int>                  first_point; // of each level, and the end
  PointFunction                     function;    // of time
  Vector<double>                    values, old_values, along, h;
  std::vector<RobinMatrices<dim>>   robin;     // by level
  std::optional<RobinMatrices<dim>> robin_old; // of the finest level, at the time before

  BoundaryLoad<dim>           load;
  std::unique_ptr<Form<dim>>  system, E_form, C_form;
  Matrix<double>              E, C_M, C_K, C, S; // C = C_M + w C_K where they vary
  std::vector<Matrix<double>> S_along;           // with the derivative d of φ_i in place of φ_i
  Vector<double>              product;
};
} // namespace adamant
