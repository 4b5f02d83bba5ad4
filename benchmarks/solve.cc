// benchmark_solve gpu|host|ml|ranks [REPEATS [UNKNOWNS]]: one solve of Poisson's equation on an adapted mesh, from the
// matrix in the program's memory to the solution there. `gpu` and `host`: adamant::solve takes deal.II's SparseMatrix
// on one rank; `ml`: Trilinos' ML and CG take Trilinos' matrix on p4est's mesh, on the ranks of mpirun, all with Q2.
// `ranks`: CG takes Trilinos' matrix with ML and with adamant's multigrid in turn, with Q1 and Q2. Cells near a sphere
// are refined, so that all have the same mesh. A line of JSON for each repeat has the wall time of set-up and solve, in
// seconds; the first repeat has what a device and libraries need once.
#include "algebra/device.h"
#include "dealii/preconditioner.h"

#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace dealii;

namespace
{
double seconds()
{
  MPI_Barrier(MPI_COMM_WORLD);
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The program of a user: mesh, unknowns, matrix and right-hand side.
template <int dim, class Matrix, class DealiiVector>
class Problem
{
public:
  Problem(std::unique_ptr<Triangulation<dim>> mesh_, unsigned int unknowns, unsigned int degree = 2)
    : mesh(std::move(mesh_))
    , fe(degree)
    , dofs(*mesh)
  {
    GridGenerator::hyper_cube(*mesh);
    mesh->refine_global(dim == 2 ? 5 : 3);
    for (set_up(); dofs.n_dofs() < unknowns; set_up())
      refine_at_sphere();
    make(matrix, rhs);
    assemble();
  }

  // Writes a record: set_up_solver() makes what solver(x, control) solves with.
  template <class SetUp, class Solver>
  void measure(const std::string &label, int repeat, const SetUp &set_up_solver, const Solver &solver)
  {
    DealiiVector x(rhs);
    x                  = 0.;
    const double begin = seconds();
    set_up_solver();
    const double  between = seconds();
    SolverControl control(500, 1e-8 * rhs.l2_norm());
    solver(x, control);
    const double       end   = seconds();
    const unsigned int ranks = Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
    const std::string  name  = std::to_string(dim) + "D Q" + std::to_string(fe.degree);
    if (Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
      std::cout << nlohmann::json{{"case", name},
                                  {"label", label},
                                  {"repeat", repeat},
                                  {"ranks", ranks},
                                  {"threads", MultithreadInfo::n_threads()},
                                  {"cells", mesh->n_global_active_cells()},
                                  {"dofs", dofs.n_dofs()},
                                  {"tolerance", 1e-8},
                                  {"total_iterations", control.last_step()},
                                  {"timings", {{"init", between - begin}, {"solve", end - between}}}}
                << std::endl;
  }

  std::unique_ptr<Triangulation<dim>> mesh;
  const FE_Q<dim>                     fe;
  DoFHandler<dim>                     dofs;
  AffineConstraints<double>           constraints;
  SparsityPattern                     pattern;
  Matrix                              matrix;
  DealiiVector                        rhs;

private:
  void set_up()
  {
    dofs.distribute_dofs(fe);
    IndexSet relevant;
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    constraints.reinit(relevant);
    DoFTools::make_hanging_node_constraints(dofs, constraints);
    VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<dim>(), constraints);
    constraints.close();
  }

  void refine_at_sphere()
  {
    for (const auto &cell : mesh->active_cell_iterators())
      if (cell->is_locally_owned() && std::abs(cell->center().norm() - 0.7) < 3. * cell->diameter())
        cell->set_refine_flag();
    mesh->execute_coarsening_and_refinement();
  }

  DynamicSparsityPattern entries(const IndexSet &relevant) const
  {
    DynamicSparsityPattern result(dofs.n_dofs(), dofs.n_dofs(), relevant);
    DoFTools::make_sparsity_pattern(dofs, result, constraints, false);
    return result;
  }
  void make(SparseMatrix<double> &A, Vector<double> &b)
  {
    pattern.copy_from(entries({}));
    A.reinit(pattern);
    b.reinit(dofs.n_dofs());
  }
  void make(TrilinosWrappers::SparseMatrix &A, TrilinosWrappers::MPI::Vector &b)
  {
    IndexSet relevant;
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    auto of_all = entries(relevant);
    SparsityTools::distribute_sparsity_pattern(of_all, dofs.locally_owned_dofs(), MPI_COMM_WORLD, relevant);
    A.reinit(dofs.locally_owned_dofs(), dofs.locally_owned_dofs(), of_all, MPI_COMM_WORLD);
    b.reinit(dofs.locally_owned_dofs(), MPI_COMM_WORLD);
  }

  void assemble()
  {
    const QGauss<dim>                    quadrature(fe.degree + 1);
    FEValues<dim>                        values(fe, quadrature, update_values | update_gradients | update_JxW_values);
    FullMatrix<double>                   local(fe.dofs_per_cell, fe.dofs_per_cell);
    Vector<double>                       local_rhs(fe.dofs_per_cell);
    std::vector<types::global_dof_index> indices(fe.dofs_per_cell);
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          local     = 0.;
          local_rhs = 0.;
          for (const unsigned int q : values.quadrature_point_indices())
            for (const unsigned int i : values.dof_indices())
              {
                for (const unsigned int j : values.dof_indices())
                  local(i, j) += values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
                local_rhs(i) += values.shape_value(i, q) * values.JxW(q);
              }
          cell->get_dof_indices(indices);
          constraints.distribute_local_to_global(local, local_rhs, indices, matrix, rhs);
        }
    matrix.compress(VectorOperation::add);
    rhs.compress(VectorOperation::add);
  }
};

template <int dim>
void by_adamant(const std::string &label, const adamant::Device &device, int repeats, unsigned int unknowns)
{
  Problem<dim, SparseMatrix<double>, Vector<double>> user(std::make_unique<Triangulation<dim>>(), unknowns);
  for (int repeat = 1; repeat <= repeats; ++repeat)
    {
      adamant::DealiiPreconditioner<> multigrid(device);

      const auto solver = [&](auto &x, SolverControl &control) {
        adamant::solve(user.matrix, x, user.rhs, multigrid, control);
      };
      user.measure(
        label, repeat, [&] { multigrid.initialize(user.matrix, user.dofs, user.constraints); }, solver);
      for (int update = 0; update < 2; ++update)
        user.measure(
          label + ", new values", repeat, [&] { multigrid.initialize(user.matrix); }, solver);
    }
}

// ML and, with `both`, adamant's multigrid in turn.
template <int dim>
void on_ranks(bool both, int repeats, unsigned int unknowns, unsigned int degree)
{
  Problem<dim, TrilinosWrappers::SparseMatrix, TrilinosWrappers::MPI::Vector> user(
    std::make_unique<parallel::distributed::Triangulation<dim>>(MPI_COMM_WORLD), unknowns, degree);
  const auto solve_with = [&user](const auto &preconditioner) {
    return [&](auto &x, SolverControl &control) {
      SolverCG<TrilinosWrappers::MPI::Vector>(control).solve(user.matrix, x, user.rhs, preconditioner);
    };
  };
  for (int repeat = 1; repeat <= repeats; ++repeat)
    {
      TrilinosWrappers::PreconditionAMG                 ml;
      TrilinosWrappers::PreconditionAMG::AdditionalData options;
      options.elliptic              = true;
      options.higher_order_elements = degree > 1;
      user.measure(
        "ml", repeat, [&] { ml.initialize(user.matrix, options); }, solve_with(ml));
      if (!both)
        continue;
      adamant::DealiiPreconditioner<> multigrid;
      user.measure(
        "adamant", repeat, [&] { multigrid.initialize(user.matrix, user.dofs, user.constraints); },
        solve_with(multigrid));
      user.measure(
        "new values", repeat, [&] { multigrid.initialize(user.matrix); }, solve_with(multigrid));
    }
}
} // namespace

int main(int argc, char **argv)
{
  const std::string                      which    = argc > 1 ? argv[1] : "";
  const bool                             of_ranks = which == "ml" || which == "ranks";
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, of_ranks ? 1 : numbers::invalid_unsigned_int);
  const int                              repeats  = argc > 2 ? std::atoi(argv[2]) : 5;
  const unsigned int                     unknowns = argc > 3 ? std::atoi(argv[3]) : 1000000;
  const bool                             known =
    of_ranks || ((which == "host" || which == "gpu") && Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD) == 1);
  if (!known)
    std::cerr << "benchmark_solve: the first argument is gpu or host on one rank, or, under mpirun, ml or ranks"
              << std::endl;
  else if (of_ranks)
    for (unsigned int degree = which == "ml" ? 2 : 1; degree <= 2; ++degree)
      {
        on_ranks<2>(which == "ranks", repeats, unknowns, degree);
        on_ranks<3>(which == "ranks", repeats, unknowns, degree);
      }
  else
    {
      const int             n_threads = static_cast<int>(MultithreadInfo::n_threads());
      const adamant::Device device    = which == "gpu" ? adamant::Device::cuda() : adamant::Device::host(n_threads);
      by_adamant<2>("adamant, " + which, device, repeats, unknowns);
      by_adamant<3>("adamant, " + which, device, repeats, unknowns);
    }
  return known ? 0 : 2;
}
