#include "solid/solid_energy.h"

#include "base/exceptions.h"
#include "coefficients/derivative.h"

#include <algorithm>
#include <cmath>

namespace adamant
{
namespace
{
// W and its derivatives in the order of EnergyDerivatives.
std::vector<std::string> texts_of_shape(const std::string &key, const std::string &W)
{
  const std::vector<std::string> names = {"I1", "I2", "J"};
  (void)parse_function_of(names, key, W); // names mistakes as they are written
  std::vector<std::string> texts = {W}, second;
  for (int k = 0; k < 3; ++k)
    {
      texts.push_back(derivative(W, names[k]));
      for (int l = k; l < 3; ++l)
        second.push_back(derivative(texts.back(), names[l]));
    }
  texts.insert(texts.end(), second.begin(), second.end());
  return texts;
}

std::vector<std::string> texts_of_volumetric(const std::string &key, const std::string &U)
{
  (void)parse_function_of({"J"}, key, U);
  const std::string slope = derivative(U, "J");
  return {U, slope, derivative(slope, "J")};
}

std::vector<std::unique_ptr<ParsedFunction<3>>> parsed(const std::string &key, const std::vector<std::string> &texts,
                                                       const std::vector<std::string> &names)
{
  std::vector<std::unique_ptr<ParsedFunction<3>>> functions;
  for (const auto &text : texts)
    functions.push_back(parse_function_of(names, key, text));
  return functions;
}

// Returns stress over strain, and the moduli less their values at rest. A body has strains of h: under tension or
// pressure from all sides, or in simple shear.
std::vector<double> near_rest(const EnergyExpression &energy, const SmallStrains &at_rest, double h)
{
  const double        s      = h * h;
  const auto          scaled = [](double e) { return Invariants{3. * e * (2. + e), 0., 0., e * (3. + e * (3. + e))}; };
  std::vector<double> result;
  for (const Invariants &at :
       {scaled(h), scaled(-h), Invariants{s, s * (1. + s / 3.), s * s * (1. / 3. + 2. / 27. * s), 0.}})
    {
      EnergyDerivatives of = energy.shape(at);
      of += energy.volumetric(at.j);
      const SmallStrains now(of);
      result.insert(result.end(), {now.stress / h, now.shear - at_rest.shear, now.bulk - at_rest.bulk});
    }
  return result;
}

// Whether stress over strain or a modulus grows beyond bounds, or is no number, as strains become small. A power that
// grows by half between these strains is seen; an energy that softens at larger ones is not steep.
bool is_steep(const EnergyExpression &energy, const SmallStrains &at_rest)
{
  const auto   nearer = near_rest(energy, at_rest, 0x1p-16), farther = near_rest(energy, at_rest, 0x1p-12);
  const double rounding = 1e-6 * (std::abs(at_rest.shear) + std::abs(at_rest.bulk));
  bool         steep    = false;
  for (std::size_t k = 0; k < nearer.size(); ++k)
    steep = steep || !std::isfinite(nearer[k]) ||
            (std::abs(nearer[k]) > rounding && std::abs(nearer[k]) > 1.5 * std::abs(farther[k]));
  return steep;
}
} // namespace

EnergyExpression::EnergyExpression(const std::string &key, const std::string &W, const std::string &U, bool isochoric)
  : key(key)
  , rest{isochoric, {}, {}, 0.}
  , W(texts_of_shape(key, W))
  , U(texts_of_volumetric(key, U))
  , parsed_W(parsed(key, this->W, {"I1", "I2", "J"}))
  , parsed_U(parsed(key, this->U, {"J"}))
{
  rest = {isochoric, shape({}), volumetric(0.), 1e-5};
}

EnergyDerivatives EnergyExpression::shape(const Invariants &at) const
{
  double variables[3], values[10];
  variables_of(at, rest.isochoric, variables);
  for (int k = 0; k < 10; ++k)
    values[k] = parsed_W[k]->value({variables[0], variables[1], variables[2]});
  return rest.shape(energy_at({values, 1}, 0), at);
}

VolumetricEnergy EnergyExpression::volumetric(double j) const
{
  const dealii::Point<3> at(1. + j, 0., 0.);
  return rest.volumetric({parsed_U[0]->value(at), parsed_U[1]->value(at), parsed_U[2]->value(at)}, j);
}

SolidEnergy::SolidEnergy(const std::string &key, const std::string &W, const std::string &U, bool isochoric)
  : StoredEnergy{isochoric ? split_expression : expression, {}, 0.}
  , of_texts(std::make_shared<EnergyExpression>(key, W, U, isochoric))
{
  EnergyDerivatives of = of_texts->at_rest().W;
  of += of_texts->at_rest().U;
  const SmallStrains at_rest(of);
  const std::string  where = key + ": W = " + W + ", U = " + U;
  require(std::isfinite(of.value + at_rest.stress + at_rest.shear + at_rest.bulk), where,
          ": the energy or a derivative is no number for I1 = 3, I2 = 3, J = 1");
  modulus[0] = at_rest.shear;
  bulk       = std::abs(at_rest.bulk) > 1e-10 * std::abs(modulus[0]) ? at_rest.bulk : 0.; // but for rounding
  require(std::abs(at_rest.stress) <= 1e-10 * std::abs(modulus[0]), where, ": the undeformed body has the stress ",
          at_rest.stress, "; 2 dW/dI1 + 4 dW/dI2 + dW/dJ + dU/dJ has to be 0 for I1 = 3, I2 = 3, J = 1");
  require(!is_steep(*of_texts, at_rest), where,
          ": the energy is steep at rest: as strains become small, its stress does "
          "not vanish, or a modulus has no bound or is no number");
}

EnergyTable::EnergyTable(const Device &device, const std::vector<SolidEnergy> &energies)
  : stored(device, Array<StoredEnergy>(energies.begin(), energies.end()))
{
  for (const auto &energy : energies)
    functions.push_back(energy.of_texts ? Functions{energy.of_texts->at_rest(), energy.of_texts->shape_on(device),
                                                    energy.of_texts->volumetric_on(device)} :
                                          Functions{});
}

LevelEnergies::LevelEnergies(const Device &device, const EnergyTable &table, const Array<int> &number, int n_q,
                             bool at_points)
  : device(device)
  , table(&table)
  , number(device, number)
{
  const std::size_t n_points = number.size() * n_q, n_places = at_points ? n_points : number.size();
  for (std::size_t k = 0; k < table.functions.size(); ++k)
    if (table.functions[k].W)
      {
        Array<int> cells, points;
        for (std::size_t cell = 0; cell < number.size(); ++cell)
          if (number[cell] == static_cast<int>(k))
            {
              cells.push_back(static_cast<int>(cell));
              for (int q = 0; q < n_q; ++q)
                points.push_back(static_cast<int>(cell) * n_q + q);
            }
        if (cells.empty())
          continue;
        const Array<int> &places = at_points ? points : cells;
        parts.push_back({&table.functions[k],
                         {device, points},
                         {device, places},
                         {device, to_index(3 * points.size(), "invariants at points")},
                         {device, to_index(10 * points.size(), "energies at points")},
                         {device, static_cast<int>(places.size())},
                         {device, to_index(3 * places.size(), "energies at points")}});
      }
  if (parts.empty())
    return;
  W = Vector<double>(device, to_index(11 * n_points, "energies at points"));
  U = Vector<double>(device, to_index(3 * n_places, "energies at points"));
}

template <int dim>
void LevelEnergies::update_shape(const StretchView<dim> &stretch)
{
  for (auto &part : parts)
    {
      const int   n      = part.points.size();
      const auto *points = part.points.data();
      const auto &rest   = part.functions->rest;
      device.for_each(n, InvariantsOf<dim>{stretch, points, rest.isochoric, {part.numbers.data(), n}});
      part.functions->W(part.numbers, part.values);
      device.for_each(n, StoreShape<dim>{stretch, points, rest, {part.values.data(), n}, view().W});
    }
}

void LevelEnergies::update_volumetric(const double *j)
{
  for (auto &part : parts)
    {
      const int n = part.places.size();
      device.for_each(n, DilatationsOf{j, part.places.data(), part.J.data()});
      part.functions->U(part.J, part.of_J);
      device.for_each(n, StoreVolumetric{j, part.places.data(), part.functions->rest, {part.of_J.data(), n}, view().U});
    }
}

int LevelEnergies::first_fault() const
{
  int point = -1;
  for (const auto *values : {&W, &U})
    {
      const auto on_host = to_host(*values);
      const auto n       = static_cast<int>(on_host.size()) / (values == &W ? 11 : 3);
      for (int i = 0; i < static_cast<int>(on_host.size()); ++i)
        if (!std::isfinite(on_host[i]) && (point < 0 || i % n < point))
          point = i % n;
    }
  return point;
}

template void LevelEnergies::update_shape(const StretchView<2> &);
template void LevelEnergies::update_shape(const StretchView<3> &);
} // namespace adamant
