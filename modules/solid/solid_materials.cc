#include "solid/solid_materials.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"

#include <deal.II/base/utilities.h>

#include <cmath>
#include <map>
#include <sstream>
#include <vector>

namespace adamant
{
namespace
{
struct Kind
{
  std::string              name;
  StoredEnergy::Kind       kind;
  std::vector<std::string> moduli;
};
const std::vector<Kind> kinds = {{"neo_hooke", StoredEnergy::neo_hooke, {"mu"}},
                                 {"mooney_rivlin", StoredEnergy::mooney_rivlin, {"c1", "c2"}},
                                 {"yeoh", StoredEnergy::yeoh, {"c1", "c2", "c3"}},
                                 {"neo_hooke_compressible", StoredEnergy::neo_hooke_compressible, {"mu"}},
                                 {"st_venant_kirchhoff", StoredEnergy::st_venant_kirchhoff, {"mu"}}};

// The constants of an energy, each of which is asked for once.
class Constants
{
public:
  Constants(std::string where, const std::vector<std::string> &texts)
    : where(std::move(where))
  {
    for (const auto &text : texts)
      {
        const auto        equals = text.find('=');
        const std::string name   = dealii::Utilities::trim(text.substr(0, equals));
        require(equals != std::string::npos, this->where, ": '", text, "' should be a constant, as in 'mu = 80'");
        require(is_constant(text.substr(equals + 1)), this->where, ": ", name,
                " has to be a number, without x, y, z, t and u");
        const double value = constant_values(this->where + ": " + name, text.substr(equals + 1), 1)[0];
        require(std::isfinite(value), this->where, ": ", name, " is no number");
        require(values.emplace(name, value).second, this->where, ": ", name, " is given twice");
      }
  }

  bool   has(const std::string &name) const { return values.count(name) > 0; }
  double take(const std::string &name, const std::string &others)
  {
    const auto found = values.find(name);
    require(found != values.end(), where, ": ", name, " is missing; the constants are ", others);
    const double value = found->second;
    values.erase(found);
    return value;
  }
  void refuse_the_rest(const std::string &others) const
  {
    require(values.empty(), where, ": ", values.empty() ? "" : values.begin()->first,
            " counts for nothing; the constants are ", others);
  }

private:
  const std::string             where;
  std::map<std::string, double> values;
};

const Kind &find_kind(const std::string &where, const std::string &name)
{
  std::vector<std::string> names;
  for (const auto &kind : kinds)
    {
      if (kind.name == name)
        return kind;
      names.push_back(kind.name);
    }
  throw InputError(where + ": there is no energy '" + name + "'; the nearest name is " +
                   nearest_names(name, names, 1)[0]);
}
} // namespace

StoredEnergy parse_energy(const std::string &key, const std::string &text)
{
  const std::string where = key + " = " + text;
  auto              parts = dealii::Utilities::split_string_list(text, ';');
  const Kind       &kind  = find_kind(where, parts.empty() ? "" : dealii::Utilities::trim(parts[0]));
  if (!parts.empty())
    parts.erase(parts.begin());
  Constants    constants(where, parts);
  StoredEnergy energy{kind.kind, {}, 0.};
  std::string  names;
  for (const auto &name : kind.moduli)
    names += name + ", ";
  const bool one_modulus = kind.moduli.size() == 1;
  names += one_modulus ? energy.is_split() ? "K, or E, nu" : "K, or mu, lambda, or E, nu" : "K";
  if (one_modulus && (constants.has("E") || constants.has("nu")))
    {
      const double E = constants.take("E", names), nu = constants.take("nu", names);
      require(nu < 0.5, where, ": nu = ", nu,
              " is that of an incompressible material or beyond; give mu and K: K/mu = 5000 is nu = 0.4999");
      require(E > 0. && nu > -1., where, ": E has to be positive, and nu above -1");
      energy.modulus[0] = E / (2. * (1. + nu));
      energy.bulk       = E / (3. * (1. - 2. * nu));
    }
  else
    {
      for (std::size_t k = 0; k < kind.moduli.size(); ++k)
        energy.modulus[k] = constants.take(kind.moduli[k], names);
      if (one_modulus && !energy.is_split() && constants.has("lambda"))
        energy.bulk = constants.take("lambda", names) + 2. / 3. * energy.modulus[0];
      else
        energy.bulk = constants.take("K", names);
    }
  constants.refuse_the_rest(names);
  require(energy.shear() > 0., where, ": at small strains the shear modulus is ", energy.shear(), ", not positive");
  require(energy.bulk > 0., where, ": at small strains the bulk modulus is ", energy.bulk, ", not positive");
  return energy;
}

std::string notes_on(const OfEntries<StoredEnergy> &energies, unsigned int degree, bool projected)
{
  const double       ratio = largest(energies, poisson_ratio);
  std::ostringstream notes;
  if (ratio > 0.45 && !projected)
    notes << "note: Poisson's ratio is " << ratio
          << " at small strains, where elements lock: they are too stiff; take Discretization/Volumetric strain = "
             "mean_dilatation\n";
  if (ratio > 0.49 && projected && degree == 1)
    notes << "note: at Poisson's ratio " << ratio
          << " expect more than 30 iterations in a linear system, and pressures that oscillate; take "
             "Discretization/Degree = 2\n";
  return notes.str();
}
} // namespace adamant
