#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "coefficients/values_at_points.h"
#include "expressions/expressions.h"
#include "solid/energy_kernels.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// W and U as expressions, with their derivatives as expressions.
class EnergyExpression
{
public:
  /// Reads W in I1, I2, J, which with `isochoric` are Ī1, Ī2, J, and U in J. `key` names the parameter in messages.
  /// Throws InputError for what is no expression in these and for functions without derivatives.
  EnergyExpression(const std::string &key, const std::string &W, const std::string &U, bool isochoric);

  EnergyDerivatives  shape(const Invariants &at) const; ///< as of StoredEnergy; several threads may call it
  VolumetricEnergy   volumetric(double j) const;
  const TextsAtRest &at_rest() const { return rest; }

  /// Returns W and its derivatives to its own variables as a function of these, on a device.
  NumberFunction shape_on(const Device &device) const { return function_of_numbers(device, key, W, {"I1", "I2", "J"}); }
  /// Returns U, U', U'' as a function of J on a device.
  NumberFunction volumetric_on(const Device &device) const { return function_of_numbers(device, key, U, {"J"}); }

private:
  const std::string                               key;
  TextsAtRest                                     rest;
  const std::vector<std::string>                  W, U;
  std::vector<std::unique_ptr<ParsedFunction<3>>> parsed_W, parsed_U;
};

/// The energy of a material on the host: a kind of StoredEnergy, or an expression.
struct SolidEnergy : StoredEnergy
{
  SolidEnergy() = default;
  SolidEnergy(const StoredEnergy &stored)
    : StoredEnergy(stored)
  {}
  /// Reads an EnergyExpression and takes its moduli at small strains from the derivatives at F = I. Throws InputError
  /// where there is a stress, and where a value is no number.
  SolidEnergy(const std::string &key, const std::string &W, const std::string &U, bool isochoric);

  std::shared_ptr<const EnergyExpression> of_texts; ///< null for other kinds

  EnergyDerivatives shape(const Invariants &at) const
  {
    return of_texts ? of_texts->shape(at) : StoredEnergy::shape(at);
  }
  VolumetricEnergy volumetric(double j) const
  {
    return of_texts ? of_texts->volumetric(j) : StoredEnergy::volumetric(j);
  }
};

/// Energies of all materials on a device.
struct EnergyTable
{
  EnergyTable() = default;
  EnergyTable(const Device &device, const std::vector<SolidEnergy> &energies);

  struct Functions
  {
    TextsAtRest    rest;
    NumberFunction W, U; // none: no expression
  };
  List<StoredEnergy>     stored;
  std::vector<Functions> functions;

  bool has_expressions() const
  {
    return std::any_of(functions.begin(), functions.end(), [](const auto &of) { return bool(of.W); });
  }
  bool has_split_expressions() const
  {
    return std::any_of(functions.begin(), functions.end(), [](const auto &of) { return of.W && of.rest.isochoric; });
  }
};

/// The energies of a level's cells, with the values of expressions.
class LevelEnergies
{
public:
  LevelEnergies() = default;
  /// Cells have n_q points; number[cell] is the number of its energy in the table, which has to outlive the object.
  /// There is a dilatation for each cell or, with `at_points`, at each point.
  LevelEnergies(const Device &device, const EnergyTable &table, const Array<int> &number, int n_q, bool at_points);

  EnergyOfCells view()
  {
    return {table->stored.data(), number.data(), {W.data(), W.size() / 11}, {U.data(), U.size() / 3}};
  }
  /// Computes W of expressions at all points, or U for J = 1 + j of points or cells; j lies on the device.
  template <int dim>
  void update_shape(const StretchView<dim> &stretch);
  void update_volumetric(const double *j);

  /// Returns W and U of expressions with their derivatives at all points, or U in cells; zero or empty without them.
  std::array<Vector<double>, 2> values() { return {{W.part(0, W.size()), U.part(0, U.size())}}; }
  /// Returns the first point where a value of an expression is no number, or -1; waits. U has values at points.
  int first_fault() const;

private:
  struct Part // an expression and where it counts
  {
    const EnergyTable::Functions *functions;
    List<int>                     points, places;
    Vector<double>                numbers, values, J, of_J;
  };
  Device             device;
  const EnergyTable *table = nullptr;
  List<int>          number;
  Vector<double>     W, U;
  std::vector<Part>  parts;
};
} // namespace adamant
