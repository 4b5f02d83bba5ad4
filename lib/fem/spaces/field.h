#pragma once

#include "fem/meshes/level_meshes.h"
#include "fem/spaces/level_space.h"

#include <string>

namespace adamant
{
/// The prolongation P = (cell embedding) H_coarse, n_fine x n_coarse, and its transpose, the restriction. The rows of
/// constrained fine DoFs are empty (Liebchen et al., equation (1)). P and its transpose map the free unknowns of the
/// levels to each other; `fine_mesh` links the levels' cells. Where the elements differ, P interpolates at the nodes,
/// and all cells have to be refined. An example is Q1 on a fine mesh with the nodes of Q2 on the coarse one. Each rank
/// has its rows; all ranks call transfer_matrices together.
struct Transfer
{
  CSRMatrix<double> prolongation, restriction;
};
template <int dim>
Transfer transfer_matrices(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse);

/// A finite element function as the unknown of an equation, in host memory. It has the function's space on each level
/// mesh (numbering, constraints, see LevelSpace) and the transfer between levels. Fields share meshes:
///
///   LevelMeshes<dim> meshes(mesh, {256});
///   Field<dim>       u(meshes, "velocity", FESystem<dim>(FE_Q<dim>(2), dim), {{0, ComponentMask()}});
///   Field<dim>       p(meshes, "pressure", FE_Q<dim>(1));
///
/// The constructor makes the finest space. Other spaces and the transfer are made when they are first asked for, by all
/// ranks together. A field without multigrid does not pay for them. Until then threads must not share the field.
template <int dim>
class Field
{
public:
  /// Makes the finest space of a field on the levels 0 .. top, by default on all levels. `meshes` has to outlive the
  /// field; `element` is copied. Throws RunError where there is no level `top`.
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

  /// Returns P from the next coarser level, n_l x n_{l-1}, for level > 0; restriction() has R = Pᵀ (transfer_matrices).
  const std::shared_ptr<const CSRMatrix<double>> &prolongation(std::size_t level) const;
  const std::shared_ptr<const CSRMatrix<double>> &restriction(std::size_t level) const;

  /// Returns the number of rows that belong to one node and follow each other. This is the number of components where
  /// each node has all of them; it is 1 for mixed elements, such as a Q2 velocity with a Q1 pressure.
  int node_size() const { return finest_space->node_size(); }

private:
  template <int>
  friend class HierarchyBuilder; // which frees spaces and transfer; they are made anew where they are asked for again

  struct Level
  {
    std::unique_ptr<LevelSpace<dim>>         space; // null on the finest level: see finest_space
    std::shared_ptr<const CSRMatrix<double>> prolongation, restriction;
  };
  Level &at(std::size_t level) const;
  Level &with_transfer(std::size_t level) const;

  const LevelMeshes<dim>          &level_meshes;
  std::string                      name_;
  DirichletBoundary                dirichlet;
  std::optional<std::size_t>       top; // none: the finest of the meshes
  std::unique_ptr<LevelSpace<dim>> finest_space;
  mutable std::vector<Level>       levels; // spaces and transfer made so far
};
} // namespace adamant
