#pragma once

#include "base/array.h"
#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/level_space.h"
#include "flow/nodal_functionals.h"
#include "meshes/mesh_input.h"
#include "meshes/mesh_parameters.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/tria.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// What holds on a boundary of a flow.
enum class FlowCondition
{
  no_slip,   ///< u = 0
  free_slip, ///< u . n = 0, without a tangential part of the traction
  outflow,   ///< the traction is 0
  velocity,  ///< u is given
  traction   ///< the traction is given
};

/// Section "Problem" of all programs of flow: the conditions on the boundaries of a mesh.
class FlowBoundaries : public dealii::ParameterAcceptor
{
public:
  /// What the descriptions of the parameters say of a program.
  struct Words
  {
    std::string variables; ///< the names that expressions may use; `t` is refused where it is not among them
    std::string traction;  ///< the term that a traction is equal to
    std::string otherwise; ///< the condition where `Boundaries` is empty
    std::string more;      ///< further values of `Boundary velocity`
    std::string velocity;  ///< the default of `Boundary velocity`
  };

  /// `mesh` knows the names of boundaries: make it before this object, and let it outlive this object.
  FlowBoundaries(const MeshParameters &mesh, const Words &words);

  /// Sets "Boundaries", "Boundary velocity", "Traction" or "Pressure", as a parameter file does. Throws InputError.
  void set(const std::string &key, const std::string &text);

  FlowCondition on(unsigned int id) const; ///< once the parameters are read
  bool          prescribes(unsigned int id) const
  {
    return on(id) == FlowCondition::no_slip || on(id) == FlowCondition::velocity;
  }
  bool is_open(unsigned int id) const { return on(id) == FlowCondition::outflow || on(id) == FlowCondition::traction; }
  bool slips(unsigned int id) const { return on(id) == FlowCondition::free_slip; }
  bool lets_flow(unsigned int id) const { return !prescribes(id); }
  /// Returns the boundaries of the mesh for which one of these members is true; all ranks call it together.
  template <int dim>
  std::set<unsigned int> all(bool (FlowBoundaries::*member)(unsigned int) const,
                             const dealii::Triangulation<dim> &mesh) const
  {
    std::set<unsigned int> ids;
    for (const auto id : boundary_ids(mesh))
      if ((this->*member)(id))
        ids.insert(id);
    return ids;
  }

  /// Returns the expressions of the prescribed velocity, which are zero on a boundary without slip.
  std::string velocity_on(unsigned int id) const;
  /// These return expressions by boundary id.
  const std::map<unsigned int, std::string> &velocities() const { return lists.at("Boundary velocity"); }
  const std::map<unsigned int, std::string> &tractions() const { return lists.at("Traction"); }
  const std::map<unsigned int, std::string> &pressures() const { return lists.at("Pressure"); }

  /// Throws InputError where the parameters do not fit together, or a box has no such boundary.
  void check(unsigned int dim) const;
  /// Throws InputError where the mesh lacks a boundary. All ranks call it together.
  template <int dim>
  void check(const dealii::Triangulation<dim> &mesh) const
  {
    for (const auto &[key, list] : lists)
      {
        std::set<unsigned int> ids;
        for (const auto &entry : list)
          ids.insert(entry.first);
        check_boundaries("Problem/" + key, ids, mesh);
      }
  }

  std::string edges = "wall"; ///< see the parameter

protected:
  virtual std::string default_kind() const { return words.otherwise; }
  /// Returns the expressions of "Boundary velocity" = exact; empty: there are none.
  virtual std::string exact() const { return ""; }

  const Words words;

private:
  bool all_exact() const { return texts.at("Boundary velocity") == "exact"; }

  const MeshParameters                                      &mesh;
  std::map<std::string, std::string>                         texts; // by key
  std::map<std::string, std::map<unsigned int, std::string>> lists; // by key and boundary id, once they are read
};

/// Returns the prescribed components of a velocity, the first dim of n_components, on cells as the mapping has them.
/// With free slip the normal one is prescribed on sides normal to an axis, and u . n = 0 holds at the nodes of others.
/// Throws InputError where a
/// boundary is none of the mesh, or one with free slip has an edge. All ranks call it together.
template <int dim>
DirichletBoundary dirichlet_boundary(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh,
                                     const dealii::MappingQ<dim> &mapping, unsigned int n_components = dim);

/// Throws InputError where a rigid motion of the fluid is free: a translation, and with `may_turn` also a rotation,
/// which periodic sides hold. All ranks call it together.
template <int dim>
void require_no_rigid_motion(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh, bool may_turn);

/// Returns whether the fluid slips along a side that is not plane. All ranks call it together.
template <int dim>
bool slips_on_curves(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh);

/// Returns the flux through a boundary with the velocity given there, on all ranks.
template <int dim>
BoundaryFlux given_flux(const FlowBoundaries &boundaries, const LevelSpace<dim> &space,
                        const dealii::Mapping<dim> &mapping, dealii::types::boundary_id id);

/// Throws InputError where inflow and outflow differ and no boundary is open, and for velocities that are no numbers.
/// All ranks call it together.
template <int dim>
void check_flux(const FlowBoundaries &boundaries, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping);

/// Velocities at the prescribed DoFs of a space, in host memory, with the boundary that each of them is taken from.
struct PrescribedVelocity
{
  Array<double>                           values;
  std::vector<dealii::types::boundary_id> from; ///< invalid_boundary_id: of none, 0 by free slip
};

/// Returns the velocities at the prescribed DoFs of the space, whose nodes have a velocity's components first. A node
/// where boundaries meet takes the velocity of smallest, or largest, norm. All ranks call it together.
template <int dim>
PrescribedVelocity prescribed_velocity(const FlowBoundaries &boundaries, const LevelSpace<dim> &space,
                                       const dealii::Mapping<dim> &mapping);

/// The tractions g - p n on boundaries, as functions of place and time. One thread calls an object at a time.
template <int dim>
class Tractions
{
public:
  explicit Tractions(const FlowBoundaries &boundaries);

  const std::set<dealii::types::boundary_id> &boundaries() const { return ids; } ///< where one is given
  bool                                        varies() const { return in_time; } ///< whether an expression depends on t

  /// Returns the traction at the point x of a boundary with the outer normal n, at time t.
  dealii::Tensor<1, dim> value(dealii::types::boundary_id id, const dealii::Point<dim> &x,
                               const dealii::Tensor<1, dim> &n, double t = 0.) const;

  /// Calls add(cell number, i, ∫ g · φ_i) for parts of the load at the DoFs i of a cell: a velocity's components come
  /// first in the space.
  template <typename Add>
  void for_each_load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Add &add) const
  {
    const auto &fe = space.element();
    for (const auto id : ids)
      for_each_boundary_point(space, mapping, id, fe.degree + 2,
                              [&](int cell, const dealii::FEFaceValues<dim> &at, unsigned int q) {
                                const auto g = value(id, at.quadrature_point(q), at.normal_vector(q));
                                for (const unsigned int i : at.dof_indices())
                                  if (const unsigned int c = fe.system_to_component_index(i).first; c < dim)
                                    add(cell, i, g[c] * at.shape_value(i, q) * at.JxW(q));
                              });
  }

  /// Returns the load at the owned DoFs of the space, in host memory, where hanging nodes are not eliminated. Throws
  /// InputError for values that are no numbers. All ranks call it together.
  Array<double> load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping) const;

private:
  std::set<dealii::types::boundary_id>                         ids;
  std::map<unsigned int, std::unique_ptr<ParsedFunction<dim>>> g, p;
  bool                                                         in_time = false;
};

/// Throws InputError on all ranks where tractions, or loads that are computed of them, are no numbers.
void require_traction(const Communicator &ranks, const Array<double> &values);
} // namespace adamant
