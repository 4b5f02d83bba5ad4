// A small application to copy (docs/your_own_application.md): the heat equation with a reaction term on an adaptive mesh,
//
//   d_t u - kappa Laplace u + rho u = f   in (0,1)^dim x (0,T],   u = g on the boundary,
//
// by backward Euler and the elements FE_Q. Nodal values are u = H x + B g: x the free unknowns, g the boundary values;
// H also interpolates at hanging nodes. With the mass matrix M and the stiffness matrix K a time step solves
//
//   A x = M u_old + S f - C g,   A = M + dt (kappa K + rho M),
//
// all of them sparse products on the CPU or the GPU: S f integrates dt f against the shape functions from its values at
// the quadrature points, C is A acting on the boundary values. Equation data: template_data.h; for the GPU template.cu.

#include "data.h"

#include "application/output.h"
#include "application/parameters.h"
#include "application/program.h"
#include "base/host_copies.h"
#include "discretization/forms/hierarchy.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/points.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/error_estimator.h>

#include <cmath>
#include <iostream>
#include <memory>

using namespace dealii;

struct Parameters : ParameterAcceptor
{
  unsigned int dimension = 2, degree = 1, refinements = 4, adaptive_cycles = 2, output_interval = 5;
  double       kappa = 0.1, rho = 1., end_time = 1., time_step = 0.05;
  // A is symmetric positive definite, so conjugate gradients do. A transport term would need gmres.
  adamant::LinearSolverParameters linear_solver{adamant::LinearSolverOptions{adamant::SolverType::cg}};

  Parameters()
    : ParameterAcceptor("/Heat")
  {
    using namespace Patterns;
    add_parameter("Dimension", dimension, "Of the unit square or cube: 2 or 3", prm, Integer(2, 3));
    add_parameter("Degree", degree, "Of the finite elements FE_Q", prm, Integer(1, 3));
    add_parameter("Refinements", refinements, "h = 2^-n for n uniform refinements", prm, Integer(0, 10));
    add_parameter("Adaptive cycles", adaptive_cycles,
                  "Further refinements where Kelly's estimator finds the initial values least resolved", prm,
                  Integer(0, 10));
    add_parameter("Conductivity", kappa, "kappa", prm, Double(0.));
    add_parameter("Reaction", rho, "rho", prm, Double(0.));
    add_parameter("End time", end_time, "T", prm, Double(0.));
    add_parameter("Time step", time_step, "dt; T is rounded to a multiple of it", prm, Double(1e-12));
    add_parameter("Output interval", output_interval, "Steps between VTU files", prm, Integer(1));
  }

  // Where a checkpoint is continued.
  static std::vector<std::string> may_change() { return {"Heat/End time", "Heat/Output interval", "Checkpoint"}; }

  // What no single parameter's pattern can tell.
  void check() const
  {
    if (linear_solver.preconditioner != "multigrid")
      throw adamant::InputError("Linear solver/Preconditioner: this program has multigrid only");
  }
};

template <int dim, class Backend>
class Heat
{
public:
  Heat(const Parameters &parameters, const Backend &backend, adamant::Run &run_info)
    : parameters(parameters)
    , backend(backend)
    , run_info(run_info)
    , mesh(run_info.create_mesh<dim>())
    , fe(parameters.degree)
    , quadrature(parameters.degree + 1)
    , series(run_info.folder(), "solution", run_info.ranks)
  {}

  void run()
  {
    if (run_info.continues())
      run_info.load_mesh(*mesh);
    else
      make_mesh();
    setup_system();
    assemble();
    if (run_info.continues())
      run_info.load(*this);
    else
      set_initial_values();
    const auto n_cells = mesh->n_global_active_cells(), n_unknowns = hierarchy->finest().dof_handler().n_dofs();
    std::cout << n_cells << " cells, " << n_unknowns << " unknowns, " << hierarchy->n_levels() << " levels\n"
              << *solver;
    run_info.describe(n_unknowns, n_cells, hierarchy->data(), parameters.linear_solver);
    if (run_info.writes_initial_values())
      output_results();

    const unsigned int n_steps = std::lround(parameters.end_time / parameters.time_step);
    run_info.begin_time_loop(step, n_steps);
    while (step < n_steps)
      {
        time = ++step * parameters.time_step;
        compute_rhs();
        solve();
        run_info.progress(step, time, result.iterations, result.final_residual);
        output_results();
        run_info.checkpoint(step, time, adamant::StoredMesh<dim>(*mesh), *this);
      }
    run_info.end_time_loop();
    report();
  }

private:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  // Refines where the initial values need it.
  void make_mesh()
  {
    adamant::Section scope(run_info.timer, "init/mesh");
    GridGenerator::hyper_cube(*mesh);
    adamant::refine_global(*mesh, parameters.refinements);
    const auto error_of_initial_values = [&] {
      DoFHandler<dim> dofs(*mesh);
      dofs.distribute_dofs(fe);
      const auto            initial = adamant::interpolate(mapping, dofs, exact(0.));
      dealii::Vector<float> indicators(mesh->n_active_cells());
      KellyErrorEstimator<dim>::estimate(dofs, QGauss<dim - 1>(fe.degree + 1), {}, initial, indicators);
      return indicators;
    };
    for (unsigned int cycle = 0; cycle < parameters.adaptive_cycles; ++cycle)
      adamant::refine_and_coarsen(*mesh, error_of_initial_values(), 0.2, 0.);
  }

  // The levels of multigrid, their constraints, and the points where equation data are evaluated.
  void setup_system()
  {
    adamant::Section scope(run_info.timer, "init/hierarchy");
    hierarchy = std::make_unique<adamant::Hierarchy<dim>>(
      *mesh, fe, adamant::DirichletBoundary{{0, {}}}, parameters.linear_solver.coarsest_cells,
      run_info.cells_per_rank(fe.n_dofs_per_cell()), parameters.linear_solver.coarsest_on_one_rank());
    const auto &space = hierarchy->finest();
    H                 = backend.create_matrix(space.owned_H());
    B                 = backend.create_matrix(space.owned_B());
    boundary_points   = adamant::to_backend(backend, adamant::support_points(space, mapping, space.prescribed));
    source_points     = adamant::to_backend(backend, adamant::quadrature_points(space, mapping, quadrature));
    boundary_values   = backend.create_vector(boundary_points.size() / dim);
    source_values     = backend.create_vector(source_points.size() / dim);
    order             = space.storage_order();
    for (Vector *vector : {&u, &x, &rhs})
      *vector = backend.create_vector(space.n_owned());
  }

  // A on all levels, and on the finest one what the right-hand side needs.
  void assemble()
  {
    using adamant::Columns;
    adamant::Section scope(run_info.timer, "init/assembly");
    const auto       matrices =
      hierarchy->assemble(mapping, quadrature, update_values | update_gradients | update_JxW_values,
                          [this](const auto &, const auto &fe_values, auto &local) { cell_matrices(fe_values, local); },
                          {Columns::dofs, Columns::quadrature_points, Columns::prescribed});
    M      = backend.create_matrix(matrices[0]);
    S      = backend.create_matrix(matrices[1]);
    C      = backend.create_matrix(matrices[2]);
    solver = std::make_unique<adamant::LinearSolver<Backend>>(backend, hierarchy->data(),
                                                              parameters.linear_solver.options("time step"));
  }

  // One cell's share of A, and on the finest level of M, S and C.
  void cell_matrices(const FEValues<dim> &fe_values, std::vector<FullMatrix<double>> &local) const
  {
    const double dt     = parameters.time_step;
    const bool   finest = local.size() > 1;
    for (const unsigned int q : fe_values.quadrature_point_indices())
      for (const unsigned int i : fe_values.dof_indices())
        {
          const double test = fe_values.shape_value(i, q) * fe_values.JxW(q);
          for (const unsigned int j : fe_values.dof_indices())
            {
              const double mass      = fe_values.shape_value(j, q) * test;
              const double stiffness = fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
              local[0](i, j) += mass + dt * (parameters.kappa * stiffness + parameters.rho * mass);
              if (finest)
                local[1](i, j) += mass;
            }
          if (finest)
            local[2](i, q) += dt * test;
        }
    if (finest)
      local[3] = local[0];
  }

  void set_initial_values()
  {
    const auto initial = adamant::interpolate(mapping, hierarchy->finest().dof_handler(), exact(0.));
    backend.upload(initial.begin(), x);
    adamant::evaluate<dim>(backend, heat::Exact<dim>{0.}, boundary_points, boundary_values);
    set_nodal_values();
  }

  // rhs = M u + S f - C g, f and g at the new time.
  void compute_rhs()
  {
    adamant::Section scope(run_info.timer, "rhs");
    adamant::evaluate<dim>(backend, heat::Source<dim>{time, parameters.kappa, parameters.rho}, source_points,
                           source_values);
    adamant::evaluate<dim>(backend, heat::Exact<dim>{time}, boundary_points, boundary_values);
    backend.spmv(1., M, u, 0., rhs);
    backend.spmv(1., S, source_values, 1., rhs);
    backend.spmv(-1., C, boundary_values, 1., rhs);
  }

  // The last step's x is the initial guess.
  void solve()
  {
    adamant::Section scope(run_info.timer, "solve");
    result = solver->solve(rhs, x);
    set_nodal_values();
    run_info.statistics(
      {{"step", step}, {"time", time}, {"iterations", result.iterations}, {"residual", result.final_residual}});
  }

  // u = H x + B g.
  void set_nodal_values()
  {
    backend.spmv(1., H, x, 0., u);
    backend.spmv(1., B, boundary_values, 1., u);
  }

  void output_results()
  {
    if (step % parameters.output_interval != 0)
      return;
    adamant::Section scope(run_info.timer, "output");
    const auto       values = adamant::nodal_vector(hierarchy->finest(), adamant::to_host(backend, u).data());
    DataOut<dim>     data;
    data.attach_dof_handler(hierarchy->finest().dof_handler());
    data.add_data_vector(values, "u");
    data.build_patches(mapping, fe.degree);
    series.write(data, time);
  }

  // The error against the exact solution, for run.json.
  void report()
  {
    const auto   values = adamant::to_host(backend, u);
    const double error =
      adamant::l2_error(hierarchy->finest(), mapping, QGauss<dim>(fe.degree + 2), values.data(), exact(time));
    std::cout << "L2 error at t = " << time << ": " << error << std::endl;
    run_info.record["errors"]["l2"] = error;
    run_info.measure(*solver);
  }

  // The state after a step; a checkpoint holds it beside the mesh.
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &step &time &series;
    adamant::serialize_vector(archive, backend, u, order);
    adamant::serialize_vector(archive, backend, x, order);
  }

  static ScalarFunctionFromFunctionObject<dim> exact(double time)
  {
    return ScalarFunctionFromFunctionObject<dim>([time](const Point<dim> &p) { return heat::Exact<dim>{time}(&p[0]); });
  }
  const Parameters &parameters;
  Backend           backend;
  adamant::Run     &run_info;

  std::unique_ptr<Triangulation<dim>>             mesh;
  FE_Q<dim>                                       fe;
  MappingQ1<dim>                                  mapping;
  QGauss<dim>                                     quadrature;
  std::unique_ptr<adamant::Hierarchy<dim>>        hierarchy;
  std::unique_ptr<adamant::LinearSolver<Backend>> solver;

  Matrix                H, B, M, S, C;
  Vector                u, x, rhs, boundary_points, boundary_values, source_points, source_values;
  double                time = 0;
  unsigned int          step = 0;
  adamant::StorageOrder order; // of nodal values in checkpoints
  adamant::SolverResult result;
  adamant::TimeSeries   series;
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters>(
    argc, argv, "template", "Solves the heat equation with a reaction term on an adaptive mesh: a program to copy.",
    [](const Parameters &parameters, const auto &backend, adamant::Run &run) {
      using Backend = std::decay_t<decltype(backend)>;
      if (parameters.dimension == 2)
        Heat<2, Backend>(parameters, backend, run).run();
      else
        Heat<3, Backend>(parameters, backend, run).run();
    });
}
