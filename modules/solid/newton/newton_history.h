#pragma once

#include "base/run_record.h"
#include "frame/restart/state.h"
#include "solid/newton/nested_iteration.h"
#include "solvers/newton.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace adamant
{
/// What run.json tells of Newton's method: tolerance, iterations, length and residual of each step in the last load
/// step, and on the coarser meshes of nested iteration.
class NewtonHistory
{
public:
  /// Counts the steps of a load step or time step, whose result is the last one from now on.
  void set(const NewtonResult &result)
  {
    total += result.steps;
    last = of(result);
  }
  /// Takes what the last tangent tells, of a step that had one.
  template <int dim>
  void set(const Equilibrium<dim> &equilibrium, const FiniteDeformation<dim> &deformation)
  {
    negative_eigenvalues = equilibrium.negative_eigenvalues().value_or(negative_eigenvalues);
    inverted_on_coarser  = static_cast<int>(deformation.n_inverted_on_coarser());
  }
  void set(const std::vector<NestedGuess::Level> &levels)
  {
    coarser.clear();
    for (const auto &level : levels)
      coarser.push_back({{level.n_unknowns, level.converged}, of(level.newton)});
  }

  void serialize(State &state)
  {
    state.scalar(total);
    state.scalar(last);
    state.scalar(coarser);
    state.scalar(negative_eigenvalues);
    state.scalar(inverted_on_coarser);
  }

  void add_to(RunRecord &record) const
  {
    record["newton_steps"] = total;
    if (!last.empty())
      record["newton"] = steps(last);
    for (const auto &[level, values] : coarser)
      record["nested_iteration"].push_back(
        {{"unknowns", level.first}, {"converged", level.second}, {"newton", steps(values)}});
    if (negative_eigenvalues >= 0)
      record["negative_eigenvalues"] = negative_eigenvalues;
    record["inverted_on_coarser_levels"] = inverted_on_coarser;
  }

  int total = 0; ///< of Newton's steps in the run, also after changes of the mesh

private:
  static std::vector<double> of(const NewtonResult &result)
  {
    std::vector<double> values;
    for (const auto &one : result.history)
      values.insert(values.end(), {one.tolerance, double(one.iterations), one.length, one.residual});
    return values;
  }

  static RunRecord steps(const std::vector<double> &values)
  {
    RunRecord list = RunRecord::array();
    for (std::size_t k = 0; k < values.size(); k += 4)
      list.push_back({{"tolerance", values[k]},
                      {"iterations", int(values[k + 1])},
                      {"length", values[k + 2]},
                      {"residual", values[k + 3]}});
    return list;
  }

  int                 negative_eigenvalues = -1; // on the coarsest level; -1: not known
  int                 inverted_on_coarser  = 0;  // points
  std::vector<double> last;
  std::vector<std::pair<std::pair<int, bool>, std::vector<double>>> coarser;
};
} // namespace adamant
