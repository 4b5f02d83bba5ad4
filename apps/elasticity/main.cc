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
// where u1, v1 belong to the last step, and C is A acting on g. The factor s makes the residuals of both equations comparable.

#include "parameters.h"

#include "application/field_output.h"
#include "application/point_evaluation.h"
#include "application/program.h"
#include "application/time_dependent_problem.h"
#include "discretization/fields/error_estimate.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/nodal_values.h"
#include "discretization/fields/prescribed_axes.h"
#include "discretization/forms/load.h"
#include "discretization/forms/node_pairs.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>

using namespace dealii;
using namespace elasticity;
using adamant::CellContext;
using adamant::Form;
using adamant::Section;

// The weights of mass or stiffness in each block of a matrix: [0] belongs to u and [1] to dt v, which the coupled formulation alone has.
using Blocks = std::array<std::array<double, 2>, 2>;

template <int dim>
class Elasticity : public adamant::TimeDependentProblem<dim>
{
public:
  Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run);

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::schedule, Base::step, Base::time;

  void                        make_mesh() override;
  void                        adapt_mesh() override;
  void                        setup() override;
  void                        set_initial_values() override;
  adamant::SolverResult       advance() override;
  void                        serialize(adamant::State &state) override;
  void                        add_statistics(adamant::Statistics::Row &row) override;
  void                        report() override;
  bool                        output_due() const override;
  std::vector<const Vector *> output_vectors() const override;
  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override;

  void choose_formulation(const std::string &name);
  void setup_fields();
  void setup_equation();
  void setup_load();
  void add_mass(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const;
  void add_stiffness(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const;
  void compute_rhs();

  const Parameters              &parameters;
  const double                   dt;
  const adamant::ElasticMaterial material;
  const ProblemFunctions<dim>    functions;
  const QGauss<dim>              quadrature;

  bool   stationary, coupled;
  Blocks mass, old_mass, stiffness; // of A and E

  std::optional<adamant::LevelMeshes<dim>> meshes;
  std::optional<adamant::Field<dim>>       field; // u; coupled: u and dt v in each node
  std::optional<adamant::DeviceField<dim>> space;
  std::optional<Form<dim>>                 A;
  std::unique_ptr<adamant::LinearSolver>   solver; // of A
  adamant::Matrix<double>                  E;
  adamant::PointEvaluation                 at_points;
  adamant::Extrapolation                   guess;

  Vector u, u_old, v, w, x, rhs, boundary_values; // coupled: u holds dt v too, and v is empty
  Vector work, load, lift;                        // F, for the work F . u; Hᵀ F in its rows; -C g

  adamant::Energies   energy{};
  double              work_of_load = 0.;
  std::vector<double> displacements; // at points
};

template <int dim>
Elasticity<dim>::Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
  : Base(device, run, parameters.schedule())
  , parameters(parameters)
  , dt(parameters.time.step)
  , material(parameters.problem.material())
  , functions(parameters.problem)
  , quadrature(parameters.discretization.degree + 1)
  , guess(device, parameters.time.extrapolation_order)
{}

template <int dim>
void Elasticity<dim>::make_mesh()
{
  const auto &p = parameters.discretization;
  p.make(*mesh);
  const std::map<std::string, unsigned int> n_coordinates{{"uniform", 0}, {"face", 1}, {"edge", 2}, {"vertex", dim}};
  if (p.refinement != "kelly")
    adamant::refine_towards_origin(*mesh, p.lengths, n_coordinates.at(p.refinement), p.steps);
}

// In each cycle, solves the stationary problem and refines where Kelly's estimator is largest.
template <int dim>
void Elasticity<dim>::adapt_mesh()
{
  const auto &p = parameters.discretization;
  for (unsigned int cycle = 0; p.refinement == "kelly" && cycle < p.steps; ++cycle)
    {
      choose_formulation("stationary");
      setup_fields();
      setup_equation();
      time = parameters.time.end;
      advance();
      time              = 0.;
      const auto values = this->download(u);
      Section    scope(run_info.timer, "init/mesh");
      const auto errors = adamant::estimate_errors(field->finest(), mapping, values.data());
      solver.reset(); // what refers to the mesh as it was
      A.reset();
      space.reset();
      field.reset();
      meshes.reset();
      adamant::refine_and_coarsen(*mesh, errors, p.refine_fraction, 0.);
    }
}

template <int dim>
void Elasticity<dim>::setup()
{
  choose_formulation(parameters.time.stationary ? "stationary" : parameters.discretization.formulation);
  setup_fields();
  setup_equation();
  this->describe(*field, *A, *solver, parameters.linear_solver, parameters.time.extrapolation_order);
}

template <int dim>
void Elasticity<dim>::choose_formulation(const std::string &name)
{
  // s: the lowest eigenvalue of dt² K / M on a box as long as this one, about what K contributes to the residual.
  const auto  &lengths = parameters.discretization.lengths;
  const double length  = *std::max_element(lengths.begin(), lengths.begin() + dim);
  const double speed2  = (material.lambda + 2. * material.mu) / material.density;
  const double s       = 1. + dt * dt * speed2 * std::pow(numbers::PI / length, 2);
  stationary           = name == "stationary";
  coupled              = name == "coupled";
  mass                 = coupled ? Blocks{{{s, -s}, {0., 1.}}} : Blocks{{{stationary ? 0. : 1.}}};
  old_mass             = coupled ? Blocks{{{s, 0.}, {0., 1.}}} : mass;
  stiffness            = coupled ? Blocks{{{}, {dt * dt}}} : Blocks{{{stationary ? 1. : dt * dt}}};
}

// All data that do not depend on the equation's coefficients: levels, constraints, vectors.
template <int dim>
void Elasticity<dim>::setup_fields()
{
  Section             scope(run_info.timer, "init/hierarchy");
  const FESystem<dim> fe(FE_Q<dim>(parameters.discretization.degree), coupled ? 2 * dim : dim);
  // The limit counts cells of linear elements: others have more unknowns.
  auto options           = adamant::level_mesh_options<dim>(run_info, parameters.linear_solver, fe);
  options.coarsest_cells = std::max(options.coarsest_cells >> (dim * (fe.degree - 1)), 1u);
  meshes.emplace(*mesh, options);
  field.emplace(*meshes, "displacement", fe, adamant::prescribed_axes(parameters.problem.dirichlet, fe));
  space.emplace(device, *field, mapping);
  at_points = adamant::PointEvaluation(device, *field, mapping, parameters.output.points, dim);
  for (Vector *vector : {&u, &u_old, &w, &x, &rhs, &lift})
    *vector = space->vector();
  v = coupled ? Vector() : space->vector();
}

// The system matrices of all levels with their solver, and on the finest one what the right-hand side needs.
template <int dim>
void Elasticity<dim>::setup_equation()
{
  using namespace adamant;
  {
    Section    scope(run_info.timer, "init/assembly");
    const auto flags  = update_values | update_gradients | update_JxW_values;
    const auto system = [this](const CellContext<dim> &cell, FullMatrix<double> &local) {
      add_mass(cell, mass, local);
      add_stiffness(cell, stiffness, local);
    };
    A.emplace("A", *field, unknowns(*field), mapping, quadrature, flags, system, Levels::all);
    A->update();
    Form<dim> prescribed("C", *field, prescribed_values(*field), mapping, quadrature, flags, system);
    boundary_values = Vector(
      device, nodal_values(field->finest(), mapping, *functions.boundary_displacement, field->finest().prescribed));
    device.multiply(-1., assemble_on(device, prescribed), boundary_values, 0., lift);
    Form<dim> old("E", *field, nodal_values_by_component(*field), mapping, quadrature, flags,
                  [this](const auto &cell, auto &local) { add_mass(cell, old_mass, local); });
    if (!stationary)
      E = assemble_on(device, old);
    setup_load();
  }
  Section scope(run_info.timer, "init/solver");
  solver = make_linear_solver<dim>(device, *field, *A, parameters.linear_solver,
                                   stationary ? "stationary problem" : "time step",
                                   [this](const auto &level) { return rigid_body_modes(level, mapping); });
  guess  = Extrapolation(device, parameters.time.extrapolation_order);
}

// M_ab = ∫ rho φ_a φ_b for nodes a, b and each component.
template <int dim>
void Elasticity<dim>::add_mass(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const
{
  adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
    double M = 0;
    for (const unsigned int q : cell.quadrature_point_indices())
      M += material.density * cell.value(a, q) * cell.value(b, q) * cell.JxW(q);
    for (unsigned int i = 0; i <= coupled; ++i)
      for (unsigned int j = 0; j <= coupled; ++j)
        for (unsigned int c = 0; c < dim; ++c)
          entry(i * dim + c, j * dim + c) += weight[i][j] * M;
  });
}

// K_(a,c)(b,d) = ∫ sigma(φ_b e_d) : epsilon(φ_a e_c) = lambda G_cd + mu (G_dc + delta_cd tr G), G = ∫ grad φ_a (x) grad φ_b.
template <int dim>
void Elasticity<dim>::add_stiffness(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const
{
  adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
    Tensor<2, dim> G;
    for (const unsigned int q : cell.quadrature_point_indices())
      G += outer_product(cell.gradient(a, q) * cell.JxW(q), cell.gradient(b, q));
    for (unsigned int i = 0; i <= coupled; ++i)
      for (unsigned int c = 0; c < dim; ++c)
        for (unsigned int d = 0; d < dim; ++d)
          entry(i * dim + c, d) +=
            weight[i][0] * (material.lambda * G[c][d] + material.mu * (G[d][c] + (c == d ? trace(G) : 0.)));
  });
}

template <int dim>
void Elasticity<dim>::setup_load()
{
  std::map<types::boundary_id, const Function<dim> *> traction;
  for (const auto &[id, function] : functions.traction)
    traction[id] = function.get();
  auto F = adamant::load_vector(field->finest(), mapping, quadrature,
                                QGauss<dim - 1>(parameters.discretization.degree + 1), *functions.body_force, traction);
  work   = Vector(device, F);
  if (coupled && !F.empty()) // to the rows of dt v, which follow those of u in each node
    std::rotate(F.begin(), F.end() - dim, F.end());
  load = Vector(device, adamant::transposed_product(field->finest().owned_H(), F));
}

template <int dim>
void Elasticity<dim>::set_initial_values()
{
  Section    scope(run_info.timer, "init/initial values");
  const auto set = [&](const Function<dim> &function, unsigned int first, const Vector &g, Vector &values) {
    space->nodal_values(Vector(device, adamant::nodal_values(field->finest(), mapping, function, first)), g, values);
  };
  set(*functions.initial_displacement, 0, boundary_values, u);
  set(*functions.initial_velocity, coupled ? dim : 0, space->prescribed_vector(), coupled ? w : v);
  if (coupled)
    device.axpby(dt, w, 1., u);
}

template <int dim>
adamant::SolverResult Elasticity<dim>::advance()
{
  compute_rhs();
  Section scope(run_info.timer, "solve");
  guess.predict(x);
  const auto result = solver->solve(rhs, x);
  std::swap(u, u_old);
  space->nodal_values(x, boundary_values, u);
  if (!coupled && !stationary)
    {
      device.copy(u, v);
      device.axpby(-1. / dt, u_old, 1. / dt, v);
    }
  guess.keep(x);
  device.synchronize();
  return result;
}

// rhs = E w + dt² F - C g at the new time; stationary: F - C g.
template <int dim>
void Elasticity<dim>::compute_rhs()
{
  Section scope(run_info.timer, "rhs");
  device.copy(lift, rhs);
  device.axpby((stationary ? 1. : dt * dt) * functions.load_factor(time), load, 1., rhs);
  if (!stationary)
    {
      device.copy(u, w);
      if (!coupled)
        device.axpby(dt, v, 1., w);
      device.multiply(1., E, w, 1., rhs);
    }
  device.synchronize();
}

template <int dim>
void Elasticity<dim>::serialize(adamant::State &state)
{
  state.scalar(energy.strain);
  state.scalar(energy.kinetic);
  state.scalar(work_of_load);
  state.scalar(displacements);
  state.vector(u, space->storage_order());
  if (!coupled)
    state.vector(v, space->storage_order());
  state.history(guess, device, u.size(), space->storage_order());
}

// F . u, energies, displacements at points.
template <int dim>
void Elasticity<dim>::add_statistics(adamant::Statistics::Row &row)
{
  energy.strain = energy.kinetic = std::numeric_limits<double>::quiet_NaN();
  if (step == schedule.n_steps || schedule.due(parameters.output.energy_interval, step))
    {
      const auto displacement = this->download(u), velocity = coupled ? displacement : this->download(v);
      Section    scope(run_info.timer, "statistics");
      energy = adamant::energies(field->finest(), mapping, quadrature, material, displacement.data(), velocity.data(),
                                 coupled ? dim : 0);
      energy.kinetic /= coupled ? dt * dt : 1.;
    }
  Section scope(run_info.timer, "statistics");
  work_of_load  = functions.load_factor(time) * device.dot(work, u);
  displacements = at_points(u);
  row.insert(row.end(),
             {{"work_of_load", work_of_load}, {"strain_energy", energy.strain}, {"kinetic_energy", energy.kinetic}});
  for (std::size_t k = 0; k < displacements.size(); ++k)
    row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacements[k]);
}

template <int dim>
bool Elasticity<dim>::output_due() const
{
  return Base::output_due() && !(stationary && step == 0);
}

template <int dim>
std::vector<const adamant::Vector<double> *> Elasticity<dim>::output_vectors() const
{
  return coupled ? std::vector<const Vector *>{&u} : std::vector<const Vector *>{&u, &v};
}

template <int dim>
void Elasticity<dim>::write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const
{
  const auto               &nodes  = field->finest();
  const auto                stress = adamant::stress_postprocessor<dim>(material);
  adamant::FieldOutput<dim> data;
  if (coupled)
    data.add_vectors(nodes, values[0], {"displacement", "velocity"}, {1., 1. / dt});
  else
    {
      data.add_vectors(nodes, values[0], {"displacement"});
      data.add_vectors(nodes, values[1], {"velocity"});
    }
  data.add_derived(nodes, values[0], stress);
  data.build_patches(mapping, field->element().degree);
  series.write(data, t);
}

// The facts of the run; the error where the solution is known.
template <int dim>
void Elasticity<dim>::report()
{
  std::cout << "strain energy " << energy.strain << ", work of the load " << work_of_load << std::endl;
  auto              &record       = run_info.record;
  const unsigned int n_components = field->element().n_components();
  record["nodes"]                 = field->finest().dof_handler().n_dofs() / n_components;
  record["hanging_nodes"]         = field->finest().n_hanging() / n_components;
  record["formulation"]           = parameters.discretization.formulation;
  run_info.measure(*solver);
  record["strain_energy"]  = energy.strain;
  record["kinetic_energy"] = energy.kinetic;
  record["work_of_load"]   = work_of_load;
  if (functions.exact_displacement)
    {
      functions.exact_displacement->set_time(parameters.time.end);
      const double l2 = adamant::l2_error(field->finest(), mapping, QGauss<dim>(field->element().degree + 2),
                                          this->download(u).data(), *functions.exact_displacement);
      std::cout << "L2 error of the displacement " << l2 << std::endl;
      record["errors"]["l2"] = l2;
    }
  for (auto p = displacements.begin(); p != displacements.end(); p += dim)
    record["displacements"].push_back(std::vector<double>(p, p + dim));
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Elasticity>(
    argc, argv, "elasticity",
    "Solves linear elasticity on adaptive meshes with multigrid (Liebchen et al., Section 5.2).");
}
