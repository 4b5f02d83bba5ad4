#include "solid/solid_materials.h"

#include "base/exceptions.h"
#include "coefficients/expression_text.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iomanip>
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
  std::vector<std::string> moduli; // none: expressions
};
const std::vector<Kind> kinds = {{"neo_hooke", StoredEnergy::neo_hooke, {"mu"}},
                                 {"mooney_rivlin", StoredEnergy::mooney_rivlin, {"c1", "c2"}},
                                 {"yeoh", StoredEnergy::yeoh, {"c1", "c2", "c3"}},
                                 {"split_expression", StoredEnergy::split_expression, {}},
                                 {"neo_hooke_compressible", StoredEnergy::neo_hooke_compressible, {"mu"}},
                                 {"st_venant_kirchhoff", StoredEnergy::st_venant_kirchhoff, {"mu"}},
                                 {"expression", StoredEnergy::expression, {}}};

// The constants of an energy and the expressions of its parts, each of which is asked for once.
class Constants
{
public:
  Constants(std::string where, const std::vector<std::string> &entries)
    : where(std::move(where))
  {
    for (const auto &entry : entries)
      {
        const auto        equals = entry.find('=');
        const std::string name   = dealii::Utilities::trim(entry.substr(0, equals));
        require(equals != std::string::npos && !name.empty(), this->where, ": '", entry,
                "' should be a constant, as in 'mu = 80'");
        require(texts.emplace(name, dealii::Utilities::trim(entry.substr(equals + 1))).second, this->where, ": ", name,
                " is given twice");
      }
  }

  bool        has(const std::string &name) const { return texts.count(name) > 0; }
  std::string take_text(const std::string &name, const std::string &others)
  {
    const auto found = texts.find(name);
    require(found != texts.end(), where, ": ", name, " is missing; the constants are ", others);
    const std::string text = found->second;
    texts.erase(found);
    return text;
  }
  double take(const std::string &name, const std::string &others)
  {
    const std::string text = take_text(name, others);
    require(is_constant(text), where, ": ", name, " has to be a number, without x, y, z, t and u");
    const double value = constant_values(where + ": " + name, text, 1)[0];
    require(std::isfinite(value), where, ": ", name, " is no number");
    return value;
  }
  std::string first_name() const { return texts.empty() ? "" : texts.begin()->first; }
  void        refuse_the_rest(const std::string &others) const
  {
    require(texts.empty(), where, ": ", first_name(), " counts for nothing; the constants are ", others);
  }

private:
  const std::string                  where;
  std::map<std::string, std::string> texts;
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
  throw InputError(where + ": there is no energy '" + name + "'" + did_you_mean(name, names));
}

// An energy that is an expression of the invariants and of constants.
SolidEnergy parse_expression(const std::string &key, const std::string &where, Constants &constants, bool split)
{
  const std::string usual = "W, U and the names in these";
  std::string       W = constants.take_text("W", usual), U = constants.has("U") ? constants.take_text("U", usual) : "0";
  require(!split || !depends_on(W, "J"), where, ": W of split_expression has I1 and I2 alone, and U has J");
  for (std::string name = constants.first_name(); !name.empty(); name = constants.first_name())
    {
      const bool is_name =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
      require(is_name && !depends_on("I1 I2 J pi", name) && (depends_on(W, name) || depends_on(U, name)), where, ": ",
              name, " counts for nothing; the constants are ", usual);
      std::ostringstream value;
      value << std::setprecision(17) << constants.take(name, usual);
      W = substitute(W, name, value.str());
      U = substitute(U, name, value.str());
    }
  return {key, W, U, split};
}

SolidEnergy parse_constants(const std::string &where, const Kind &kind, Constants &constants)
{
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
  return energy;
}
} // namespace

SolidEnergy parse_energy(const std::string &key, const std::string &text)
{
  const std::string where = key + " = " + text;
  auto              parts = dealii::Utilities::split_string_list(text, ';');
  const Kind       &kind  = find_kind(where, parts.empty() ? "" : dealii::Utilities::trim(parts[0]));
  if (!parts.empty())
    parts.erase(parts.begin());
  Constants         constants(where, parts);
  const SolidEnergy energy = kind.moduli.empty() ?
                               parse_expression(key, where, constants, kind.kind == StoredEnergy::split_expression) :
                               parse_constants(where, kind, constants);
  require(energy.shear() > 0., where, ": at small strains the shear modulus is ", energy.shear(), ", not positive");
  require(energy.bulk > 0., where, ": at small strains the bulk modulus is ", energy.bulk, ", not positive");
  for (const double modulus : {energy.shear(), energy.bulk})
    require(std::isnormal(modulus * modulus), where, ": at small strains a modulus is ", modulus,
            "; norms take its square, which double precision does not hold");
  require(
    energy.bulk <= 1e9 * energy.shear(), where, ": K/mu = ", energy.bulk / energy.shear(),
    " is above 1e9, or nu too close to 0.5: rounding of volumes would decide on the shape; K/mu = 5000 is nu = 0.4999");
  return energy;
}

std::string hint_on_rounding(const OfEntries<SolidEnergy> &energies, bool in_double)
{
  const double       ratio = largest(energies, bulk_over_shear);
  std::ostringstream hint;
  if (ratio > (in_double ? 1e5 : 5000.))
    hint << "; K/mu = " << ratio
         << " leaves few digits of the shear stiffness in linear systems: take K/mu = 5000, which is nu = 0.4999"
         << (in_double ? "" : ", or Linear solver/Precision = float64");
  return hint.str();
}

std::string notes_on(const OfEntries<SolidEnergy> &energies, unsigned int degree, bool projected)
{
  const double       ratio = largest(energies, poisson_ratio);
  std::ostringstream notes;
  if (ratio > 0.45 && !projected)
    notes << "note: Poisson's ratio is " << ratio
          << " at small strains, where elements lock: they are too stiff; take Discretization/Volumetric strain = "
             "mean_dilatation"
          << (largest(energies, [](const StoredEnergy &energy) { return !energy.is_split(); }) > 0. ?
                ", with energies whose volumetric part stands alone, as neo_hooke\n" :
                "\n");
  if (ratio > 0.49 && projected && degree == 1)
    notes << "note: at Poisson's ratio " << ratio
          << " expect more than 30 iterations in a linear system, and pressures that oscillate; take "
             "Discretization/Degree = 2\n";
  return notes.str();
}
} // namespace adamant
