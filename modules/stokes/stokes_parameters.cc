#include "stokes/stokes_parameters.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "expressions/values_at_points.h"
#include "fem/functions/points.h"
#include "frame/sparse_direct.h"
#include "multigrid/smoothers/registry.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/utilities.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

namespace adamant
{
namespace
{
LinearSolverOptions default_options()
{
  LinearSolverOptions options;
  options.restart             = 60;
  options.precision           = Precision::float32;
  options.control.tolerance   = 1e-6;
  options.multigrid.smoother  = {"block_jacobi", true, 0.8, 8.};
  options.multigrid.pre_steps = options.multigrid.post_steps = 3;
  return options;
}

void check_kind(const std::string &text)
{
  require(text == "no_slip" || text == "free_slip", "Problem/Boundaries: '", text, "' should be no_slip or free_slip");
}

// The axis that a face is normal to, but for the rounding of a file's coordinates; invalid: it is oblique.
template <typename Face>
unsigned int axis_of(const Face &face)
{
  const auto   box  = face->bounding_box();
  unsigned int axis = dealii::numbers::invalid_unsigned_int;
  for (unsigned int d = 0; d < Face::AccessorType::space_dimension; ++d)
    if (box.side_length(d) < 1e-6 * face->diameter())
      axis = d;
  return axis;
}

// The axis that all faces of a boundary are normal to, or dim: there is none. All ranks get one answer.
template <int dim>
unsigned int normal_axis(const dealii::Triangulation<dim> &mesh, dealii::types::boundary_id id)
{
  unsigned int least = dim, most = 0;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int face : cell->face_indices())
      if (cell->at_boundary(face) && cell->face(face)->boundary_id() == id)
        {
          const unsigned int axis = std::min<unsigned int>(axis_of(cell->face(face)), dim);
          least                   = std::min(least, axis);
          most                    = std::max(most, axis);
        }
  least = dealii::Utilities::MPI::min(least, mesh.get_communicator());
  most  = dealii::Utilities::MPI::max(most, mesh.get_communicator());
  return least == most ? most : dim;
}

// ∮ g . n and ∮ |g . n| for the velocities that the input prescribes, of all ranks.
template <int dim>
std::array<double, 2> prescribed_flux(const VelocityBoundaries &boundaries, const LevelSpace<dim> &space,
                                      const dealii::Mapping<dim> &mapping)
{
  std::map<dealii::types::boundary_id, std::unique_ptr<ParsedFunction<dim>>> g;
  for (const auto id : boundary_ids(space.triangulation()))
    if (boundaries.kind(id) == "velocity")
      g[id] = parse_function<dim>("Problem/Boundary velocity", boundaries.velocity_on(id), dim);
  std::array<double, 2>     flux{};
  dealii::FEFaceValues<dim> at_face(mapping, space.element(), dealii::QGauss<dim - 1>(4),
                                    dealii::update_quadrature_points | dealii::update_normal_vectors |
                                      dealii::update_JxW_values);
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (cell->at_boundary(face) && g.count(cell->face(face)->boundary_id()) > 0)
        {
          at_face.reinit(cell, face);
          for (const unsigned int q : at_face.quadrature_point_indices())
            {
              double normal = 0.;
              for (unsigned int c = 0; c < dim; ++c)
                normal += g[cell->face(face)->boundary_id()]->value(at_face.quadrature_point(q), c) *
                          at_face.normal_vector(q)[c];
              flux[0] += normal * at_face.JxW(q);
              flux[1] += std::abs(normal) * at_face.JxW(q);
            }
        }
  space.communicator().sum(flux.data(), 2);
  return flux;
}
} // namespace

StokesOutputParameters::StokesOutputParameters(const MeshFileParameters &mesh_file, const std::string &recorded,
                                               const std::string &more)
  : EvaluationParameters(mesh_file,
                         "u_x, u_y, u_z (u: each of them), p, " + more +
                           "speed, kinetic_energy, vorticity, strain_rate or divergence; on boundaries volume_flux, or "
                           "force: the fluid's, by quadrature",
                         recorded, "velocity and pressure are",
                         {"strain_rate", "viscosity", "vorticity", "speed", "divergence"}, {"strain_rate", "viscosity"})
{}

ViscosityParameters::ViscosityParameters()
  : ParameterAcceptor("/Viscosity")
{
  using namespace dealii::Patterns;
  add_parameter(
    "Finest average", finest,
    "Average of the viscosity in each cell of the velocity's mesh, over its Gauss points, degree + 1 in each "
    "direction. With none, points of the finest level keep their viscosity. Auto is none for Q2 velocities where the "
    "viscosity varies by less than 10 in every cell, so that they keep their order; else harmonic",
    prm, Selection("auto|harmonic|geometric|arithmetic|none"));
  add_parameter("Coarse average", coarse,
                "Average of the viscosity in each cell of coarser levels, over the cells that it contains", prm,
                Selection("arithmetic|geometric|harmonic"));
}

StokesSolverParameters::StokesSolverParameters(const std::string &automatic)
  : LinearSolverParameters(default_options(), 125)
{
  using namespace dealii::Patterns;
  add_parameter("Schur complement", schur,
                "Approximation of the Schur complement: mass, the pressure's mass matrix over the viscosity; bfbt, the "
                "weighted least-squares commutator; auto: " +
                  automatic,
                prm, Selection("auto|mass|bfbt"));
  add_parameter("Velocity product", product,
                "Products with the velocity's matrices: rows, as stored; cells, by the cells' viscosities on levels "
                "whose cells are boxes of one shape, of any sizes. Cells are taken in 3D on one rank, with the "
                "smoothers jacobi and block_jacobi; auto: cells on large levels on a GPU, where possible",
                prm, Selection("auto|rows|cells"));
  add_parameter("BFBT exponent", exponent, "q of the weights 1 / int eta^q phi of bfbt", prm, Double(0., 2.));
  add_parameter("BFBT boundary weight", boundary_weight, "Factor of the cells at walls in the weights of bfbt", prm,
                Double(0.01, 100.));
  add_parameter("Adapt precision", adapt_precision,
                "float32 becomes mixed where the viscosity varies by more than 1e5, and by more than 1e3 from a cell "
                "to the next, or where GMRES has not converged");
}

void StokesSolverParameters::check() const
{
  require(options("").type == SolverType::gmres,
          "Linear solver/Solver: the system is indefinite, and this program has gmres only");
  require(interpolation == "embedding", "Linear solver/Interpolation = ", interpolation,
          ": this program has embedding only");
}

VelocityProduct StokesSolverParameters::velocity_product(const ViscosityParameters &averages) const
{
  const bool possible = averages.finest != "none" && preconditioner == "multigrid" &&
                        smoother_kind(options("").multigrid.smoother.type).matrix != nullptr;
  require(possible || product != "cells", "Linear solver/Velocity product = cells needs a Finest average other than "
                                          "none, multigrid, and the smoother jacobi or block_jacobi");
  return !possible || product == "rows" ? VelocityProduct::rows :
         product == "cells"             ? VelocityProduct::cells :
                                          VelocityProduct::automatic;
}

MultigridOptions StokesSolverParameters::pressure_options()
{
  MultigridOptions options;
  options.coarse_solver      = CoarseSolverType::automatic;
  options.make_coarse_solver = has_sparse_direct ? MakeExternalSolver(sparse_direct) : nullptr;
  options.smoother           = {"jacobi", true, 0.8, 16.};
  options.pre_steps = options.post_steps = 3;
  options.singular                       = true;
  return options;
}

VelocityBoundaries::VelocityBoundaries(const MeshFileParameters &mesh_file, const std::string &otherwise,
                                       const std::string &more)
  : ParameterAcceptor("/Problem")
  , mesh_file(mesh_file)
  , otherwise(otherwise)
{
  add_parameter("Boundaries", kinds,
                "Conditions: no_slip or free_slip, by id 'id: no_slip, ...' (no_slip on all others), or one for all; "
                "empty: " +
                  otherwise + ". The sides of a box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z)");
  parse_parameters_call_back.connect([this] {
    if (!all_exact())
      velocity = split("Problem/Boundary velocity", velocities);
    kind_by_id.clear();
    if (kinds.find(':') != std::string::npos)
      for (const auto &[id, text] : split("Problem/Boundaries", kinds))
        kind_by_id[id] = dealii::Utilities::trim(text);
  });
  add_parameter("Boundary velocity", velocities,
                "Where all components are prescribed: 'id: u_x; u_y; u_z, id: ...', expressions of x, y, z" + more);
}

std::string VelocityBoundaries::velocity_on(unsigned int id) const
{
  const auto found = velocity.find(id);
  return all_exact() ? exact() : found == velocity.end() ? "" : found->second;
}

std::string VelocityBoundaries::kind(unsigned int id) const
{
  if (!velocity_on(id).empty())
    return "velocity";
  if (kinds.empty())
    return default_kind();
  if (kind_by_id.empty())
    return kinds;
  const auto found = kind_by_id.find(id);
  return found == kind_by_id.end() ? "no_slip" : found->second;
}

void VelocityBoundaries::check_boundaries(unsigned int dim) const
{
  require(!all_exact() || !exact().empty(), "Problem/Boundary velocity = exact needs Problem/Exact velocity");
  for (const auto &entry : velocity)
    check_expression("Problem/Boundary velocity", entry.second, dim, dim);
  for (const auto &[id, text] : kind_by_id)
    {
      require(velocity.count(id) == 0, "Problem: boundary ", id, " has a kind and a velocity; it can have one of them");
      check_kind(text);
    }
  if (!kinds.empty() && kind_by_id.empty())
    check_kind(kinds);
}

std::map<unsigned int, std::string> VelocityBoundaries::split(const std::string &key, const std::string &text) const
{
  return split_by_boundary(key, text, mesh_file.boundaries(key));
}

template <int dim>
DirichletBoundary dirichlet_boundary(const VelocityBoundaries &boundaries, const dealii::Triangulation<dim> &mesh)
{
  boundaries.check_boundaries(mesh);
  DirichletBoundary dirichlet;
  for (const auto id : boundary_ids(mesh))
    {
      const bool slip = boundaries.kind(id) == "free_slip";
      dirichlet[id]   = dealii::ComponentMask(dim, !slip);
      if (const unsigned int axis = slip ? normal_axis(mesh, id) : dim; axis < dim)
        dirichlet[id].set(axis, true);
      else if (slip)
        {
          check_edges("Problem/Boundaries", mesh, id);
          dirichlet.normal.insert(id);
        }
    }
  return dirichlet;
}

template <int dim>
std::set<dealii::types::boundary_id> walls(const VelocityBoundaries &boundaries, const dealii::Triangulation<dim> &mesh)
{
  std::set<dealii::types::boundary_id> ids;
  for (const auto id : boundary_ids(mesh))
    if (boundaries.kind(id) != "free_slip")
      ids.insert(id);
  return ids;
}

template <int dim>
Array<double> prescribed_velocity(const VelocityBoundaries &boundaries, const LevelSpace<dim> &space,
                                  const dealii::Mapping<dim> &mapping)
{
  const auto flux = prescribed_flux(boundaries, space, mapping);
  require(std::isfinite(flux[0]), "Problem/Boundary velocity has values that are no numbers");
  require(std::abs(flux[0]) <= 1e-4 * flux[1], "Problem/Boundary velocity: ", flux[0],
          " flows out through the boundary all in all; div u = 0 needs 0");
  Array<double> g(space.prescribed.size(), 0.);
  const auto    take = [&](dealii::types::boundary_id id, const Array<double> &values) {
    const auto on_boundary = space.on_boundary(id);
    for (std::size_t i = 0; i < g.size(); ++i)
      if (on_boundary[space.prescribed[i]] != 0)
        g[i] = values[i];
  };
  const auto ids = boundary_ids(space.triangulation());
  for (const auto id : ids)
    if (boundaries.kind(id) == "velocity")
      take(id, nodal_values(space, mapping,
                            *parse_function<dim>("Problem/Boundary velocity", boundaries.velocity_on(id), dim),
                            space.prescribed));
  for (const auto id : ids)
    if (boundaries.kind(id) == "no_slip")
      take(id, Array<double>(g.size(), 0.));
  require_numbers(space.communicator(), "Problem/Boundary velocity", g); // fluxes see other points than the nodes
  return g;
}

#define INSTANTIATE(dim)                                                                                                 \
  template DirichletBoundary dirichlet_boundary(const VelocityBoundaries &, const dealii::Triangulation<dim> &);         \
  template std::set<dealii::types::boundary_id> walls(const VelocityBoundaries &, const dealii::Triangulation<dim> &);   \
  template Array<double>                        prescribed_velocity(const VelocityBoundaries &, const LevelSpace<dim> &, \
                                                                    const dealii::Mapping<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
