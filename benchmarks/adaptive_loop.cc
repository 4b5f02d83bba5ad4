// benchmark_adaptive_loop [REPEATS [UNKNOWNS]]: one solve on a new mesh, by multigrid of the program's matrix, by
// Trilinos' ML and by hypre's BoomerAMG (where PETSc has it) in turn. Each has the matrix in its own format. The
// problem is Poisson's equation, with a = 1 on the unit square and cube, and with a coefficient on disc and ball. The
// last one is elasticity (lambda = mu = 1) on the cube, which is clamped on one face. Kelly's estimator of a function
// with a front adapts the meshes, which have hanging nodes. CG of deal.II stops at 1e-8 of the right-hand side. A line
// of JSON for each run has the processor time of set-up and solve, in seconds; label "new values": of
// initialize(matrix). scripts/check loop writes records of it.
#include "dealii/preconditioner.h"

#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_refinement.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/petsc_precondition.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/numerics/error_estimator.h>
#include <deal.II/numerics/matrix_tools.h>
#include <deal.II/numerics/vector_tools.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>

using namespace dealii;

namespace
{
double seconds()
{
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <int dim>
class Loop
{
public:
  Loop(std::string name, unsigned int degree, bool ball, unsigned int components = 1)
    : name(std::move(name))
    , element(components == 1 ? FE_Q<dim>(degree).clone() : FESystem<dim>(FE_Q<dim>(degree), components).clone())
    , fe(*element)
    , dofs(mesh)
    , ball(ball)
  {
    if (ball)
      GridGenerator::hyper_ball(mesh);
    else
      GridGenerator::hyper_cube(mesh, 0., 1., /*colorize*/ components > 1);
    mesh.refine_global(dim == 2 ? 4 : 2);
  }

  void run(unsigned int unknowns, int repeats)
  {
    for (set_up(); dofs.n_dofs() < unknowns; set_up())
      adapt();
    assemble();
    TrilinosWrappers::SparseMatrix for_ml;
    for_ml.reinit(matrix);
    for (int repeat = 1; repeat <= repeats; ++repeat)
      {
        TrilinosWrappers::PreconditionAMG                 ml;
        TrilinosWrappers::PreconditionAMG::AdditionalData options;
        options.elliptic              = true;
        options.higher_order_elements = fe.degree > 1;
        if (fe.n_components() > 1)
          DoFTools::extract_constant_modes(dofs, ComponentMask(), options.constant_modes);
        measure("ml", repeat, matrix, rhs, ml, [&] { ml.initialize(for_ml, options); });
        with_boomeramg(repeat);
        adamant::DealiiPreconditioner<> multigrid;
        measure("adamant", repeat, matrix, rhs, multigrid, [&] { multigrid.initialize(matrix, dofs, constraints); });
        measure("new values", repeat, matrix, rhs, multigrid, [&] { multigrid.initialize(matrix); });
      }
  }

private:
  void set_up()
  {
    dofs.distribute_dofs(fe);
    constraints.clear();
    DoFTools::make_hanging_node_constraints(dofs, constraints);
    VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<dim>(fe.n_components()), constraints);
    constraints.close();
  }

  void adapt()
  {
    const VectorFunctionFromScalarFunctionObject<dim> front(
      [](const Point<dim> &p) { return std::tanh(20. * (p.norm() - 0.7)) + std::sin(3. * p[0]); }, 0,
      fe.n_components());
    Vector<double> u(dofs.n_dofs());
    VectorTools::interpolate(dofs, front, u);
    Vector<float> indicators(mesh.n_active_cells());
    KellyErrorEstimator<dim>::estimate(dofs, QGauss<dim - 1>(fe.degree + 1), {}, u, indicators);
    GridRefinement::refine_and_coarsen_fixed_number(mesh, indicators, 0.3, 0.03);
    mesh.execute_coarsening_and_refinement();
  }

  void assemble()
  {
    DynamicSparsityPattern entries(dofs.n_dofs());
    DoFTools::make_sparsity_pattern(dofs, entries, constraints, false);
    pattern.copy_from(entries);
    matrix.reinit(pattern);
    rhs.reinit(dofs.n_dofs());
    if (fe.n_components() > 1)
      return assemble_elasticity();
    const ScalarFunctionFromFunctionObject<dim> a([this](const Point<dim> &p) {
      return ball ? 1. + 0.9 * std::sin(6. * p[0]) * std::cos(5. * p[1]) : 1.;
    });
    const Functions::ConstantFunction<dim>      f(1.);
    MatrixCreator::create_laplace_matrix(dofs, QGauss<dim>(fe.degree + 1), matrix, f, rhs, &a, constraints);
  }

  void assemble_elasticity()
  {
    FEValues<dim>                        values(fe, QGauss<dim>(fe.degree + 1), update_gradients | update_JxW_values);
    const unsigned int                   n = fe.n_dofs_per_cell();
    FullMatrix<double>                   local(n, n);
    Vector<double>                       load(n);
    std::vector<types::global_dof_index> numbers(n);
    for (const auto &cell : dofs.active_cell_iterators())
      {
        values.reinit(cell);
        local = 0.;
        for (const unsigned int q : values.quadrature_point_indices())
          for (const unsigned int i : values.dof_indices())
            for (const unsigned int j : values.dof_indices())
              {
                const unsigned int c = fe.system_to_component_index(i).first, d = fe.system_to_component_index(j).first;
                const auto &u = values.shape_grad(i, q), &v = values.shape_grad(j, q);
                local(i, j) += (u[c] * v[d] + u[d] * v[c] + (c == d ? u * v : 0.)) * values.JxW(q);
              }
        load = 1. / n;
        cell->get_dof_indices(numbers);
        constraints.distribute_local_to_global(local, load, numbers, matrix, rhs);
      }
  }

  void with_boomeramg([[maybe_unused]] int repeat)
  {
#ifdef DEAL_II_PETSC_WITH_HYPRE
    PETScWrappers::SparseMatrix A;
    A.reinit(pattern);
    for (const auto &entry : matrix)
      A.set(entry.row(), entry.column(), entry.value());
    A.compress(VectorOperation::insert);
    PETScWrappers::MPI::Vector b(MPI_COMM_SELF, rhs.size(), rhs.size());
    for (unsigned int i = 0; i < rhs.size(); ++i)
      b(i) = rhs(i);
    b.compress(VectorOperation::insert);
    PETScWrappers::PreconditionBoomerAMG                 amg;
    PETScWrappers::PreconditionBoomerAMG::AdditionalData options;
    options.symmetric_operator = true;
    options.strong_threshold   = dim == 2 ? 0.25 : 0.5;
    measure("boomeramg", repeat, A, b, amg, [&] { amg.initialize(A, options); });
#endif
  }

  template <class Matrix, class VectorType, class Preconditioner, class SetUp>
  void measure(const std::string &label, int repeat, const Matrix &A, const VectorType &b,
               const Preconditioner &preconditioner, const SetUp &set_up_it)
  {
    const double begin = seconds();
    set_up_it();
    const double   between = seconds();
    SolverControl  control(500, 1e-8 * b.l2_norm());
    VectorType     x(b);
    x = 0.;
    SolverCG<VectorType>(control).solve(A, x, b, preconditioner);
    std::cout << nlohmann::json{{"case", name},
                                {"label", label},
                                {"repeat", repeat},
                                {"cells", mesh.n_active_cells()},
                                {"dofs", dofs.n_dofs()},
                                {"tolerance", 1e-8},
                                {"total_iterations", control.last_step()},
                                {"timings", {{"init", between - begin}, {"solve", seconds() - between}}}}
              << std::endl;
  }

  const std::string         name;
  const std::unique_ptr<FiniteElement<dim>> element;
  const FiniteElement<dim> &fe;
  Triangulation<dim>        mesh;
  DoFHandler<dim>           dofs;
  const bool                ball;
  AffineConstraints<double> constraints;
  SparsityPattern           pattern;
  SparseMatrix<double>      matrix;
  Vector<double>            rhs;
};
} // namespace

int main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const int                              repeats  = argc > 1 ? std::atoi(argv[1]) : 5;
  const unsigned int                     unknowns = argc > 2 ? std::atoi(argv[2]) : 150000;
  Loop<2>("2D Q1, square", 1, false).run(unknowns, repeats);
  Loop<2>("2D Q2, square", 2, false).run(unknowns, repeats);
  Loop<3>("3D Q1, cube", 1, false).run(unknowns, repeats);
  Loop<3>("3D Q2, cube", 2, false).run(unknowns, repeats);
  Loop<2>("2D Q2, disc, a(x)", 2, true).run(unknowns, repeats);
  Loop<3>("3D Q1, ball, a(x)", 1, true).run(unknowns, repeats);
  Loop<3>("3D Q1, elasticity", 1, false, 3).run(unknowns, repeats);
}
