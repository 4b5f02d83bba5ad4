#include "flow/flow_boundaries.h"

#include "coefficients/values_at_points.h"
#include "fem/functions/points.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/utilities.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace adamant
{
namespace
{
const std::map<std::string, FlowCondition> kinds = {
  {"no_slip", FlowCondition::no_slip}, {"free_slip", FlowCondition::free_slip}, {"outflow", FlowCondition::outflow}};

void check_kind(const std::string &text)
{
  require(kinds.count(text) > 0, "Problem/Boundaries: '", text, "' should be no_slip, free_slip or outflow",
          did_you_mean(text, {"no_slip", "free_slip", "outflow"}));
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
} // namespace

FlowBoundaries::FlowBoundaries(const MeshParameters &mesh, const Words &words)
  : ParameterAcceptor("/Problem")
  , words(words)
  , mesh(mesh)
{
  parse_parameters_call_back.connect([this] {
    for (const auto &[key, text] : texts)
      set(key, text);
  });
  const auto add = [this](const std::string &key, const std::string &usual, const std::string &description) {
    add_parameter(key, texts[key] = usual, description);
    lists[key];
  };
  const std::string expressions = "expressions of " + words.variables;
  add("Boundaries", "",
      "Conditions by boundary: 'id: no_slip, id: free_slip, id: outflow, ...' (no_slip on others), or one for all that "
      "no other list names; empty: " +
        words.otherwise +
        ". Nothing flows through free_slip, which may have any direction, nor is there a tangential traction; an "
        "outflow has the traction 0. The sides of a box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z)");
  add("Boundary velocity", words.velocity,
      "Where all components are prescribed: 'id: u_x; u_y; u_z, id: ...', " + expressions + words.more);
  add("Traction", "", words.traction + " = g, by boundary: 'id: g_x; g_y; g_z, id: ...', " + expressions);
  add("Pressure", "", "p against the boundary, the traction -p n: 'id: p, id: ...', " + expressions);
  add_parameter("Edges", edges,
                "The velocity where boundaries meet: wall takes the smallest of their velocities, so that a lid does "
                "not leak; moving takes the largest",
                prm, dealii::Patterns::Selection("wall|moving"));
}

void FlowBoundaries::set(const std::string &key, const std::string &text)
{
  const bool is_list = key == "Boundaries" ? text.find(':') != std::string::npos : text != "exact";
  texts.at(key)      = text;
  lists[key]         = {};
  if (is_list)
    for (const auto &[id, of_boundary] : split_by_boundary("Problem/" + key, text, mesh.boundaries("Problem/" + key)))
      lists[key][id] = dealii::Utilities::trim(of_boundary);
}

FlowCondition FlowBoundaries::on(unsigned int id) const
{
  const auto &listed = lists.at("Boundaries");
  const auto &kind   = texts.at("Boundaries");
  if (tractions().count(id) > 0 || pressures().count(id) > 0)
    return FlowCondition::traction;
  if (const auto found = listed.find(id); found != listed.end())
    return kinds.at(found->second);
  if (all_exact() || velocities().count(id) > 0)
    return FlowCondition::velocity;
  return !listed.empty() ? FlowCondition::no_slip : kinds.at(kind.empty() ? default_kind() : kind);
}

std::string FlowBoundaries::velocity_on(unsigned int id) const
{
  const auto found = velocities().find(id);
  return on(id) != FlowCondition::velocity ? "0; 0; 0" : all_exact() ? exact() : found->second;
}

void FlowBoundaries::check(unsigned int dim) const
{
  require(!all_exact() || !exact().empty(), "Problem/Boundary velocity = exact needs Problem/Exact velocity");
  require(!all_exact() || texts.at("Boundaries").empty() || !lists.at("Boundaries").empty(),
          "Problem/Boundaries = ", texts.at("Boundaries"),
          " is for all boundaries, and so is Problem/Boundary velocity = exact");
  if (lists.at("Boundaries").empty() && !texts.at("Boundaries").empty())
    check_kind(texts.at("Boundaries"));
  std::map<unsigned int, std::string> key_of; // of each boundary
  for (const auto &[key, list] : lists)
    for (const auto &[id, text] : list)
      {
        mesh.check_boundary("Problem/" + key, id, dim);
        const std::string &other = key_of[id];
        require(other.empty() || (key == "Traction" && other == "Pressure"), "Problem: boundary ", id,
                " has two conditions, one in ", other, " and one in ", key);
        key_of[id] = key;
        if (key == "Boundaries")
          {
            check_kind(text);
            continue;
          }
        check_expression("Problem/" + key, text, key == "Pressure" ? 1 : dim, dim);
        require(!depends_on_time(text) || words.variables.find('t') != std::string::npos, "Problem/", key, " = ", text,
                " contains t, but this program has expressions of ", words.variables);
      }
}

template <int dim>
DirichletBoundary dirichlet_boundary(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh,
                                     const dealii::MappingQ<dim> &mapping, unsigned int n_components)
{
  boundaries.check(mesh);
  DirichletBoundary dirichlet;
  dirichlet.mapping_degree = mapping.get_degree();
  for (const auto id : boundary_ids(mesh))
    {
      dealii::ComponentMask mask(n_components, false);
      const bool            slips = boundaries.slips(id);
      const unsigned int    axis  = slips ? normal_axis(mesh, id) : dim;
      for (unsigned int c = 0; c < dim; ++c)
        mask.set(c, boundaries.prescribes(id) || c == axis);
      if (mask.n_selected_components() > 0)
        dirichlet[id] = mask;
      else if (slips)
        {
          check_edges("Problem/Boundaries", mesh, id);
          dirichlet.normal.insert(id);
        }
    }
  return dirichlet;
}

template <int dim>
void require_no_rigid_motion(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh, bool may_turn)
{
  if (!boundaries.all(&FlowBoundaries::prescribes, mesh).empty())
    return;
  // The motions' velocities across the sides where the fluid slips must not depend on each other.
  const bool          turns   = may_turn && mesh.get_periodic_face_map().empty();
  const int           n       = turns ? dim * (dim + 1) / 2 : dim;
  const auto          extents = extent(mesh);
  const auto          middle  = mesh.begin(0)->center(); // of a cell that all ranks know
  std::vector<double> products(n * n, 0.);
  for_each_normal<dim>(mesh, boundaries.all(&FlowBoundaries::slips, mesh),
                       [&](unsigned int, const auto &point, const auto &N) {
                         const auto          x = (point - middle) / extents[0];
                         std::vector<double> across(N.begin_raw(), N.end_raw());
                         for (int d = 0; d < dim && turns; ++d)
                           for (int e = d + 1; e < dim; ++e)
                             across.push_back(x[d] * N[e] - x[e] * N[d]);
                         for (int k = 0; k < n * n; ++k)
                           products[k] += across[k / n] * across[k % n];
                       });
  Communicator(mesh.get_communicator()).sum(products.data(), n * n);
  dealii::LAPACKFullMatrix<double> gram(n, n);
  gram                             = dealii::FullMatrix<double>(n, n, products.data());
  const double               least = std::max(1e-10 * gram.trace(), 1e-300);
  dealii::FullMatrix<double> vectors;
  dealii::Vector<double>     small; // eigenvalues
  gram.compute_eigenvalues_symmetric(-least, least, 0., small, vectors);
  require(small.size() == 0,
          "Problem/Boundaries: the fluid can move as a rigid body, since no boundary holds it; the velocity has to be "
          "prescribed on one at least (no_slip, or Boundary velocity)");
}

template <int dim>
bool slips_on_curves(const FlowBoundaries &boundaries, const dealii::Triangulation<dim> &mesh)
{
  bool curved = false;
  for (const auto id : boundaries.all(&FlowBoundaries::slips, mesh))
    {
      std::array<double, dim + 1> sum{}; // of the normals, and their number
      for_each_normal<dim>(mesh, {id}, [&](unsigned int, const auto &, const auto &n) {
        for (int d = 0; d < dim; ++d)
          sum[d] += n[d];
        sum[dim] += 1.;
      });
      Communicator(mesh.get_communicator()).sum(sum.data(), dim + 1);
      double square = 0.;
      for (int d = 0; d < dim; ++d)
        square += sum[d] * sum[d];
      curved = curved || std::sqrt(square) < (1. - 1e-8) * sum[dim];
    }
  return curved;
}

template <int dim>
BoundaryFlux given_flux(const FlowBoundaries &boundaries, const LevelSpace<dim> &space,
                        const dealii::Mapping<dim> &mapping, dealii::types::boundary_id id)
{
  const auto flux =
    flux_of(*parse_function<dim>("Problem/Boundary velocity", boundaries.velocity_on(id), dim), space, mapping, id);
  require(std::isfinite(flux.net), "Problem/Boundary velocity has values that are no numbers");
  return flux;
}

template <int dim>
void check_flux(const FlowBoundaries &boundaries, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  double net = 0., scale = 0.;
  for (const auto id : boundary_ids(space.triangulation()))
    if (boundaries.on(id) == FlowCondition::velocity)
      {
        const auto flux = given_flux(boundaries, space, mapping, id);
        net += flux.net;
        scale += flux.scale;
      }
  require(!boundaries.all(&FlowBoundaries::is_open, space.triangulation()).empty() || std::abs(net) <= 1e-4 * scale,
          "Problem/Boundary velocity: the ", net < 0. ? "inflow" : "outflow", " exceeds the ",
          net < 0. ? "outflow" : "inflow", " by ", std::abs(net),
          ", which an incompressible fluid cannot do; is a boundary with outflow missing in Problem/Boundaries?");
}

template <int dim>
PrescribedVelocity prescribed_velocity(const FlowBoundaries &boundaries, const LevelSpace<dim> &space,
                                       const dealii::Mapping<dim> &mapping)
{
  const bool          least = boundaries.edges == "wall";
  const int           m     = space.node_size();
  const std::size_t   n     = space.prescribed.size();
  PrescribedVelocity  g{Array<double>(n, 0.),
                       std::vector<dealii::types::boundary_id>(n, dealii::numbers::invalid_boundary_id)};
  std::vector<double> norm(n, 0.); // of the velocity that a node has, at its first prescribed DoF
  const auto         &mesh = space.triangulation();
  for (const auto id : boundaries.all(&FlowBoundaries::prescribes, mesh))
    {
      const auto on_boundary = space.on_boundary(id);
      const auto velocity    = parse_function<dim>("Problem/Boundary velocity", boundaries.velocity_on(id), dim);
      const auto values      = nodal_values(space, mapping, *velocity, space.prescribed);
      for (std::size_t i = 0, end = 0; i < n; i = end) // the DoFs of a node follow each other
        {
          double square = 0.;
          for (end = i; end < n && space.prescribed[end] / m == space.prescribed[i] / m; ++end)
            square += values[end] * values[end];
          if (on_boundary[space.prescribed[i]] == 0)
            continue;
          const bool is_first = g.from[i] == dealii::numbers::invalid_boundary_id;
          if (is_first || std::isnan(square) || (least ? square < norm[i] : square > norm[i]))
            {
              norm[i] = square;
              std::copy(values.begin() + i, values.begin() + end, g.values.begin() + i);
              std::fill(g.from.begin() + i, g.from.begin() + end, id);
            }
        }
    }
  require_numbers(space.communicator(), "Problem/Boundary velocity", g.values); // fluxes see other points
  return g;
}

template <int dim>
Tractions<dim>::Tractions(const FlowBoundaries &boundaries)
{
  for (const auto &[id, text] : boundaries.tractions())
    g[id] = parse_function<dim>("Problem/Traction", text, dim);
  for (const auto &[id, text] : boundaries.pressures())
    p[id] = parse_function<dim>("Problem/Pressure", text, 1);
  for (const auto *list : {&boundaries.tractions(), &boundaries.pressures()})
    for (const auto &[id, text] : *list)
      {
        ids.insert(id);
        in_time = in_time || depends_on_time(text);
      }
}

template <int dim>
dealii::Tensor<1, dim> Tractions<dim>::value(dealii::types::boundary_id id, const dealii::Point<dim> &x,
                                             const dealii::Tensor<1, dim> &n, double t) const
{
  dealii::Tensor<1, dim> traction;
  if (const auto found = g.find(id); found != g.end())
    {
      found->second->set_time(t);
      for (int c = 0; c < dim; ++c)
        traction[c] = found->second->value(x, c);
    }
  if (const auto found = p.find(id); found != p.end())
    traction -= found->second->value_at(t, x) * n;
  return traction;
}

template <int dim>
Array<double> Tractions<dim>::load(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping) const
{
  Array<double> local(space.n_dofs(), 0.);
  for_each_load(space, mapping,
                [&](int cell, unsigned int i, double value) { local[space.cell_dofs(cell)[i]] += value; });
  auto load = space.sum_local(std::move(local));
  load.resize(space.n_owned());
  require_traction(space.communicator(), load);
  return load;
}

void require_traction(const Communicator &ranks, const Array<double> &values)
{
  require_numbers(ranks, "Problem/Traction or Problem/Pressure", values);
}

template class Tractions<2>;
template class Tractions<3>;
template decltype(dirichlet_boundary<2>)      dirichlet_boundary<2>;
template decltype(dirichlet_boundary<3>)      dirichlet_boundary<3>;
template decltype(require_no_rigid_motion<2>) require_no_rigid_motion<2>;
template decltype(require_no_rigid_motion<3>) require_no_rigid_motion<3>;
template decltype(slips_on_curves<2>)         slips_on_curves<2>;
template decltype(slips_on_curves<3>)         slips_on_curves<3>;
template decltype(given_flux<2>)              given_flux<2>;
template decltype(given_flux<3>)              given_flux<3>;
template decltype(check_flux<2>)              check_flux<2>;
template decltype(check_flux<3>)              check_flux<3>;
template decltype(prescribed_velocity<2>)     prescribed_velocity<2>;
template decltype(prescribed_velocity<3>)     prescribed_velocity<3>;
} // namespace adamant
