#pragma once

#include "solid/equilibrium.h"
#include "solid/solid_materials.h"

#include "fem/functions/points.h"
#include "fem/support.h"
#include "frame/linear_solver_setup.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "operators/device_level.h"
#include "support/devices.h"

#include <deal.II/base/function_lib.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A body in the unit square or cube for tests of solids, and energies with their answers to a stretch.

namespace test
{
using adamant::Array;
using adamant::EnergyDerivatives;
using adamant::SolidEnergy;
using adamant::StoredEnergy;
using adamant::to_host;
using DeviceVector = adamant::Vector<double>;

constexpr double mu = 80.194, lambda = 120.291, bulk = 173.754, large_bulk = 400889.8;

inline const std::vector<SolidEnergy> energies = {
  StoredEnergy{StoredEnergy::neo_hooke, {mu}, bulk}, StoredEnergy{StoredEnergy::mooney_rivlin, {30., 10.097}, bulk},
  StoredEnergy{StoredEnergy::yeoh, {40., -2., 0.1}, bulk},
  StoredEnergy{StoredEnergy::neo_hooke_compressible, {mu}, lambda + 2. / 3. * mu},
  StoredEnergy{StoredEnergy::st_venant_kirchhoff, {mu}, lambda + 2. / 3. * mu}};

// The same energies as expressions.
inline std::vector<SolidEnergy> as_expressions()
{
  const std::string        U = "; U = K/4*(J^2-1-2*ln(J)); K = 173.754";
  std::vector<SolidEnergy> result;
  for (const auto &text :
       {"split_expression; W = mu/2*(I1-3); mu = 80.194" + U,
        "split_expression; W = c1*(I1-3)+c2*(I2-3); c1 = 30; c2 = 10.097" + U,
        "split_expression; W = c1*(I1-3)+c2*(I1-3)^2+c3*(I1-3)^3; c1 = 40; c2 = -2; c3 = 0.1" + U,
        std::string("expression; W = mu/2*(I1-3-2*ln(J)); U = lambda/2*ln(J)^2; mu = 80.194; lambda = 120.291"),
        std::string("expression; W = lambda/8*(I1-3)^2+mu/4*(I1^2-2*I2-2*I1+3); mu = 80.194; lambda = 120.291")})
    result.push_back(adamant::parse_energy("Material", text));
  return result;
}

inline adamant::Invariants invariants(double I1, double I2, double j)
{
  const double m = I1 / 3., second = 3. * m * m - I2;
  return {I1 - 3., second, (1. + j) * (1. + j) - m * m * m + m * second, j};
}

// W + U with its derivatives.
template <class Energy>
EnergyDerivatives whole(const Energy &energy, double I1, double I2, double j)
{
  auto W = energy.shape(invariants(I1, I2, j));
  return W += energy.volumetric(j);
}

template <int dim>
struct Body
{
  // The unit square or cube with hanging nodes; u . e_d = 0 on its sides x_d = 0, and u_x is given at x = 1 unless that
  // side is free. With `clamped` u is given on all sides. A second energy counts in the upper half.
  Body(const adamant::Device &device, const std::vector<SolidEnergy> &energies, unsigned int degree,
       bool clamped = false, double perturbation = 0., bool projected = false,
       const std::vector<unsigned int> &pressed = {})
    : Body(device, std::make_unique<MappingQ1<dim>>())
  {
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(1);
    mesh.begin_active()->set_refine_flag();
    mesh.execute_coarsening_and_refinement();
    if (dim == 2)
      mesh.refine_global(1);
    if (perturbation > 0.)
      GridTools::transform(
        [=](const Point<dim> &x) { // it keeps the sides
          Point<dim> y = x;
          for (int d = 0; d < dim; ++d)
            y[d] += perturbation * std::sin(numbers::PI * x[0]) * std::sin(numbers::PI * x[1]) *
                    (dim == 3 ? std::sin(numbers::PI * x[dim - 1]) : 1.);
          return y;
        },
        mesh);
    if (energies.size() == 2)
      for (const auto &cell : mesh.cell_iterators())
        cell->set_material_id(cell->center()[dim - 1] > 0.5 ? 1 : 0);
    adamant::DirichletBoundary dirichlet;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (clamped || id % 2 == 0 || id == 1)
        {
          dirichlet[id] = ComponentMask(dim, clamped);
          dirichlet[id].set(id / 2, true);
        }
    set_up = [=] {
      deformation.reset();
      setup(energies, degree, dirichlet, projected, pressed);
    };
    set_up();
  }

  std::function<void()> set_up; // on the mesh as it is now

  void set(const std::function<double(const Point<dim> &, unsigned int)> &u)
  {
    struct OfField : Function<dim>
    {
      explicit OfField(const std::function<double(const Point<dim> &, unsigned int)> &u)
        : Function<dim>(dim)
        , u(u)
      {}
      double value(const Point<dim> &x, unsigned int c) const override { return u(x, c); }
      const std::function<double(const Point<dim> &, unsigned int)> &u;
    };
    const OfField f(u);
    auto          values = adamant::nodal_values(field->space(), mapping, f);
    g = DeviceVector(device, adamant::nodal_values(field->space(), mapping, f, field->space().prescribed));
    DeviceVector x(device, values), part = state.part(0, field->size());
    field->nodal_values(x, g, part);
  }

  // Computes r, with projected dilatations and pressures that follow from u: then both their residuals are zero.
  void evaluate(DeviceVector &at)
  {
    DeviceVector others = at.part(field->size(), at.size() - field->size()), d(device, at.size());
    others.set_zero();
    deformation->residual(at, 0., load, r);
    for (int k = 0; k < 2 && deformation->projected(); ++k) // first θ, then p
      {
        d.set_zero();
        deformation->follow(d);
        DeviceVector of_others = d.part(field->size(), others.size()),
                     one       = others.part(k * others.size() / 2, others.size() / 2);
        device.axpby(1., of_others.part(k * others.size() / 2, others.size() / 2), 1., one);
        deformation->residual(at, 0., load, r);
      }
  }

  double strain_energy() { return deformation->results().energy; }

protected:
  Body(const adamant::Device &device, std::unique_ptr<Mapping<dim>> mapping)
    : device(device)
    , mapping_(std::move(mapping))
    , mapping(*mapping_)
  {}

  void setup(const std::vector<SolidEnergy> &energies, unsigned int degree, const adamant::DirichletBoundary &dirichlet,
             bool projected, const std::vector<unsigned int> &pressed, unsigned int coarsest_cells = 1)
  {
    meshes.emplace(mesh, adamant::LevelMeshOptions{coarsest_cells});
    host.emplace(*meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim), dirichlet);
    field.emplace(device, *host, mapping);
    const adamant::Coefficient numbers("Material", energies.size() == 2 ? "0: 0, 1: 1" : "0", nullptr);
    deformation.emplace(
      device, *field, mapping,
      adamant::OfEntries<SolidEnergy>(numbers, [&](const std::string &number) { return energies[std::stoi(number)]; }),
      projected, pressed);
    state = DeviceVector(device, deformation->n_state());
    r     = DeviceVector(device, deformation->n_state());
    load  = field->vector();
    g     = field->prescribed_vector();
  }

public:
  adamant::Device                                device;
  Triangulation<dim>                             mesh;
  std::unique_ptr<Mapping<dim>>                  mapping_;
  const Mapping<dim>                            &mapping;
  std::optional<adamant::LevelMeshes<dim>>       meshes;
  std::optional<adamant::Field<dim>>             host;
  std::optional<adamant::DeviceField<dim>>       field;
  std::optional<adamant::FiniteDeformation<dim>> deformation;
  DeviceVector                                   state, r, load, g;
};

inline double wave(const Point<2> &x, unsigned int c)
{
  return 0.1 * std::sin(2. * x[0] + 3. * x[1] + c);
}
inline double wave(const Point<3> &x, unsigned int c)
{
  return 0.1 * std::sin(2. * x[0] + 3. * x[1] - x[2] + c);
}

// The tangent on all unknowns, and on changes of prescribed values, against differences of the residual in a wave.
template <int dim>
void check_tangent(Body<dim> &body)
{
  body.set([](const Point<dim> &x, unsigned int c) { return wave(x, c); });
  const auto forces = [&](double step, const DeviceVector &delta) {
    DeviceVector at(body.device, to_host(body.state));
    auto         u = at.part(0, body.field->size());
    body.device.axpby(step, delta, 1., u);
    body.evaluate(at);
    body.deformation->linearize(at);
    return to_host(body.r.part(0, body.field->size()));
  };
  auto random = random_vector(body.field->size(), 1);
  for (const bool prescribed : {false, true})
    {
      DeviceVector x(body.device, Array<double>(random.begin(), random.end())), delta = body.field->vector(),
                                                                                product = body.field->vector();
      auto values = body.field->prescribed_vector();
      if (prescribed)
        {
          x.set_zero();
          values = DeviceVector(body.device, Array<double>(values.size(), 0.7));
        }
      body.field->nodal_values(x, values, delta);
      const double h     = 1e-6;
      const auto   after = forces(h, delta), before = forces(-h, delta);
      forces(0., delta);
      DeviceVector of_points = body.field->vector();
      body.deformation->subtract_change(delta, of_points);
      const auto actual = to_host(of_points);
      double     most   = 0.;
      for (const double value : actual)
        most = std::max(most, std::abs(value));
      for (std::size_t i = 0; i < actual.size(); ++i)
        ASSERT_NEAR(actual[i], (after[i] - before[i]) / (2. * h), 1e-7 * most) << i;
      if (prescribed)
        continue;
      body.device.multiply(
        -1.,
        adamant::make_matrix<double>(body.device, adamant::levels_of(*body.host, body.deformation->tangent()).back()),
        x, 0., product);
      const auto of_matrix = to_host(product);
      for (std::size_t i = 0; i < actual.size(); ++i)
        ASSERT_NEAR(body.field->space().is_free(static_cast<int>(i)) * of_matrix[i], actual[i], 1e-11 * most) << i;
    }
}

// Calls f for the body's Equilibrium, with the tangent of the present state; returns what f does.
template <int dim, class Work>
int with_equilibrium(Body<dim> &body, adamant::Precision precision, const Work &f)
{
  adamant::LinearSolverParameters parameters(
    [precision] {
      adamant::LinearSolverOptions options;
      options.precision           = precision;
      options.type                = adamant::SolverType::cg;
      options.multigrid.smoother  = {"block_jacobi", true, 0.5, 20.};
      options.multigrid.pre_steps = options.multigrid.post_steps = 3;
      options.control.max_iterations                             = 1000;
      return options;
    }(),
    1, "/test");
  body.deformation->residual(body.state, 0., body.load, body.r);
  body.deformation->linearize(body.state);
  const auto solver =
    adamant::make_linear_solver(body.device, *body.host, body.deformation->tangent(), parameters, "tangent");
  adamant::Equilibrium<dim> equilibrium(body.device, *body.deformation, *body.field, parameters.options("tangent"),
                                        {1e-12, 40, 3., 1e-5, 1e-5});
  equilibrium.set_solver([&](bool) -> adamant::LinearSolver & {
    solver->update();
    return *solver;
  });
  return f(equilibrium);
}

// Finds equilibrium; returns Newton's steps.
template <int dim>
int equilibrate(Body<dim> &body, adamant::Precision precision = adamant::Precision::float32)
{
  return with_equilibrium(
    body, precision, [&](auto &equilibrium) { return equilibrium.solve(1., body.load, body.g, body.state).steps; });
}

// Returns ∫ P N over x = 1, the sum of the nodal forces there.
template <int dim>
Tensor<1, dim> force_on_the_right(Body<dim> &body)
{
  body.deformation->residual(body.state, 0., body.load, body.r);
  const auto    &space  = body.field->space();
  const auto     forces = to_host(body.deformation->forces_of_cells());
  const auto     there  = space.on_boundary(1);
  Tensor<1, dim> sum;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      if (there[space.cell_dofs(cell)[i]] != 0)
        sum[space.element().system_to_component_index(i).first] += forces[cell * space.dofs_per_cell() + i];
  return sum;
}

// The nominal stress of a stretch along x with free sides, from the one equation for the stretch across, by bisection.
template <class Energy>
double tension(const Energy &energy, double stretch)
{
  const auto derivatives = [&](double t) {
    const double j = stretch * t * t - 1.;
    return whole(energy, stretch * stretch + 2. * t * t, t * t * (t * t + 2. * stretch * stretch), j);
  };
  double least = 0.3, most = 1.;
  while (most - least > 1e-16)
    {
      const double t = 0.5 * (least + most);
      const auto   W = derivatives(t);
      if (t == least || t == most)
        break;
      (2. * W.first[0] + 2. * W.first[1] * (t * t + stretch * stretch) + W.first[2] * stretch < 0. ? least : most) = t;
    }
  const double t = least;
  const auto   W = derivatives(t);
  return 2. * W.first[0] * stretch + 4. * W.first[1] * stretch * t * t + W.first[2] * t * t;
}
} // namespace test
