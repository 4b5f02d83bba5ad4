#pragma once

#include "base/exceptions.h"
#include "meshes/mesh_file.h"

#include <deal.II/grid/tria.h>

#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Section "Mesh": a box with graded coordinates, or another mesh, refined everywhere and then where an expression is
/// positive.
class MeshParameters : public MeshFileParameters
{
public:
  /// `mesh` is the mesh's name in the descriptions; `note` ends the description of its refinements. By default the box
  /// has `n_cells` cells in each direction and is refined `refinements` times.
  explicit MeshParameters(const std::string &mesh = "mesh", const std::string &note = "", unsigned int n_cells = 1,
                          unsigned int refinements = 4);

  std::string               coordinates, refine_where;
  std::vector<unsigned int> cells;
  unsigned int              refinements, local_refinements = 0;

  /// Throws InputError where the parameters do not fit together. It also throws where a box has too many bilinear nodes
  /// after `further_refinements` more refinements.
  void check(unsigned int dim, unsigned int further_refinements = 0) const;

  /// Throws InputError with `key` where the mesh is a box that has no such side; of other meshes see check_boundaries.
  void check_boundary(const std::string &key, unsigned int id, unsigned int dim) const
  {
    require(given() || id < 2 * dim, key, ": a box in ", dim, "D has no boundary ", id, "; its sides are 0 to ",
            2 * dim - 1);
  }

  /// Makes the mesh from an empty one; all ranks call it together. Throws InputError for what cannot be read or has
  /// cells without volume.
  template <int dim>
  void make(dealii::Triangulation<dim> &mesh) const;
};
} // namespace adamant
