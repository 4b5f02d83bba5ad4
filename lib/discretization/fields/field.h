#pragma once

#include "discretization/fields/level_space.h"
#include "discretization/meshes/level_meshes.h"

#include <deal.II/fe/fe.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adamant
{
/// A finite element function as the unknown of an equation: its space on each level mesh (numbering, constraint
/// matrices H and B, see LevelSpace) and the transfer between them, in host memory. Fields share level meshes:
///
///   LevelMeshes<dim> meshes(mesh, {256});
///   Field<dim>       u(meshes, "velocity", FESystem<dim>(FE_Q<dim>(2), dim), {{0, ComponentMask()}});
///   Field<dim>       p(meshes, "pressure", FE_Q<dim>(1));
///
/// The finest space is made by the constructor, the others and the transfer when they are first asked for: a field
/// without multigrid does not pay for them. On several ranks all ask together; objects are not shared by threads before
/// that.
template <int dim>
class Field
{
public:
  /// `meshes` has to outlive the field. `element` is copied. The field lives on the levels 0 .. top, by default on all.
  /// Throws RunError where there is no such level.
  Field(const LevelMeshes<dim> &meshes, std::string name, const dealii::FiniteElement<dim> &element,
        const DirichletBoundary &dirichlet = {}, std::optional<std::size_t> top = {});
  Field(const Field &)            = delete;
  Field &operator=(const Field &) = delete;

  const std::string                &name() const { return name_; }
  const LevelMeshes<dim>           &meshes() const { return level_meshes; }
  const dealii::FiniteElement<dim> &element() const { return finest_space->element(); }

  std::size_t            n_levels() const { return top ? *top + 1 : level_meshes.size(); }
  const LevelSpace<dim> &space(std::size_t level) const;
  const LevelSpace<dim> &finest() const { return *finest_space; }

  /// P of a level > 0, n_l x n_{l-1}, from the next coarser level, and R = Pᵀ; see transfer_matrices.
  const std::shared_ptr<const CSRMatrix<double>> &prolongation(std::size_t level) const;
  const std::shared_ptr<const CSRMatrix<double>> &restriction(std::size_t level) const;

  /// @name Frees what is made anew where it is asked for once more
  /// @{
  void release_mesh(std::size_t level);         ///< of a level's space: see LevelSpace
  void release_spaces_below(std::size_t level); ///< to which nothing may refer any more; transfer that was made stays
  void release_transfer(std::size_t level);     ///< but for those who share its matrices
  /// @}

  /// Rows that belong to one node and follow each other: the number of components where every node has all of them; 1
  /// for mixed elements, as a Q2 velocity with a Q1 pressure.
  int node_size() const { return finest_space->node_size(); }

private:
  struct Level
  {
    std::unique_ptr<LevelSpace<dim>>         space; // of the finest level: finest_space
    std::shared_ptr<const CSRMatrix<double>> prolongation, restriction;
  };
  Level &at(std::size_t level) const;
  Level &with_transfer(std::size_t level) const;

  const LevelMeshes<dim>          &level_meshes;
  std::string                      name_;
  DirichletBoundary                dirichlet;
  std::optional<std::size_t>       top; // none: the finest of the meshes
  std::unique_ptr<LevelSpace<dim>> finest_space;
  mutable std::vector<Level>       levels; // what has been asked for
};
} // namespace adamant
