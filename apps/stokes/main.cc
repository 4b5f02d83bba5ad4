// Stokes flow with a viscosity that varies by many orders of magnitude:
//
//   -div(2 η ε(u)) + ∇p = f,   div u = 0,
//
// u = 0 (no slip), u·n = 0 without tangential stress (free slip), or u prescribed on each boundary; Q1-iso-Q2/Q1 elements
// (StokesMatrices). The system
//
//   [ A  Bᵀ ] [ u ]   [ F - A_g g ]
//   [ B  0  ] [ p ] = [   - B_g g ],   g the prescribed velocities,
//
// is solved by flexible GMRES with multigrid for A and an approximation of the Schur complement (SaddlePointSolver). All
// is scaled: η by the geometric mean of its extremes, lengths by that of the domain; results are in the input's units.
// The cases: cases.h.

#include "cases.h"
#include "data.h"
#include "parameters.h"

#include "application/device_field.h"
#include "application/point_evaluation.h"
#include "application/program.h"
#include "application/time_dependent_problem.h"
#include "discretization/fields/gradient_postprocessor.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/points.h"
#include "discretization/forms/load.h"
#include "multigrid/saddle_point_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_tools.h>

#include <deal.II/fe/fe_q.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

using namespace stokes;
using adamant::Array;
using adamant::Section;

template <int dim>
class Stokes : public adamant::TimeDependentProblem<dim>
{
public:
  Stokes(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, {1., 1, parameters.output.files ? 1u : 0u})
    , parameters(parameters)
    , data(make_case<dim>(parameters.problem))
  {}

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::step, Base::time;

  void                  make_mesh() override;
  void                  setup() override;
  void                  set_initial_values() override {}
  adamant::SolverResult advance() override;
  void                  serialize(adamant::State &state) override;
  void                  report() override;
  bool                  output_due() const override { return Base::output_due() && step > 0; }

  std::vector<const Vector *> output_vectors() const override { return {&u, &p}; }
  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override;

  void setup_matrices();
  void setup_viscosity();
  void setup_right_hand_side();
  void setup_solver();

  const Parameters                           &parameters;
  const Case<dim>                             data;
  std::optional<adamant::StokesMatrices<dim>> matrices;
  std::optional<adamant::DeviceField<dim>>    velocity;
  std::optional<adamant::SaddlePointSolver>   solver;
  CellViscosity                               eta;         // over its scale: see cases.h
  double                                      length = 1.; // of the domain
  Vector boundary_values, b, x;                            // times the scale of η; x is (u, p times length)
  Vector viscosity, at_points, u, p;                       // of the device; u and p at nodes, in the input's units
};

template <int dim>
void Stokes<dim>::make_mesh()
{
  parameters.mesh.make(*mesh);
  adamant::refine_global(*mesh, 1);
}

template <int dim>
void Stokes<dim>::setup()
{
  setup_matrices();
  setup_viscosity();
  setup_right_hand_side();
  setup_solver();
  const auto       &levels  = matrices->data().velocity;
  const std::size_t n_cells = mesh->n_global_active_cells(), n_u = x.size() - matrices->pressure.finest().n_owned(),
                    n_p = x.size() - n_u;
  std::cout << n_cells << " cells, " << n_u << " velocities, " << n_p << " pressures, " << levels.size() << " levels\n";
  run_info.describe({n_u + n_p, n_cells, levels, parameters.linear_solver});
}

template <int dim>
void Stokes<dim>::setup_matrices()
{
  Section scope(run_info.timer, "init/matrices");
  length             = std::pow(GridTools::volume(*mesh), 1. / dim);
  const auto &solver = parameters.linear_solver;
  matrices.emplace(device, *mesh, mapping, dirichlet_boundary(parameters.problem, *mesh),
                   walls(parameters.problem, *mesh),
                   adamant::StokesOptions{adamant::level_mesh_options<dim>(run_info, solver, FE_Q<dim>(1)),
                                          ViscosityParameters::average(parameters.viscosity.coarse), parameters.schur(),
                                          solver.exponent, solver.boundary_weight, length});
  velocity.emplace(device, matrices->velocity, mapping);
}

// η on the cells of the velocity mesh, and all matrices.
template <int dim>
void Stokes<dim>::setup_viscosity()
{
  Section     scope(run_info.timer, "init/viscosity");
  const auto &space = matrices->space();
  eta = cell_viscosity(space, *data.viscosity, adamant::quadrature_points(space, mapping, matrices->quadrature),
                       parameters.viscosity.finest);
  viscosity = Vector(device, eta.of_cells);
  at_points = Vector(device, eta.at_points);
  matrices->update(viscosity, at_points.size() > 0 ? &at_points : nullptr);
}

template <int dim>
void Stokes<dim>::setup_right_hand_side()
{
  Section    scope(run_info.timer, "init/right-hand side");
  const int  n_u = velocity->size(), n_p = matrices->pressure.finest().n_owned();
  const auto F = load_vector(matrices->space(), mapping, QGauss<dim>(3), QGauss<dim - 1>(3), *data.force, {});
  auto       f = adamant::transposed_product(matrices->space().owned_H(), F);
  f.resize(n_u + n_p, 0.);
  b = Vector(device, f);
  x = Vector(device, n_u + n_p);
  u = velocity->vector();
  p = Vector(device, matrices->nodal_pressure.finest().n_owned());

  auto g = prescribed_velocity(parameters.problem, matrices->space(), mapping);
  for (double &value : g)
    value *= eta.scale;
  boundary_values = Vector(device, g);
  if (std::any_of(g.begin(), g.end(), [](double value) { return value != 0.; }))
    matrices->subtract_prescribed(boundary_values, b);
}

template <int dim>
void Stokes<dim>::setup_solver()
{
  Section scope(run_info.timer, "init/solver");
  auto    options                = parameters.linear_solver.options("Stokes problem");
  auto    pressure_options       = SolverParameters::pressure_options();
  pressure_options.coarse_solver = options.multigrid.coarse_solver;
  solver.emplace(device, matrices->data(), dim, parameters.schur(), options, pressure_options);
}

// x solves the scaled problem; then u and p in the input's units, the pressure of zero mean.
template <int dim>
adamant::SolverResult Stokes<dim>::advance()
{
  Section    scope(run_info.timer, "solve");
  const auto result = solver->solve(b, x);
  Vector     x_u = solver->blocks().of(x, 0), x_p = solver->blocks().of(x, 1);
  velocity->nodal_values(x_u, boundary_values, u);
  device.scale(1. / eta.scale, u);
  matrices->remove_mean(x_p);
  device.multiply(1. / length, matrices->to_velocity_mesh, x_p, 0., p);
  device.synchronize();
  return result;
}

template <int dim>
void Stokes<dim>::serialize(adamant::State &state)
{
  state.vector(u, *velocity, velocity->prescribed_vector());
  state.vector(p, matrices->nodal_pressure.finest());
}

template <int dim>
void Stokes<dim>::write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const
{
  const adamant::GradientPostprocessor<dim> strain_rate({"strain_rate"}, [](const Tensor<2, dim> &gradient) {
    return std::vector<double>{std::sqrt(0.5) * symmetrize(gradient).norm()};
  });
  dealii::Vector<double> of_cells(mesh->n_active_cells());
  for (int cell = 0; cell < matrices->space().n_cells(); ++cell)
    of_cells[matrices->space().active_cells()[cell]->active_cell_index()] = eta.scale * eta.of_cells[cell];
  adamant::FieldOutput<dim> output;
  output.add_vectors(matrices->space(), values[0], {"velocity"});
  output.add_derived(matrices->space(), values[0], strain_rate);
  output.add_scalar(matrices->nodal_pressure.finest(), values[1], "pressure");
  output.add_data_vector(of_cells, "viscosity", DataOut<dim>::type_cell_data);
  output.build_patches(mapping, 1);
  series.write(output, t);
}

// Errors, values at points, and the balance of energy.
template <int dim>
void Stokes<dim>::report()
{
  auto          &record = run_info.record;
  const auto     nodal_u = this->download(u), nodal_p = this->download(p);
  Section        scope(run_info.timer, "output");
  const QGauss<dim> quadrature(5);
  if (data.exact_velocity)
    record["errors"]["u_l2"] =
      l2_error(matrices->space(), mapping, quadrature, nodal_u.data(), *data.exact_velocity);
  if (data.exact_pressure)
    record["errors"]["p_l2"] =
      l2_error(matrices->nodal_pressure.finest(), mapping, quadrature, nodal_p.data(), *data.exact_pressure);
  record["velocities"]            = nodal_u.size();
  record["pressures"]             = matrices->pressure.finest().n_owned();
  record["viscosity"]             = {{"min", eta.least}, {"max", eta.most}};
  record["schur_complement"]      = parameters.schur() == adamant::SchurComplement::bfbt ? "bfbt" : "mass";
  record["max_velocity"]          = max_norm(nodal_u);
  record["velocity_at_points"]    = adamant::PointEvaluation(device, matrices->velocity, mapping, parameters.output.points, dim)(u);
  record["pressure_at_points"]    = adamant::PointEvaluation(device, matrices->nodal_pressure, mapping, parameters.output.points, 1)(p);
  Vector x_u = solver->blocks().of(x, 0), b_u = solver->blocks().of(b, 0), Ax = velocity->vector();
  solver->A().multiply(1., x_u, 0., Ax);
  record["dissipation"]   = device.dot(x_u, Ax) / eta.scale;
  record["work_of_force"] = device.dot(x_u, b_u) / eta.scale;
  std::cout << "largest velocity " << record["max_velocity"] << ", dissipation " << record["dissipation"] << std::endl;
  if (record.contains("errors"))
    std::cout << "L2 errors: " << record["errors"] << std::endl;
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Stokes>(
    argc, argv, "stokes", "Solves Stokes flow with strongly varying viscosity by multigrid in flexible GMRES.");
}
