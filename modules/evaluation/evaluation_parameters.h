#pragma once

#include "frame/program.h"
#include "meshes/mesh_file.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <string>
#include <vector>

namespace adamant
{
/// A number that describes a state, such as the mean of a quantity over a material; see EvaluationParameters.
struct Statistic
{
  enum class Kind
  {
    integral,
    mean,
    min,
    max,
    zeros ///< places on a boundary where the quantity changes its sign
  };
  enum class Region
  {
    domain,
    material,
    boundary
  };
  Kind         kind   = Kind::integral;
  Region       region = Region::domain;
  unsigned int id     = 0;              ///< of the material or boundary
  std::string  quantity, before, after; ///< the words of the list, joined by underscores

  /// Returns the name in statistics.csv and run.json of this statistic of a quantity.
  std::string name_for(const std::string &of) const { return before + of + after; }
};

/// Returns the statistics of a list "[KIND] QUANTITY [over material NAME | over domain | on boundary NAME]; ...". KIND
/// is mean, integral, min, max or zeros; without one it is the integral. NAME is an id or the name of a group of Gmsh.
/// `key` names the parameter in messages. Throws InputError for what is none of this.
std::vector<Statistic> parse_statistics(const std::string &key, const std::string &list,
                                        const MeshFileParameters &mesh_file);

/// What outputs evaluate, in the section "Output" of all programs: derived fields of files, statistics, and values at
/// points, along lines and on planes. Points have dim coordinates or more.
struct EvaluationParameters : dealii::ParameterAcceptor
{
  /// In the descriptions `quantities` lists what statistics are of, `recorded` says what is recorded at points, and
  /// `sampled` what is sampled along lines and on planes. `known` are the derived fields that files may have beside
  /// numbers of the cells, and `fields` is the default; see DerivedFields.
  EvaluationParameters(const MeshFileParameters &mesh_file, const std::string &quantities, const std::string &recorded,
                       const std::string &sampled, const std::vector<std::string> &known,
                       const std::vector<std::string> &fields = {});

  std::vector<std::string>         fields;                   ///< the derived fields of files
  std::vector<Statistic>           statistics;               ///< once the parameters are read
  std::vector<std::vector<double>> points, profiles, planes; ///< a profile has two points, a plane a corner, two edges
  unsigned int                     profile_points = 101, statistics_interval = 1;
  std::vector<unsigned int>        plane_points = {51, 51};

  bool any() const { return !statistics.empty() || !points.empty(); } ///< whether steps have columns of these
  /// Throws InputError where coordinates are missing.
  void check(unsigned int dim) const;
  /// Returns whether a file has this field, or a statistic is of the quantity or of its components.
  bool wants(const std::string &quantity) const
  {
    return shows(quantity) || std::any_of(statistics.begin(), statistics.end(), [&](const Statistic &statistic) {
             return statistic.quantity.rfind(quantity, 0) == 0;
           });
  }
  bool shows(const std::string &field) const ///< whether files have it
  {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }
  /// Returns the keys that a continued run may not change, as they make columns of statistics.csv.
  static RestartKeys of_columns() { return {{"Output/Points", "Output/Statistics"}}; }

  /// Adds "Statistics interval", for programs that take time steps.
  void add_statistics_interval();

private:
  std::string list;
};
} // namespace adamant
