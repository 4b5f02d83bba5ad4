#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/array.h"
#include "coefficients/values_at_points.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/level_space.h"
#include "meshes/mesh_file.h"
#include "scalar/boundary_faces.h"
#include "scalar/scalar_kernels.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace adamant
{
/// The conditions of a scalar u on boundaries. Prescribed values are u = g, a flux is λ ∂_n u = q, and Robin's
/// condition is λ ∂_n u = -α (u - u_out). No flux passes boundaries in none of the lists.
class ScalarBoundaries : public dealii::ParameterAcceptor
{
public:
  /// `built_in` is the text of "Boundary values" for which the program has the values; it is the default. Where
  /// `of_solution` is set, fluxes and Robin's conditions may depend on u. Without `has_robin` there is no key "Robin".
  ScalarBoundaries(const MeshFileParameters &mesh_file, const std::string &built_in,
                   const std::string &section = "Problem", bool of_solution = false, bool has_robin = true);

  std::string values; ///< the text of "Boundary values"

  std::map<unsigned int, std::string> prescribed; ///< expressions by boundary; empty where `everywhere` is set
  std::optional<std::string> everywhere;        ///< the expression on all boundaries without flux or Robin's condition
  std::map<unsigned int, std::string> flux;     ///< q
  std::map<unsigned int, std::string> exchange; ///< α of Robin's condition
  std::map<unsigned int, std::string> outside;  ///< u_out of Robin's condition

  bool is_built_in() const { return everywhere == built_in; }
  bool has_load() const { return !(flux.empty() && outside.empty()); }
  bool exchange_depends_on_time() const;
  bool vary() const;     ///< whether prescribed values depend on time
  bool are_zero() const; ///< whether all prescribed values are the number 0
  /// Returns q for all boundaries with a flux or Robin's condition, as expressions that may have the variable u.
  std::map<unsigned int, std::string> fluxes_of_solution() const;

  /// Throws InputError for mistakes in expressions.
  void check(unsigned int dim) const;
  /// Returns the boundaries where u is prescribed. Throws InputError where the mesh lacks a boundary that a list has.
  template <int dim>
  DirichletBoundary dirichlet(const dealii::Triangulation<dim> &mesh) const;
  /// Returns the prescribed values at some nodes on these boundaries; `points` are their positions. A node where
  /// boundaries meet takes the value of the first one, by number. All ranks call it together.
  template <int dim>
  ValuesAtPoints values_at(const Device &device, const LevelSpace<dim> &space, const Array<int> &nodes,
                           const Array<double> &points) const;

  std::string key(const std::string &name) const { return section + "/" + name; } ///< of a parameter, for messages

private:
  std::string section, fluxes, robins, built_in;
  bool        of_solution;
  void        read(const MeshFileParameters &mesh_file);
};

/// The load ∫_Γ (q + α u_out) φ_i of fluxes and Robin's conditions in a linear equation. All ranks call all functions
/// together.
template <int dim>
class BoundaryLoad
{
public:
  BoundaryLoad() = default;
  BoundaryLoad(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
               const ScalarBoundaries &boundaries);

  /// Adds `factor` times the load at time t to rhs.
  void add(double factor, double t, Vector<double> &rhs);

private:
  std::optional<Matrix<double>> integrals; // of values at the points of the faces
  ValuesAtPoints                values;
};

/// Returns weights of a space's own nodes for each boundary where u is prescribed. The weights times the residual of an
/// equation without these conditions are the mean flux into the domain. The space has no prescribed nodes. A node where
/// such boundaries meet counts for the first one. All ranks call it together.
template <int dim>
std::map<unsigned int, Vector<double>> flux_weights(const Device &device, const LevelSpace<dim> &space,
                                                    const dealii::Mapping<dim> &mapping,
                                                    const ScalarBoundaries     &boundaries);

/// The matrices ∫_Γ α φ_a φ_b of Robin's conditions, for the cells of one level at the boundary. All ranks call all
/// functions together.
template <int dim>
class RobinMatrices
{
public:
  RobinMatrices(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const ScalarBoundaries &boundaries);

  void             evaluate(double t) { faces.integrate(alpha.at(t)); }
  FaceMatricesView view() const { return faces.matrices(); } ///< at the time of the last evaluate()

private:
  BoundaryFaces<dim> faces;
  ValuesAtPoints     alpha;
};
} // namespace adamant
