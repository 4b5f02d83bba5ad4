#include "meshes/mesh_shapes.h"

#include "base/exceptions.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
template <int dim, class IdOf>
void colour(dealii::Triangulation<dim> &mesh, const IdOf &id_of)
{
  for (const auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(id_of(face->center()));
}

// Gives the faces the ids of a box's sides on which they lie; others get the next id.
template <int dim>
void colour_as_box(dealii::Triangulation<dim> &mesh)
{
  const auto [low, high] = dealii::GridTools::compute_bounding_box(mesh).get_boundary_points();
  const double near      = 1e-8 * low.distance(high);
  colour(mesh, [&, low = low, high = high](const dealii::Point<dim> &x) {
    for (int d = 0; d < dim; ++d)
      if (std::abs(x[d] - low[d]) < near || std::abs(x[d] - high[d]) < near)
        return 2 * d + (std::abs(x[d] - low[d]) < near ? 0 : 1);
    return 2 * dim;
  });
}

// The intervals of a length in parts of about h.
std::vector<double> parts(double length, double h)
{
  const auto n = static_cast<unsigned int>(length > 0. ? std::max(1., std::round(length / h)) : 0.);
  return std::vector<double>(n, length / std::max(n, 1u));
}

// A channel behind an inlet that a step narrows from below. The foot of the step is the origin.
template <int dim>
void backward_step(const std::vector<double> &sizes, dealii::Triangulation<dim> &mesh)
{
  const double height = sizes[0], channel = sizes[1], inlet = sizes[2], outlet = sizes[3], width = sizes[4],
               size                        = std::min(height, channel - height);
  std::vector<std::vector<double>> spacing = {parts(inlet, size), parts(height, size), parts(width, size)};
  for (const auto &[d, length] : {std::pair(0, outlet), {1, channel - height}})
    {
      const auto more = parts(length, size);
      spacing[d].insert(spacing[d].end(), more.begin(), more.end());
    }
  spacing.resize(dim);
  dealii::Point<dim> low, high;
  const double       far[] = {outlet, channel, width};
  std::copy_n(far, dim, &high[0]);
  low[0] = -inlet;
  dealii::Triangulation<dim> box;
  dealii::GridGenerator::subdivided_hyper_rectangle(box, spacing, low, high);
  std::set<typename dealii::Triangulation<dim>::active_cell_iterator> removed;
  for (const auto &cell : box.active_cell_iterators())
    if (cell->center()[0] < 0. && cell->center()[1] < height)
      removed.insert(cell);
  dealii::GridGenerator::create_triangulation_with_removed_cells(box, removed, mesh);
  colour_as_box(mesh);
  for (const auto &face : mesh.active_face_iterators()) // without an inlet the step is a part of the side
    if (face->at_boundary() && std::abs(face->center()[0]) < 1e-8 * size && face->center()[1] < height)
      face->set_boundary_id(2 * dim);
}

// A cylinder along x; hollow, along z, where there are an inner and an outer radius.
template <int dim>
void pipe(const std::vector<double> &sizes, dealii::Triangulation<dim> &mesh)
{
  if constexpr (dim == 3)
    {
      if (sizes.size() == 2)
        return dealii::GridGenerator::subdivided_cylinder(mesh, parts(sizes[1], 0.8 * sizes[0]).size(), sizes[0],
                                                          sizes[1] / 2.);
      const double inner = sizes[0], outer = sizes[1], length = sizes[2];
      dealii::GridGenerator::cylinder_shell(mesh, length, inner, outer);
      colour(mesh, [=](const dealii::Point<dim> &x) {
        return x[2] < 1e-8 * length ? 2 : x[2] > (1. - 1e-8) * length ? 3 : std::hypot(x[0], x[1]) < inner ? 0 : 1;
      });
    }
}
} // namespace

const std::vector<MeshShape> &mesh_shapes()
{
  static const std::vector<MeshShape> shapes = {
    {"ball", "radius", {1.}, true},
    {"shell", "inner radius, outer radius", {0.5, 1.}, true},
    {"pipe", "radius, length", {1., 4.}, true, 3},
    {"tube", "inner radius, outer radius, length", {0.5, 1., 1.}, true, 3},
    {"plate_with_hole", "radius of the hole, half edge, thickness in 3D", {0.25, 1., 0.5}, true, 2, true},
    {"l_shape", "half edge", {1.}, false},
    {"step",
     "height of the step, height of the channel, length of the inlet, length behind the step, width in 3D",
     {0.5, 1., 1., 5., 1.},
     false,
     2,
     true}};
  return shapes;
}

template <int dim>
void make_shape(const MeshShape &shape, std::vector<double> sizes, dealii::Triangulation<dim> &mesh)
{
  namespace Generator     = dealii::GridGenerator;
  const std::string &name = shape.name, key = "Mesh/Sizes of " + name + ": ";
  require(dim >= int(shape.least_dimension), "Mesh/Type = ", name, " is for three dimensions; take ball or shell");
  const std::size_t most = shape.usual.size(), least = shape.deep && dim == 2 ? most - 1 : most;
  require(sizes.empty() || sizes.size() == least || sizes.size() == most, key, sizes.size(),
          " numbers are given; it has ", least, ": ", shape.sizes);
  sizes.insert(sizes.end(), shape.usual.begin() + std::ptrdiff_t(sizes.size()), shape.usual.end());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    require(sizes[i] > 0. || (name == "step" && i == 2 && sizes[i] == 0.), key, "they have to be positive");
  if (name != "pipe" && sizes.size() > 1)
    require(sizes[0] < sizes[1], key, sizes[0], " has to be smaller than ", sizes[1]);
  if (name == "ball")
    Generator::hyper_ball(mesh, dealii::Point<dim>(), sizes[0]);
  else if (name == "shell")
    Generator::hyper_shell(mesh, dealii::Point<dim>(), sizes[0], sizes[1], 0, true);
  else if (name == "pipe" || name == "tube")
    pipe(sizes, mesh);
  else if (name == "plate_with_hole")
    Generator::hyper_cube_with_cylindrical_hole(mesh, sizes[0], sizes[1], sizes[2], parts(sizes[2], sizes[1]).size(),
                                                true);
  else if (name == "step")
    backward_step(sizes, mesh);
  else
    {
      Generator::hyper_L(mesh, -sizes[0], sizes[0]);
      colour_as_box(mesh);
    }
}

template <int dim>
void make_box(const std::vector<unsigned int> &cells, const dealii::Point<dim> &low, const dealii::Point<dim> &high,
              dealii::Triangulation<dim> &mesh)
{
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, cells, low, high, true);
  for (const auto &cell : mesh.cell_iterators()) // deal.II numbers the octants in which they lie
    cell->set_material_id(0);
}

template void                  make_shape(const MeshShape &, std::vector<double>, dealii::Triangulation<2> &);
template void                  make_shape(const MeshShape &, std::vector<double>, dealii::Triangulation<3> &);
template decltype(make_box<2>) make_box<2>;
template decltype(make_box<3>) make_box<3>;
} // namespace adamant
