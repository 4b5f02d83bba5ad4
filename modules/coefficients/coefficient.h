#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/communicator.h"
#include "coefficients/values_at_points.h"
#include "expressions/expressions.h"

#include <deal.II/base/point.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// A coefficient of an equation as a parameter gives it: a number or an expression of x, y, z and t. It may also be a
/// list by material, `lung: 1e-3*(1+x), 2: 5, 1`, where the entry without a name counts in all other materials. Commas
/// separate entries, and so do semicolons before a name. Other semicolons separate the components of an entry, and
/// entries where these have one component.
class Coefficient
{
public:
  /// The components that entries may have. Commas separate components of a vector in a text that has neither names nor
  /// semicolons.
  enum class Components
  {
    one,
    several,
    vector
  };

  Coefficient() = default;
  /// Reads the parameter `key`; `id_of` returns the id of a material's name. Throws InputError for a material that
  /// occurs twice and for an entry without expressions.
  Coefficient(const std::string &key, const std::string &text,
              const std::function<unsigned int(const std::string &name)> &id_of,
              Components                                                  components = Components::one);

  /// Returns the expressions for cells with this material id. Throws InputError where the list has none for it.
  const std::string &in(unsigned int material) const;
  bool               has(unsigned int material) const { return elsewhere.has_value() || of.count(material) > 0; }
  /// Throws InputError on all ranks where a material of the mesh has no entry, or an entry no material; `of_rank` are
  /// the ids on the rank's cells. All ranks call it together.
  void check_materials(const Communicator &ranks, const std::set<unsigned int> &of_rank) const;

  /// Returns the coefficient that has change(expressions) in place of the expressions of each entry.
  Coefficient changed(const std::function<std::string(const std::string &expressions)> &change) const;

  /// Returns whether the condition holds for the expressions of all entries.
  bool all(const std::function<bool(const std::string &expressions)> &condition) const;
  /// Calls action(expressions) for all entries. The InputErrors that it throws get the whole list in their message.
  void check(const std::function<void(const std::string &expressions)> &action) const;
  bool is_constant() const; ///< whether nothing depends on place or time
  bool depends_on_time() const;
  bool is_zero() const; ///< whether all entries are the number 0
  /// Returns the number that all entries are, or nothing. The coefficient has one component.
  std::optional<double> number() const;

  const std::string                         &key() const { return key_; }
  const std::map<unsigned int, std::string> &by_material() const { return of; }
  const std::optional<std::string>          &of_others() const { return elsewhere; } ///< what counts in other materials

private:
  void add(const std::string &entry, const std::function<unsigned int(const std::string &name)> &id_of);

  std::string                         key_, whole;
  std::map<unsigned int, std::string> of;
  std::optional<std::string>          elsewhere;
};

/// What `make` returns for the expressions of each entry of a coefficient.
template <class T>
class OfEntries
{
public:
  OfEntries() = default;
  template <class Make>
  OfEntries(const Coefficient &coefficient, const Make &make)
  {
    for (const auto &[material, expressions] : coefficient.by_material())
      of.emplace(material, make(expressions));
    if (coefficient.of_others())
      elsewhere = make(*coefficient.of_others());
  }

  /// Returns what counts in a material, for which the coefficient has an entry.
  const T &in(unsigned int material) const
  {
    const auto found = of.find(material);
    return found != of.end() ? found->second : *elsewhere;
  }

  /// Calls action(value) for all entries.
  template <class Action>
  void for_each(const Action &action) const
  {
    for (const auto &entry : of)
      action(entry.second);
    if (elsewhere)
      action(*elsewhere);
  }

private:
  std::map<unsigned int, T> of;
  std::optional<T>          elsewhere;
};

/// The functions that a coefficient has in materials, on the host; see ParsedFunction for their use by threads.
template <int dim>
class CoefficientFunctions
{
public:
  /// Throws InputError for a text that does not have the n_components expressions.
  CoefficientFunctions(const Coefficient &coefficient, unsigned int n_components);

  const dealii::Function<dim> &in(unsigned int material) const { return *of.in(material); }

  /// Returns component c at point i and time t as [c n + i]. Coordinate d of point i, which lies in material[i], is
  /// points[d n + i]. Only one thread may call it at a time.
  Array<double> at(double t, const Array<double> &points, const Array<unsigned int> &material) const;

private:
  OfEntries<std::shared_ptr<ParsedFunction<dim>>> of;
};

/// The values of a coefficient with one component, on the host; several threads may ask at once.
class CoefficientFunction
{
public:
  CoefficientFunction() = default;
  /// Throws InputError for a text that is no expression.
  explicit CoefficientFunction(const Coefficient &coefficient);

  /// Returns the value in a material at a point, whose z is 0 in two dimensions. The coefficient has an entry for it.
  double operator()(unsigned int material, const dealii::Point<3> &x) const;
  double operator()(unsigned int material, const dealii::Point<2> &x) const
  {
    return (*this)(material, dealii::Point<3>(x[0], x[1], 0.));
  }

private:
  struct Entry
  {
    double                                   constant;
    std::shared_ptr<const ParsedFunction<3>> function; // null: constant
  };
  OfEntries<Entry> of;
};

/// Returns the numbers that a constant text has, one for each of n components.
std::vector<double> constant_values(const std::string &key, const std::string &text, unsigned int n_components);

/// Returns a function at points, as function_at_points does. At point i it has the n_components expressions
/// text_of.at(region[i]). Regions are boundaries, materials or others. `key` names the parameter in messages.
template <int dim>
PointFunction function_of_regions(const Device &device, const std::string &key,
                                  const std::map<unsigned int, std::string> &text_of, const Array<unsigned int> &region,
                                  unsigned int n_components, const Array<double> &points);

/// Returns a coefficient at points, as function_at_points does; point i lies in material[i].
template <int dim>
PointFunction function_of_materials(const Device &device, const Coefficient &coefficient,
                                    const Array<unsigned int> &material, unsigned int n_components,
                                    const Array<double> &points);
} // namespace adamant
