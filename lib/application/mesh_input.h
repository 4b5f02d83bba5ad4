#pragma once

#include <deal.II/base/function.h>
#include <deal.II/grid/tria.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Meshes as parameters describe them. `key` names the parameter in messages; what it gives wrongly is an InputError.

/// Throws InputError where the mesh of a run is p4est's, which does not keep vertices that have been moved: checkpoints
/// and coarser levels would have them where they were.
void refuse_moved_vertices(const std::string &key, bool distributed_mesh);

/// What messages call a cell, by its active number.
using NameOfCell = std::function<std::string(unsigned int)>;

/// InputError, which begins with `key`, for an active cell that is flat, turned inside out or folded over a neighbour;
/// one of positive volume `may_be_flat` at vertices, as where a side of a box is collapsed to a point.
template <int dim>
void check_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                 bool may_be_flat = false);

/// InputError for an active cell that refinement has made flat or turned inside out; `name` is given the number of the
/// coarse one. All ranks call it together.
template <int dim>
void check_refined_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name);

/// InputError for faces at one place that do not join their cells, as these have different vertices there; but those of
/// a crack may, both sides of which have a boundary id that is not 0. InputError, too, for cells of an unrefined mesh
/// that have a vertex or their centre in another, or a vertex at a part of another's face or off it by less than a
/// thousandth of their edges; but for vertices at boundary faces with such an id.
template <int dim>
void check_vertices(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name);

/// Moves all vertices x to map(x), of dim components. What check_cells refuses is an InputError, as is a mesh of p4est.
template <int dim>
void move_vertices(const std::string &key, const dealii::Function<dim> &map, dealii::Triangulation<dim> &mesh);

/// So many times: refines the cells in whose centre the function is positive. All ranks call it together.
template <int dim>
void refine_where(const dealii::Function<dim> &positive, unsigned int times, dealii::Triangulation<dim> &mesh);

/// InputError where the mesh lacks one of the boundaries.
template <int dim>
void check_boundaries(const std::string &key, const std::set<unsigned int> &ids,
                      const dealii::Triangulation<dim> &mesh);

/// The largest differences of the coordinates of vertices, in each direction. All ranks call it together.
template <int dim>
std::vector<double> extent(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
