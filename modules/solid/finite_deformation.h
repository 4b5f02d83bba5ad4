#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "coefficients/coarser_values.h"
#include "coefficients/coefficient.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "frame/device_field.h"
#include "frame/restart/state.h"
#include "solid/motion/conserving_kernels.h"
#include "solid/motion/inertia.h"
#include "solid/pressed_faces.h"
#include "solid/solid_energy.h"
#include "solid/solid_kernels.h"
#include "solid/sums_of_cells.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// What a state says of the whole body.
struct SolidResults
{
  double energy = 0., volume = 0.;  ///< ∫ W + U, and the volume now
  double least_J = 1., most_J = 1.; ///< at quadrature points
};

/// Residual and tangent of a solid at finite deformation in equilibrium, total Lagrangian (kernels in solid_kernels.h):
///
///   F_i(u) = ∫ P : ∇φ_i + ∫ p φ_i · n da - loads,   P = ∂(W + U)/∂F,   F = I + ∇u.
///
/// The pressures p follow the body: n is the outer normal of the deformed boundary, and da its area.
///
/// The tangent has a matrix on each level, filled on the device. On coarser levels u has the values of the finest one
/// at the nodes, but U' and J in U'' are averages of the finest level's. There J comes out wrong by O(h²) from u at the
/// nodes, and U' so by K O(h²): matrices would not stay positive definite. A coarser cell with det F <= 0 at a point
/// takes the average of F.
///
/// Nearly incompressible materials need projected dilatations, which are no material's of their own: U sees θ, the
/// projection Π J to constants (degree 1) or linear functions of the unit cell's coordinates (degree 2), and p = Π
/// U'(θ) takes the place of U'. A state has θ - 1 and p beside u. They follow Newton's step of u, so that their own
/// residuals, Π J - θ and Π U'(θ) - p, fall with that of u. Pressures recomputed from u would lead astray.
///
/// All ranks call all functions together.
template <int dim>
class FiniteDeformation
{
public:
  /// `unknown` and `mapping` have to outlive the object. Integrals take Gauss's rule of degree + 1 points. `pressed`
  /// are the boundaries where a pressure acts, which is 0 at first.
  FiniteDeformation(const Device &device, const DeviceField<dim> &unknown, const dealii::Mapping<dim> &mapping,
                    const OfEntries<SolidEnergy> &of_materials, bool projected,
                    const std::vector<unsigned int> &pressed = {});

  bool projected() const { return n_functions > 0; }
  /// Sets the pressure p on each of the boundaries that the constructor was given.
  void set_pressures(const std::vector<double> &p);
  /// Returns whether the tangent is symmetric with these pressures and prescribed displacements g, as it is where no
  /// edge of a boundary under pressure can move across itself. Sets the pressures, and loses a computed residual.
  bool symmetric_with(const std::vector<double> &p, const Vector<double> &g);
  /// Returns the size of a state: nodal values of u, then where dilatations are projected coefficients of θ - 1 and p.
  int n_state() const { return unknown.size() + 2 * n_coefficients(); }

  /// @name Motion
  /// @{

  /// Gives materials their densities ρ. All materials of the mesh need one.
  void set_densities(const OfEntries<double> &densities)
  {
    inertia = Inertia<dim>(device, unknown.field(), mapping, quadrature, densities);
  }
  /// Adds from now on ∫ ρ c (u - center) · φ_i to F, for nodal values `center`; c = 0 ends that. With `former`,
  /// stresses conserve the energy of a step from these nodal values to 2 u - former (see ConservingPoint). It is for
  /// energies that are no expressions, without projected dilatations.
  void set_motion(double c, const Vector<double> &center, const Vector<double> *former = nullptr);
  /// Computes the part of the tangent that comes from inertia, in place of the whole.
  void linearize_inertia();
  /// Sets θ and p in a state to the projections of J and U'(θ). It is for a state that begins a run: recomputed from u
  /// they lead Newton's method astray.
  void project(Vector<double> &state);
  /// Computes Π(J - 1) (k = 0) or its rate Π(cof F : ∇v) (k = 1), as coefficients behind nodal values v. It is for the
  /// state of the last residual, and with k = 1 of the last tangent, where dilatations are projected.
  void take_volumes(int k, const Vector<double> &state, Vector<double> &of_v);
  /// Subtracts from r what the tangent makes of differences e of these coefficients: ∫ S e Π(cof F : ∇φ_i). Returns
  /// their root mean square; waits. A tangent then needs a new residual.
  double subtract_difference(int k, const Vector<double> &of_v, const Vector<double> &wanted, Vector<double> &r);
  /// Returns the results of a motion with nodal values u and velocities v; waits. A tangent then needs a new residual.
  MotionResults motion(const Vector<double> &u, const Vector<double> &v);
  /// @}

  /// Computes r = factor load - ∫ P : ∇φ_i - ∫ p φ_i · n da for a state; `load` has the rows of unknowns.
  void residual(const Vector<double> &state, double factor, const Vector<double> &load, Vector<double> &r);
  void evaluate(const Vector<double> &state) ///< computes a residual, and forgets it
  {
    Vector<double> r(device, n_state());
    residual(state, 0., unknown.vector(), r);
  }
  /// Returns how many points have det F <= 0 or θ <= 0 in the state of the last residual; waits.
  double n_inverted();
  /// Returns the least det F there, or the least θ where det F > 0 everywhere, and where it is: "det F = -0.1 at (1,
  /// 2), material 0".
  std::string least_stretch();
  /// Returns the least of J and the principal stretches in cells of the materials that count; waits. None: infinity.
  double least_principal_stretch(const std::function<bool(unsigned int material)> &counts);
  /// Returns how many energies of expressions, or their derivatives, are no numbers there; waits. Beyond an energy's
  /// domain its derivatives may still be numbers.
  double n_no_numbers();
  /// Returns where an energy is no number there: "I1 = 9, I2 = 9, J = 1 at (1, 2), material 0". Empty: nowhere.
  std::string no_number();
  /// Returns ‖∫ P : ∇φ_i + ∫ p φ_i · n da‖₂ at the prescribed nodal values, in the state of the last residual; waits.
  double reactions();

  /// Computes the tangent on all levels, in the state of the last residual. Without motion `shift` times the mass of
  /// density 1 is added.
  void linearize(const Vector<double> &state, double shift = 0.);
  /// Sets a state with different strains everywhere, and computes its tangent. At rest equal cells have equal
  /// matrices, which may take less memory.
  void       linearize_strained(Vector<double> &state);
  Form<dim> &tangent() { return *K; }
  /// Returns how many points of coarser levels had det F <= 0 in the last tangent. There F takes its cells' averages,
  /// but not in steps that conserve energy.
  double n_inverted_on_coarser() const { return n_replaced; }
  bool   in_motion() const { return inertia.acts(); } ///< whether the tangent has a term of inertia
  /// Returns the larger of two root mean squares in the last residual's state; waits. They are of Π J - θ and of
  /// (Π U'(θ) - p) / K, with the least bulk modulus K.
  double residual_of_dilatation() const;
  /// Makes r = -F the right-hand side of the tangent's system for a displacement that changes by δ, nodal values,
  /// beside the unknowns: r -= K δ. Where dilatations are projected, it subtracts what their own residuals add, too.
  void subtract_change(const Vector<double> &delta, Vector<double> &r);
  /// Sets in d, a change of the state, that of θ and p for the change of u.
  void follow(Vector<double> &d);
  /// Saves or loads states, together. Where the mesh changes, u is interpolated. A new cell takes θ and p of its parent,
  /// or the projection of its children's. That keeps the mean by volume where the children fill the cell.
  void serialize(State &archive, const std::vector<Vector<double> *> &states) const;

  /// @name θ - 1 (k = 0) or p (k = 1) of a state by values at points
  /// Values at the points of QGauss(degree + 1) of each cell lie in host memory; they are projected.
  /// @{
  Array<double> at_points(int k, const Vector<double> &state) const;
  void          set_coefficients(int k, const Array<double> &at_points, Vector<double> &state) const;
  /// @}

  SolidResults results(); ///< of the state of the last residual; waits
  /// @name θ - 1 and p at the points of QGauss(degree + 1), in the state of the last residual
  /// They are empty unless dilatations are projected.
  /// @{
  const Vector<double> &dilatations_at_points() const { return theta_at_points; }
  const Vector<double> &pressures_at_points() const { return p_at_points; }
  /// @}
  /// ∫ P : ∇φ_i + ∫ p φ_i · n da over cells, for each of their DoFs i at [cell n + i].
  const Vector<double> &forces_of_cells() const { return forces; }

private:
  struct Level
  {
    QuadratureData<dim> shapes;
    LevelEnergies       energies;
    Vector<double>      stretch, moduli;
    Vector<double>      psi, D, S; // see OrthonormalFunctions, DilatationGradients, Dilatation
    PressedFaces<dim>   faces;
    Vector<double>      former, derivative; // of a step that conserves energy; see ConservingModuli

    StretchView<dim> stretch_view() { return {{stretch.data(), shapes.n_points()}}; }
    ValuesAt         moduli_view() { return {moduli.data(), shapes.n_points()}; }
    StretchView<dim> former_view() { return {{former.data(), shapes.n_points()}}; }
    ValuesAt         derivative_view() { return {derivative.data(), shapes.n_points()}; }
  };
  Level           make_level(const LevelSpace<dim> &space, const std::vector<unsigned int> &materials) const;
  std::string     at_point(int number) const; // where it is
  GradientOf<dim> gradient(std::size_t l) const { return {levels[l].shapes.view(), on_levels[l].data()}; }
  ValuesAt        stress_view() { return {stress.data(), levels.back().shapes.n_points()}; }
  void            integrate(const PressedFacesView<dim> &faces, const ValuesAt &tractions) // to `forces`
  {
    device.for_each(forces.size() / dim, Forces<dim>{levels.back().shapes.view(), stress_view(), inertia.forces(),
                                                     faces, tractions, forces.data()});
  }
  void                  take_stresses(const Vector<double> &state);
  void                  linearize_conserving();
  ConservingPoints<dim> conserving_points(Level &level)
  {
    return {level.stretch_view(), level.former_view(), level.energies.view(), level.shapes.view().n_q};
  }
  int              n_coefficients() const { return n_functions * unknown.space().n_cells(); }
  FunctionsInCells functions(const Level &level) const { return {n_functions, level.psi.data(), level.shapes.view()}; }
  DilatationTerm   term(const Level &level) const { return {n_functions, level.D.data(), level.S.data()}; }
  void             add_functions(Level &level) const;
  void             take_averages(const Vector<double> &state);
  void             update_tangent(std::size_t l, const DilatationTerm &of_dilatation, const InertiaTerm &of_inertia,
                                  const PressedFacesView<dim> &faces);
  void             count_inverted_on_coarser(); // waits
  void             replace_inverted();
  template <class Counter>
  double count(const std::vector<std::pair<int, Counter>> &counters);
  void   let_follow(Vector<double> &of_theta, Vector<double> &of_p);
  void   carry(State &archive, const Field<dim> &at_points, int k, Vector<double> &state) const;

  const Device                device;
  const DeviceField<dim>     &unknown;
  const dealii::Mapping<dim> &mapping;
  const dealii::QGauss<dim>   quadrature;
  const int                   n_functions; // ψ_k in each cell; 0: dilatations are not projected
  InjectedValues<dim>         on_levels;   // of u
  CellAverages<dim>           averages;
  std::vector<Level>          levels;
  EnergyTable                 energies;
  std::vector<Vector<double>> pressure, dilatation; // by level: averages in cells
  Matrix<double>              E, E_prescribed;      // forces of cells to unknowns and to prescribed nodal values
  Vector<double>              stress, forces, reaction, pressures;        // pressures: on boundaries
  Vector<double>              p_at_points, theta_at_points, dp_at_points; // with projected dilatations, as what follows
  Vector<double>              r_p, r_theta, d_theta, d_p;                 // coefficients
  List<double>                of_cells;    // their tangents, of one level at a time, or their results
  List<int>                   cell_number; // 0, 1, ...
  double                      volume = 0., bulk = 0., n_replaced = 0.; // bulk: the least modulus
  double                      has_expressions = 0.;                    // on any rank
  Scalars                     counted;
  SumsOfCells                 sums_of_cells; // of results
  Inertia<dim>                inertia;
  bool                        conserving = false; // in a step that conserves energy
  std::unique_ptr<Form<dim>>  K;
};
} // namespace adamant
