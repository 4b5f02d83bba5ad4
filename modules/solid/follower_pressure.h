#pragma once

#include "base/exceptions.h"
#include "elasticity/elasticity_parameters.h"
#include "meshes/mesh_parameters.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace adamant
{
/// Pressures against the deformed boundary as a parameter gives them: 'id: p, id: p, ...', expressions of t.
class FollowerPressure
{
public:
  FollowerPressure() = default;
  /// Reads the parameter `key`; `id_of` returns the id of a boundary's name. Throws InputError for what
  /// split_by_boundary refuses, and for texts that are no expressions of t.
  FollowerPressure(const std::string &key, const std::string &text,
                   const std::function<unsigned int(const std::string &name)> &id_of);

  bool                      empty() const { return text_of.empty(); }
  std::vector<unsigned int> boundaries() const; ///< in ascending order, as p in the functions below

  /// Returns factor p at time t for each boundary. Throws InputError where it is no number.
  std::vector<double> at(double t, double factor) const;
  /// Returns a number for each boundary, which those have in common whose expressions are equal.
  std::vector<double> kinds() const;

  /// Throws InputError for a boundary that a box lacks, and where the displacement along the normal is prescribed.
  void check(const MeshParameters &mesh, const SolidBoundaries &others, unsigned int dim) const;
  /// Returns notes, a line each, on boundaries where a dead load acts, too.
  std::string notes(const SolidBoundaries &others) const;
  /// Returns the error of a load step with what may have caused it, unless a cause is known.
  std::string explained(const SolverError &error, const std::string &known_cause) const
  {
    const std::string cause = "; a follower pressure may have a largest value, beyond which there is no equilibrium: "
                              "prescribe a displacement instead";
    return error.what() + (empty() || !known_cause.empty() ? "" : cause);
  }

private:
  std::string                                             key;
  std::map<unsigned int, std::string>                     text_of;
  std::map<unsigned int, std::function<double(double t)>> p;
};
} // namespace adamant
