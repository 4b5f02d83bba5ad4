#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/array.h"
#include "expressions/values_at_points.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/level_space.h"
#include "frame/parameters/mesh_file.h"
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
/// The conditions of a scalar u on boundaries, in the section "Problem". Prescribed values are u = g, a flux is
/// λ ∂_n u = q, and Robin's condition is λ ∂_n u = -α (u - u_out). No flux passes boundaries in none of the lists.
class ScalarBoundaries : public dealii::ParameterAcceptor
{
public:
  /// `built_in` is the text of "Boundary values" for which the program has the values; it is the default.
  ScalarBoundaries(const MeshFileParameters &mesh_file, const std::string &built_in);

  std::string values; ///< the text of "Boundary values"

  std::map<unsigned int, std::string> prescribed; ///< expressions by boundary; empty where `everywhere` is set
  std::optional<std::string> everywhere;        ///< the expression on all boundaries without flux or Robin's condition
  std::map<unsigned int, std::string> flux;     ///< q
  std::map<unsigned int, std::string> exchange; ///< α of Robin's condition
  std::map<unsigned int, std::string> outside;  ///< u_out of Robin's condition

  bool is_built_in() const { return everywhere == built_in; }
  bool has_load() const { return !(flux.empty() && outside.empty()); }
  bool exchange_depends_on_time() const;

  /// Throws InputError for mistakes in expressions.
  void check(unsigned int dim) const;
  /// Returns the boundaries where u is prescribed. Throws InputError where the mesh lacks a boundary that a list has.
  template <int dim>
  DirichletBoundary dirichlet(const dealii::Triangulation<dim> &mesh) const;
  /// Returns the prescribed values at the nodes with prescribed values. `points` are their positions. A node where
  /// boundaries meet takes the value of the first one, by number. All ranks call it together.
  template <int dim>
  ValuesAtPoints values_at(const Device &device, const LevelSpace<dim> &space, const Array<double> &points) const;

private:
  std::string fluxes, robins, built_in;
  void        read(const MeshFileParameters &mesh_file);
};

/// The load ∫_Γ (q + α u_out) φ_i of fluxes and Robin's conditions.
template <int dim>
class BoundaryLoad
{
public:
  BoundaryLoad() = default;
  /// All ranks call it together.
  BoundaryLoad(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
               const ScalarBoundaries &boundaries);

  /// Adds `factor` times the load at time t to rhs. All ranks call it together.
  void add(double factor, double t, Vector<double> &rhs);

private:
  std::optional<Matrix<double>> integrals; // of values at the points of the faces
  ValuesAtPoints                values;
};

/// The matrices ∫_Γ α φ_a φ_b of the cells of one level that touch boundaries with Robin's condition.
template <int dim>
class RobinMatrices
{
public:
  /// The space, the mapping and the boundaries have to outlive the object.
  RobinMatrices(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const ScalarBoundaries &boundaries);

  void             evaluate(double t); ///< computes the matrices at time t
  FaceMatricesView view() const;       ///< of the matrices on the device

private:
  Device                      device;
  const LevelSpace<dim>      &space;
  const dealii::Mapping<dim> &mapping;
  const ScalarBoundaries     &boundaries;
  Array<int>                  number; // of each cell's matrix, or -1
  int                         n_matrices = 0;
  List<int>                   number_on_device;
  Vector<double>              entries;
};
} // namespace adamant
