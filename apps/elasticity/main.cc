// Linear elasticity on adaptive meshes in two (plane strain) or three dimensions (Liebchen et al., Section 5.2):
//
//   d_t u - v = 0,   rho d_t v - div sigma(u) = f,   sigma = lambda tr(epsilon) I + 2 mu epsilon,
//
// u prescribed on Dirichlet boundaries (constant in time), sigma n = g elsewhere; backward Euler. With the matrices of mass M
// and stiffness K and the load F, one step of either formulation is A x = E w + F' - C g (g: the prescribed values):
//
//   condensed:  (M + dt² K) u = M (u1 + dt v1) + dt² F,  v = (u - u1) / dt   (the first equation eliminates v)
//   coupled:    [ sM  -sM ] [  u ]   [ sM u1           ]
//               [ dt²K  M ] [dt v] = [ M dt v1 + dt² F ]   (as in the paper, six components a node)
//   stationary: K u = F
//
// where u1, v1 belong to the last step. The factor s makes the residuals of both equations comparable.

#include "mesh.h"
#include "parameters.h"
#include "results.h"

#include "application/output.h"
#include "application/program.h"
#include "base/host_copies.h"
#include "discretization/fields/points.h"
#include "discretization/forms/hierarchy.h"
#include "discretization/forms/load.h"
#include "discretization/trilinos_amg.h"
#include "expressions/expressions.h"
#include "solvers/extrapolation.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

using namespace dealii;
using namespace elasticity;

template <int dim, class Backend>
class Elasticity
{
public:
  Elasticity(const Parameters &parameters, const Backend &backend, adamant::Run &run);
  void run();

private:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  void make_mesh();
  void setup_system(bool with_velocity);
  void assemble(bool stationary);
  void set_initial_values();
  void compute_rhs();
  void solve();
  void refine();
  void record_step();
  void output_results();
  void report();

  // The state after a step; a checkpoint holds it beside the mesh.
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &step &time &energy[0] & energy[1] & work_of_load &displacement_at_points &series;
    adamant::serialize_vector(archive, backend, u, order);
    if (!coupled)
      adamant::serialize_vector(archive, backend, v, order);
    adamant::serialize_history(archive, backend, guess, u.size(), order);
  }

  void                   local_matrices(const FEValues<dim> &fe_values, std::vector<FullMatrix<double>> &local) const;
  adamant::Array<double> values_at(const adamant::LevelSpace<dim> &space, const Function<dim> &function,
                                   const adamant::Array<int> &dofs, unsigned int first) const;
  void                   set_load(const adamant::CSRMatrix<double> &C);
  adamant::TrilinosAMGOptions      amg_options(const adamant::LevelSpace<dim> &space) const;
  adamant::Preconditioner<Backend> external_preconditioner();
  adamant::Array<double>           download(const Vector &values);

  const Parameters           &parameters;
  Backend                     backend;
  adamant::Run               &run_info;
  const Material              material;
  adamant::DirichletBoundary  dirichlet;
  const ProblemFunctions<dim> functions;

  std::unique_ptr<Triangulation<dim>>    mesh;
  MappingQ1<dim>                         mapping;
  QGauss<dim>                            quadrature;
  bool                                   coupled = false; // dim displacements a node, and with it dt times the velocity
  std::unique_ptr<FESystem<dim>>         fe;
  std::vector<std::vector<unsigned int>> local_dof; // of a cell: [component][node]
  std::unique_ptr<adamant::Hierarchy<dim>>        hierarchy;
  std::unique_ptr<adamant::TrilinosAMG>           amg;
  std::unique_ptr<adamant::LinearSolver<Backend>> solver;

  double mass_weight = 0., stiffness_weight = 1., coupling_scale = 1.; // 1, dt², s; stationary: 0, 1, 1
  Matrix H, B, E, at_points;
  Vector u, u_old, v, w, x, rhs, boundary_values, point_values; // coupled: u holds dt v too, and v is empty
  Vector load, lift, work;                                      // Hᵀ F, -C g, F for the work F . u
  adamant::Extrapolation<Backend> guess;

  double                time = 0.;
  unsigned int          step = 0;
  adamant::StorageOrder order; // of nodal values in checkpoints
  adamant::SolverResult result;
  std::array<double, 2> energy{}; // strain, kinetic
  double                work_of_load = 0.;
  std::vector<double>   displacement_at_points;
  adamant::TimeSeries   series;
};

template <int dim, class Backend>
Elasticity<dim, Backend>::Elasticity(const Parameters &parameters, const Backend &backend, adamant::Run &run)
  : parameters(parameters)
  , backend(backend)
  , run_info(run)
  , material(parameters.problem.material())
  , functions(parameters.problem)
  , mesh(run.create_mesh<dim>())
  , quadrature(parameters.discretization.degree + 1)
  , guess(backend, parameters.time.extrapolation_order)
  , series(run.folder(), "solution", run.ranks)
{}

template <int dim, class Backend>
void Elasticity<dim, Backend>::make_mesh()
{
  adamant::Section scope(run_info.timer, "init/mesh");
  const auto      &p = parameters.discretization;
  Point<dim>       far_corner;
  std::copy_n(p.lengths.begin(), dim, &far_corner[0]);
  GridGenerator::subdivided_hyper_rectangle(
    *mesh, std::vector<unsigned int>(p.coarse_cells.begin(), p.coarse_cells.begin() + dim), Point<dim>(), far_corner,
    true);
  adamant::refine_global(*mesh, p.uniform_refinements);
  const unsigned int n_near = p.refinement == "face"   ? 1 :
                              p.refinement == "edge"   ? 2 :
                              p.refinement == "vertex" ? dim :
                                                         0;
  if (p.refinement != "kelly")
    refine_towards_origin(*mesh, p.lengths, n_near, p.steps);
}

// All data that do not depend on the equation's coefficients: levels, constraints, vectors.
template <int dim, class Backend>
void Elasticity<dim, Backend>::setup_system(bool with_velocity)
{
  adamant::Section scope(run_info.timer, "init/hierarchy");
  coupled = with_velocity;
  fe      = std::make_unique<FESystem<dim>>(FE_Q<dim>(parameters.discretization.degree), coupled ? 2 * dim : dim);
  local_dof.assign(fe->n_components(), std::vector<unsigned int>(fe->base_element(0).n_dofs_per_cell()));
  for (unsigned int c = 0; c < fe->n_components(); ++c)
    for (unsigned int a = 0; a < local_dof[c].size(); ++a)
      local_dof[c][a] = fe->component_to_system_index(c, a);

  dirichlet.clear();
  for (const auto &[id, components] : parameters.problem.dirichlet)
    {
      ComponentMask mask(fe->n_components(), false);
      for (unsigned int c = 0; c < fe->n_components(); ++c)
        mask.set(c, components.find("xyz"[c % dim]) != std::string::npos);
      if (mask.n_selected_components() > 0)
        dirichlet[id] = mask;
    }

  // The limit counts cells of linear elements: others have more unknowns.
  const bool         levels = parameters.linear_solver.preconditioner == "multigrid";
  const unsigned int limit =
    parameters.linear_solver.coarsest_cells / static_cast<unsigned int>(std::pow(fe->degree, dim));
  solver.reset();
  hierarchy = std::make_unique<adamant::Hierarchy<dim>>(
    *mesh, *fe, dirichlet, levels ? std::max(limit, 1u) : adamant::finest_level_only,
    run_info.cells_per_rank(fe->n_dofs_per_cell()), parameters.linear_solver.coarsest_on_one_rank());
  const auto &space = hierarchy->finest();
  H                 = backend.create_matrix(space.owned_H());
  B                 = backend.create_matrix(space.owned_B());
  std::vector<Point<dim>> points;
  for (const auto &point : parameters.output.points)
    std::copy_n(point.begin(), dim, &points.emplace_back()[0]);
  at_points       = backend.create_matrix(adamant::evaluation_matrix(space, mapping, points, dim));
  boundary_values = backend.create_vector(static_cast<int>(space.prescribed.size()));
  point_values    = backend.create_vector(at_points.n_rows);
  order           = space.storage_order();
  for (Vector *vector : {&u, &u_old, &w, &x, &rhs})
    *vector = backend.create_vector(space.n_owned());
  v = backend.create_vector(coupled ? 0 : space.n_owned());
}

// Of one cell: local[0] the system matrix and, on the finest level, local[1] = E and local[2] = C, with
//   M_ab = ∫ rho φ_a φ_b,   K_(a,c)(b,d) = ∫ sigma(φ_b e_d) : epsilon(φ_a e_c) = lambda G_cd + mu (G_dc + delta_cd tr G),
// G = ∫ grad φ_a (x) grad φ_b, for nodes a, b and components c, d.
template <int dim, class Backend>
void Elasticity<dim, Backend>::local_matrices(const FEValues<dim>             &fe_values,
                                              std::vector<FullMatrix<double>> &local) const
{
  const unsigned int n_nodes = local_dof[0].size(), second = coupled ? dim : 0; // where the rows of Newton's law begin
  for (unsigned int a = 0; a < n_nodes; ++a)
    for (unsigned int b = 0; b < n_nodes; ++b)
      {
        double         mass = 0;
        Tensor<2, dim> G;
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            const unsigned int i = local_dof[0][a], j = local_dof[0][b];
            mass += fe_values.shape_value(i, q) * fe_values.shape_value(j, q) * fe_values.JxW(q);
            G += outer_product(fe_values.shape_grad(i, q) * fe_values.JxW(q), fe_values.shape_grad(j, q));
          }
        mass *= material.density * mass_weight;
        for (unsigned int c = 0; c < dim; ++c)
          {
            const unsigned int row = local_dof[c + second][a];
            for (unsigned int d = 0; d < dim; ++d)
              local[0](row, local_dof[d][b]) +=
                stiffness_weight * (material.lambda * G[c][d] + material.mu * (G[d][c] + (c == d ? trace(G) : 0.)));
            local[0](row, local_dof[c + second][b]) += mass;
            if (coupled)
              {
                local[0](local_dof[c][a], local_dof[c][b]) += coupling_scale * mass;
                local[0](local_dof[c][a], local_dof[c + dim][b]) -= coupling_scale * mass;
              }
            if (local.size() > 1)
              {
                local[1](row, local_dof[c + second][b]) += mass;
                if (coupled)
                  local[1](local_dof[c][a], local_dof[c][b]) += coupling_scale * mass;
              }
          }
      }
  if (local.size() > 1)
    local[2] = local[0];
}

// The system matrices of all levels, and on the finest one those of the right-hand side.
template <int dim, class Backend>
void Elasticity<dim, Backend>::assemble(bool stationary)
{
  using adamant::Columns;
  const double dt  = parameters.time.step;
  mass_weight      = stationary ? 0. : 1.;
  stiffness_weight = stationary ? 1. : dt * dt;
  // s: the lowest eigenvalue of dt² K / M on a box as long as this one, about what K contributes to the residual.
  const double length =
    *std::max_element(parameters.discretization.lengths.begin(), parameters.discretization.lengths.begin() + dim);
  coupling_scale =
    1. + stiffness_weight * (material.lambda + 2. * material.mu) / material.density * std::pow(numbers::PI / length, 2);
  std::vector<adamant::CSRMatrix<double>> rhs_matrices;
  {
    adamant::Section scope(run_info.timer, "init/assembly");
    rhs_matrices = hierarchy->assemble(
      mapping, quadrature, update_values | update_gradients | update_JxW_values,
      [this](const auto &, const auto &fe_values, auto &local) { local_matrices(fe_values, local); },
      {Columns::component_dofs, Columns::prescribed});
    E = backend.create_matrix(rhs_matrices[0]);
    set_load(rhs_matrices[1]);
  }
  adamant::Section scope(run_info.timer, "init/solver");
  const auto       external = external_preconditioner();
  auto             options  = parameters.linear_solver.options(stationary ? "stationary problem" : "time step");
  if (options.multigrid.make_coarse_solver)
    options.multigrid.make_coarse_solver = adamant::make_trilinos_amg(amg_options(hierarchy->space(0)));
  solver = std::make_unique<adamant::LinearSolver<Backend>>(backend, hierarchy->data(), options, external);
}

// The function's components at the nodes of the given owned DoFs, where these belong to components first, first + 1, ...; else 0.
template <int dim, class Backend>
adamant::Array<double> Elasticity<dim, Backend>::values_at(const adamant::LevelSpace<dim> &space,
                                                           const Function<dim>            &function,
                                                           const adamant::Array<int> &dofs, unsigned int first) const
{
  const auto             points = adamant::support_points(space, mapping, dofs);
  adamant::Array<int>    component(space.n_dofs());
  adamant::Array<double> values(dofs.size());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      component[space.cell_dofs(cell)[i]] = static_cast<int>(fe->system_to_component_index(i).first);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = points[d * dofs.size() + k];
      const unsigned int c = component[dofs[k]];
      values[k]            = c >= first && c < first + dim ? function.value(point, c - first) : 0.;
    }
  return values;
}

// The load, and what the prescribed displacements add to the right-hand side.
template <int dim, class Backend>
void Elasticity<dim, Backend>::set_load(const adamant::CSRMatrix<double> &C)
{
  const auto                                         &space = hierarchy->finest();
  std::map<types::boundary_id, const Function<dim> *> g;
  for (const auto &[id, function] : functions.traction)
    g[id] = function.get();
  const auto F = adamant::load_vector(space, mapping, quadrature, QGauss<dim - 1>(parameters.discretization.degree + 1),
                                      *functions.body_force, g);
  work         = adamant::to_backend(backend, F);
  auto rhs_of_load = F;
  if (coupled &&
      !F.empty()) // F belongs to the rows of the velocity, which follow those of the displacement in each node
    std::rotate(rhs_of_load.begin(), rhs_of_load.end() - dim, rhs_of_load.end());
  load = adamant::to_backend(backend, adamant::transposed_product(space.owned_H(), rhs_of_load));

  auto g_values   = values_at(space, *functions.boundary_displacement, space.prescribed, 0);
  boundary_values = adamant::to_backend(backend, g_values);
  for (double &value : g_values)
    value = -value;
  lift = adamant::to_backend(backend, adamant::product(C, g_values));
}

// ML gets the rigid-body modes of a level: translations and rotations of the nodes.
template <int dim, class Backend>
adamant::TrilinosAMGOptions Elasticity<dim, Backend>::amg_options(const adamant::LevelSpace<dim> &space) const
{
  adamant::Array<int> all(space.n_owned());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::string> modes =
    dim == 2 ? std::vector<std::string>{"1; 0", "0; 1", "-y; x"} :
               std::vector<std::string>{"1; 0; 0", "0; 1; 0", "0; 0; 1", "-y; x; 0", "0; -z; y", "z; 0; -x"};
  auto options       = parameters.linear_solver.amg_options();
  options.block_size = static_cast<int>(fe->n_components());
  for (const auto &mode : modes)
    options.near_null_space.push_back(values_at(space, *adamant::parse_function<dim>("mode", mode, dim), all, 0));
  return options;
}

template <int dim, class Backend>
adamant::Preconditioner<Backend> Elasticity<dim, Backend>::external_preconditioner()
{
  if (parameters.linear_solver.preconditioner != "trilinos_amg")
    return nullptr;
  if constexpr (std::is_same_v<Backend, adamant::HostBackend<double>>)
    {
      amg = std::make_unique<adamant::TrilinosAMG>(hierarchy->data().back().matrix, amg_options(hierarchy->finest()));
      return [this](const Vector &from, Vector &to) { amg->vmult(from, to); };
    }
  else
    throw adamant::InputError("Linear solver/Preconditioner = trilinos_amg needs --backend host");
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::set_initial_values()
{
  adamant::Section    scope(run_info.timer, "init/initial values");
  const auto         &space = hierarchy->finest();
  adamant::Array<int> all(space.n_owned());
  std::iota(all.begin(), all.end(), 0);
  auto       displacement = values_at(space, *functions.initial_displacement, all, 0);
  auto       velocity     = values_at(space, *functions.initial_velocity, all, coupled ? dim : 0);
  const auto set          = [&](const adamant::Array<double> &nodal, double weight, Vector &target) {
    // Continuous at hanging nodes; prescribed values follow from the boundary condition.
    Vector values = adamant::to_backend(backend, nodal);
    backend.spmv(weight, H, values, 1., target);
  };
  backend.set_zero(u);
  set(displacement, 1., u);
  set(velocity, coupled ? parameters.time.step : 1., coupled ? u : v);
  backend.spmv(1., B, boundary_values, 1., u);
}

// rhs = E w + dt² F - C g at the new time; stationary: F - C g.
template <int dim, class Backend>
void Elasticity<dim, Backend>::compute_rhs()
{
  adamant::Section scope(run_info.timer, "rhs");
  if (mass_weight > 0. && coupled)
    backend.spmv(1., E, u, 0., rhs);
  else if (mass_weight > 0.)
    {
      backend.copy(u, w);
      backend.axpby(parameters.time.step, v, 1., w);
      backend.spmv(1., E, w, 0., rhs);
    }
  else
    backend.set_zero(rhs);
  backend.axpby(stiffness_weight * functions.load_factor(time), load, 1., rhs);
  backend.axpby(1., lift, 1., rhs);
  backend.synchronize();
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::solve()
{
  adamant::Section scope(run_info.timer, "solve");
  guess.predict(x);
  result = solver->solve(rhs, x);
  std::swap(u, u_old);
  backend.spmv(1., H, x, 0., u);
  backend.spmv(1., B, boundary_values, 1., u);
  if (!coupled && mass_weight > 0.)
    {
      backend.copy(u, v);
      backend.axpby(-1. / parameters.time.step, u_old, 1. / parameters.time.step, v);
    }
  guess.keep(x);
  backend.synchronize();
}

// One cycle of error-driven refinement: solve the stationary problem, refine where Kelly's estimator is largest.
template <int dim, class Backend>
void Elasticity<dim, Backend>::refine()
{
  setup_system(false);
  assemble(true);
  time = parameters.time.end;
  compute_rhs();
  solve();
  const auto            values = adamant::nodal_vector(hierarchy->finest(), download(u).data());
  adamant::Section      scope(run_info.timer, "init/mesh");
  dealii::Vector<float> indicators(mesh->n_active_cells());
  KellyErrorEstimator<dim>::estimate(mapping, hierarchy->finest().dof_handler(),
                                     QGauss<dim - 1>(parameters.discretization.degree + 1), {}, values, indicators);
  solver.reset();
  hierarchy.reset(); // it refers to the mesh as it was
  guess = adamant::Extrapolation<Backend>(backend, parameters.time.extrapolation_order);
  adamant::refine_and_coarsen(*mesh, indicators, parameters.discretization.refine_fraction, 0.);
}

// The row of statistics.csv: what the solver did, F . u, displacements at points, energies.
template <int dim, class Backend>
void Elasticity<dim, Backend>::record_step()
{
  const unsigned int n_steps = parameters.time.n_steps(), interval = parameters.output.energy_interval;
  {
    adamant::Section scope(run_info.timer, "statistics");
    work_of_load = functions.load_factor(time) * backend.dot(work, u);
    backend.spmv(1., at_points, u, 0., point_values);
    displacement_at_points.resize(point_values.size());
    backend.download(point_values, displacement_at_points.data());
    run_info.ranks.sum(displacement_at_points.data(), point_values.size()); // each point is one rank's
  }
  energy.fill(std::numeric_limits<double>::quiet_NaN());
  if (step == n_steps || (interval > 0 && step % interval == 0))
    {
      const auto       values   = download(u);
      auto             velocity = coupled ? values : download(v);
      adamant::Section scope(run_info.timer, "statistics");
      if (coupled)
        for (double &value : velocity)
          value *= 1. / parameters.time.step;
      energy =
        energies(hierarchy->finest(), mapping, quadrature, material, values.data(), velocity.data(), coupled ? dim : 0);
    }
  std::vector<std::pair<std::string, double>> row{{"step", step},
                                                  {"time", time},
                                                  {"iterations", result.iterations},
                                                  {"initial_residual", result.initial_residual},
                                                  {"residual", result.final_residual},
                                                  {"work_of_load", work_of_load},
                                                  {"strain_energy", energy[0]},
                                                  {"kinetic_energy", energy[1]}};
  for (std::size_t k = 0; k < displacement_at_points.size(); ++k)
    row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacement_at_points[k]);
  run_info.statistics(row);
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::output_results()
{
  const unsigned int interval = parameters.output.interval;
  if (interval == 0 || (step % interval != 0 && step != parameters.time.n_steps()))
    return;
  auto             u_values = download(u), v_values = download(coupled ? u : v);
  adamant::Section scope(run_info.timer, "output");
  if (coupled)
    for (std::size_t i = 0; i < u_values.size(); ++i)
      if (i % (2 * dim) >= dim)
        u_values[i] /= parameters.time.step;
  const auto &space   = hierarchy->finest();
  const auto  values  = adamant::nodal_vector(space, u_values.data()),
             velocity = adamant::nodal_vector(space, v_values.data());
  using namespace DataComponentInterpretation;
  std::vector<std::string>                                              names(dim, "displacement");
  std::vector<DataComponentInterpretation::DataComponentInterpretation> vectors(fe->n_components(),
                                                                                component_is_part_of_vector);
  const StressPostprocessor<dim>                                        stress(material);
  DataOut<dim>                                                          data;
  data.attach_dof_handler(space.dof_handler());
  if (coupled)
    {
      names.resize(2 * dim, "velocity");
      data.add_data_vector(values, names, DataOut<dim>::type_dof_data, vectors);
    }
  else
    {
      data.add_data_vector(values, names, DataOut<dim>::type_dof_data, vectors);
      data.add_data_vector(velocity, std::vector<std::string>(dim, "velocity"), DataOut<dim>::type_dof_data, vectors);
    }
  data.add_data_vector(values, stress);
  data.build_patches(mapping, fe->degree);
  series.write(data, time);
}

// The facts of the run; the error where the solution is known.
template <int dim, class Backend>
void Elasticity<dim, Backend>::report()
{
  std::cout << "strain energy " << energy[0] << ", work of the load " << work_of_load << std::endl;
  auto       &record      = run_info.record;
  const auto &space       = hierarchy->finest();
  record["nodes"]         = space.dof_handler().n_dofs() / fe->n_components();
  record["hanging_nodes"] = space.n_hanging() / fe->n_components();
  record["formulation"]   = parameters.discretization.formulation;
  run_info.measure(*solver);
  record["strain_energy"]  = energy[0];
  record["kinetic_energy"] = energy[1];
  record["work_of_load"]   = work_of_load;
  if (functions.exact_displacement)
    {
      functions.exact_displacement->set_time(parameters.time.end);
      const double l2 = displacement_error(space, mapping, QGauss<dim>(fe->degree + 2), download(u).data(),
                                           *functions.exact_displacement);
      std::cout << "L2 error of the displacement " << l2 << std::endl;
      record["errors"]["l2"] = l2;
    }
  for (std::size_t p = 0; p < parameters.output.points.size(); ++p)
    record["displacements"].push_back(
      std::vector<double>(displacement_at_points.begin() + p * dim, displacement_at_points.begin() + (p + 1) * dim));
}

template <int dim, class Backend>
adamant::Array<double> Elasticity<dim, Backend>::download(const Vector &vector)
{
  adamant::Section scope(run_info.timer, "copy");
  return adamant::to_host(backend, vector);
}

template <int dim, class Backend>
void Elasticity<dim, Backend>::run()
{
  const bool stationary = parameters.time.stationary;
  if (run_info.continues())
    run_info.load_mesh(*mesh);
  else
    {
      make_mesh();
      if (parameters.discretization.refinement == "kelly")
        for (unsigned int cycle = 0; cycle < parameters.discretization.steps; ++cycle)
          refine();
    }
  setup_system(parameters.discretization.formulation == "coupled");
  assemble(stationary);
  time = 0.;
  if (run_info.continues())
    run_info.load(*this);
  else
    set_initial_values();
  const auto n_cells = mesh->n_global_active_cells(), n_unknowns = hierarchy->finest().dof_handler().n_dofs();
  std::cout << n_cells << " cells, " << n_unknowns << " unknowns, " << hierarchy->n_levels() << " levels\n" << *solver;
  run_info.describe(n_unknowns, n_cells, hierarchy->data(), parameters.linear_solver,
                    parameters.time.extrapolation_order);
  if (!stationary && run_info.writes_initial_values())
    output_results();

  run_info.begin_time_loop(step, parameters.time.n_steps());
  while (step < parameters.time.n_steps())
    {
      ++step;
      time = stationary ? parameters.time.end : step * parameters.time.step;
      compute_rhs();
      solve();
      record_step();
      run_info.progress(step, time, result.iterations, result.final_residual);
      output_results();
      run_info.checkpoint(step, time, adamant::StoredMesh<dim>(*mesh), *this);
    }
  run_info.end_time_loop();
  report();
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters>(
    argc, argv, "elasticity",
    "Solves linear elasticity on adaptive meshes with multigrid (Liebchen et al., Section 5.2).",
    [](const Parameters &parameters, const auto &backend, adamant::Run &run) {
      using Backend = std::decay_t<decltype(backend)>;
      if (parameters.problem.dimension == 2)
        Elasticity<2, Backend>(parameters, backend, run).run();
      else
        Elasticity<3, Backend>(parameters, backend, run).run();
    });
}
