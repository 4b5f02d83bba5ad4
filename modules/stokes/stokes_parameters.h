#pragma once

#include "base/array.h"
#include "evaluation/evaluation_parameters.h"
#include "fem/functions/coarser_values.h"
#include "fem/spaces/level_space.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "meshes/mesh_file.h"
#include "meshes/mesh_input.h"
#include "stokes/saddle_point_solver.h"
#include "stokes/viscous_levels.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <map>
#include <set>
#include <string>

namespace adamant
{
/// Section "Viscosity": how a viscosity that varies is averaged.
struct ViscosityParameters : dealii::ParameterAcceptor
{
  std::string finest = "auto", coarse = "arithmetic";

  ViscosityParameters();

  Average coarse_average() const { return average(coarse); }
  /// Returns the average over the points of a cell; with "none" it is for coarser levels and the pressure's equation.
  Average finest_average() const { return average(finest == "auto" ? "harmonic" : finest); }

private:
  static Average average(const std::string &name)
  {
    return name == "harmonic" ? Average::harmonic : name == "geometric" ? Average::geometric : Average::arithmetic;
  }
};

/// Section "Output" of Stokes flow.
struct StokesOutputParameters : EvaluationParameters
{
  /// `more` are further fields of the program, and `recorded` says what is recorded at points.
  StokesOutputParameters(const MeshFileParameters &mesh_file, const std::string &recorded,
                         const std::string &more = "");
};

/// Section "Linear solver" of Stokes flow: parameters of every linear solver, and of the Schur complement.
struct StokesSolverParameters : LinearSolverParameters
{
  std::string schur = "auto", product = "auto";
  double      exponent        = 0.75;
  double      boundary_weight = 1.;
  bool        adapt_precision = true;

  /// `automatic` says in the description what "auto" chooses.
  explicit StokesSolverParameters(const std::string &automatic);

  /// Throws InputError for options that this system cannot have.
  void check() const;

  SchurComplement schur_complement(SchurComplement automatic) const
  {
    return schur == "auto" ? automatic : schur == "bfbt" ? SchurComplement::bfbt : SchurComplement::mass;
  }
  VelocityProduct velocity_product(const ViscosityParameters &averages) const;

  /// Returns options of the pressure's V-cycle in bfbt.
  static MultigridOptions pressure_options();
};

/// Section "Problem": conditions for a velocity on the boundaries of a mesh. They are no slip, free slip (no flow
/// through the boundary, no tangential stress), or a velocity given by expressions of x, y, z.
class VelocityBoundaries : public dealii::ParameterAcceptor
{
public:
  /// `otherwise` names the condition of boundaries that are not listed; where default_kind() is overridden it is only a
  /// description. In the description, `more` are further values of a velocity.
  explicit VelocityBoundaries(const MeshFileParameters &mesh_file, const std::string &otherwise = "no_slip",
                              const std::string &more = "");

  /// Returns the kind of a boundary: no_slip, free_slip or velocity.
  std::string kind(unsigned int id) const;
  /// Returns the expressions of the velocity prescribed on a boundary; empty: its kind is another one.
  std::string velocity_on(unsigned int id) const;

  /// Throws InputError where the parameters do not fit together, or name a boundary that the mesh does not have.
  void check_boundaries(unsigned int dim) const;
  template <int dim>
  void check_boundaries(const dealii::Triangulation<dim> &mesh) const
  {
    std::set<unsigned int> ids;
    for (const auto &entry : velocity)
      ids.insert(entry.first);
    adamant::check_boundaries("Problem/Boundary velocity", ids, mesh);
    ids.clear();
    for (const auto &entry : kind_by_id)
      ids.insert(entry.first);
    adamant::check_boundaries("Problem/Boundaries", ids, mesh);
  }

protected:
  virtual std::string default_kind() const { return otherwise; }
  /// Returns expressions for all boundaries, which "Boundary velocity" = exact chooses; empty: there are none.
  virtual std::string exact() const { return ""; }

  bool all_exact() const { return velocities == "exact"; }

private:
  std::map<unsigned int, std::string> split(const std::string &key, const std::string &text) const;

  const MeshFileParameters &mesh_file;
  const std::string         otherwise;
  std::string               kinds, velocities;
  // By boundary id, once the parameters are read; no kinds: one for all.
  std::map<unsigned int, std::string> velocity, kind_by_id;
};

/// Returns the prescribed components: all of them, or on boundaries with free slip the normal one. Throws InputError
/// where a boundary with free slip has an edge.
template <int dim>
DirichletBoundary dirichlet_boundary(const VelocityBoundaries &boundaries, const dealii::Triangulation<dim> &mesh);

/// Returns the boundaries where all components are prescribed.
template <int dim>
std::set<dealii::types::boundary_id> walls(const VelocityBoundaries         &boundaries,
                                           const dealii::Triangulation<dim> &mesh);

/// Returns the velocities at the prescribed DoFs of the space, in host memory. They are 0 where a boundary with a
/// velocity meets one without slip. Throws InputError where more flows out than in. All ranks call it together.
template <int dim>
Array<double> prescribed_velocity(const VelocityBoundaries &boundaries, const LevelSpace<dim> &space,
                                  const dealii::Mapping<dim> &mapping);
} // namespace adamant
