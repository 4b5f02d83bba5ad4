#pragma once

#include "dealii/galerkin/galerkin_product.h"
#include "dealii/user_dofs.h"
#include "dealii/user_matrix.h"
#include "fem/spaces/field.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <memory>
#include <vector>

namespace adamant
{
/// The number of unknowns up to which the coarsest level's matrix is inverted as a dense matrix on the host.
inline constexpr int most_dense_rows = 1500;

/// What levels by R A P need of the mesh and the element: the transfer between levels without prescribed values.
struct DofHierarchy
{
  UserDofs              dofs;
  int                   node_size = 1;
  std::vector<Transfer> transfer; ///< of each level to the next coarser one; empty matrices on level 0
};

/// Returns the hierarchy for some components of a DoFHandler. Coarsening ends with the first mesh of at most
/// `coarsest_cells` cells. With `constraints`, the kinds of the finest level's owned DoFs are written to `kinds`. All
/// ranks call it together. Throws RunError on all ranks for meshes, elements and constraints that multigrid does not
/// take.
template <int dim>
DofHierarchy dof_hierarchy(const dealii::DoFHandler<dim> &dofs, const dealii::ComponentMask &components,
                           unsigned int coarsest_cells, const dealii::AffineConstraints<double> *constraints,
                           Array<char> &kinds);

/// Returns whether xᵀA y = yᵀA x for two vectors, up to rounding. All ranks call it together.
bool is_symmetric(const CSRMatrix<double> &A, const Communicator &ranks);

/// The levels of multigrid from a user's matrix: the finest matrix is a copy, coarser ones are R A P. A coarse DoF is
/// constrained where the fine DoF at its place is prescribed. For elements whose nodes do not meet, this is the fine
/// DoF where the coarse shape function is largest. All ranks call everything together.
class MatrixLevels
{
public:
  /// dof_kinds() has made `kinds`. With `on_device`, the values of all levels but the coarsest one are in the memory of
  /// the device, unless entries are too many for int there. Throws as UserMatrix does.
  MatrixLevels(const Device &device, bool on_device, DofHierarchy hierarchy, Array<char> kinds, const MatrixRows &rows);

  /// Takes over new values. Returns false on all ranks where the levels have to be made anew: the matrix has another
  /// pattern, other rows are decoupled, or other constants are in its kernel. The levels' matrices are then not valid.
  bool update(const MatrixRows &rows);

  /// Returns the levels, which share the matrices. On the coarsest level constants e that the matrix maps to zero
  /// are added to it, so that it can be inverted: A + Σ c e eᵀ. They are constants of single components, or of all
  /// together, on each connected part of the mesh. Above most_dense_rows one diagonal entry is doubled instead.
  const std::vector<LevelData> &levels() const { return data; }

  const UserDofs   &dofs() const { return user; }
  const UserMatrix &matrix() const { return user_matrix; }
  const UserValues &finest() const { return *values; }
  /// Returns finest() for owners, who must not change it; update() changes its values.
  std::shared_ptr<UserValues> shared_finest() const { return values; }
  int                         node_size() const { return rows_per_node; }

private:
  void make_coarser(std::vector<Transfer> transfer);
  void move_to_device();
  void update_on_device();
  bool regularize_coarsest();

  Device                                          device;
  UserDofs                                        user;
  int                                             rows_per_node;
  std::shared_ptr<UserValues>                     values;
  UserMatrix                                      user_matrix;
  std::vector<GalerkinProduct>                    products;  // of each level but the coarsest
  std::vector<std::shared_ptr<CSRMatrix<double>>> matrices;  // the coarsest first
  std::vector<std::shared_ptr<CompressedRows>>    on_device; // of all levels, or none
  std::shared_ptr<CSRMatrix<double>>              coarsest;  // as levels() has it
  Array<char>                                     coarsest_free;
  std::vector<LevelData>                          data;
};
} // namespace adamant
