#include "stokes/stokes_flow.h"

#include "coefficients/extremes.h"
#include "evaluation/flow_quantities.h"
#include "fem/functions/points.h"
#include "frame/linear_solver_setup.h"
#include "frame/output/output.h"
#include "stokes/stokes_kernels.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>

namespace adamant
{
namespace
{
StokesOptions stokes_options(LevelMeshOptions levels, double length, const ViscosityParameters &averages,
                             const StokesSolverParameters &parameters, SchurComplement schur, VelocityElement element)
{
  levels.coarsest_cells = parameters.coarsest_cells; // of the pressure, where the velocity has another preconditioner
  return {element,
          levels,
          averages.coarse_average(),
          schur,
          parameters.exponent,
          parameters.boundary_weight,
          length,
          parameters.products_of(averages)};
}

template <int dim>
Array<double> volumes_of(const CellList<dim> &cells)
{
  Array<double> volumes(cells.size());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < cells.size(); ++c)
    volumes[c] = cells[c]->measure();
  return volumes;
}

// About the length of the domain, from its volume.
template <int dim>
double length_of(const dealii::Triangulation<dim> &mesh)
{
  const auto shared  = std::shared_ptr<const dealii::Triangulation<dim>>(&mesh, [](const void *) {});
  const auto volumes = volumes_of(CellList<dim>(shared));
  double     volume  = std::accumulate(volumes.begin(), volumes.end(), 0.); // in order, for any number of threads
  Communicator(mesh.get_communicator()).sum(&volume, 1);
  return std::pow(volume, 1. / dim);
}

// What keeps GMRES from a tolerance: rounding of η_max u against the right-hand side.
template <int dim>
std::string rounding_limit(const CellViscosity &eta, double h, const Vector<double> &x, const Vector<double> &b)
{
  double most = 0.;
  for (const double value : to_host(x))
    most = std::max(most, std::abs(value));
  x.device().communicator().max(&most, 1);
  const double limit =
    std::numeric_limits<double>::epsilon() * eta.most * std::pow(h, dim - 2) * most / std::sqrt(b.device().dot(b, b));
  return "; rounding allows a relative residual of about " + to_text(limit) +
         " here; a larger Linear solver/Restart may help";
}
} // namespace

template <int dim>
StokesFlow<dim>::StokesFlow(const Device &device, const LevelMeshOptions &levels, dealii::Triangulation<dim> &mesh,
                            const dealii::MappingQ<dim> &mapping, const FlowBoundaries &boundaries,
                            const ViscosityParameters &averages, const StokesSolverParameters &parameters,
                            SchurComplement schur, VelocityElement element)
  : device(device)
  , mesh(mesh)
  , mapping(mapping)
  , average_parameters(averages)
  , parameters(parameters)
  , schur(schur)
  , length(length_of(mesh))
  , matrices_(device, mesh, mapping, dirichlet_boundary(boundaries, mesh, mapping),
              boundaries.all(&FlowBoundaries::prescribes, mesh), boundaries.all(&FlowBoundaries::is_open, mesh),
              stokes_options(levels, length, averages, parameters, schur, element))
  , field(device, matrices_.velocity, mapping)
{
  const int n = field.size() + matrices_.pressure.finest().n_owned();
  b           = Vector<double>(device, n);
  x           = Vector<double>(device, n);
  u           = field.vector();
  forces      = field.vector();
  p           = Vector<double>(device, matrices_.nodal_pressure.finest().n_owned());
  viscosity   = Vector<double>(device, space().n_cells());
  scratch     = Vector<double>(device, space().n_cells());
  check_flux(boundaries, space(), mapping);
  require_no_rigid_motion(boundaries, mesh, true);
  prescribed = Vector<double>(device, prescribed_velocity(boundaries, space(), mapping).values);
  tractions =
    Vector<double>(device, transposed_product(space().owned_H(), Tractions<dim>(boundaries).load(space(), mapping)));
  g       = field.prescribed_vector();
  volumes = Vector<double>(device, volumes_of(space().active_cells()));
  volume  = device.dot(volumes, Vector<double>(device, Array<double>(space().n_cells(), 1.)));
}

template <int dim>
CellViscosity StokesFlow<dim>::viscosity_of(const Vector<double> &at_points, bool has_units,
                                            const std::string &automatic)
{
  const int      n = static_cast<int>(matrices_.quadrature.size()), n_cells = space().n_cells();
  CellViscosity  eta;
  Vector<double> of_cells(device, n_cells);
  device.for_each(n_cells,
                  AverageInCells{average_parameters.finest_average(automatic), n, at_points.data(), of_cells.data()});
  eta.of_cells       = std::move(of_cells);
  const auto &finest = average_parameters.finest;
  eta.averaged       = finest == "auto" ? !matrices_.is_q2() || !varies_smoothly(at_points) : finest != "none";
  if (!eta.averaged)
    {
      eta.at_points = Vector<double>(device, at_points.size());
      device.copy(at_points, eta.at_points);
    }
  const auto bounds = extremes(eta.averaged ? eta.of_cells : eta.at_points);
  device.for_each(n_cells, Power{1., -1., eta.of_cells.data(), scratch.data()});
  const double fluidity = device.dot(volumes, scratch);
  if (!(bounds[0] > 0. && std::isfinite(bounds[1]) && std::isfinite(fluidity)))
    refuse_viscosity(to_host(eta.of_cells));
  require(bounds[1] <= 1e12 * bounds[0], "Problem/Viscosity varies by ", bounds[1] / bounds[0],
          "; more than 1e12 is beyond double precision");
  eta.least = bounds[0];
  eta.most  = bounds[1];
  if (has_units)
    eta.rescale(volume / fluidity);
  return eta;
}

// Whether the values at the n points of each cell vary by a factor of less than 10, on all ranks. A jump of the
// viscosity through a cell that matters varies by more. A smooth viscosity varies by less on a mesh that resolves it.
template <int dim>
bool StokesFlow<dim>::varies_smoothly(const Vector<double> &at_points)
{
  const int n = static_cast<int>(matrices_.quadrature.size());
  device.for_each(scratch.size(), RatioInCells{n, at_points.data(), scratch.data()});
  return extremes(scratch)[1] < 10.;
}

template <int dim>
void StokesFlow<dim>::refuse_viscosity(const Array<double> &of_cells) const
{
  const auto bad =
    std::find_if(of_cells.begin(), of_cells.end(), [](double value) { return !(std::isfinite(value) && value > 0.); });
  std::ostringstream what;
  if (bad != of_cells.end())
    what << "Problem/Viscosity is " << *bad << " in the cell around ("
         << space().active_cells()[bad - of_cells.begin()]->center() << "): it has to be positive and finite";
  require_on_all(space().communicator(), what.str());
  throw RunError("the viscosity's harmonic mean is not finite");
}

template <int dim>
void StokesFlow<dim>::set_viscosity(CellViscosity new_eta)
{
  auto x_u = part(x, 0);
  device.scale(new_eta.scale / eta.scale, x_u); // u stays
  eta = std::move(new_eta);
  set_cells();
  matrices_.update(eta.of_cells, eta.averaged ? nullptr : &eta.at_points);
  device.copy(prescribed, g);
  device.scale(eta.scale, g);
  solver_is_behind = b_is_behind = true;
  new_precision.reset();
  if (!solver || precision_ == Precision::float32)
    if (const auto wanted = wanted_precision(); !solver || wanted != precision_)
      new_precision = wanted;
}

template <int dim>
void StokesFlow<dim>::set_cells()
{
  device.copy(eta.of_cells, viscosity);
  device.scale(eta.scale, viscosity);
}

template <int dim>
void StokesFlow<dim>::update_solver()
{
  if (!solver_is_behind)
    return;
  if (!solver_stays())
    return make_solver(new_precision.value_or(wanted_precision()));
  solver->update();
  device.synchronize();
  solver_is_behind = false;
}

// float32 is mixed where the viscosity is too rough for it, unless the parameters say no.
template <int dim>
Precision StokesFlow<dim>::wanted_precision() const
{
  const auto wanted = parameters.options("").precision;
  const bool rough  = parameters.adapt_precision && wanted == Precision::float32 && eta.most > 1e5 * eta.least &&
                     largest_jump(space(), to_host(eta.of_cells)) > 1e3;
  return rough ? Precision::mixed : wanted;
}

template <int dim>
void StokesFlow<dim>::make_solver(Precision precision)
{
  precision_        = precision;
  auto options      = parameters.options("Stokes problem");
  options.precision = precision;
  solver.emplace(device, matrices_.data(), dim, schur, options,
                 StokesSolverParameters::pressure_options(!matrices_.is_open()),
                 make_preconditioner<dim>(device, matrices_.data().velocity, space(), parameters, options,
                                          [this](const auto &space) { return rigid_body_modes(space, mapping); }),
                 tangent);
  new_precision.reset();
  solver_is_behind = false;
}

template <int dim>
void StokesFlow<dim>::set_load(const Vector<double> &F)
{
  device.copy(F.part(0, forces.size()), forces);
  device.axpby(1., tractions, 1., forces);
  set_right_hand_side();
}

template <int dim>
void StokesFlow<dim>::set_right_hand_side()
{
  b.set_zero();
  Vector<double> b_u = part(b, 0);
  device.copy(forces, b_u);
  if (prescribes_velocity())
    matrices_.subtract_prescribed(g, b);
  b_is_behind = false;
}

template <int dim>
SolverResult StokesFlow<dim>::solve()
{
  if (solver_is_behind || b_is_behind)
    throw RunError("Stokes flow: update_solver() and set_load() have to follow set_viscosity() before solve()");
  const auto result = solve_scaled(b, x);
  auto       x_p    = part(x, 1);
  matrices_.remove_mean(x_p);
  set_nodal_values();
  device.synchronize();
  return result;
}

// Where float does not do, once more with mixed precision.
template <int dim>
SolverResult StokesFlow<dim>::solve_scaled(const Vector<double> &rhs, Vector<double> &solution,
                                           double part_of_tolerance)
{
  try
    {
      return solver->solve(rhs, solution, part_of_tolerance);
    }
  catch (const SolverError &error)
    {
      if (!std::isfinite(device.dot(rhs, rhs)))
        throw SolverError("Stokes problem: the force or a prescribed velocity is NaN or infinite somewhere");
      if (precision_ != Precision::float32 || !parameters.adapt_precision)
        throw SolverError(
          error.what() +
          rounding_limit<dim>(eta, dealii::GridTools::minimal_cell_diameter(mesh) / std::sqrt(dim), solution, rhs));
      std::cout << error.what() << "\nonce more with Linear solver/Precision = mixed" << std::endl;
    }
  solution.set_zero();
  make_solver(Precision::mixed);
  return solve_scaled(rhs, solution, part_of_tolerance);
}

template <int dim>
void StokesFlow<dim>::set_nodal_values()
{
  field.nodal_values(part(x, 0), g, u);
  device.scale(1. / eta.scale, u);
  device.multiply(1. / length, matrices_.to_velocity_mesh, part(x, 1), 0., p);
}

template <int dim>
Vector<double> StokesFlow<dim>::viscous_forces(const Vector<double> &of) const
{
  Vector<double> Ax = field.vector();
  solver->A().multiply(1., part(of, 0), 0., Ax);
  return Ax;
}

template <int dim>
bool StokesFlow<dim>::moves()
{
  const auto norm_of_forces = [this](const Vector<double> &of) {
    const auto Ax = viscous_forces(of);
    return std::sqrt(device.dot(Ax, Ax));
  };
  const double forces = norm_of_forces(x), load = std::sqrt(device.dot(b, b));
  if (!(forces > 30. * parameters.tolerance * load))
    return false;
  if (forces > 0.1 * load)
    return true;
  Vector<double> closer(device, x.size());
  device.copy(x, closer);
  try
    {
      solver->solve(b, closer, 0.01);
    }
  catch (const SolverError &)
    {} // rounding allows no more: what has been reached is compared
  return !(norm_of_forces(closer) <= 0.3 * forces);
}

template <int dim>
void StokesFlow<dim>::solution(State &state, Vector<double> &of)
{
  Vector<double> of_u = part(of, 0), of_p = part(of, 1);
  const auto    &pressure = matrices_.pressure.finest(), &finest = matrices_.nodal_pressure.finest();
  if (state.changes_mesh() && !injection) // all ranks make it together, also one that has no rows of it
    injection.emplace(device, matrices_.injection());
  const Matrix<double> none;
  state.unknowns(of_u, space());
  state.unknowns(of_p, CoarserSpace<dim>{pressure, finest, matrices_.to_velocity_mesh, injection ? *injection : none});
}

template <int dim>
void StokesFlow<dim>::serialize(State &state)
{
  Vector<double> x_u = part(x, 0), x_p = part(x, 1);
  double         scale = eta.scale;
  state.scalar(scale); // of the velocities that are stored
  solution(state, x);
  auto precision = precision_;
  if (!state.changes_mesh())
    state.scalar(precision);
  if (!state.loading())
    return;
  device.scale(eta.scale / scale, x_u);
  if (precision != precision_)
    make_solver(precision);
  if (state.changes_mesh()) // a checkpoint's is of zero mean, but for rounding, which once more would change
    matrices_.remove_mean(x_p);
  set_nodal_values();
}

template <int dim>
void StokesFlow<dim>::add_output(FieldOutput<dim> &output, const DerivedFields<dim> &derived, const double *velocity,
                                 const double *pressure, const double *of_cells) const
{
  output.add_vectors(space(), velocity, {"velocity"});
  if (!derived.empty())
    output.add(space(), velocity, derived);
  output.add(matrices_.nodal_pressure.finest(), pressure, "pressure");
  if (of_cells == nullptr)
    return;
  dealii::Vector<double> by_active_index(space().triangulation().n_active_cells());
  for (int cell = 0; cell < space().n_cells(); ++cell)
    by_active_index[space().active_cells()[cell]->active_cell_index()] = of_cells[cell];
  output.add_data_vector(by_active_index, "viscosity", dealii::DataOut<dim>::type_cell_data);
}

template <int dim>
std::vector<EvaluatedField<dim>> StokesFlow<dim>::fields() const
{
  std::vector<std::string> velocities;
  for (int c = 0; c < dim; ++c)
    velocities.push_back(std::string("u_") + "xyz"[c]);
  return {{&space(), velocities}, {&matrices_.nodal_pressure.finest(), {"p"}}};
}

template <int dim>
std::vector<Quantity<dim>> StokesFlow<dim>::quantities() const
{
  auto quantities = flow_quantities<dim>([eta = on_host](const PointState<dim> &at) { return (*eta)[at.cell]; });
  for (int c = 0; c < dim; ++c)
    quantities.push_back({std::string("force_") + "xyz"[c],
                          [eta = on_host, c](const PointState<dim> &state) {
                            const auto strain = dealii::symmetrize(vector_gradient(state));
                            return state.value[dim] * state.normal[c] -
                                   2. * (*eta)[state.cell] * (strain * state.normal)[c];
                          },
                          true});
  return quantities;
}

template <int dim>
std::vector<Array<double>> StokesFlow<dim>::values() const
{
  *on_host = to_host(viscosity);
  return {to_host(u), to_host(p)};
}

template class StokesFlow<2>;
template class StokesFlow<3>;
} // namespace adamant
