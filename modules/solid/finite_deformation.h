#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "coefficients/coefficient.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "fem/functions/coarser_values.h"
#include "frame/device_field.h"
#include "solid/solid_kernels.h"
#include "solid/stored_energy.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Residual and tangent of a solid at finite deformation in equilibrium, total Lagrangian (kernels in solid_kernels.h):
///
///   F_i(u) = ∫ P : ∇φ_i - loads,   P = ∂(W + U)/∂F,   F = I + ∇u.
///
/// The tangent has a matrix on each level, filled on the device. On coarser levels u has the values of the finest one at
/// the nodes, but U' and J in U'' are averages of the finest level's. There J comes out wrong by O(h²) from u at the
/// nodes, and U' so by K O(h²): matrices would not stay positive definite. All ranks call all functions together.
template <int dim>
class FiniteDeformation
{
public:
  /// `unknown` and `mapping` have to outlive the object. Integrals take Gauss's rule of degree + 1 points.
  FiniteDeformation(const Device &device, const DeviceField<dim> &unknown, const dealii::Mapping<dim> &mapping,
                    const OfEntries<StoredEnergy> &energies);

  int n_state() const { return unknown.size(); } ///< the size of a state: nodal values of u

  /// Computes r = factor load - ∫ P : ∇φ_i for a state; `load` has the rows of unknowns.
  void residual(const Vector<double> &state, double factor, const Vector<double> &load, Vector<double> &r);
  /// Returns how many points have det F <= 0 in the state of the last residual; waits.
  double n_inverted();
  /// Returns the least det F there, and where it is: "det F = -0.1 at (1, 2), material 0".
  std::string least_stretch();
  /// Returns ‖∫ P : ∇φ_i‖₂ at the prescribed nodal values, in the state of the last residual; waits.
  double reactions();

  /// Computes the tangent on all levels, in the state of the last residual.
  void       linearize(const Vector<double> &state);
  Form<dim> &tangent() { return *K; }
  /// Subtracts from r = -F what the tangent's system needs for a displacement that also changes by δ, nodal values,
  /// beside the unknowns: r -= K δ.
  void subtract_change(const Vector<double> &delta, Vector<double> &r);

  /// Four numbers of each cell: the energy, the volume now, the least and the largest J - 1; value k of cell c is at
  /// [k n_cells + c], in host memory. They belong to the state of the last residual.
  Array<double> results_in_cells();
  /// ∫ P : ∇φ_i over cells, for each of their DoFs i at [cell n + i], in host memory.
  Array<double> forces_of_cells() const { return to_host(forces); }

private:
  struct Level
  {
    QuadratureData<dim> shapes;
    List<int>           energy_of_cell;
    Vector<double>      stretch, moduli;

    StretchView<dim> stretch_view() { return {{stretch.data(), shapes.n_points()}}; }
    ValuesAt         moduli_view() { return {moduli.data(), shapes.n_points()}; }
  };
  Level           make_level(const LevelSpace<dim> &space, const std::vector<unsigned int> &materials) const;
  EnergyOfCells   energy(const Level &level) const { return {energies.data(), level.energy_of_cell.data()}; }
  GradientOf<dim> gradient(std::size_t l) const { return {levels[l].shapes.view(), on_levels[l].data()}; }
  ValuesAt        stress_view() { return {stress.data(), levels.back().shapes.n_points()}; }
  void            integrate_stress() ///< to `forces`
  {
    device.for_each(forces.size() / dim, Forces<dim>{levels.back().shapes.view(), stress_view(), forces.data()});
  }
  void take_averages();

  const Device                device;
  const DeviceField<dim>     &unknown;
  const dealii::Mapping<dim> &mapping;
  const dealii::QGauss<dim>   quadrature;
  InjectedValues<dim>         on_levels; // of u
  CellAverages<dim>           averages;
  std::vector<Level>          levels;
  List<StoredEnergy>          energies;
  std::vector<Vector<double>> pressure, dilatation; // by level: averages in cells
  Matrix<double>              E, E_prescribed;      // forces of cells to unknowns and to prescribed nodal values
  Vector<double>              stress, forces, reaction;
  Scalars                     inverted;
  std::unique_ptr<Form<dim>>  K;
};
} // namespace adamant
