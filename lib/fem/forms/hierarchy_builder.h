#pragma once

#include "fem/forms/form.h"
#include "operators/level_data.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace adamant
{
/// Makes the levels of a system matrix that does not change, in less memory than levels_of(). While multigrid is built,
/// it has meshes, spaces and form, and frees the data that later levels do not need.
template <int dim>
class HierarchyBuilder
{
public:
  /// `form` is a system matrix of `field` with Levels::all; values that it has are made anew. The arguments have to
  /// outlive the builder, and the builder has to outlive the making of multigrid.
  HierarchyBuilder(LevelMeshes<dim> &meshes, Field<dim> &field, Form<dim> &form)
    : meshes(meshes)
    , field(field)
    , form(form)
  {}
  HierarchyBuilder(const HierarchyBuilder &) = delete; // functions of its levels hold its address

  /// Returns the data of levels_of(). Levels with more unknowns than `at_once` are made when multigrid asks for them,
  /// first the transfer, then the matrix, unless some levels store no entries. This frees earlier entries, coarser
  /// spaces and, before the finest transfer, the meshes. Multigrid can be built once. All ranks call it together.
  std::vector<LevelData> levels(std::size_t at_once);

  /// Frees the data that a device has, once multigrid is built: the entries of the form, P and R, coarser spaces and
  /// meshes. Data but entries are made anew where they are asked for again.
  void release();

private:
  std::pair<SharedMatrix, SharedMatrix> make_transfer(std::size_t level);
  SharedMatrix                          make_matrix(std::size_t level);
  SharedMatrix                          keep_matrix(std::size_t level);     // frees the rest of the form's level
  void                                  release_entries(std::size_t level); // for all who share the matrix
  void                                  release_transfer(std::size_t level);
  void                                  release_below(std::size_t level); // spaces, and for the finest level all meshes

  LevelMeshes<dim> &meshes;
  Field<dim>       &field;
  Form<dim>        &form;
  std::size_t       first = 0; // of the levels that are made on demand
  std::size_t       made  = 0; // the level whose matrix there is
};
} // namespace adamant
