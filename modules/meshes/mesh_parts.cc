// What a mesh consists of: the lines that a dry run prints, and the file that scripts/plot draws.
#include "base/run_record.h"
#include "fem/meshes/mesh.h"
#include "meshes/mesh_file.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <boost/serialization/array.hpp>
#include <boost/serialization/map.hpp>

#include <array>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

namespace adamant
{
// Returns an id, and its name in the file.
std::string MeshFileParameters::label(unsigned int dim, unsigned int id) const
{
  for (const Group &group : groups)
    if (group.dimension == dim && group.id == id)
      return std::to_string(id) + " '" + group.name + "'";
  return std::to_string(id);
}

template <int dim>
void MeshFileParameters::write_mesh(const dealii::Triangulation<dim> &mesh, const std::string &to) const
{
  std::ostringstream rows;
  const auto         add = [&](const std::string &boundary, const auto &cell, const auto &object) {
    rows << '"' << boundary << "\",\"" << label(dim, cell->material_id()) << '"';
    for (const unsigned int v : object->vertex_indices())
      for (unsigned int d = 0; d < dim; ++d)
        rows << ',' << object->vertex(v)[d];
    rows << '\n';
  };
  for (const auto &cell : owned_cells(mesh))
    {
      if (dim == 2)
        add("", cell, cell);
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          add(label(dim - 1, cell->face(f)->boundary_id()), cell, cell->face(f));
    }
  const auto  all  = dealii::Utilities::MPI::all_gather(mesh.get_communicator(), rows.str());
  std::string text = "boundary,material,corners\n";
  for (const auto &of_rank : all)
    text += of_rank;
  if (dealii::Utilities::MPI::this_mpi_process(mesh.get_communicator()) == 0)
    write_file(to, text);
}

template <int dim>
std::string MeshFileParameters::parts(const dealii::Triangulation<dim> &mesh, const dealii::Mapping<dim> &mapping,
                                      const std::string &file) const
{
  const dealii::FE_Nothing<dim> nothing;
  dealii::FEValues<dim>         cells(mapping, nothing, dealii::QGauss<dim>(3), dealii::update_JxW_values);
  dealii::FEFaceValues<dim>     faces(mapping, nothing, dealii::QGauss<dim - 1>(3), dealii::update_JxW_values);
  std::map<std::pair<unsigned int, unsigned int>, std::array<double, 2>> parts; // dimension and id: number and size
  const auto add = [&parts](unsigned int dimension, unsigned int id, const std::vector<double> &JxW) {
    auto &[n, size] = parts[{dimension, id}];
    n += 1.;
    size += std::accumulate(JxW.begin(), JxW.end(), 0.);
  };
  for (const auto &cell : owned_cells(mesh))
    {
      cells.reinit(cell);
      add(dim, cell->material_id(), cells.get_JxW_values());
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          {
            faces.reinit(cell, f);
            add(dim - 1, cell->face(f)->boundary_id(), faces.get_JxW_values());
          }
    }
  std::ostringstream text;
  const auto         sums = dealii::Utilities::MPI::all_gather(mesh.get_communicator(), parts);
  parts.clear();
  for (const auto &of_rank : sums)
    for (const auto &[key, part] : of_rank)
      for (const int k : {0, 1})
        parts[key][k] += part[k];
  for (const auto &[key, part] : parts)
    {
      const bool is_cell = key.first == dim;
      text << (is_cell ? "material " : "boundary ") << label(key.first, key.second) << ": " << part[0]
           << (is_cell ? " cells, " : " faces, ")
           << (key.first == 1 ? "length " :
               key.first == 2 ? "area " :
                                "volume ")
           << part[1] << '\n';
    }
  if (!file.empty())
    write_mesh(mesh, file);
  return text.str();
}

template std::string MeshFileParameters::parts(const dealii::Triangulation<2> &, const dealii::Mapping<2> &,
                                               const std::string &) const;
template std::string MeshFileParameters::parts(const dealii::Triangulation<3> &, const dealii::Mapping<3> &,
                                               const std::string &) const;
} // namespace adamant
