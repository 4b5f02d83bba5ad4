// Meshes that have a name (Mesh/Type): their volumes and boundaries.
#include "base/exceptions.h"
#include "fem/meshes/mesh.h"
#include "frame/parameters/parameters.h"
#include "meshes/mesh_file.h"
#include "meshes/mesh_shapes.h"

#include <deal.II/base/config.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{
struct Expected
{
  std::string                    type, sizes;
  double                         volume;
  std::map<unsigned int, double> areas; // of the boundaries
};

template <int dim>
void expect_shape(const Expected &expected, bool distributed)
{
  SCOPED_TRACE(expected.type + " in " + std::to_string(dim) + "D" + (distributed ? ", p4est" : ""));
  const auto mesh = adamant::create_mesh<dim>({}, distributed);
  dealii::ParameterAcceptor::clear();
  {
    adamant::MeshFileParameters parameters;
    adamant::CommandLine        line;
    line.settings = {"Mesh/Type=" + expected.type, "Mesh/Sizes=" + expected.sizes};
    adamant::read_parameters(line);
    parameters.check(dim);
    ASSERT_TRUE(parameters.make_coarse(*mesh));
    for (const auto &cell : mesh->cell_iterators())
      ASSERT_EQ(cell->material_id(), 0u);
    EXPECT_EQ(parameters.template manifolds<dim>() != nullptr, parameters.curved());
  }
  dealii::ParameterAcceptor::clear();
  adamant::refine_global(*mesh, 2);
  const dealii::MappingQ<dim> mapping(3);
  EXPECT_NEAR(dealii::GridTools::volume(*mesh, mapping), expected.volume, 2e-4 * expected.volume);
  const dealii::FE_Nothing<dim>  nothing;
  dealii::FEFaceValues<dim>      values(mapping, nothing, dealii::QGauss<dim - 1>(4), dealii::update_JxW_values);
  std::map<unsigned int, double> areas;
  for (const auto &cell : mesh->active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        {
          values.reinit(cell, f);
          for (const double JxW : values.get_JxW_values())
            areas[cell->face(f)->boundary_id()] += JxW;
        }
  EXPECT_EQ(areas.size(), expected.areas.size());
  for (const auto &[id, area] : expected.areas)
    EXPECT_NEAR(areas[id], area, 2e-4 * area) << "boundary " << id;
}
} // namespace

TEST(MeshShapes, VolumesAndBoundaries)
{
  const double pi = M_PI;
  for (const bool distributed : {false, true})
    {
      for (const auto &shape :
           std::vector<Expected>{{"ball", "", pi, {{0, 2 * pi}}},
                                 {"shell", "1, 2", 3 * pi, {{0, 2 * pi}, {1, 4 * pi}}},
                                 {"plate_with_hole", "", 4 - pi / 16, {{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, pi / 2}}},
                                 {"plate_with_hole", "1, 2", 16 - pi, {{0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 2 * pi}}},
                                 {"l_shape", "2", 12, {{0, 4}, {1, 2}, {2, 4}, {3, 2}, {4, 4}}},
                                 {"step", "", 5.5, {{0, 0.5}, {1, 1}, {2, 5}, {3, 6}, {4, 1.5}}},
                                 {"step", "0.5, 1, 1, 5", 5.5, {{0, 0.5}, {1, 1}, {2, 5}, {3, 6}, {4, 1.5}}},
                                 {"step", "0.5, 1, 0, 3, 1", 3, {{0, 0.5}, {1, 1}, {2, 3}, {3, 3}, {4, 0.5}}}})
        expect_shape<2>(shape, distributed);
      for (const auto &shape : std::vector<Expected>{
             {"ball", "2", 32 * pi / 3, {{0, 16 * pi}}},
             {"shell", "", 7 * pi / 6, {{0, pi}, {1, 4 * pi}}},
             {"pipe", "", 4 * pi, {{0, 8 * pi}, {1, pi}, {2, pi}}},
             {"tube", "1, 2, 3", 9 * pi, {{0, 6 * pi}, {1, 12 * pi}, {2, 3 * pi}, {3, 3 * pi}}},
             {"plate_with_hole",
              "",
              2 - pi / 32,
              {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 4 - pi / 16}, {5, 4 - pi / 16}, {6, pi / 4}}},
             {"l_shape", "", 7, {{0, 4}, {1, 3}, {2, 4}, {3, 3}, {4, 4}, {5, 3}, {6, 3}}},
             {"step", "0.5, 1, 1, 5, 2", 11, {{0, 1}, {1, 2}, {2, 10}, {3, 12}, {4, 5.5}, {5, 5.5}, {6, 3}}}})
        expect_shape<3>(shape, distributed);
    }
}

// The cells of a box have the material 0 after refinement, and the sides ids of their own.
TEST(MeshShapes, MaterialOfABox)
{
  for (const bool distributed : {false, true})
    {
      const auto                   mesh = adamant::create_mesh<2>({}, distributed);
      std::map<unsigned int, bool> sides;
      adamant::make_box<2>({2, 1}, {-1., 0.}, {1., 1.}, *mesh);
      adamant::refine_global(*mesh, 1);
      EXPECT_EQ(mesh->n_active_cells(), 8u);
      for (const auto &cell : mesh->cell_iterators())
        EXPECT_EQ(cell->material_id(), 0u);
      for (const auto &face : mesh->active_face_iterators())
        if (face->at_boundary())
          sides[face->boundary_id()] = true;
      EXPECT_EQ(sides.size(), 4u);
    }
}

// Sizes that count in 3D alone may be left out in 2D, and no others.
TEST(MeshShapes, NumberOfSizes)
{
  const auto message = [](const std::string &name, const std::vector<double> &sizes, auto mesh) {
    for (const auto &shape : adamant::mesh_shapes())
      try
        {
          if (shape.name == name)
            adamant::make_shape(shape, sizes, mesh);
        }
      catch (const adamant::InputError &error)
        {
          return std::string(error.what());
        }
    return std::string("none");
  };
  const std::string sizes = "radius of the hole, half edge, thickness in 3D";
  EXPECT_EQ(message("plate_with_hole", {1.}, dealii::Triangulation<2>()),
            "Mesh/Sizes of plate_with_hole: 1 numbers are given; it has 2: " + sizes);
  EXPECT_EQ(message("plate_with_hole", {1., 2.}, dealii::Triangulation<3>()),
            "Mesh/Sizes of plate_with_hole: 2 numbers are given; it has 3: " + sizes);
  EXPECT_NE(message("shell", {1.}, dealii::Triangulation<2>()).find("it has 2"), std::string::npos);
}

// New vertices on an ellipse and on a surface that an expression gives: a shell of a file, half as high.
template <int dim>
void expect_on_surfaces(const std::string &outside, const std::string &inside)
{
  SCOPED_TRACE(std::to_string(dim) + "D");
  dealii::Triangulation<dim> shell, mesh;
  dealii::GridGenerator::hyper_shell(shell, dealii::Point<dim>(), 0.5, 1., dim == 2 ? 8 : 6, true);
  dealii::GridTools::transform(
    [](dealii::Point<dim> x) {
      x[1] *= 0.5;
      return x;
    },
    shell);
  dealii::GridOut out;
  out.set_flags(dealii::GridOutFlags::Msh(true));
  const auto    path = std::filesystem::temp_directory_path() / ("adamant_" + std::to_string(getpid()) + ".msh");
  std::ofstream file(path);
  file.precision(17);
  out.write_msh(shell, file);
  file.close();
  dealii::ParameterAcceptor::clear();
  {
    adamant::MeshFileParameters parameters;
    adamant::CommandLine        line;
    line.settings = {"Mesh/File=" + path.string(), "Mesh/Curved boundaries=0: " + inside + ", 1: " + outside};
    adamant::read_parameters(line);
    parameters.check(dim);
    ASSERT_TRUE(parameters.make_coarse(mesh));
  }
  dealii::ParameterAcceptor::clear();
  std::filesystem::remove(path);
  mesh.refine_global(2);
  unsigned int n = 0;
  for (const auto &face : mesh.active_face_iterators())
    for (const unsigned int v : face->vertex_indices())
      if (face->at_boundary())
        {
          auto x = face->vertex(v);
          x[1] *= 2.;
          EXPECT_NEAR(x.norm(), face->boundary_id() == 0 ? 0.5 : 1., 1e-13) << face->vertex(v);
          ++n;
        }
  EXPECT_EQ(n, dim == 2 ? 2 * 8 * 4 * 2u : 2 * 6 * 16 * 4u);
}

TEST(MeshShapes, SurfacesOfFiles)
{
  expect_on_surfaces<2>("ellipse; 0; 0; 1; 0.5", "surface; x^2+4*y^2-0.25");
  expect_on_surfaces<3>("ellipsoid; 0; 0; 0; 1; 0.5; 1", "surface; sqrt(x^2+(2*y)^2+z^2)-0.5");
}

// After two refinements the vertices of boundaries that a CAD file gives have the distances r, by id, from the axis.
template <int dim>
void expect_on_cad(const std::string &file, const std::string &curves, const std::map<unsigned int, double> &r)
{
  dealii::Triangulation<dim> mesh;
  dealii::ParameterAcceptor::clear();
  {
    adamant::MeshFileParameters parameters;
    adamant::CommandLine        line;
    line.settings = {"Mesh/File=" MESHES "/" + file, "Mesh/Curved boundaries=" + curves};
    adamant::read_parameters(line);
    parameters.check(dim);
    ASSERT_TRUE(parameters.make_coarse(mesh));
  }
  dealii::ParameterAcceptor::clear();
  mesh.refine_global(2);
  unsigned int n = 0;
  for (const auto &face : mesh.active_face_iterators())
    if (face->at_boundary() && r.count(face->boundary_id()) > 0)
      for (const unsigned int v : face->vertex_indices())
        {
          EXPECT_NEAR(std::hypot(face->vertex(v)[0], face->vertex(v)[1]), r.at(face->boundary_id()), 1e-8);
          ++n;
        }
  EXPECT_GT(n, 30u);
}

TEST(MeshShapes, SurfacesOfCad)
{
  const auto message = [](const std::string &file, const std::string &curves) {
    try
      {
        expect_on_cad<3>(file, curves, {});
      }
    catch (const adamant::InputError &error)
      {
        return std::string(error.what());
      }
    return std::string("none");
  };
  const auto expect = [&](const std::string &text, const std::string &part) {
    const std::string found = message("thick_cylinder.msh", "inside: " + text);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect("cad; thick_cylinder.stl", "names no file that ends in .step");
  expect("cad; none.step", "cannot be read");
#ifdef DEAL_II_WITH_OPENCASCADE
  expect_on_cad<3>("thick_cylinder.msh", "inside: cad; thick_cylinder.step; 4, outside: cad; thick_cylinder.step; 1",
                   {{1, 1.}, {2, 2.}});
  expect_on_cad<2>("plate_with_hole.msh", "hole: cad; plate_with_hole.igs", {{5, 1.}});
  expect("cad; thick_cylinder.step",
         "should name one of the 4 faces of the file, as 'cad; thick_cylinder.step; 1' does");
  expect("cad; thick_cylinder.step; 5", "should name one of the 4 faces");
#else
  expect("cad; thick_cylinder.step; 4", "needs OpenCASCADE");
#endif
}
