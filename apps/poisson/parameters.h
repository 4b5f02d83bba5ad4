#pragma once

#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "meshes/mesh_parameters.h"
#include "tensor/dense_products.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/patterns.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace poisson
{
using adamant::require;
using dealii::ParameterAcceptor;

/// Turns an expression of x, y, z and s into one of x, y, z and t, which the library takes.
inline std::string with_sample_number(const std::string &text)
{
  return std::regex_replace(text, std::regex("\\bs\\b"), "t");
}

struct ProblemParameters : ParameterAcceptor
{
  unsigned int             dimension = 2, n_samples = 64;
  std::string              domain = "mesh", source = "sin(pi*x)*sin(pi*y)*(1+s/64)", exact, boundary = "0";
  std::vector<std::string> natural_names;
  adamant::Coefficient     f;       // once the parameters are read
  std::set<unsigned int>   natural; // once the parameters are read

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Problem")
  {
    using namespace dealii::Patterns;
    parse_parameters_call_back.connect([this, &mesh_file] {
      natural = mesh_file.boundary_ids("Problem/Natural boundaries", natural_names);
      f       = {"Problem/Source", source, mesh_file.materials("Problem/Source")};
    });
    add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
    add_parameter("Domain", domain,
                  "mesh: as section Mesh says, with Q1 elements; flow_around_square: (0,4) x (0,1) without the square "
                  "[5/4,7/4] x [1/4,3/4], 28 triangles with linear elements, refined Mesh/Refinements times",
                  prm, Selection("mesh|flow_around_square"));
    add_parameter("Samples", n_samples, "Number of right-hand sides", prm, Integer(1, 4096));
    add_parameter("Source", source,
                  "f: expression of x, y, z and the number s of the sample, 0, 1, ..., or a list by material; or "
                  "random: right-hand sides of random numbers in (-1, 1)");
    add_parameter("Exact solution", exact, "Where it is known: expression of x, y, z, s; errors go to run.json");
    add_parameter("Boundary values", boundary, "Values of u where it is prescribed: expression of x, y, z");
    add_parameter(
      "Natural boundaries", natural_names,
      "Ids where the normal derivative is zero; on all others u is prescribed. The sides of a box have ids 0, 1 (x), "
      "2, 3 (y), 4, 5 (z)");
  }

  bool homogeneous() const { return boundary == "0"; }
  bool triangles() const { return domain != "mesh"; }
  bool random() const { return source == "random"; }

  void check_function(const std::string &key, const std::string &text) const
  {
    require(!adamant::depends_on_time(text), key, " = ", text, ": it may depend on x, y, z and s, not on t");
    adamant::check_expression(key, with_sample_number(text), 1, dimension);
  }
  void check() const
  {
    if (!random())
      f.check([this](const std::string &text) { check_function("Problem/Source", text); });
    if (!exact.empty())
      check_function("Problem/Exact solution", exact);
    require(!adamant::depends_on_time(boundary), "Problem/Boundary values = ", boundary,
            ": they may depend on x, y and z, not on t");
    adamant::check_expression("Problem/Boundary values", boundary, 1, dimension);
    require(!triangles() || (dimension == 2 && natural.empty() && exact.empty() && homogeneous()),
            "Problem/Domain = flow_around_square has Dimension = 2, no Natural boundaries, no Boundary values and no "
            "Exact solution");
    require(!triangles() || f.by_material().empty(), "Problem/Source = ", source,
            ": Problem/Domain = flow_around_square has no materials");
    require(!random() || exact.empty(), "Problem/Exact solution: there is none for Source = random");
  }
};

struct SolverParameters : ParameterAcceptor
{
  std::string type = "multigrid", precision = "float64", vectors = "float64", iteration = "conjugate_gradients",
              smoother   = "jacobi";
  double       tolerance = 1e-10, range = 8.;
  unsigned int columns = 64, repetitions = 1, coarsest_cells = 64, steps = 3, cycles = 1, max_iterations = 50;
  bool         compare = true;

  SolverParameters()
    : ParameterAcceptor("/Solver")
  {
    using namespace dealii::Patterns;
    add_parameter("Solver", type,
                  "multigrid, in conjugate gradients; fast_diagonalization, on tensor-product meshes of a box; "
                  "schur, with few kinds of coarse cells, see section Schur complement",
                  prm, Selection("multigrid|fast_diagonalization|schur"));
    add_parameter("Precision", precision,
                  "Precision of multigrid's V-cycle (float64 or float32), or of the products of a direct solver. tf32, "
                  "bfloat16 and float16 need a GPU's Tensor Cores",
                  prm, Selection("float64|float32|tf32|bfloat16|float16"));
    add_parameter("Vectors", vectors,
                  "Type of a direct solver's right-hand sides and solutions. float32 halves the bytes that it reads "
                  "and writes; it needs a Precision below float64 and Refinement tolerance = 0",
                  prm, Selection("float64|float32"));
    add_parameter("Refinement tolerance", tolerance,
                  "Tolerance of each right-hand side's residual in double, over the right-hand side; 0: one solve of a "
                  "direct solver, or multigrid's Cycles in Precision alone",
                  prm, Double(0.));
    add_parameter("Iteration", iteration,
                  "With multigrid: conjugate_gradients, or refinement in double: x <- x + M (b - A x); direct solvers "
                  "are always refined",
                  prm, Selection("conjugate_gradients|refinement"));
    add_parameter("Max iterations", max_iterations, "Limit for conjugate gradients or refinement", prm, Integer(1));
    add_parameter("Columns at once", columns, "Right-hand sides that are solved together", prm, Integer(1, 4096));
    add_parameter("Repetitions", repetitions, "Repetitions of each solve, for its median time", prm, Integer(1));
    add_parameter("Compare", compare,
                  "Compare the first 8 solutions with another solver's in double: fast diagonalization's where "
                  "possible, else multigrid's");
    add_parameter("Coarsest level cells", coarsest_cells, "Multigrid coarsens no further than this", prm, Integer(1));
    add_parameter("Cycles", cycles,
                  "V-cycles in Precision of one application of multigrid; more than 1 needs Columns at once = 1", prm,
                  Integer(1));
    add_parameter("Smoother", smoother,
                  "Smoother of multigrid; line and fsai are for stretched cells and need Columns at once = 1", prm,
                  Selection("jacobi|line|fsai"));
    add_parameter("Smoothing steps", steps, "Degree of the Chebyshev polynomial in multigrid", prm, Integer(1));
    add_parameter("Smoothing range", range,
                  "Multigrid's smoother damps eigenvalues in [1.1 lambda / range, 1.1 lambda]", prm, Double(1.));
  }

  bool                direct() const { return type != "multigrid"; }
  bool                refines() const { return direct() || iteration == "refinement"; }
  bool                schur() const { return type == "schur"; }
  bool                in_float() const { return vectors == "float32"; }
  adamant::Arithmetic arithmetic() const { return adamant::arithmetic(precision); }

  void check(bool one_at_once) const
  {
    require(direct() || one_at_once || tolerance > 0.,
            "Solver/Refinement tolerance = 0: multigrid for several right-hand sides at once needs a positive one");
    require(direct() || one_at_once || (smoother == "jacobi" && cycles == 1), "Solver/Smoother = ", smoother,
            ", Cycles = ", cycles, ": several right-hand sides at once have Smoother = ",
            "jacobi and Cycles = 1; take Solver/Columns at once = 1");
    require(direct() || precision == "float64" || precision == "float32", "Solver/Precision = ", precision,
            ": multigrid has float64 and float32");
    require(!in_float() || (direct() && precision != "float64" && tolerance == 0.),
            "Solver/Vectors = float32 needs fast_diagonalization or schur with a Precision below float64, and "
            "Refinement tolerance = 0");
  }
};

struct SchurParameters : ParameterAcceptor
{
  unsigned int coarse_refinements = 2;
  bool         conditions         = false;

  SchurParameters()
    : ParameterAcceptor("/Schur complement")
  {
    add_parameter("Coarse refinements", coarse_refinements,
                  "Refinements of the mesh on whose edges the Schur complement lives: fewer than Mesh/Refinements", prm,
                  dealii::Patterns::Integer(0, 12));
    add_parameter("Conditions", conditions,
                  "Record condition numbers and counts of entries, as the paper's tables have them, and solve nothing");
  }
};

struct OutputParameters : adamant::EvaluationParameters
{
  bool files = true;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : EvaluationParameters(
        mesh_file, "u, of each sample and at the end of their mean; on boundaries flux, -grad u . n by quadrature",
        "u is recorded for each sample", "the first sample, the mean and the standard deviation are",
        {"flux", "gradient"})
  {
    add_parameter("Files", files,
                  "Write a VTU file: mean and standard deviation over the samples, and the first one; derived fields "
                  "are of the mean");
  }
};

struct Parameters
{
  adamant::MeshParameters mesh{"mesh", "", 1, 5};
  ProblemParameters       problem{mesh};
  SolverParameters        solver;
  SchurParameters         schur;
  OutputParameters        output{mesh};

  unsigned int dim() const { return problem.dimension; }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    problem.check();
    mesh.check(dim());
    for (const auto id : problem.natural)
      mesh.check_boundary("Problem/Natural boundaries", id, dim());
    solver.check(solver.columns == 1 || problem.n_samples == 1);
    require(!schur.conditions || solver.schur(), "Schur complement/Conditions needs Solver/Solver = schur");
    output.check(dim());
    require(!problem.triangles() || (!output.any() && output.profiles.empty() && output.planes.empty()),
            "Problem/Domain = flow_around_square has no Output/Statistics, Points, Profiles and Planes");
    require(!problem.triangles() || solver.type != "fast_diagonalization",
            "Solver/Solver = fast_diagonalization needs a tensor-product mesh; take schur or multigrid");
    require(!solver.schur() || schur.coarse_refinements < mesh.refinements,
            "Schur complement/Coarse refinements = ", schur.coarse_refinements,
            ": the coarse mesh has to be coarser than the mesh, Mesh/Refinements = ", mesh.refinements);
    require(!solver.schur() || mesh.local_refinements == 0,
            "Solver/Solver = schur knows no hanging nodes (Mesh/Local refinements); take multigrid");
  }

  void check_device(const adamant::Device &device) const
  {
    require(device.communicator().size() == 1, "poisson runs on one rank; start it without mpiexec");
    adamant::require_arithmetic("Solver/Precision", solver.arithmetic(), device);
  }

  // Returns the number of cells at which coarser meshes end: the Schur complement's coarse mesh is among them.
  unsigned int coarsest_cells() const
  {
    double cells = 1.;
    for (unsigned int d = 0; d < dim(); ++d)
      cells *= mesh.cells[d] * std::ldexp(1., int(schur.coarse_refinements));
    return solver.schur() ? std::min<double>(cells, solver.coarsest_cells) : solver.coarsest_cells;
  }
};
} // namespace poisson
