#include "stokes/nonlinear_flow.h"

#include "coefficients/heights.h"
#include "fem/functions/points.h"
#include "stokes/stokes_kernels.h"

#include <deal.II/base/point.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace adamant
{
template <int dim>
NonlinearFlow<dim>::NonlinearFlow(const Device &device, const LevelMeshOptions &levels,
                                  dealii::Triangulation<dim> &mesh, const dealii::MappingQ<dim> &mapping,
                                  const FlowBoundaries &boundaries, const NonlinearViscosityParameters &viscosity,
                                  const StokesSolverParameters &parameters, SchurComplement schur,
                                  const ViscosityLaw &law, const std::vector<double> &gravity)
  : Base(device, levels, mesh, mapping, boundaries, viscosity, parameters, schur)
  , law(law)
  , viscosity_parameters(viscosity)
{
  const auto &quadrature = this->matrices().quadrature;
  n                      = to_index(std::size_t(this->space().n_cells()) * quadrature.size(), "quadrature points");
  inputs = Vector<double>(device, to_index(law.names().size() * std::size_t(n), "the viscosity's fields at points"));
  if (law.depends_on("depth"))
    set_depths(mapping, gravity);
  if (!law.depends_on("strain"))
    {
      of_law = Vector<double>(device, n);
      return;
    }
  of_law        = Vector<double>(device, to_index(2 * std::size_t(n), "viscosities at points"));
  strain        = std::make_unique<StrainOperator<dim>>(device, field, mapping, quadrature);
  this->tangent = strain.get();
  eta_of_points = of_law.part(0, n);
  eta_of_cells  = Vector<double>(device, this->space().n_cells());
  nodal         = field.vector();
  before        = Vector<double>(device, x.size());
  NewtonOptions options;
  options.picard_until      = viscosity.newton ? 0. : 1e-300;
  options.max_halvings      = 6;
  options.rescues           = 2;
  options.least_tolerance   = 1e-3;
  options.most_tolerance    = 0.1;
  NonlinearProblem &problem = *this; // as which others do not see it
  newton                    = std::make_unique<Newton>(device, problem, x.size(), options);
}

// From the highest vertex of the mesh.
template <int dim>
void NonlinearFlow<dim>::set_depths(const dealii::Mapping<dim> &mapping, const std::vector<double> &gravity)
{
  const auto   up     = upwards<dim>(gravity);
  const double top    = height_range(this->space(), up)[1];
  auto         depths = heights_of(quadrature_points(this->space(), mapping, this->matrices().quadrature), up);
  for (double &depth : depths)
    depth = top - depth;
  set_input("depth", Vector<double>(device, depths));
}

template <int dim>
void NonlinearFlow<dim>::set_input(const std::string &name, const Vector<double> &at_points)
{
  for (std::size_t k = 0; k < law.names().size(); ++k)
    if (law.names()[k] == name)
      {
        auto place = input(k);
        device.copy(at_points, place);
      }
}

template <int dim>
void NonlinearFlow<dim>::extrapolate(double dt)
{
  if (!strain)
    return;
  const double r = last_step > 0. ? dt / last_step : 0.;
  auto         u = part(before, 0);
  if (r > 0.)
    device.scale(eta.scale / scale_before, u);
  device.axpby(1. + r, x, -r, before);
  std::swap(x, before);
  scale_before    = eta.scale;
  last_step       = dt;
  is_extrapolated = r > 0.;
}

// Goes back to the last solution where its residual is smaller, as where a jump of the viscosity has moved by a cell.
template <int dim>
void NonlinearFlow<dim>::choose_start()
{
  auto u = part(before, 0);
  device.scale(eta.scale / scale_before, u);
  scale_before    = eta.scale;
  is_extrapolated = false;
  if (newton->residual(before) >= newton->residual(x))
    return;
  device.copy(before, x);
  is_linearized = false;
}

template <int dim>
bool NonlinearFlow<dim>::at_rest() const
{
  const auto x_u = part(x, 0);
  return device.dot(x_u, x_u) == 0.;
}

// Computes the strain rate of unknowns, and with it η and its derivative at all points.
template <int dim>
void NonlinearFlow<dim>::evaluate(const Vector<double> &of)
{
  if (strain)
    {
      field.nodal_values(part(of, 0), this->g, nodal);
      device.scale(1. / eta.scale, nodal);
      auto size = input(law.names().size() - 1);
      strain->set_velocity(nodal, size);
    }
  law.evaluate(inputs, of_law);
}

template <int dim>
CellViscosity NonlinearFlow<dim>::checked_viscosity()
{
  try
    {
      return this->viscosity_of(of_law.part(0, n), true, law.automatic_average());
    }
  catch (const InputError &error) // of all ranks
    {
      throw InputError(error.what() + device.communicator().first_text(worst_points()));
    }
}

template <int dim>
void NonlinearFlow<dim>::update_viscosity()
{
  if (this->solver_stays() && law.stays())
    return;
  evaluate(x);
  this->set_viscosity(checked_viscosity());
  if (strain) // before a solver records its products; other viscosities are averaged, too
    strain->set_averaged(eta.averaged);
  is_linearized = true;
}

// Returns what the law depends on at a point.
template <int dim>
std::string NonlinearFlow<dim>::values_at(const Array<double> &numbers, int point) const
{
  std::ostringstream text;
  for (std::size_t k = 0; k < law.names().size(); ++k)
    text << (k > 0 ? ", " : "") << law.names()[k] << " = " << numbers[k * n + point];
  return text.str();
}

// Names a point where η is not positive and finite, or where it is least and where it is most.
template <int dim>
std::string NonlinearFlow<dim>::worst_points() const
{
  const auto         of_points = to_host(of_law), numbers = to_host(inputs);
  const auto         end = of_points.begin() + n;
  const auto         bad = std::find_if(of_points.begin(), end, [](double v) { return !(std::isfinite(v) && v > 0.); });
  std::ostringstream text;
  double             extremes[] = {-std::numeric_limits<double>::max(), 0.}; // -least and most
  for (auto value = of_points.begin(); value != end; ++value)
    {
      extremes[0] = std::max(extremes[0], -*value);
      extremes[1] = std::max(extremes[1], *value);
    }
  double of_all[] = {bad != end ? 1. : 0., extremes[0], extremes[1]};
  device.communicator().max(of_all, 3);
  if (bad != end)
    text << "; it is " << *bad << " where " << values_at(numbers, static_cast<int>(bad - of_points.begin()));
  if (of_all[0] > 0.)
    return text.str();
  const auto describe = [&](const char *what, double value) {
    const auto found = std::find(of_points.begin(), end, value);
    const auto where =
      found == end ? "" : values_at(numbers, static_cast<int>(found - of_points.begin())); // another rank has it
    text << what << value << " where " << device.communicator().first_text(where);
  };
  describe("; it is least, ", -of_all[1]);
  describe(", and most, ", of_all[2]);
  return text.str();
}

// Returns η at the points, or that of the cells where it is averaged.
template <int dim>
const Vector<double> &NonlinearFlow<dim>::averaged()
{
  if (!eta.averaged)
    return eta_of_points;
  device.for_each(eta_of_cells.size(), AverageInCells{kind_of_average(), n / std::max(1, eta_of_cells.size()),
                                                      of_law.data(), eta_of_cells.data()});
  return eta_of_cells;
}

template <int dim>
SolverResult NonlinearFlow<dim>::solve()
{
  if (!strain)
    return Base::solve();
  if (is_extrapolated)
    choose_start();
  steps               = 0;
  SolverResult result = at_rest() ? find_size() : SolverResult{};
  const double load   = std::sqrt(device.dot(b, b));
  const int    left   = std::max(1, static_cast<int>(viscosity_parameters.steps) - steps);
  const auto   found  = newton->solve(x, {viscosity_parameters.tolerance, left, "flow"}, load);
  steps += found.steps;
  auto x_p = part(x, 1);
  this->matrices_.remove_mean(x_p);
  auto last = checked_viscosity();
  last.rescale(eta.scale);
  eta = std::move(last);
  this->set_cells();
  strain->factor().set_zero();
  this->set_nodal_values();
  device.synchronize();
  const double size = load > 0. ? load : 1.;
  return {result.iterations + found.iterations, found.initial_residual / size, found.final_residual / size};
}

// Takes Picard's steps from rest, where the strain rate says nothing, until the viscosity has about its size. Newton's
// unknowns are velocities times this size.
template <int dim>
SolverResult NonlinearFlow<dim>::find_size()
{
  SolverResult result;
  double       before = 0.;
  while (!(std::abs(std::log(eta.scale / before)) < std::log(10.)) &&
         steps < static_cast<int>(viscosity_parameters.steps))
    {
      before            = eta.scale;
      const auto linear = this->solve_scaled(b, x, 0.1 / parameters.tolerance);
      result.iterations += linear.iterations;
      ++steps;
      update_viscosity();
      this->set_right_hand_side();
      this->update_solver();
    }
  return result;
}

template <int dim>
void NonlinearFlow<dim>::residual(const Vector<double> &at, Vector<double> &r)
{
  evaluate(at);
  device.copy(b, r);
  auto r_u = part(r, 0), r_p = part(r, 1);
  device.copy(this->forces, r_u);
  strain->loads(-2., averaged(), 1., r_u);
  solver->Bt().multiply(-1., part(at, 1), 1., r_u);
  solver->B().multiply(-1., part(at, 0), 1., r_p);
}

template <int dim>
void NonlinearFlow<dim>::linearize(const Vector<double> &, Linearization kind)
{
  if (!is_linearized)
    {
      auto next = checked_viscosity();
      next.rescale(eta.scale);
      this->set_viscosity(std::move(next));
      this->update_solver();
    }
  is_linearized = false;
  if (kind == Linearization::picard)
    return strain->factor().set_zero();
  const auto &average = averaged();
  const auto  slope = of_law.part(n, n), size = input(law.names().size() - 1);
  const int   power = kind_of_average() == Average::arithmetic ? 0 : kind_of_average() == Average::geometric ? 1 : 2;
  device.for_each(n, TangentFactor{of_law.data(), slope.data(), size.data(), average.data(),
                                   n / std::max(1, average.size()), power, eta.scale, strain->factor().data()});
}

template <int dim>
SolverResult NonlinearFlow<dim>::solve(const Vector<double> &r, Vector<double> &d, double tolerance)
{
  return this->solve_scaled(r, d, tolerance > 0. ? tolerance / parameters.tolerance : 1.);
}

template <int dim>
void NonlinearFlow<dim>::serialize(State &state)
{
  Base::serialize(state);
  if (strain && !state.changes_mesh())
    {
      state.scalar(scale_before);
      state.scalar(last_step);
      this->solution(state, before);
    }
  if (!state.loading() || !strain)
    return;
  strain->factor().set_zero(); // of steps that failed
  update_viscosity();
  this->set_right_hand_side();
  this->update_solver();
}

template class NonlinearFlow<2>;
template class NonlinearFlow<3>;
} // namespace adamant
