// Incompressible flow in two or three dimensions by an explicit pressure correction (Liebchen et al., Section 5.3):
//
//   d_t u + div(u (x) u) - nu Laplace u + grad p = f,   div u = 0,
//
// Q1 velocities on the pressure's Q1 mesh refined once (Q1-iso-Q2/Q1), lumped masses m, products of nodal values interpolated. With
// the matrices of FlowMatrices, step number n is
//
//   u_c <- u_c + dt (f_c - (sum_d A_d (u_d u_c) + A_c P(p + q) + nu K u_c) / m),   then the boundary values,
//   K_p q = -g / dt,   g = sum_d W_d u_d = (div u, psi),
//   p  <- p + q - nu g / m_p.
//
// A_d stands for what the paper writes as -C_d: the two differ by boundary integrals, in rows of prescribed nodes, which are not
// used, and at an outflow, where A_d gives the do-nothing condition nu d_n u - p n = 0 without a flux of momentum.

#include "data.h"
#include "parameters.h"
#include "results.h"
#include "separate.h"

#include "algebra/flow_products.h"
#include "application/output.h"
#include "application/program.h"
#include "base/host_copies.h"
#include "discretization/fields/points.h"
#include "discretization/fields/tensor_product.h"
#include "discretization/forms/flow_matrices.h"
#include "expressions/point_function.h"
#include "solvers/extrapolation.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

using namespace dealii;
using namespace navier_stokes;
using adamant::Array;

template <int dim, class Backend>
class NavierStokes
{
public:
  NavierStokes(const Parameters &parameters, const Backend &backend, adamant::Run &run);
  void run();

private:
  using Vector = typename Backend::Vector;

  // The velocity of some boundaries at the boundary nodes.
  struct PrescribedVelocity
  {
    adamant::PointFunction<Backend> function; // none: at rest
    Vector                          role;     // as ChooseBoundaryValues has it
    Vector                          value;    // at all of them
  };

  void check_ranks() const;
  void make_coarse_mesh(Triangulation<dim> &coarse) const;
  void make_mesh();
  void load_mesh();
  void check_boundary_ids() const;
  void setup_system();
  void setup_boundary();
  void setup_hanging_nodes();
  void setup_solver();
  void choose_time_step();
  void set_initial_values();
  void set_initial_pressure();
  void momentum_step();
  void apply_constraints();
  void divergence(const Vector &velocity, Vector &result);
  void compute_divergence();
  void project();
  void update_pressure();
  void check_speed();
  bool record_step();
  void output_results();
  void report();

  // The state after a step; a checkpoint holds it beside the mesh.
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    double                                           step_length = dt;
    archive &step &time &step_length &steady &state &series;
    if (step_length != dt)
      throw adamant::InputError("--restart: the time step is now " + adamant::to_text(dt) + ", was " +
                                adamant::to_text(step_length));
    adamant::serialize_vector(archive, backend, u[now], velocity_order);
    for (Vector *vector : {&p, &p_plus_q})
      adamant::serialize_vector(archive, backend, *vector, pressure_order);
    adamant::serialize_history(archive, backend, guess, n_p, pressure_order);
  }

  bool          are_zero(const Array<double> &values) const;
  void          set_boundary_values(double t);
  double        check_boundary_values(double t);
  void          set_body_force(double t);
  Array<double> nodal_values(FunctionParser<dim> &function, double t) const;
  template <typename Work>
  void          timed(const char *part, const Work &work);
  Array<double> download(const Vector &values);
  bool          due(unsigned int interval) const { return interval > 0 && (step % interval == 0 || step == n_steps); }

  const Parameters                    &parameters;
  Backend                              backend;
  adamant::Run                        &run_info;
  const double                         viscosity;
  std::unique_ptr<FunctionParser<dim>> body_force, initial_velocity;
  bool                                 boundary_varies = false;

  std::unique_ptr<Triangulation<dim>>                  mesh; // of the velocity
  MappingQ1<dim>                                       mapping;
  QGauss<dim>                                          quadrature;
  std::unique_ptr<adamant::FlowMatrices<dim>>          flow;
  std::unique_ptr<FlowResults<dim>>                    results;
  std::optional<adamant::FlowProducts<dim, Backend>>   products;
  std::optional<SeparateFlowProducts<dim, Backend>>    separate_products; // instead, without kernels of our own
  std::unique_ptr<adamant::LinearSolver<Backend>>      solver;
  std::optional<adamant::FastDiagonalization<Backend>> direct_solver;
  adamant::Extrapolation<Backend>                      guess;

  int                             n = 0, n_p = 0; // this rank's nodes of the two meshes
  double                          volume = 0., dt = 0., reference_speed = 0., shortest_edge = 0.;
  Array<double>                   points, inverse_mass_on_host; // its nodes; 1 / m of free ones
  std::vector<int>                boundary_nodes;
  std::vector<PrescribedVelocity> boundary_velocity; // the first is the wall at rest
  adamant::PointFunction<Backend> force_at_nodes;    // where the body force varies in time
  Array<double>                   boundary_flux;     // of component c at listed node i: ∫ φ_i n_c

  Vector                                 u[2], pressure_on_velocity_mesh, q, p, p_plus_q, b, g, force;
  Vector                                 inverse_mass, pressure_mass, inverse_pressure_mass, ones;
  Vector                                 boundary_list, boundary_value, hanging_list, hanging_value;
  int                                    now       = 0; // u[now] is the velocity
  long                                   n_hanging = 0; // of all ranks
  typename Backend::Matrix               interpolation, hanging_rows;
  typename Backend::Scalars              speed_square, mean;
  std::optional<typename Backend::Graph> first_half[2];

  double                time = 0.;
  unsigned int          step = 0, n_steps = 0;
  bool                  steady = false;
  adamant::SolverResult result;
  FlowState             state; // of the last row of the statistics
  std::string           limit_text;
  adamant::StorageOrder velocity_order, pressure_order; // in checkpoints
  adamant::TimeSeries   series;
};

template <int dim, class Backend>
NavierStokes<dim, Backend>::NavierStokes(const Parameters &parameters, const Backend &backend, adamant::Run &run)
  : parameters(parameters)
  , backend(backend)
  , run_info(run)
  , viscosity(parameters.problem.viscosity)
  , mesh(run.create_mesh<dim>())
  , quadrature(2)
  , guess(backend, parameters.time.extrapolation_order)
  , speed_square(backend.create_scalars(1))
  , mean(backend.create_scalars(2))
  , series(run.folder(), "solution", run.ranks)
{
  const auto &problem = parameters.problem;
  body_force          = adamant::parse_function<dim>("Problem/Body force", problem.body_force, dim);
  initial_velocity    = adamant::parse_function<dim>("Problem/Initial velocity", problem.initial_velocity, dim);
  for (const auto &entry : problem.boundary_velocity)
    boundary_varies = boundary_varies || adamant::depends_on_time(entry.second);
}

// What takes one rank, or a serial mesh.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::check_ranks() const
{
  const auto &p = parameters.implementation;
  if (run_info.ranks.size() > 1 && (p.pressure_solver != "multigrid" || !p.custom_kernels))
    throw adamant::InputError(
      "Implementation: several ranks need Pressure solver = multigrid and Custom kernels = true");
  if (adamant::is_distributed(*mesh) && !parameters.mesh.coordinates.empty())
    throw adamant::InputError("Mesh/Coordinates: p4est's meshes (on several ranks, and with Ranks/Distributed mesh = "
                              "true) do not keep vertices that have been moved; one rank with a serial mesh does");
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::make_coarse_mesh(Triangulation<dim> &coarse) const
{
  const auto &p = parameters.mesh;
  if (p.type == "box")
    {
      Point<dim> corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1.;
      GridGenerator::subdivided_hyper_rectangle(
        coarse, std::vector<unsigned int>(p.cells.begin(), p.cells.begin() + dim), Point<dim>(), corner, true);
    }
  else if (p.type == "cylinder")
    {
      if constexpr (dim == 2)
        GridGenerator::channel_with_cylinder(coarse, 0.03, 2, 2.0, true);
    }
  else
    {
      std::ifstream in(p.file);
      if (!in)
        throw adamant::InputError("Mesh/File: '" + p.file + "' cannot be read");
      try
        {
          GridIn<dim> reader(coarse);
          reader.read_msh(in);
        }
      catch (const ExceptionBase &error)
        {
          throw adamant::InputError("Mesh/File: '" + p.file + "' is no mesh of " +
                                    (dim == 2 ? "quadrilaterals" : "hexahedra") +
                                    " that can be read: " + adamant::message_of(error));
        }
    }
}

// The pressure mesh, then refined once more.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::make_mesh()
{
  adamant::Section scope(run_info.timer, "init/mesh");
  const auto      &p = parameters.mesh;
  make_coarse_mesh(*mesh);
  adamant::refine_global(*mesh, p.refinements);
  if (!p.coordinates.empty())
    {
      const auto map = adamant::parse_function<dim>("Mesh/Coordinates", p.coordinates, dim);
      GridTools::transform(
        [&](const Point<dim> &from) {
          Point<dim> to;
          for (unsigned int d = 0; d < dim; ++d)
            to[d] = map->value(from, d);
          return to;
        },
        *mesh);
      for (const auto &cell : mesh->active_cell_iterators())
        if (const double volume = cell->measure(); !(volume > 0.))
          throw adamant::InputError("Mesh/Coordinates: a cell has the volume " + adamant::to_text(volume) +
                                    "; do the coordinates ascend?");
    }
  for (unsigned int cycle = 0; cycle < p.local_refinements; ++cycle)
    {
      const auto where = adamant::parse_function<dim>("Mesh/Refine where", p.refine_where, 1);
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->is_locally_owned() && where->value(cell->center()) > 0.)
          cell->set_refine_flag();
      adamant::execute_refinement(*mesh);
    }
  adamant::refine_global(*mesh, 1);
  if (!adamant::is_distributed(*mesh))
    mesh->reset_all_manifolds(); // coarser levels take the vertices as they are; p4est's place them again
  check_boundary_ids();
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::load_mesh()
{
  Triangulation<dim> coarse;
  const bool         curved = parameters.mesh.type == "cylinder";
  if (curved)
    make_coarse_mesh(coarse);
  run_info.load_mesh(*mesh, curved ? &coarse : nullptr);
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::check_boundary_ids() const
{
  const auto ids   = mesh->get_boundary_ids();
  const auto check = [&](const char *key, types::boundary_id id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      throw adamant::InputError(std::string(key) + ": the mesh has no boundary " + std::to_string(id));
  };
  for (const auto &entry : parameters.problem.boundary_velocity)
    check("Problem/Boundary velocity", entry.first);
  for (const auto id : parameters.problem.outflow)
    check("Problem/Outflow boundaries", id);
  for (const auto id : parameters.output.force_boundaries)
    check("Output/Force boundaries", id);
}

// All data that do not depend on the time step: matrices, constraints, vectors.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::setup_system()
{
  {
    adamant::Section scope(run_info.timer, "init/matrices");
    flow = std::make_unique<adamant::FlowMatrices<dim>>(
      *mesh, mapping, quadrature,
      std::set<types::boundary_id>(parameters.problem.outflow.begin(), parameters.problem.outflow.end()),
      parameters.linear_solver.coarsest_cells, run_info.cells_per_rank(GeometryInfo<dim>::vertices_per_cell));
    volume         = GridTools::volume(*mesh);
    n              = flow->velocity->n_owned();
    n_p            = flow->pressure().n_owned();
    n_hanging      = flow->velocity->n_hanging();
    velocity_order = adamant::by_components(flow->velocity->storage_order(), dim);
    pressure_order = flow->pressure().storage_order();
    Array<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    points        = adamant::support_points(*flow->velocity, mapping, all);
    results       = std::make_unique<FlowResults<dim>>(*flow, mapping, parameters.output);
    shortest_edge = results->shortest_edge();
  }
  setup_boundary();
  setup_hanging_nodes();

  adamant::Section scope(run_info.timer, "init/vectors");
  for (Vector *vector : {&u[0], &u[1]})
    *vector = backend.create_vector(dim * n);
  pressure_on_velocity_mesh = backend.create_vector(n);
  for (Vector *vector : {&q, &p, &p_plus_q, &b, &g})
    *vector = backend.create_vector(n_p);
  inverse_mass_on_host.assign(n, 0.);
  for (int i = 0; i < n; ++i)
    if (flow->velocity->is_free(i))
      inverse_mass_on_host[i] = 1. / flow->velocity_mass[i];
  for (const int i : boundary_nodes)
    inverse_mass_on_host[i] = 0.;
  Array<double> inverse(n_p, 0.);
  for (int k = 0; k < n_p; ++k)
    if (flow->pressure_mass[k] > 0.)
      inverse[k] = 1. / flow->pressure_mass[k];
  inverse_mass          = adamant::to_backend(backend, inverse_mass_on_host);
  pressure_mass         = adamant::to_backend(backend, flow->pressure_mass);
  inverse_pressure_mass = adamant::to_backend(backend, inverse);
  ones                  = adamant::to_backend(backend, Array<double>(n_p, 1.));
  interpolation         = backend.create_matrix(flow->interpolation);
}

// The prescribed nodes and, where boundaries meet, all velocities that apply.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::setup_boundary()
{
  std::map<types::boundary_id, unsigned int> velocity_of_boundary; // others: 0, at rest
  for (const auto &entry : parameters.problem.boundary_velocity)
    velocity_of_boundary.emplace(entry.first, velocity_of_boundary.size() + 1);
  std::map<int, std::vector<unsigned int>> candidates; // of each node, in the order of boundary ids
  for (const auto id : mesh->get_boundary_ids())
    if (parameters.problem.outflow.count(id) == 0)
      for (const int i : nodes_on_boundary(*flow->velocity, id))
        if (flow->velocity->is_free(i))
          candidates[i].push_back(velocity_of_boundary.count(id) > 0 ? velocity_of_boundary[id] : 0);
  for (const auto &entry : candidates)
    boundary_nodes.push_back(entry.first);
  const std::size_t n_listed = boundary_nodes.size();
  boundary_flux.assign(dim * n_listed, 0.);
  for (unsigned int d = 0; d < dim; ++d)
    {
      // A_d sums up to the derivative's integral; what hanging nodes take from a node counts as its own.
      const auto column_sums = adamant::transposed_product(
        flow->velocity->owned_H(), adamant::transposed_product(flow->gradient[d], Array<double>(n, 1.)));
      for (std::size_t i = 0; i < n_listed; ++i)
        boundary_flux[d * n_listed + i] = column_sums[boundary_nodes[i]];
    }
  boundary_list  = adamant::to_backend(backend, Array<double>(boundary_nodes.begin(), boundary_nodes.end()));
  boundary_value = backend.create_vector(static_cast<int>(dim * n_listed));

  Array<double> at_boundary(dim * n_listed);
  for (std::size_t i = 0; i < at_boundary.size(); ++i)
    at_boundary[i] = points[i / n_listed * n + boundary_nodes[i % n_listed]];
  std::vector<Array<double>> role(velocity_of_boundary.size() + 1, Array<double>(n_listed, 0.));
  std::size_t                listed = 0;
  for (const auto &[node, velocities] : candidates)
    {
      const unsigned int first = *std::min_element(velocities.begin(), velocities.end());
      for (const unsigned int k : velocities)
        role[k][listed] = std::max(role[k][listed], k == first ? 2. : 1.);
      ++listed;
    }
  for (const auto &values : role)
    boundary_velocity.push_back(
      {nullptr, adamant::to_backend(backend, values), backend.create_vector(boundary_value.size())});
  for (const auto &[id, text] : parameters.problem.boundary_velocity)
    boundary_velocity[velocity_of_boundary[id]].function =
      adamant::function_at_points<dim>(backend, "Problem/Boundary velocity", text, dim, at_boundary);
}

// boundary_value = the prescribed velocities at time t, by components.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::set_boundary_values(double t)
{
  const int n_listed = boundary_list.size();
  for (auto &prescribed : boundary_velocity)
    {
      if (prescribed.function)
        prescribed.function(t, prescribed.value);
      backend.for_each(n_listed,
                       ChooseBoundaryValues{dim, n_listed, parameters.problem.edges == "wall", prescribed.role.data(),
                                            prescribed.value.data(), boundary_value.data()});
    }
}

// The largest component of the velocities that this rank prescribes at time t. What flows in has to flow out where no outflow boundary
// sees to it.
template <int dim, class Backend>
double NavierStokes<dim, Backend>::check_boundary_values(double t)
{
  set_boundary_values(t);
  const auto        values   = download(boundary_value);
  const std::size_t n_listed = boundary_nodes.size();
  double            sums[2] = {0., 0.}, largest = 0;
  for (std::size_t i = 0; i < n_listed; ++i)
    {
      Tensor<1, dim> velocity, normal; // the normal times the node's share of the boundary
      for (unsigned int d = 0; d < dim; ++d)
        {
          velocity[d] = values[d * n_listed + i];
          normal[d]   = boundary_flux[d * n_listed + i];
          largest     = std::max(largest, std::abs(velocity[d]));
        }
      sums[0] += velocity * normal;
      sums[1] += velocity.norm() * normal.norm();
    }
  run_info.ranks.sum(sums, 2);
  const auto [flux, sum] = sums;
  if (flow->singular && !(std::abs(flux) <= 1e-2 * sum)) // interpolation of the values makes a small flux
    throw adamant::InputError("Problem/Boundary velocity: " + adamant::to_text(flux) +
                              " more flows out than in at time " + adamant::to_text(t) +
                              ", which an incompressible fluid cannot do; is an outflow boundary missing?");
  return largest;
}

// The rows of H that interpolate at this rank's hanging nodes, for each component.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::setup_hanging_nodes()
{
  const auto                &space = *flow->velocity;
  const auto                &H     = space.H;
  adamant::CSRMatrix<double> rows;
  rows.n_rows = H.n_rows;
  rows.n_cols = H.n_cols;
  rows.row_start.push_back(0);
  Array<double> hanging;
  for (int i = 0; i < H.n_rows; ++i)
    {
      if (i < n && !space.is_free(i))
        {
          hanging.push_back(i);
          const int begin = H.row_start[i], end = H.row_start[i + 1];
          rows.column.insert(rows.column.end(), H.column.begin() + begin, H.column.begin() + end);
          rows.value.insert(rows.value.end(), H.value.begin() + begin, H.value.begin() + end);
        }
      rows.row_start.push_back(static_cast<int>(rows.column.size()));
    }
  rows = adamant::sum_rows(std::move(rows), space.partition(), space.partition()); // with the ghosts that occur
  // The other rows are empty.
  rows.n_rows = static_cast<int>(hanging.size());
  for (int h = 0; h < rows.n_rows; ++h)
    rows.row_start[h + 1] = rows.row_start[static_cast<int>(hanging[h]) + 1];
  rows.row_start.resize(rows.n_rows + 1);
  hanging_rows  = backend.create_matrix(adamant::by_components(rows, dim));
  hanging_list  = adamant::to_backend(backend, hanging);
  hanging_value = backend.create_vector(dim * rows.n_rows);
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::setup_solver()
{
  adamant::Section scope(run_info.timer, "init/solver");
  if (parameters.implementation.pressure_solver == "fast_diagonalization")
    direct_solver.emplace(backend, adamant::tensor_product_eigenpairs(flow->pressure(), mapping));
  else
    solver = std::make_unique<adamant::LinearSolver<Backend>>(backend, flow->pressure_levels,
                                                              parameters.linear_solver.options("pressure"));
  adamant::CSRMatrix<double> viscous = flow->stiffness;
  for (double &value : viscous.value)
    value *= viscosity;
  std::vector<const adamant::CSRMatrix<double> *> momentum{&viscous}, divergence;
  for (unsigned int d = 0; d < dim; ++d)
    {
      momentum.push_back(&flow->gradient[d]);
      divergence.push_back(&flow->divergence[d]);
    }
  if (parameters.implementation.custom_kernels)
    products.emplace(backend, momentum, divergence);
  else
    separate_products.emplace(backend, momentum, divergence);
}

// Forward Euler with a lumped mass: h²/(2 nu) for diffusion, h / U for convection, which both take their share, and for central
// differences along each of dim directions 2 nu / (dim U²).
template <int dim, class Backend>
void NavierStokes<dim, Backend>::choose_time_step()
{
  const double h = shortest_edge, U = std::max(reference_speed, 1e-100);
  const double diffusive = h * h / (2. * viscosity), crossing = h / U, central = 2. * viscosity / (dim * U * U);
  const double limit = std::min(central, 1. / (1. / diffusive + 1. / crossing));
  limit_text = "the estimated limit of a stable time step is " + adamant::to_text(limit) + " (diffusion alone " +
               adamant::to_text(diffusive) + ", convection alone " + adamant::to_text(std::min(crossing, central)) +
               " at speed " + adamant::to_text(reference_speed) + "; shortest edge " + adamant::to_text(h) + ")";
  std::cout << limit_text << std::endl;
  dt = parameters.time.step;
  if (dt > limit && parameters.time.unstable_step == "refuse")
    throw adamant::InputError("Time stepping/Time step = " + adamant::to_text(dt) + " is unstable: " + limit_text +
                              "; take a shorter step, or set Time stepping/Unstable step = shorten");
  n_steps = static_cast<unsigned int>(std::ceil(parameters.time.end / std::min(dt, limit) - 1e-8));
  if (dt > limit)
    {
      dt = parameters.time.end / n_steps;
      std::cout << "the time step is shortened from " << parameters.time.step << " to " << dt << std::endl;
    }
  auto &record              = run_info.record;
  record["time_step"]       = dt;
  record["time_step_limit"] = limit;
  record["shortest_edge"]   = h;
}

template <int dim, class Backend>
Array<double> NavierStokes<dim, Backend>::nodal_values(FunctionParser<dim> &function, double t) const
{
  Array<double> values(std::size_t(function.n_components) * n);
  adamant::evaluate_at_points(function, t, points, values.data());
  return values;
}

// f at the nodes that a step moves; no vector where it is zero.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::set_body_force(double t)
{
  if (force_at_nodes)
    force_at_nodes(t, force);
  if (force.size() > 0)
    backend.for_each(n, KeepMoving{dim, n, inverse_mass.data(), force.data()});
}

// Whether the values of all ranks are.
template <int dim, class Backend>
bool NavierStokes<dim, Backend>::are_zero(const Array<double> &values) const
{
  double n_others =
    static_cast<double>(std::count_if(values.begin(), values.end(), [](double value) { return value != 0.; }));
  run_info.ranks.sum(&n_others, 1);
  return n_others == 0.;
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::set_initial_values()
{
  adamant::Section scope(run_info.timer, "init/initial values");
  const auto       initial = nodal_values(*initial_velocity, 0.);
  for (const double value : initial)
    reference_speed = std::max(reference_speed, std::abs(value));
  for (unsigned int k = 0; k <= (boundary_varies ? 20 : 0); ++k) // an inflow may grow
    reference_speed = std::max(reference_speed, check_boundary_values(0.05 * k * parameters.time.end));
  run_info.ranks.max(&reference_speed, 1);
  set_boundary_values(0.);
  backend.upload(initial.data(), u[0]);
  apply_constraints();

  const auto acting = nodal_values(*body_force, 0.);
  if (const auto &text = parameters.problem.body_force; adamant::depends_on_time(text))
    {
      force          = backend.create_vector(dim * n);
      force_at_nodes = adamant::function_at_points<dim>(backend, "Problem/Body force", text, dim, points);
    }
  else if (!are_zero(acting))
    force = adamant::to_backend(backend, acting);
  set_body_force(0.);
}

// Equation (16) of the paper, (∇p, ∇ψ) = (a, ∇ψ), a = f - div(u (x) u) + nu Laplace u, whose last term is left out at the boundary.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::set_initial_pressure()
{
  const auto velocity = nodal_values(*initial_velocity, 0.), acting = nodal_values(*body_force, 0.);
  if (are_zero(velocity) && are_zero(acting)) // a start by moving walls alone is impulsive
    return;
  adamant::Section scope(run_info.timer, "init/initial pressure");
  const auto       u_start   = download(u[now]);
  const auto       component = [&](int c) {
    return Array<double>(u_start.begin() + std::size_t(c) * n, u_start.begin() + std::size_t(c + 1) * n);
  };
  Array<double> tested(n, 0.);
  for (int c = 0; c < dim; ++c)
    {
      const auto    u_c = component(c), viscous = adamant::product(flow->stiffness, u_c);
      Array<double> a(n, 0.);
      for (int d = 0; d < dim; ++d)
        {
          auto product = component(d);
          for (int i = 0; i < n; ++i)
            product[i] *= u_c[i];
          const auto convection = adamant::product(flow->gradient[d], product);
          for (int i = 0; i < n; ++i)
            a[i] -= convection[i];
        }
      for (int i = 0; i < n; ++i)
        {
          const double inside = inverse_mass_on_host[i] > 0. ? 1. : 0.;
          a[i]                = flow->velocity->is_free(i) ?
                                  (a[i] - inside * viscosity * viscous[i]) / flow->velocity_mass[i] + acting[std::size_t(c) * n + i] :
                                  0.;
        }
      const auto part = adamant::transposed_product(flow->gradient[c], a);
      for (int i = 0; i < n; ++i)
        tested[i] += part[i];
    }
  backend.upload(adamant::transposed_product(flow->interpolation, tested).data(), b);
  project();
  update_pressure(); // with g = 0
  // p holds the pressure; no increment has been made yet.
  backend.copy(p, p_plus_q);
  backend.spmv(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh);
  backend.set_zero(q);
}

template <int dim, class Backend>
template <typename Work>
void NavierStokes<dim, Backend>::timed(const char *part, const Work &work)
{
  if (!parameters.output.time_parts)
    return work();
  adamant::Section scope(run_info.timer, part);
  work();
  backend.synchronize();
}

// The explicit step to u[now].
template <int dim, class Backend>
void NavierStokes<dim, Backend>::momentum_step()
{
  if (separate_products)
    separate_products->momentum([this](const char *part, const auto &work) { timed(part, work); }, dt, u[now],
                                pressure_on_velocity_mesh, inverse_mass, force, u[1 - now]);
  else
    products->momentum(dt, u[now], pressure_on_velocity_mesh, inverse_mass, force, u[1 - now]);
  now = 1 - now;
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::apply_constraints()
{
  const auto set = [this](const Vector &list, const Vector &value) {
    backend.for_each(list.size(), SetValues{dim, list.size(), n, list.data(), value.data(), u[now].data()});
  };
  if (boundary_varies || step == 0)
    set(boundary_list, boundary_value);
  if (n_hanging == 0)
    return;
  backend.spmv(1., hanging_rows, u[now], 0., hanging_value);
  set(hanging_list, hanging_value);
}

inline const double *pointer_to(const std::vector<double> &scalars)
{
  return scalars.data();
}
#if ADAMANT_WITH_CUDA
inline const double *pointer_to(const adamant::CudaScalars &scalars)
{
  return scalars.device();
}
#endif

template <int dim, class Backend>
void NavierStokes<dim, Backend>::divergence(const Vector &velocity, Vector &result)
{
  if (separate_products)
    separate_products->divergence(velocity, result);
  else
    products->divergence(velocity, result);
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::compute_divergence()
{
  divergence(u[now], g);
  if (flow->singular)
    backend.dot(ones, g, mean, 0);
  backend.for_each(n_p, PressureRhs{dt, volume, g.data(), pressure_mass.data(),
                                    flow->singular ? pointer_to(mean) : nullptr, b.data()});
  backend.dot(u[now], u[now], speed_square, 0);
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::project()
{
  if (direct_solver)
    return direct_solver->solve(b, q);
  guess.predict(q);
  try
    {
      result = solver->solve(b, q);
    }
  catch (const adamant::SolverError &)
    {
      check_speed();
      throw;
    }
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::update_pressure()
{
  if (flow->singular)
    backend.dot(pressure_mass, q, mean, 1);
  backend.for_each(n_p, PressureUpdate{viscosity, volume, g.data(), inverse_pressure_mass.data(),
                                       flow->singular ? pointer_to(mean) + 1 : nullptr, q.data(), p.data(),
                                       p_plus_q.data()});
}

// A velocity that explodes ends the run in the step where it does. The result is there when the pressure has been solved.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::check_speed()
{
  const double mean_square = backend.fetch(speed_square, 1)[0] / flow->velocity->dof_handler().n_dofs();
  // With forces there is no other bound than that the flow must not cross the domain in a step.
  const double most =
    reference_speed > 0. && force.size() == 0 ? 10. * reference_speed : std::pow(volume, 1. / dim) / dt;
  if (mean_square <= most * most)
    return;
  throw adamant::RunError("the velocity blew up in step " + std::to_string(step) + " at time " +
                          adamant::to_text(time) + ": its mean over the nodes is " +
                          adamant::to_text(std::sqrt(mean_square)) + ", the largest prescribed or initial speed " +
                          adamant::to_text(reference_speed) + "; the time step " + adamant::to_text(dt) +
                          " is too long or the mesh too coarse (" + limit_text + ")");
}

// A row of statistics.csv; whether the flow is steady.
template <int dim, class Backend>
bool NavierStokes<dim, Backend>::record_step()
{
  if (!due(parameters.output.statistics_interval))
    return false;
  double change = 0;
  {
    adamant::Section scope(run_info.timer, "statistics");
    if (parameters.time.steady_tolerance > 0.)
      {
        backend.axpby(1., u[now], -1., u[1 - now]); // the old velocity is not needed any more
        change = backend.norm(u[1 - now]) / (dt * backend.norm(u[now]));
      }
  }
  const auto velocity = download(u[now]), pressure = download(pressure_on_velocity_mesh), div = download(g),
             nodal_pressure = download(p);
  adamant::Section scope(run_info.timer, "statistics");
  state = results->evaluate(velocity, pressure, nodal_pressure, div, dt, viscosity);
  std::vector<std::pair<std::string, double>> row{{"step", step},
                                                  {"time", time},
                                                  {"iterations", result.iterations},
                                                  {"initial_residual", result.initial_residual},
                                                  {"residual", result.final_residual},
                                                  {"kinetic_energy", state.kinetic_energy},
                                                  {"max_divergence", state.max_divergence},
                                                  {"mean_pressure", state.mean_pressure},
                                                  {"cfl", state.cfl}};
  if (parameters.time.steady_tolerance > 0.)
    row.emplace_back("change", change);
  for (const auto &[id, f] : state.force)
    for (unsigned int c = 0; c < dim; ++c)
      row.emplace_back("force" + std::to_string(id) + "_" + "xyz"[c], f[c]);
  for (std::size_t k = 0; k < state.pressure_at_points.size(); ++k)
    row.emplace_back("pressure_at_point" + std::to_string(k), state.pressure_at_points[k]);
  run_info.statistics(row);
  return parameters.time.steady_tolerance > 0. && change <= parameters.time.steady_tolerance;
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::output_results()
{
  if (!due(parameters.output.interval) && !(steady && parameters.output.interval > 0))
    return;
  const auto       velocity = download(u[now]), pressure = download(pressure_on_velocity_mesh);
  adamant::Section scope(run_info.timer, "output");
  write_flow(*flow->velocity, mapping, velocity, pressure, series, time);
}

// The facts of the run.
template <int dim, class Backend>
void NavierStokes<dim, Backend>::report()
{
  auto &record              = run_info.record;
  record["velocity_nodes"]  = flow->velocity->dof_handler().n_dofs();
  record["pressure_nodes"]  = flow->pressure().dof_handler().n_dofs();
  record["hanging_nodes"]   = n_hanging;
  record["end_time"]        = time;
  record["steady"]          = steady;
  record["pressure_solver"] = parameters.implementation.pressure_solver;
  record["custom_kernels"]  = parameters.implementation.custom_kernels;
  if (solver)
    run_info.measure(*solver);
  if (products)
    {
      double bytes[] = {double(products->momentum_bytes()), double(products->divergence_bytes())};
      run_info.ranks.sum(bytes, 2);
      record["bytes"] = {{"momentum", std::llround(bytes[0])}, {"divergence", std::llround(bytes[1])}};
    }
  record["kinetic_energy"] = state.kinetic_energy;
  record["max_divergence"] = state.max_divergence;
  record["mean_pressure"]  = state.mean_pressure;
  record["cfl"]            = state.cfl;
  for (const auto &[id, f] : state.force)
    for (unsigned int c = 0; c < dim; ++c)
      record["forces"][std::to_string(id)].push_back(f[c]);
  if (!state.pressure_at_points.empty())
    record["pressure_at_points"] = state.pressure_at_points;

  const auto       velocity = download(u[now]), pressure = download(pressure_on_velocity_mesh);
  adamant::Section scope(run_info.timer, "output");
  results->write_profiles(velocity, pressure, run_info.folder(), record);
  if (const auto &text = parameters.problem.exact_velocity; !text.empty())
    {
      const auto exact       = adamant::parse_function<dim>("Problem/Exact velocity", text, dim);
      record["errors"]["l2"] = results->l2_error(velocity, nodal_values(*exact, time), false);
    }
  if (const auto &text = parameters.problem.exact_pressure; !text.empty())
    {
      const auto exact                = adamant::parse_function<dim>("Problem/Exact pressure", text, 1);
      record["errors"]["pressure_l2"] = results->l2_error(pressure, nodal_values(*exact, time), flow->singular);
    }
  std::cout << "time " << time << (steady ? ", steady" : "") << ": kinetic energy " << state.kinetic_energy
            << ", largest divergence " << state.max_divergence << std::endl;
}

template <int dim, class Backend>
Array<double> NavierStokes<dim, Backend>::download(const Vector &vector)
{
  adamant::Section scope(run_info.timer, "copy");
  return adamant::to_host(backend, vector);
}

template <int dim, class Backend>
void NavierStokes<dim, Backend>::run()
{
  check_ranks();
  if (run_info.continues())
    load_mesh();
  else
    make_mesh();
  setup_system();
  set_initial_values();
  choose_time_step();
  setup_solver();
  if (run_info.continues())
    {
      run_info.load(*this);
      backend.spmv(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh);
    }
  else if (!run_info.is_dry())
    set_initial_pressure();
  const std::size_t n_cells = mesh->n_global_active_cells(), n_nodes = flow->velocity->dof_handler().n_dofs(),
                    n_pressures = flow->pressure().dof_handler().n_dofs();
  std::cout << n_cells << " cells, " << dim << " x " << n_nodes << " velocities, " << n_pressures << " pressures, "
            << flow->pressure_levels.size() << " pressure levels\n";
  if (solver)
    std::cout << *solver;
  run_info.describe(dim * n_nodes + n_pressures, n_cells, flow->pressure_levels, parameters.linear_solver,
                    parameters.time.extrapolation_order);
  if (run_info.writes_initial_values())
    output_results();

  run_info.begin_time_loop(step, n_steps);
  while (step < n_steps && !steady)
    {
      ++step;
      time = step * dt;
      if (force_at_nodes)
        timed("data", [this] { set_body_force(time - dt); });
      if (boundary_varies)
        timed("data", [this] { set_boundary_values(time); });
      if (separate_products) // waits for the host
        {
          momentum_step();
          timed("mom-solve", [this] { apply_constraints(); });
          timed("pres-rhs", [this] { compute_divergence(); });
        }
      else if (parameters.output.time_parts)
        {
          timed("momentum", [this] {
            momentum_step();
            apply_constraints();
          });
          timed("pres-rhs", [this] { compute_divergence(); });
        }
      else
        {
          // Which of the two velocities is the new one alternates: two recorded graphs.
          auto     &graph = first_half[now];
          const int old   = now;
          if (!graph)
            graph = backend.record([this, old] {
              now = old;
              momentum_step();
              apply_constraints();
              compute_divergence();
            });
          backend.replay(*graph);
          now = 1 - old;
        }
      timed("pres-solve", [this] { project(); });
      timed("pres-up.solve", [this] { update_pressure(); });
      timed("mom-rhs-p", [this] { backend.spmv(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh); });
      guess.keep(q);
      check_speed();
      steady = record_step();
      run_info.progress(step, time, result.iterations, result.final_residual);
      output_results();
      run_info.checkpoint(step, time, adamant::StoredMesh<dim>(*mesh), *this);
    }
  backend.synchronize();
  run_info.end_time_loop();
  report();
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters>(
    argc, argv, "navier_stokes",
    "Solves the Navier-Stokes equations by explicit pressure correction with multigrid (Liebchen et al., Section 5.3).",
    [](const Parameters &parameters, const auto &backend, adamant::Run &run) {
      using Backend = std::decay_t<decltype(backend)>;
      if (parameters.problem.dimension == 2)
        NavierStokes<2, Backend>(parameters, backend, run).run();
      else
        NavierStokes<3, Backend>(parameters, backend, run).run();
    });
}
