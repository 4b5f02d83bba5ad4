#pragma once

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/tria.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Section "Mesh": a coarse mesh of quadrilaterals or hexahedra, which has a name (mesh_shapes) or comes from a file.
/// Files have boundary and material ids, and their boundaries may be curved. Make this object before objects whose
/// parameters name boundaries or materials.
class MeshFileParameters : public dealii::ParameterAcceptor
{
public:
  /// `role` ends the description of "File".
  explicit MeshFileParameters(const std::string &role = "; empty: the program's own mesh");

  std::string type = "box";

  bool from_file() const { return !file.empty(); }
  bool given() const { return from_file() || type != "box"; } ///< whether it is not the program's own box
  bool curved() const;                                        ///< whether refinement places vertices on manifolds
  /// Throws InputError, with the parameter's name, where there is a file that cannot be read or has another dimension,
  /// or a shape does not fit.
  void check(unsigned int dim) const;

  /// @name Ids by number, or by the name of a physical group of Gmsh
  /// `key` names the parameter in messages. These functions throw InputError with the nearest names where there is no
  /// such group.
  /// @{
  /// Returns the ids of the boundaries of a list.
  std::set<unsigned int> boundary_ids(const std::string &key, const std::vector<std::string> &names) const;
  /// These return the ids of single boundaries and materials, as functions for split_by_boundary.
  std::function<unsigned int(const std::string &)> boundaries(const std::string &key) const
  {
    return [this, key](const std::string &name) { return id_of(key, name, "boundary", dimension - 1); };
  }
  std::function<unsigned int(const std::string &)> materials(const std::string &key) const
  {
    return [this, key](const std::string &name) { return id_of(key, name, "material", dimension); };
  }
  /// @}

  /// Makes the unrefined mesh from an empty one and returns true, or returns false where none is given(). Refinement
  /// will place new vertices of curved boundaries on these. Throws InputError for a file that cannot be read. All ranks
  /// call it together.
  template <int dim>
  bool make_coarse(dealii::Triangulation<dim> &mesh) const;
  /// Joins the faces of "Periodic boundaries". Call it on the unrefined mesh, or on a serial one from a checkpoint.
  /// Throws InputError for boundaries that are not there or do not match. All ranks call it together.
  template <int dim>
  void join_periodic(dealii::Triangulation<dim> &mesh) const;
  bool is_periodic() const { return !periodic.empty(); }
  /// Returns the coarse mesh where it has curved boundaries, else null.
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>> manifolds() const;
  /// Watches later refinements of a mesh with curved boundaries. One that makes a cell flat or turns it inside out
  /// throws InputError on all ranks, with the cell's place in a file.
  template <int dim>
  void check_refinement(dealii::Triangulation<dim> &mesh) const;
  /// Throws InputError on all ranks where a quadratic mapping turns an active cell inside out at one of its Gauss
  /// points.
  template <int dim>
  void check_mapping(const dealii::Triangulation<dim> &mesh, const dealii::MappingQ<dim> &mapping) const;

  /// Returns a line for each boundary and material: id, name in a file, faces or cells, size by the mapping. Where
  /// `file` is not empty, it gets the corners of all boundary faces and in two dimensions of all cells, with their
  /// boundary and material, for `scripts/plot mesh`. All ranks call it.
  template <int dim>
  std::string parts(const dealii::Triangulation<dim> &mesh, const dealii::Mapping<dim> &mapping,
                    const std::string &file) const;

private:
  struct Group // of cells or faces
  {
    unsigned int dimension, id;
    std::string  name;
  };
  std::string folder() const; // of the file
  std::string what() const;   // names the curved mesh in messages
  void        read_groups();
  std::string label(unsigned int dimension, unsigned int id) const;
  template <int dim>
  void         write_mesh(const dealii::Triangulation<dim> &mesh, const std::string &to) const;
  unsigned int id_of(const std::string &key, const std::string &name, const char *what, unsigned int dimension) const;
  template <int dim>
  void place_on_boundaries(dealii::Triangulation<dim> &mesh) const;

  std::string         file, curved_boundaries, periodic;
  std::vector<double> sizes;
  std::vector<Group>  groups;
  unsigned int        dimension = 2; // of the file's cells, where it has groups
};
} // namespace adamant
