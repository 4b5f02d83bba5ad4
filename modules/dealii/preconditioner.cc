#include "dealii/preconditioner.h"

#include "base/exchange_plan.h"
#include "dealii/coarse_matrix.h"
#include "dealii/difference.h"
#include "dealii/ranks.h"
#include "dealii/state.h"
#include "dealii/threads.h"
#include "multigrid/smoothers/update_functors.h"
#include "operators/device_level.h"
#include "solvers/krylov.h"

#include <deal.II/base/multithread_info.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
bool same_ranks(const Communicator &ranks, MPI_Comm mesh)
{
  const Communicator of_mesh(mesh);
  if (ranks.size() != of_mesh.size())
    return false;
  if (ranks.size() == 1)
    return true;
  int result = MPI_UNEQUAL;
  check_mpi(MPI_Comm_compare(ranks.handle(), mesh, &result), "MPI_Comm_compare");
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

// The user's device, or the host.
Device device_for(const std::optional<Device> &given, MPI_Comm mesh)
{
  const Communicator ranks(mesh);
  if (!given)
    return ranks.size() > 1 ? Device::host(1, ranks) :
                              Device::host(static_cast<int>(dealii::MultithreadInfo::n_threads()));
  agreed(ranks, [&] {
    if (!same_ranks(given->communicator(), mesh))
      refuse("the mesh has " + std::to_string(ranks.size()) + " ranks, but the device has been made for " +
             std::to_string(given->communicator().size()) +
             " or for others; make it by Device::host(1, Communicator(mpi_communicator))");
  });
  return *given;
}

// Whether values of levels are best in the memory of a GPU. Composed levels need them on the host, and smoothers by
// factors or patches take more matrices from there.
bool has_values(const Device &device, const MultigridOptions &options)
{
  const std::string &smoother = options.smoother.type;
  return device.traits().separate_memory && options.compose_up_to == 0 &&
         (smoother.empty() || smoother == "jacobi" || smoother == "block_jacobi");
}

Array<char> are_constrained(const Array<char> &kinds)
{
  Array<char> constrained(kinds.size());
  std::transform(kinds.begin(), kinds.end(), constrained.begin(), [](char kind) { return kind != free_dof; });
  return constrained;
}
} // namespace

DealiiOptions::DealiiOptions()
{
  multigrid.smoother.type        = "";
  multigrid.smoother.chebyshev   = true;
  multigrid.smoother.power_steps = 8; // as many as a set-up for one solve pays for
  multigrid.pre_steps = multigrid.post_steps = 3;
  multigrid.compose_up_to                    = 0; // the products of composed levels pay after hundreds of cycles
}

DealiiMultigrid::DealiiMultigrid(std::optional<Device> device, Precision precision, const DealiiOptions &options)
  : given(std::move(device))
  , precision(precision)
  , options(options)
{}

DealiiMultigrid::~DealiiMultigrid() = default;

namespace
{
bool &debug_to_be_said()
{
  static bool to_be_said = false;
  return to_be_said;
}
} // namespace

bool note_debug()
{
  return debug_to_be_said() = true;
}

double largest_entry(const double *entries, std::size_t n)
{
  double largest = 0.;
#pragma omp simd reduction(max : largest)
  for (std::size_t i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(entries[i]));
  return largest;
}

// Beside the vector r itself, A⁻¹ r is in float.
bool DealiiMultigrid::State::follow(double largest)
{
  if (!(largest > 0.) || !std::isfinite(largest))
    return false;
  const int of_vector = std::ilogb(largest) + std::ilogb(scale);
  if (std::abs(of_vector) < 60 && std::abs(of_vector - exponent) < 60)
    return false;
  scale = std::ldexp(1., std::clamp(exponent / 2 - std::ilogb(largest), -1000, 1000));
  return true;
}

void DealiiMultigrid::clear()
{
  state.reset();
}

std::size_t DealiiMultigrid::n_levels() const
{
  return state ? state->data.size() : 0;
}

DealiiMultigrid::State &DealiiMultigrid::ready() const
{
  if (!state || !state->cycle)
    refuse("initialize() has not been called, or has failed");
  if (state->mesh_has_changed)
    refuse(
      "the mesh has been refined or made anew since initialize(); distribute the DoFs, assemble the matrix and call "
      "initialize(matrix, dof_handler, constraints)");
  return *state;
}

template <int dim>
void DealiiMultigrid::set_up(const MatrixRows &rows, const dealii::DoFHandler<dim> &dofs,
                             const dealii::AffineConstraints<double> &constraints,
                             const dealii::ComponentMask             &components)
{
  clear();
  if (std::exchange(debug_to_be_said(), false))
    std::cerr
      << "adamant: this program uses deal.II's debug library, with which the set-up of multigrid takes much longer; "
         "-DCMAKE_BUILD_TYPE=Release makes it quick\n";
  where = device_for(given, dofs.get_communicator());
  const ThreadsOf threads(where);
  state                 = std::make_unique<State>();
  state->ranks          = Communicator(dofs.get_communicator());
  state->make_hierarchy = [&dofs, components, n = options.coarsest_cells](const dealii::AffineConstraints<double> *list,
                                                                          Array<char> &kinds) {
    return dof_hierarchy(dofs, components, n, list, kinds);
  };
  try
    {
      auto hierarchy = state->make_hierarchy(&constraints, state->by_constraints);
      state->levels  = std::make_unique<MatrixLevels>(where, has_values(where, options.multigrid), std::move(hierarchy),
                                                     state->by_constraints, rows);
      build();
    }
  catch (...)
    {
      clear();
      throw;
    }
  auto      &signals = dofs.get_triangulation().signals;
  const auto changed = [s = state.get()] { s->mesh_has_changed = true; };
  state->connections.emplace_back(signals.post_refinement.connect(changed));
  state->connections.emplace_back(signals.create.connect(changed));
  state->connections.emplace_back(signals.clear.connect(changed));
}

// Makes all that follows from the levels.
void DealiiMultigrid::build()
{
  auto       &s      = *state;
  const auto &levels = *s.levels;
  s.krylov.reset();
  s.symmetric.reset();
  s.cycle.reset();
  s.data        = levels.levels();
  s.constrained = are_constrained(levels.matrix().kinds());
  s.options     = options.multigrid;
  if (s.options.smoother.type.empty())
    s.options.smoother.type =
      levels.node_size() > 1 && levels.node_size() <= most_node_rows ? "block_jacobi" : "jacobi";
  choose_coarse_solver(where, s.data, s.options);
  check_values();
  s.cycle   = make_multigrid(where, s.data, precision, s.options);
  s.vectors = DealiiVectors(where, levels.dofs().number, s.constrained, levels.dofs().owned);
  s.vectors.set_diagonal(levels.finest().diagonal);
  s.b = Vector<double>(where, levels.finest().A.n_rows);
  s.z = Vector<double>(where, levels.finest().A.n_rows);
}

// What a rank alone would find later, or nobody: singular blocks, and a matrix that float cannot hold.
void DealiiMultigrid::check_values()
{
  auto       &s       = *state;
  double      largest = 0.;
  const auto &d       = s.levels->finest().diagonal;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (s.constrained[i] == 0)
      largest = std::max(largest, std::abs(d[i]));
  s.ranks.max(&largest, 1);
  s.exponent = precision == Precision::float32 && largest > 0. ? std::ilogb(largest) : 0;
  if (std::abs(s.exponent) > 100)
    refuse("the largest diagonal entry is " + to_text(largest) +
           ", too far from one for single precision; scale the matrix or take DealiiPreconditioner<double>");
  check_levels(where, s.data, s.options, s.levels->dofs());
}

void DealiiMultigrid::update_values(const MatrixRows &rows)
{
  if (state && !state->make_hierarchy)
    refuse("it has been made of a form: call the form's update() and then update()");
  ready();
  const ThreadsOf threads(where);
  auto           &s = *state;
  try
    {
      if (s.krylov)
        s.krylov->current = false; // it may share the values
      if (s.levels->update(rows))
        {
          check_values();
          s.cycle->update();
          s.vectors.set_diagonal(s.levels->finest().diagonal);
          s.symmetric.reset();
          return;
        }
      s.cycle.reset(); // it shares the former levels
      s.krylov.reset();
      s.levels.reset();
      Array<char> unused;
      s.levels = std::make_unique<MatrixLevels>(where, has_values(where, options.multigrid),
                                                s.make_hierarchy(nullptr, unused), s.by_constraints, rows);
      build();
    }
  catch (...)
    {
      clear();
      throw;
    }
}

template <int dim>
void DealiiMultigrid::set_up(const Device &device, const Field<dim> &field, const Form<dim> &form,
                             const dealii::DoFHandler<dim> &dofs)
{
  where         = device;
  state         = std::make_unique<State>();
  auto       &s = *state;
  const auto &A = *form.finest();
  s.ranks       = field.finest().communicator();
  s.form_dofs   = dofs_of_field(field, dofs);
  s.data        = levels_of(field, form);
  s.options     = options.multigrid;
  s.constrained = identity_rows(A);
  s.cycle       = make_multigrid(where, s.data, precision, s.options);
  s.vectors     = DealiiVectors(where, s.form_dofs.number, s.constrained, s.form_dofs.owned);
  s.b           = Vector<double>(where, A.n_rows);
  s.z           = Vector<double>(where, A.n_rows);
}

void DealiiMultigrid::update_from_form()
{
  auto &s = ready();
  if (s.levels)
    refuse("it has been made of a matrix: call initialize(matrix)");
  s.cycle->update();
  s.symmetric.reset();
}

void DealiiMultigrid::take_diagonal(const MatrixRows &rows)
{
  auto &s = ready();
  s.vectors.set_diagonal(diagonal_of(rows, s.dofs()));
}

std::string DealiiMultigrid::complaint(const dealii::IndexSet &entries) const
{
  return ready().vectors.complaint(entries);
}

void DealiiMultigrid::check_vectors(const dealii::IndexSet &one, const dealii::IndexSet &other) const
{
  const auto &s = ready();
  s.vectors.check(s.ranks, one, other);
}

// Rounding does not see a power of two. Whether the vector needs another one, and fits on all ranks, is known after the
// V-cycle.
void DealiiMultigrid::apply(const double *src, double *dst, const std::string &complaint) const
{
  auto      &s    = ready();
  const bool fits = complaint.empty();
  PendingMax facts(s.ranks, fits ? 0. : 1.,
                   fits && precision == Precision::float32 ? largest_entry(src, s.dofs().number.size()) : 0.);
  const auto cycle = [&] {
    if (fits)
      s.vectors.take(src, s.b);
    if (s.scale != 1.)
      where.scale(s.scale, s.b);
    s.cycle->vmult(s.b, s.z);
    if (s.scale != 1.)
      where.scale(1. / s.scale, s.z);
  };
  cycle();
  const auto [misfit, largest] = facts.wait();
  if (misfit > 0.)
    throw RunError(s.ranks.first_text(complaint));
  if (s.follow(largest))
    cycle();
  s.vectors.give(s.z, src, dst);
}

void DealiiMultigrid::check_symmetric() const
{
  auto &s = ready();
  if (s.options.pre_steps != s.options.post_steps)
    refuse("Tvmult needs as many smoothing steps before the coarse correction as after it");
  if (!s.symmetric)
    s.symmetric =
      s.levels ? is_symmetric(s.levels->finest().A, s.ranks) : is_symmetric(matrix_on_host(s.data.back()), s.ranks);
  if (!*s.symmetric)
    refuse("Tvmult needs a symmetric matrix");
}

MatrixDifference DealiiMultigrid::difference(const MatrixRows &rows) const
{
  const auto &s = ready();
  return largest_difference(rows, s.dofs(), matrix_on_host(s.data.back()), s.constrained);
}

template <int dim>
DealiiSolver::DealiiSolver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                           const dealii::DoFHandler<dim> &user, const LinearSolverOptions &options)
  : solver(std::make_unique<LinearSolver>(device, levels_of(field, form), options))
  , dofs(dofs_of_field(field, user))
  , vectors(device, dofs.number, identity_rows(*form.finest()), dofs.owned)
  , x(device, form.finest()->n_rows)
  , b(device, form.finest()->n_rows)
{}

DealiiSolver::~DealiiSolver() = default;

void DealiiSolver::take_diagonal(const MatrixRows &rows)
{
  vectors.set_diagonal(diagonal_of(rows, dofs));
}

#define INSTANTIATE(dim)                                                                                           \
  template void DealiiMultigrid::set_up(const MatrixRows &, const dealii::DoFHandler<dim> &,                       \
                                        const dealii::AffineConstraints<double> &, const dealii::ComponentMask &); \
  template void DealiiMultigrid::set_up(const Device &, const Field<dim> &, const Form<dim> &,                     \
                                        const dealii::DoFHandler<dim> &);                                          \
  template DealiiSolver::DealiiSolver(const Device &, const Field<dim> &, const Form<dim> &,                       \
                                      const dealii::DoFHandler<dim> &, const LinearSolverOptions &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
