#include "meshes/mesh_input.h"

#include "base/exceptions.h"
#include "fem/meshes/cell_list.h"
#include "fem/meshes/mesh.h"
#include "solvers/krylov.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/grid_tools_cache.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

namespace adamant
{
void refuse_moved_vertices(const std::string &key, bool distributed_mesh)
{
  require(!distributed_mesh, key,
          ": p4est's meshes (on several ranks, and with Ranks/Distributed mesh = true) do not keep vertices that have "
          "been moved; one rank with a serial mesh does");
}

namespace
{
template <int dim>
std::string text_of(const dealii::Point<dim> &p)
{
  std::string text = "(";
  for (unsigned int d = 0; d < dim; ++d)
    text += (d > 0 ? ", " : "") + to_text(p[d]);
  return text + ")";
}

// Returns what is wrong with a cell's shape, or an empty text. At each vertex its edges have to span a positive volume.
// They may span none where the cell may be flat there and has a volume.
template <int dim, typename Cell>
std::string fault_of(const Cell &cell, bool may_be_flat)
{
  const bool flat_is_right = may_be_flat && cell->measure() > 1e-14 * std::pow(cell->diameter(), dim);
  for (const unsigned int v : cell->vertex_indices())
    {
      dealii::Tensor<2, dim> edges;
      double                 lengths = 1.;
      for (unsigned int d = 0; d < dim; ++d)
        {
          edges[d] = cell->vertex(v | (1U << d)) - cell->vertex(v & ~(1U << d));
          lengths *= edges[d].norm();
        }
      const double volume = dealii::determinant(edges), share = volume / lengths; // 0/0 where vertices coincide
      if (share > 1e-10 || (flat_is_right && !(share < -1e-10)))
        continue;
      return (share < -1e-10 ? "is turned inside out" : "is flat") +
             (" at its vertex " + text_of<dim>(cell->vertex(v)));
    }
  return "";
}

// Returns what is wrong with a cell as the mapping has it at the points of `values`, or an empty text.
template <int dim, typename Cell>
std::string fault_of_mapping(const Cell &cell, dealii::FEValues<dim> &values)
{
  const auto lines = cell->line_indices();
  if (std::none_of(lines.begin(), lines.end(),
                   [&](unsigned int l) { return cell->line(l)->manifold_id() != dealii::numbers::flat_manifold_id; }))
    return "";
  values.reinit(cell);
  for (const unsigned int q : values.quadrature_point_indices())
    if (!(values.JxW(q) > 0.))
      return "is turned inside out by its curved sides near " + text_of<dim>(values.quadrature_point(q));
  return "";
}

// On which side of the face of a cell that point lies.
template <int dim, typename Cell>
bool is_above(const dealii::Point<dim> &point, const Cell &cell, unsigned int face)
{
  const auto             on = cell->face(face);
  dealii::Tensor<1, dim> normal;
  if constexpr (dim == 2)
    normal = dealii::cross_product_2d(on->vertex(1) - on->vertex(0));
  else
    normal = dealii::cross_product_3d(on->vertex(3) - on->vertex(0), on->vertex(2) - on->vertex(1));
  return (point - on->center()) * normal > 0.;
}

// The length of the shortest edge at each vertex.
template <int dim>
std::vector<double> shortest_edges(const dealii::Triangulation<dim> &mesh)
{
  std::vector<double> shortest(mesh.n_vertices(), std::numeric_limits<double>::max());
  for (const auto &cell : mesh.active_cell_iterators())
    for (unsigned int l = 0; l < cell->n_lines(); ++l)
      for (const unsigned int v : {0, 1})
        {
          double &length = shortest[cell->line(l)->vertex_index(v)];
          length         = std::min(length, cell->line(l)->diameter());
        }
  return shortest;
}

// Returns a representative of the vertices at each vertex's place. A millionth of its edges makes no other place.
template <int dim>
std::vector<unsigned int> representatives(const dealii::Triangulation<dim> &mesh, const std::vector<double> &shortest)
{
  dealii::Tensor<1, dim> direction; // in which hardly two vertices are equally far
  for (unsigned int d = 0; d < dim; ++d)
    direction[d] = std::sqrt(2. * d + 1.);
  std::vector<std::pair<double, unsigned int>> order;
  for (unsigned int v = 0; v < mesh.n_vertices(); ++v)
    order.emplace_back(direction * mesh.get_vertices()[v], v);
  std::sort(order.begin(), order.end());
  std::vector<unsigned int> place(mesh.n_vertices());
  std::iota(place.begin(), place.end(), 0U);
  const auto first_of = [&place](unsigned int v) {
    while (place[v] != v)
      v = place[v];
    return v;
  };
  // Each vertex looks around as far as its own edges say: coarse ones are few, and fine ones do not look far.
  for (auto a = order.begin(); a != order.end(); ++a)
    {
      const double length = shortest[a->second] < std::numeric_limits<double>::max() ? shortest[a->second] : 0.;
      const auto   join   = [&](const auto &b) {
        if (std::abs(b->first - a->first) > 3e-6 * length)
          return false;
        if (mesh.get_vertices()[a->second].distance(mesh.get_vertices()[b->second]) <= 1e-6 * length)
          place[first_of(b->second)] = first_of(a->second);
        return true;
      };
      for (auto b = a + 1; b != order.end() && join(b); ++b)
        ;
      for (auto b = a; b != order.begin() && join(b - 1); --b)
        ;
    }
  for (auto &v : place)
    v = first_of(v);
  return place;
}

// The number of an active cell for which `counts` that contains the point, or misses it by at most a thousandth of its
// size and by at most `near`.
template <int dim, typename Counts>
std::optional<unsigned int> cell_around(const dealii::GridTools::Cache<dim> &cache, const dealii::Point<dim> &point,
                                        double near, const Counts &counts)
{
  using Unit          = dealii::GeometryInfo<dim>;
  const auto &mapping = cache.get_mapping();
  const auto &boxes   = cache.get_cell_bounding_boxes_rtree();

  dealii::BoundingBox<dim>        around({point, point});
  std::vector<dealii::Point<dim>> unit(1);
  around.extend(near);
  for (auto found = boxes.qbegin(boost::geometry::index::intersects(around)); found != boxes.qend(); ++found)
    if (const auto &cell = found->second; counts(cell))
      {
        mapping.transform_points_real_to_unit_cell(cell, {&point, 1}, unit);
        if (Unit::is_inside_unit_cell(unit[0], 1e-3) &&
            point.distance(mapping.transform_unit_to_real_cell(cell, Unit::project_to_unit_cell(unit[0]))) <= near)
          return cell->active_cell_index();
      }
  return {};
}

// Throws InputError for cells with a vertex or their centre in another, or a vertex at a part of another's face. Cells
// at the boundary are asked alone, as such a face joins its cell to none. Vertices at a boundary face with an id that
// is not 0 may lie so, as at cracks and between bodies in contact.
template <int dim>
void check_overlaps(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                    const std::vector<double> &shortest, const std::vector<unsigned int> &place)
{
  const dealii::GridTools::Cache<dim> cache(mesh);
  const auto refuse = [&](const auto &cell, const std::string &does, unsigned int other, const std::string &end) {
    throw InputError(key + ": " + name(cell->active_cell_index()) + does + name(other) + end +
                     "; cells have to share whole faces and their vertices (in Gmsh: BooleanFragments, Coherence), or "
                     "both sides of a crack have a boundary id that is not 0");
  };
  std::vector<char> done(mesh.n_vertices(), 0);
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f) && cell->face(f)->boundary_id() != 0)
        for (const unsigned int v : cell->face(f)->vertex_indices())
          done[cell->face(f)->vertex_index(v)] = 1;
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->at_boundary())
      {
        const auto is_other = [&](const auto &other) { return other != cell; };
        if (const auto over = cell_around(cache, cell->center(), 1e-3 * shortest[cell->vertex_index(0)], is_other))
          refuse(cell, " lies over ", *over, "");
        for (const unsigned int v : cell->vertex_indices())
          if (const unsigned int vertex = cell->vertex_index(v); std::exchange(done[vertex], 1) == 0)
            {
              const auto has_not = [&](const auto &other) {
                const auto all = other->vertex_indices();
                return std::none_of(all.begin(), all.end(),
                                    [&](unsigned int w) { return place[other->vertex_index(w)] == place[vertex]; });
              };
              if (const auto at = cell_around(cache, cell->vertex(v), 1e-3 * shortest[vertex], has_not))
                refuse(cell, " has the vertex " + text_of<dim>(cell->vertex(v)) + ", which lies in or at ", *at,
                       " but is none of its vertices");
            }
      }
}
} // namespace

template <int dim>
void check_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                 bool may_be_flat)
{
  const auto box  = dealii::GridTools::compute_bounding_box(mesh);
  double     away = 0., size = 0.;
  for (unsigned int d = 0; d < dim; ++d)
    {
      away = std::max({away, std::abs(box.lower_bound(d)), std::abs(box.upper_bound(d))});
      size = std::max(size, box.side_length(d));
    }
  // Far from the origin coordinates have too few digits for the edges of cells.
  if (size > 0. && away > 1e7 * size)
    throw InputError(key + ": the mesh around " + text_of<dim>(box.center()) + " lies " + to_text(away / size) +
                     " times its own size away from the origin, where rounding spoils results; move it to the origin");
  for (const auto &cell : mesh.active_cell_iterators())
    {
      std::string fault = fault_of<dim>(cell, may_be_flat);
      for (const unsigned int f : cell->face_indices())
        if (fault.empty() && !cell->at_boundary(f) && cell->neighbor(f)->is_active() &&
            cell->neighbor(f)->level() == cell->level() &&
            is_above(cell->center(), cell, f) == is_above(cell->neighbor(f)->center(), cell, f))
          fault = "is folded over " + name(cell->neighbor(f)->active_cell_index());
      if (fault.empty())
        continue;
      for (unsigned int d = 0; d < dim; ++d)
        if (box.side_length(d) == 0.)
          fault += std::string("; all vertices have ") + "xyz"[d] + " = " + to_text(box.lower_bound(d));
      throw InputError(key + ": " + name(cell->active_cell_index()) + " " + fault);
    }
}

template <int dim>
void check_refined_cells(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name,
                         const dealii::MappingQ<dim> *mapping)
{
  const dealii::MappingQ<dim>   straight(1);
  const dealii::FE_Nothing<dim> nothing;
  dealii::FEValues<dim>         values(mapping ? *mapping : straight, nothing, dealii::QGauss<dim>(3),
                               dealii::update_JxW_values | dealii::update_quadrature_points);
  std::string                   own;
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned() &&
        !(own = mapping ? fault_of_mapping<dim>(cell, values) : fault_of<dim>(cell, false)).empty())
      {
        own =
          name(cell->id().get_coarse_cell_id()) + ", refined to level " + std::to_string(cell->level()) + ", " + own;
        break;
      }
  require_on_all(
    Communicator(mesh.get_communicator()),
    own.empty() ? "" : key + ": " + own + "; do the curves fit the boundaries, and are cells along them small enough?");
}

template <int dim>
void check_vertices(const std::string &key, const dealii::Triangulation<dim> &mesh, const NameOfCell &name)
{
  const auto shortest = shortest_edges(mesh);
  const auto place    = representatives(mesh, shortest);
  const auto place_of = [&](const auto &face) {
    std::vector<unsigned int> vertices;
    for (const unsigned int v : face->vertex_indices())
      vertices.push_back(place[face->vertex_index(v)]);
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  };
  std::map<std::vector<unsigned int>, unsigned int> n_at; // boundary faces at each place
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        ++n_at[place_of(cell->face(f))];
  unsigned int n_faces = 0;
  std::string  first;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (const auto face = cell->face(f);
          cell->at_boundary(f) && face->boundary_id() == 0 && n_at[place_of(face)] > 1 && ++n_faces == 1)
        first = name(cell->active_cell_index()) + " is not joined to the cell at its face around " +
                text_of<dim>(face->center());
  if (n_faces > 0)
    throw InputError(
      key + ": " + first + ": each has vertices of its own there, as on " + std::to_string(n_faces) +
      " such faces; merge the vertices that lie at one place (in Gmsh: Coherence), or give both sides of "
      "a crack a boundary id that is not 0");
  if (mesh.n_levels() == 1) // else vertices hang, as those of VTU may
    check_overlaps(key, mesh, name, shortest, place);
}

template <int dim>
void move_vertices(const std::string &key, const dealii::Function<dim> &map, dealii::Triangulation<dim> &mesh)
{
  refuse_moved_vertices(key, is_distributed(mesh));
  dealii::GridTools::transform(
    [&](const dealii::Point<dim> &from) {
      dealii::Point<dim> to;
      for (unsigned int d = 0; d < dim; ++d)
        to[d] = map.value(from, d);
      return to;
    },
    mesh);
  const auto cells = mesh.active_cell_iterators();
  const auto name  = [&](unsigned int number) {
    return "the cell around " + text_of<dim>((*std::next(cells.begin(), number))->center());
  };
  check_cells<dim>(key + " (do the coordinates ascend?)", mesh, name, true);
  for (const auto &[face, partner] : mesh.get_periodic_face_map())
    if (const auto &other = partner.first; face.first->level() == other.first->level())
      {
        const auto here = face.first->face(face.second), there = other.first->face(other.second);
        for (const unsigned int v : here->vertex_indices())
          {
            double distance = here->diameter();
            for (const unsigned int w : there->vertex_indices())
              distance =
                std::min(distance, there->vertex(w).distance(here->vertex(v) + (there->center() - here->center())));
            require(distance <= 1e-6 * here->diameter(), key, ": no translation takes the periodic side around (",
                    text_of<dim>(here->center()), ") to its partner around (", text_of<dim>(there->center()), ")");
          }
      }
}

template <int dim>
void check_boundaries(const std::string &key, const std::set<unsigned int> &ids, const dealii::Triangulation<dim> &mesh)
{
  const auto present = boundary_ids(mesh);
  for (const unsigned int id : ids)
    require(present.count(id) > 0, key, ": the mesh has no boundary ", id,
            mesh.get_periodic_face_map().empty() ? "" : " that is not periodic");
}

template <int dim>
void for_each_normal(
  const dealii::Triangulation<dim> &mesh, const std::set<unsigned int> &ids,
  const std::function<void(unsigned int vertex, const dealii::Point<dim> &x, const dealii::Tensor<1, dim> &n)> &action)
{
  const dealii::FE_Nothing<dim> nothing;
  dealii::FEFaceValues<dim>     at_face(nothing, dealii::QMidpoint<dim - 1>(), dealii::update_normal_vectors);
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (const auto face = cell->face(f);
          !cell->is_artificial() && face->at_boundary() && ids.count(face->boundary_id()) > 0)
        {
          at_face.reinit(cell, f);
          for (const unsigned int v : face->vertex_indices())
            {
              const auto n = face->get_manifold().normal_vector(face, face->vertex(v));
              action(face->vertex_index(v), face->vertex(v), n * at_face.normal_vector(0) < 0. ? -1. * n : n);
            }
        }
}

template <int dim>
void check_edges(const std::string &key, const dealii::Triangulation<dim> &mesh, unsigned int id)
{
  std::ostringstream                                          fault;
  std::map<unsigned int, std::vector<dealii::Tensor<1, dim>>> normals; // of the faces at a vertex
  for_each_normal<dim>(mesh, {id}, [&](unsigned int vertex, const auto &x, const auto &n) {
    for (const auto &other : normals[vertex])
      if (other * n < 0.7 && fault.str().empty())
        fault << key << ": boundary " << id << " has u . n = 0 and an edge at (" << x
              << "); sides of different directions need ids of their own";
    normals[vertex].push_back(n);
  });
  require_on_all(Communicator(mesh.get_communicator()), fault.str());
}

template <int dim>
dealii::Tensor<1, dim> check_periodic(const std::string &key, const std::array<unsigned int, 2> &ids,
                                      const dealii::Triangulation<dim> &mesh)
{
  std::array<std::vector<dealii::Point<dim>>, 2> centers;
  for (const auto &cell : mesh.cell_iterators_on_level(0))
    for (const unsigned int f : cell->face_indices())
      for (const int side : {0, 1})
        if (cell->at_boundary(f) && boundary_id(cell->face(f)) == ids[side])
          centers[side].push_back(cell->face(f)->center());
  const auto &[first, second] = centers;
  require(first.size() == second.size(), key, ": boundary ", ids[0], " has ", first.size(), " coarse faces, boundary ",
          ids[1], " has ", second.size(), "; periodic boundaries have to match");
  dealii::Tensor<1, dim> offset;
  for (std::size_t i = 0; i < first.size(); ++i)
    offset += (second[i] - first[i]) / double(first.size());
  for (int d = 0; d < dim; ++d) // no rounding: deal.II compares with an absolute tolerance
    offset[d] = std::abs(offset[d]) < 1e-10 * offset.norm() ? 0. : offset[d];
  for (const auto &center : first)
    {
      const auto distance = [&](const auto &other) { return other.distance(center + offset); };
      const auto nearest  = *std::min_element(second.begin(), second.end(),
                                              [&](const auto &a, const auto &b) { return distance(a) < distance(b); });
      require(distance(nearest) <= 1e-8 * offset.norm(), key, ": the face of boundary ", ids[0], " around ",
              text_of<dim>(center), " has no partner on boundary ", ids[1], "; the nearest one is around ",
              text_of<dim>(nearest));
    }
  return offset;
}

template <int dim>
std::vector<double> extent(const dealii::Triangulation<dim> &mesh)
{
  const auto          box = dealii::GridTools::compute_bounding_box(mesh);
  std::vector<double> lengths;
  for (unsigned int d = 0; d < dim; ++d)
    lengths.push_back(dealii::Utilities::MPI::max(box.upper_bound(d), mesh.get_communicator()) -
                      dealii::Utilities::MPI::min(box.lower_bound(d), mesh.get_communicator()));
  return lengths;
}

#define INSTANTIATE(dim)                                                                                              \
  template void check_cells(const std::string &, const dealii::Triangulation<dim> &, const NameOfCell &, bool);       \
  template void check_refined_cells(const std::string &, const dealii::Triangulation<dim> &, const NameOfCell &,      \
                                    const dealii::MappingQ<dim> *);                                                   \
  template void check_vertices(const std::string &, const dealii::Triangulation<dim> &, const NameOfCell &);          \
  template void move_vertices(const std::string &, const dealii::Function<dim> &, dealii::Triangulation<dim> &);      \
  template void check_boundaries(const std::string &, const std::set<unsigned int> &,                                 \
                                 const dealii::Triangulation<dim> &);                                                 \
  template void for_each_normal(                                                                                      \
    const dealii::Triangulation<dim> &, const std::set<unsigned int> &,                                               \
    const std::function<void(unsigned int, const dealii::Point<dim> &, const dealii::Tensor<1, dim> &)> &);           \
  template void                   check_edges(const std::string &, const dealii::Triangulation<dim> &, unsigned int); \
  template dealii::Tensor<1, dim> check_periodic(const std::string &, const std::array<unsigned int, 2> &,            \
                                                 const dealii::Triangulation<dim> &);                                 \
  template std::vector<double>    extent(const dealii::Triangulation<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
