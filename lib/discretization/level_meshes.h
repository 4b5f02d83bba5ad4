#pragma once

#include "base/array.h"

#include <deal.II/grid/tria.h>

#include <memory>
#include <vector>

namespace adamant
{
/// One mesh of the multigrid sequence and how its cells lie in the next coarser one.
template <int dim>
struct LevelMesh
{
  static constexpr unsigned char same_cell = 255;

  std::shared_ptr<const dealii::Triangulation<dim>> mesh;
  Array<int> coarse_cell;     ///< active cell of the next coarser mesh that contains each active cell; empty on level 0
  Array<unsigned char> child; ///< which child of it the cell is, or same_cell
};

/// The meshes of global coarsening (Liebchen et al., Figure 1; Becker & Braack 2000): the finest is `finest` itself (not
/// copied: it has to outlive the result), each coarser one undoes every refinement that deal.II's rules for hanging
/// nodes allow and spans the domain. Coarsening ends with the first mesh of at most `coarsest_cells` cells, or where
/// nothing is left to undo. Level 0 is the coarsest. Meshes are built from the coarse mesh upwards, which is faster
/// than coarsening copies. Coarse cells take boundary ids, material ids and vertices from the finer mesh.
///
/// `finest` has to pass check_mesh; its refinement flags are used and put back, nothing else in it changes: a DoFHandler may
/// read it meanwhile.
template <int dim>
std::vector<LevelMesh<dim>> create_level_meshes(dealii::Triangulation<dim> &finest, unsigned int coarsest_cells);

/// Throws RunError where `mesh` is not a serial triangulation with isotropic refinement.
template <int dim>
void check_mesh(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
