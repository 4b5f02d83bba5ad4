#include "meshes/mesh_parameters.h"

#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "meshes/mesh_input.h"
#include "meshes/mesh_shapes.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/base/mpi.h>

#include <cmath>

namespace adamant
{
MeshParameters::MeshParameters(const std::string &mesh, const std::string &note, unsigned int n_cells,
                               unsigned int refinements)
  : MeshFileParameters("; empty: see Type")
  , cells(3, n_cells)
  , refinements(refinements)
{
  using namespace dealii::Patterns;
  add_parameter("Cells", cells, "Cells of the box in each direction, before refinement");
  add_parameter("Refinements", this->refinements, "Uniform refinements that make the " + mesh + note, prm,
                Integer(0, 12));
  add_parameter("Coordinates", coordinates,
                "Place of the unit box's point (x, y, z): expressions separated by semicolons; empty: it stays");
  add_parameter("Local refinements", local_refinements, "Further refinements of the " + mesh, prm, Integer(0, 10));
  add_parameter("Refine where", refine_where, "Refines cells in whose centre this expression of x, y, z is positive");
}

void MeshParameters::check(unsigned int dim, unsigned int further_refinements) const
{
  MeshFileParameters::check(dim);
  require(!given() || coordinates.empty(), "Mesh/Coordinates needs Mesh/Type = box");
  require(local_refinements == 0 || !refine_where.empty(), "Mesh/Local refinements = ", local_refinements,
          " needs Mesh/Refine where");
  const auto n_ranks = dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  if (!coordinates.empty())
    {
      refuse_moved_vertices("Mesh/Coordinates", n_ranks > 1);
      check_expression("Mesh/Coordinates", coordinates, dim, dim);
    }
  if (!refine_where.empty())
    check_expression("Mesh/Refine where", refine_where, 1, dim);
  if (given())
    return;
  require(cells.size() >= dim, "Mesh/Cells has ", cells.size(), " numbers, but Problem/Dimension is ", dim);
  double entries = std::pow(3., dim);
  for (unsigned int d = 0; d < dim; ++d)
    {
      require(cells[d] > 0, "Mesh/Cells has to be positive");
      entries *= std::ldexp(cells[d], refinements + further_refinements) + 1.;
    }
  require(entries <= 2147483647. * n_ranks, "Mesh/Refinements = ", refinements,
          " gives more matrix entries than 32-bit indices can count");
}

template <int dim>
void MeshParameters::make(dealii::Triangulation<dim> &mesh) const
{
  if (!coordinates.empty()) // before the work of refining
    refuse_moved_vertices("Mesh/Coordinates", is_distributed(mesh));
  if (!make_coarse(mesh))
    {
      const auto                      box = dealii::create_unit_bounding_box<dim>().get_boundary_points();
      const std::vector<unsigned int> repetitions(cells.begin(), cells.begin() + dim);
      make_box(repetitions, box.first, box.second, mesh);
    }
  join_periodic(mesh);
  refine_global(mesh, refinements);
  if (!coordinates.empty())
    move_vertices("Mesh/Coordinates", *parse_function<dim>("Mesh/Coordinates", coordinates, dim), mesh);
  const auto positive = local_refinements > 0 ? parse_function<dim>("Mesh/Refine where", refine_where, 1) : nullptr;
  for (unsigned int cycle = 0; cycle < local_refinements; ++cycle)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned() && positive->value(cell->center()) > 0.)
          cell->set_refine_flag();
      execute_refinement(mesh);
    }
}

template void MeshParameters::make(dealii::Triangulation<2> &) const;
template void MeshParameters::make(dealii::Triangulation<3> &) const;
} // namespace adamant
