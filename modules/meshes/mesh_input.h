#pragma once

#include <deal.II/base/function.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Functions for meshes that parameters describe. `key` names the parameter in messages; wrong input throws InputError.

/// Throws InputError where the mesh of a run is p4est's, which forgets that vertices have been moved: checkpoints and
/// coarser levels would have the old positions.
void refuse_moved_vertices(const std::string &key, bool distributed_mesh);

/// Returns the name of a cell in messages, from its active number.
using NameOfCell = std::function<std::string(unsigned int)>;

/// Throws InputError, which begins with `key`, for an active cell that is flat, turned inside out or folded over a
/// neighbour. With `may_be_flat` a cell of positive volume may be flat at vertices, as where a side of a box is
/// collapsed to a point.
template <int dim>
void check_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                 bool may_be_flat = false);

/// Throws InputError for an active cell that refinement has made flat or turned inside out; `name` gets the number of
/// its coarse cell. With a `mapping` it also looks at the Gauss points of cells with curved edges. All ranks call it
/// together.
template <int dim>
void check_refined_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                         const dealii::MappingQ<dim> *mapping = nullptr);

/// Throws InputError for two faces at one place that have different vertices, so that they do not join their cells. The
/// faces of a crack may: both have a boundary id other than 0. In an unrefined mesh no cell may have a vertex or its
/// centre inside another cell. Nor may a vertex lie on a part of another cell's face, or off it by less than a
/// thousandth of their edges. Vertices at boundary faces with an id other than 0 are exempt.
template <int dim>
void check_vertices(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name);

/// Moves all vertices x to map(x), of dim components. Throws InputError for a mesh of p4est, and where check_cells
/// does.
template <int dim>
void move_vertices(const std::string &key, const dealii::Function<dim> &map, dealii::Triangulation<dim> &mesh);

/// Throws InputError where the mesh lacks one of the boundaries.
template <int dim>
void check_boundaries(const std::string &key, const std::set<unsigned int> &ids,
                      const dealii::Triangulation<dim> &mesh);

/// Calls action(vertex, x, n) for all vertices of the faces on these boundaries, but for artificial cells. There n is
/// the face's outer normal at x, as its manifold has it: on curved sides it is that of the geometry.
template <int dim>
void for_each_normal(
  const dealii::Triangulation<dim> &mesh, const std::set<unsigned int> &ids,
  const std::function<void(unsigned int vertex, const dealii::Point<dim> &x, const dealii::Tensor<1, dim> &n)> &action);

/// Throws InputError where two faces of a boundary with u . n = 0 meet in an edge of more than 45 degrees, so that
/// nodes there have no normal.
template <int dim>
void check_edges(const std::string &key, const dealii::Triangulation<dim> &mesh, unsigned int id);

/// Returns the translation that takes the coarse faces of one boundary to another. Throws InputError where a face has
/// no partner.
template <int dim>
dealii::Tensor<1, dim> check_periodic(const std::string &key, const std::array<unsigned int, 2> &ids,
                                      const dealii::Triangulation<dim> &mesh);

/// Returns the largest difference of the vertices' coordinates in each direction. All ranks call it together.
template <int dim>
std::vector<double> extent(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
