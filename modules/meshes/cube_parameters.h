#pragma once

#include "fem/meshes/mesh.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "meshes/mesh_file.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <string>

namespace adamant
{
/// Parameters of an equation on the unit square or cube, or on a mesh from a file. One section has time, mesh and
/// degree; the program adds its own parameters to it. The sections "Linear solver", "Adaptivity" and "Mesh" stand
/// beside it.
struct CubeParameters : TimeParameters
{
  unsigned int           dimension = 2, degree = 1, refinements = 4, adaptive_cycles = 2;
  LinearSolverParameters linear_solver;
  AdaptivityParameters   adaptivity{{"u"}};
  MeshFileParameters     mesh_file{"; empty: the unit square or cube"};

  /// `section` is written as in ParameterAcceptor; `solver` and `coarsest` level's cells are the program's defaults.
  CubeParameters(const std::string &section, unsigned int most_degree, SolverType solver, unsigned int coarsest = 256)
    : TimeParameters(1., 0.05, section)
    , linear_solver(LinearSolverOptions{solver}, coarsest)
  {
    using namespace dealii::Patterns;
    add_parameter("Dimension", dimension, "Dimension of the unit square or cube: 2 or 3", prm, Integer(2, 3));
    add_parameter("Degree", degree, "Degree of the finite elements FE_Q", prm, Integer(1, most_degree));
    add_parameter("Refinements", refinements, "h = 2^-n for n uniform refinements", prm, Integer(0, 12));
    add_parameter("Adaptive cycles", adaptive_cycles,
                  "Further refinements where Kelly's estimator finds the initial values least resolved", prm,
                  Integer(0, 10));
    add_output_interval(5);
  }

  unsigned int dim() const { return dimension; }
  void         check() const ///< throws InputError for what no single parameter's pattern can tell
  {
    TimeParameters::check();
    linear_solver.require_multigrid();
    adaptivity.check(dimension);
    mesh_file.check(dimension);
  }

  /// Makes the mesh from an empty one: refined everywhere, then where the initial values are least resolved.
  template <int dim>
  void make(dealii::Triangulation<dim> &mesh, const dealii::Function<dim> &initial_values,
            const dealii::Mapping<dim> &mapping) const
  {
    if (!mesh_file.make_coarse(mesh))
      dealii::GridGenerator::hyper_cube(mesh, 0., 1., true); // with a boundary id for each side
    mesh_file.join_periodic(mesh);
    refine_global(mesh, refinements);
    refine_for(initial_values, mesh, mapping, dealii::FE_Q<dim>(degree), adaptive_cycles, 0.2);
  }
};
} // namespace adamant
