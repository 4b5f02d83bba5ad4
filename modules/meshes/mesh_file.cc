#include "meshes/mesh_file.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "frame/parameters/parameters.h"
#include "meshes/curved_boundary.h"
#include "meshes/mesh_input.h"
#include "meshes/mesh_shapes.h"

#include <deal.II/base/utilities.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/grid_tools.h>

#include <boost/algorithm/string/case_conv.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace adamant
{
namespace
{
// The file itself, or one beside the parameter file.
std::string find(const std::string &file)
{
  if (parameter_folder().empty() || std::filesystem::exists(file))
    return file;
  const auto beside = std::filesystem::absolute(parameter_folder()) / file;
  return std::filesystem::exists(beside) ? beside.string() : file;
}

template <int dim>
void read(std::istream &in, const std::string &extension, dealii::Triangulation<dim> &mesh)
{
  using Reader      = dealii::GridIn<dim>;
  const bool inp    = extension == ".inp";
  const bool abaqus = inp && (in >> std::ws).peek() == '*';
  Reader(mesh).read(in, abaqus ? Reader::abaqus : inp ? Reader::ucd : Reader::parse_format(extension.substr(1)));
}

// A quadrilateral (4 vertices) or hexahedron (8) as a mesh file has it, with its number and line there; 6 stands for
// other cells of Gmsh in 3D.
struct CellOfFile
{
  unsigned int n_vertices;
  std::string  number;
  std::size_t  line;
};

std::vector<std::string> words_of(std::string line)
{
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream       in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

// The number of vertices of a cell of Gmsh; 0 where its type has fewer dimensions or is not known.
unsigned int n_vertices_in_gmsh(const std::string &type)
{
  const bool is_other = type == "4" || type == "6" || type == "7"; // tetrahedra, prisms and pyramids
  return type == "3" ? 4 : type == "5" ? 8 : is_other ? 6 : 0;
}

// The cells of a text file of Gmsh, UCD, Abaqus or VTK (legacy) in the file's order, which deal.II's GridIn keeps. It
// has none of a file in another format; what is no cell is passed over.
std::vector<CellOfFile> cells_of_file(const std::string &file)
{
  std::vector<CellOfFile> cells;
  std::ifstream           in(file);
  std::string             text, section;
  bool                    gmsh4 = false, at_head = false; // the next line is the first one of its section
  unsigned int            of_block   = 0;                 // Gmsh 4: vertices of the cells of a block
  unsigned long           n_in_block = 0;                 // and how many of them follow
  for (std::size_t line = 1; std::getline(in, text); ++line)
    {
      const auto words = words_of(text);
      if (words.empty())
        continue;
      const std::string &word = words[0];
      if (word[0] == '$' || word[0] == '*' || word == "CELLS" || word == "CELL_TYPES")
        {
          section    = boost::algorithm::to_upper_copy(word);
          n_in_block = 0;
          at_head    = true;
          continue;
        }
      const bool   head = std::exchange(at_head, false);
      unsigned int n    = 0; // vertices
      if (section == "$MESHFORMAT")
        gmsh4 = word[0] == '4';
      else if (section == "$ELEMENTS" && !head && !gmsh4)
        n = words.size() > 1 ? n_vertices_in_gmsh(words[1]) : 0;
      else if (section == "$ELEMENTS" && !head && n_in_block > 0)
        {
          --n_in_block;
          n = of_block;
        }
      else if (section == "$ELEMENTS" && !head && words.size() > 3)
        {
          of_block   = n_vertices_in_gmsh(words[2]);
          n_in_block = std::strtoul(words[3].c_str(), nullptr, 10);
        }
      else if (section == "*ELEMENT")
        n = words.size() == 5 || words.size() == 9 ? static_cast<unsigned int>(words.size()) - 1 : 0;
      else if (section == "CELLS")
        n = word == "4" ? 4 : word == "8" ? 8 : 0;
      else if (section.empty() && words.size() > 3 && text[0] != '#')
        n = words[2] == "quad" ? 4 : words[2] == "hex" ? 8 : 0;
      if (n > 0)
        cells.push_back({n, section == "CELLS" ? "" : word, line}); // VTK gives its cells no numbers
    }
  return cells;
}

// What messages call the cells of a file, in its order.
template <int dim>
NameOfCell names_in(const std::string &file)
{
  return [file](unsigned int number) {
    auto cells = cells_of_file(file);
    cells.erase(
      std::remove_if(cells.begin(), cells.end(), [](const CellOfFile &cell) { return cell.n_vertices != 1U << dim; }),
      cells.end());
    if (number >= cells.size())
      return "cell " + std::to_string(number + 1);
    const auto &[n, own, line] = cells[number];
    return "cell " + (own.empty() ? std::to_string(number + 1) : own) + " (line " + std::to_string(line) + ")";
  };
}

template <int dim>
void read_file(const std::string &file, dealii::Triangulation<dim> &mesh)
{
  const std::string shapes = dim == 2 ? "quadrilaterals" : "hexahedra";
  std::ifstream     in(file);
  require(static_cast<bool>(in), "Mesh/File: '", file, "' cannot be read");
  try
    {
      read(in, std::filesystem::path(file).extension().string(), mesh);
    }
  catch (const std::exception &error)
    {
      const auto *const own = dynamic_cast<const dealii::ExceptionBase *>(&error);
      throw InputError("Mesh/File: '" + file + "' is no mesh of " + shapes +
                       " that can be read: " + (own != nullptr ? message_of(*own) : error.what()));
    }
  for (const auto &cell : mesh.cell_iterators_on_level(0))
    require(cell->reference_cell().is_hyper_cube(), "Mesh/File: '", file, "' has cells that are no ", shapes,
            " (in Gmsh, Mesh.RecombineAll or Recombine Surface makes such)");
  check_cells("Mesh/File: '" + file + "'", mesh, names_in<dim>(file));
  check_vertices("Mesh/File: '" + file + "'", mesh, names_in<dim>(file));
}

// Null where it has none of this name.
const MeshShape *shape_of(const std::string &type)
{
  const auto &shapes = mesh_shapes();
  const auto  found = std::find_if(shapes.begin(), shapes.end(), [&](const auto &shape) { return shape.name == type; });
  return found == shapes.end() ? nullptr : &*found;
}

template <int dim>
void make_channel(dealii::Triangulation<dim> &mesh)
{
  dealii::GridGenerator::channel_with_cylinder(mesh, 0.03, 2, 2.0, true);
  if constexpr (dim == 3) // the inflow is 0.3 further away, the cylinder stays
    dealii::GridTools::transform(
      [](dealii::Point<dim> x) {
        if (x[0] < 1e-10)
          x[0] = -0.3;
        return x;
      },
      mesh);
}
} // namespace

MeshFileParameters::MeshFileParameters(const std::string &role)
  : ParameterAcceptor("/Mesh")
{
  parse_parameters_call_back.connect([this] {
    if (from_file())
      {
        file                   = find(file); // the effective parameters are read in other folders
        const std::string path = std::filesystem::absolute(file).lexically_normal().string();
        if (path.find_first_of("#\t\n") == std::string::npos) // no parameter file could hold it
          prm.set("File", path);
      }
    read_groups();
  });
  std::string names;
  for (const auto &shape : mesh_shapes())
    names += "|" + shape.name;
  add_parameter(
    "Type", type,
    "box, unless there is a File; cylinder is the channel of Schaefer and Turek. The page meshes.md has the "
    "shapes with their sizes and boundary ids",
    prm, dealii::Patterns::Selection("box|file|cylinder" + names));
  add_parameter("Sizes", sizes, "Sizes of the Type, such as radii; empty: the usual ones");
  add_parameter("File", file,
                "Mesh of quadrilaterals or hexahedra: Gmsh (.msh, versions 2 and 4), VTK (.vtk), VTU that deal.II has "
                "written (.vtu), Abaqus or UCD (.inp). Its boundary and material ids, in Gmsh the numbers of physical "
                "groups, count, and Gmsh's names of groups can stand for them. It is looked for in the working "
                "directory, then beside the parameter file" +
                  role);
  add_parameter(
    "Curved boundaries", curved_boundaries,
    "Where refinement of the mesh in File places new vertices, by boundary: 'id: circle; x; y, ...' with the centre. "
    "Other curves are 'ellipse; x; y; a; b' with half axes and, in 3D, sphere and ellipsoid. A cylinder 'cylinder; x; "
    "y; z; d_x; d_y; d_z' has a point of the axis and its direction. A surface 'surface; f(x, y, z)' has the points "
    "where f is zero. With 'cad; file.step; k' they lie on face k of a STEP or IGES file, which is beside File, in "
    "2D on its edge k");
  add_parameter(
    "Periodic boundaries", periodic,
    "Pairs of boundaries 'id: id, ...': a translation takes the faces of one to the faces of the other, and the "
    "solution is equal on both");
}

void MeshFileParameters::check(unsigned int dim) const
{
  require(curved_boundaries.empty() || from_file(), "Mesh/Curved boundaries needs Mesh/File");
  require(type != "file" || from_file(), "Mesh/Type = file needs Mesh/File");
  require(!from_file() || type == "box" || type == "file", "Mesh/File is given, but Mesh/Type = ", type);
  require(sizes.empty() || shape_of(type) != nullptr, "Mesh/Sizes: Mesh/Type = ", type, " has none");
  if (const auto *shape = shape_of(type))
    {
      dealii::Triangulation<2> plane;
      dealii::Triangulation<3> solid;
      dim == 2 ? make_shape(*shape, sizes, plane) : make_shape(*shape, sizes, solid);
    }
  if (!from_file())
    return;
  const std::string              extension = std::filesystem::path(file).extension().string();
  const std::vector<std::string> known     = {".msh", ".vtk", ".vtu", ".inp", ".ucd"};
  require(std::find(known.begin(), known.end(), extension) != known.end(), "Mesh/File: '", file,
          "' ends in none of .msh, .vtk, .vtu, .inp, .ucd");
  require(static_cast<bool>(std::ifstream(file)), "Mesh/File: '", file, "' cannot be read");
  for (const Group &group : groups)
    require(group.dimension <= dim, "Mesh/File: '", file, "' has the group '", group.name, "' of dimension ",
            group.dimension, ", but Problem/Dimension is ", dim);
  for (const auto &[id, text] :
       split_by_boundary("Mesh/Curved boundaries", curved_boundaries, boundaries("Mesh/Curved boundaries")))
    if (dim == 2)
      manifold_of<2>(text, folder());
    else
      manifold_of<3>(text, folder());
}

// $PhysicalNames of a file of Gmsh: a line with their number, then dimension, id and "name" of each.
void MeshFileParameters::read_groups()
{
  groups.clear();
  std::ifstream in(file);
  std::string   line;
  while (std::getline(in, line) && line.rfind("$PhysicalNames", 0) != 0)
    if (line.rfind("$Nodes", 0) == 0)
      return; // they would come before
  std::getline(in, line);
  while (std::getline(in, line) && line[0] != '$')
    {
      std::istringstream words(line);
      Group              group{};
      words >> group.dimension >> group.id;
      const auto first = line.find('"'), last = line.rfind('"');
      if (words && last > first)
        groups.push_back({group.dimension, group.id, line.substr(first + 1, last - first - 1)});
    }
  const auto any = [](const auto &list, auto is) { return std::any_of(list.begin(), list.end(), is); };
  const bool has_volumes =
    any(groups, [](const Group &group) { return group.dimension == 3; }) ||
    (!groups.empty() && any(cells_of_file(file), [](const CellOfFile &cell) { return cell.n_vertices > 4; }));
  dimension = has_volumes ? 3 : 2;
}

std::set<unsigned int> MeshFileParameters::boundary_ids(const std::string              &key,
                                                        const std::vector<std::string> &names) const
{
  std::set<unsigned int> ids;
  for (const auto &name : names)
    ids.insert(id_of(key, name, "boundary", dimension - 1));
  return ids;
}

unsigned int MeshFileParameters::id_of(const std::string &key, const std::string &name, const char *what,
                                       unsigned int dimension) const
{
  if (!name.empty() && name.size() < 6 && name.find_first_not_of("0123456789") == std::string::npos)
    return std::stoul(name);
  std::vector<std::string> known;
  std::string              others;
  for (const Group &group : groups)
    if (group.dimension != dimension)
      others += group.name == name ? "; '" + name + "' is a group of dimension " + std::to_string(group.dimension) : "";
    else if (group.name == name)
      return group.id;
    else
      known.push_back(group.name);
  require(!from_file() || std::ifstream(file), "Mesh/File: '", file, "' cannot be read"); // a missing one has no names
  throw InputError(key + ": '" + name + "' is no " + what + " of the mesh: neither a number nor a name that " +
                   (from_file() ? "'" + file + "'" : "Mesh/File") + " has for one" + did_you_mean(name, known) +
                   others);
}

std::string MeshFileParameters::folder() const
{
  return std::filesystem::path(file).parent_path();
}

std::string MeshFileParameters::what() const
{
  return from_file() ? "Mesh/Curved boundaries: '" + file + "'" : "Mesh/Type = " + type;
}

bool MeshFileParameters::curved() const
{
  const auto *shape = shape_of(type);
  return shape ? shape->curved : type == "cylinder" || !curved_boundaries.empty();
}

template <int dim>
bool MeshFileParameters::make_coarse(dealii::Triangulation<dim> &mesh) const
{
  if (type == "cylinder" && !from_file())
    make_channel(mesh);
  if (!given() || type == "cylinder")
    return given();
  const auto                *shape = shape_of(type);
  dealii::Triangulation<dim> serial;
  shape ? make_shape(*shape, sizes, serial) : read_file(file, serial);
  auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(serial);
  mesh.create_triangulation(vertices, cells, faces);
  shape ? copy_manifolds(serial, mesh) : place_on_boundaries(mesh);
  return true;
}

template <int dim>
void MeshFileParameters::place_on_boundaries(dealii::Triangulation<dim> &mesh) const
{
  const std::string key      = "Mesh/Curved boundaries";
  unsigned int      manifold = 1;
  for (const auto &[id, text] : split_by_boundary(key, curved_boundaries, boundaries(key)))
    {
      check_boundaries(key, {id}, mesh);
      // deal.II's function for boundaries asks edges for an id of their own, which edges of files do not have.
      for (const auto &cell : mesh.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f) && cell->face(f)->boundary_id() == id)
            cell->face(f)->set_all_manifold_ids(manifold);
      mesh.set_manifold(manifold++, *manifold_of<dim>(text, folder()));
    }
}

template <int dim>
void MeshFileParameters::join_periodic(dealii::Triangulation<dim> &mesh) const
{
  const std::string      key   = "Mesh/Periodic boundaries";
  const auto             id_of = boundaries(key);
  std::set<unsigned int> joined;
  std::vector<dealii::GridTools::PeriodicFacePair<typename dealii::Triangulation<dim>::cell_iterator>> pairs;
  for (const auto &[first, text] : split_by_boundary(key, periodic, id_of))
    {
      const unsigned int second = id_of(text);
      require(joined.insert(first).second && joined.insert(second).second, key, " = ", periodic,
              ": a boundary has one partner, which is another boundary");
      check_boundaries(key, {first, second}, mesh);
      auto offset    = check_periodic(key, {{first, second}}, mesh);
      int  direction = 0;
      for (int d = 0; d < dim; ++d)
        direction = std::abs(offset[d]) > std::abs(offset[direction]) ? d : direction;
      const std::string pair = key + " = " + std::to_string(first) + ": " + std::to_string(second);
      try
        {
          dealii::GridTools::collect_periodic_faces(mesh, first, second, direction, pairs, offset);
        }
      catch (const dealii::ExceptionBase &error)
        {
          throw InputError(pair + ": the vertices of the two boundaries do not match: " + message_of(error));
        }
    }
  if (!pairs.empty())
    mesh.add_periodicity(pairs);
}

template <int dim>
std::unique_ptr<dealii::Triangulation<dim>> MeshFileParameters::manifolds() const
{
  if (!curved())
    return nullptr;
  auto coarse = std::make_unique<dealii::Triangulation<dim>>();
  make_coarse(*coarse);
  return coarse;
}

template <int dim>
void MeshFileParameters::check_refinement(dealii::Triangulation<dim> &mesh) const
{
  if (!curved())
    return;
  const auto check = [&mesh, what = what(), names = names_in<dim>(file)] { check_refined_cells(what, mesh, names); };
  if (!is_distributed(mesh))
    mesh.signals.post_refinement.connect(check);
  mesh.signals.post_distributed_refinement.connect(check);
  mesh.signals.post_distributed_load.connect(check);
}

template <int dim>
void MeshFileParameters::check_mapping(const dealii::Triangulation<dim> &mesh,
                                       const dealii::MappingQ<dim>      &mapping) const
{
  if (curved() && mapping.get_degree() > 1)
    check_refined_cells(what(), mesh, names_in<dim>(file), &mapping);
}

#define INSTANTIATE(dim)                                                                                             \
  template void MeshFileParameters::join_periodic(dealii::Triangulation<dim> &) const;                               \
  template bool MeshFileParameters::make_coarse(dealii::Triangulation<dim> &) const;                                 \
  template void MeshFileParameters::check_refinement(dealii::Triangulation<dim> &) const;                            \
  template void MeshFileParameters::check_mapping(const dealii::Triangulation<dim> &, const dealii::MappingQ<dim> &) \
    const;                                                                                                           \
  template std::unique_ptr<dealii::Triangulation<dim>> MeshFileParameters::manifolds() const;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
