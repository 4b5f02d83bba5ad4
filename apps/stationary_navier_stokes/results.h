#pragma once

#include "boundary.h"
#include "equations.h"
#include "parameters.h"

#include "base/run_record.h"
#include "fem/forms/integrals.h"
#include "fem/spaces/level_space.h"
#include "flow/stable_step.h"
#include "frame/output/output.h"
#include "frame/output/profiles.h"

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// Output and records of a flow, from the nodal values of (u, p) in host memory.
namespace stationary_navier_stokes
{
/// The integrals ½ ∫ |u|², ∫ p and the volume.
struct Integrals
{
  double energy = 0., pressure = 0., volume = 0.;
};

template <int dim>
Integrals integrate(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping, const Array<double> &nodal)
{
  const auto [energy, pressure, volume] =
    adamant::integrate<3>(space, mapping, QGauss<dim>(2), update_values | update_JxW_values,
                          [&](int cell, const FEValues<dim> &at, double *sums) {
                            for (const unsigned int q : at.quadrature_point_indices())
                              {
                                const auto value = value_at(space, nodal, cell, at, q);
                                for (int c = 0; c < dim; ++c)
                                  sums[0] += 0.5 * value[c] * value[c] * at.JxW(q);
                                sums[1] += value[dim] * at.JxW(q);
                                sums[2] += at.JxW(q);
                              }
                          });
  return {energy, pressure, volume};
}

/// Returns the largest |u| h of a cell, h its longest edge: over ν it is a Reynolds number.
template <int dim>
double largest_cell_speed(const adamant::LevelSpace<dim> &space, const Array<double> &nodal)
{
  const auto &fe      = space.element();
  double      largest = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      double edge = 0.;
      for (const unsigned int line : space.active_cells()[cell]->line_indices())
        edge = std::max(edge, space.active_cells()[cell]->line(line)->diameter());
      for (unsigned int a = 0; a < GeometryInfo<dim>::vertices_per_cell; ++a)
        {
          double square = 0.;
          for (int c = 0; c < dim; ++c)
            square += std::pow(nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]], 2);
          largest = std::max(largest, edge * std::sqrt(square));
        }
    }
  return largest;
}

/// Returns component c of the nodal values, on the scalar space of these nodes.
template <int dim>
Array<double> component(const adamant::LevelSpace<dim> &space, const adamant::LevelSpace<dim> &scalar,
                        const double *nodal, int c)
{
  const auto   &fe = space.element();
  Array<double> values(scalar.n_dofs());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < scalar.dofs_per_cell(); ++a)
      values[scalar.cell_dofs(cell)[a]] = nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]];
  return values;
}

/// Writes a VTU file with velocity and pressure.
template <int dim>
void write_state(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping, const double *nodal,
                 adamant::TimeSeries &series, double time)
{
  adamant::FieldOutput<dim> output;
  const auto                values = adamant::nodal_vector(space, nodal);
  std::vector<std::string>  names(dim, "velocity");
  names.push_back("pressure");
  std::vector<DataComponentInterpretation::DataComponentInterpretation> kinds(
    dim, DataComponentInterpretation::component_is_part_of_vector);
  kinds.push_back(DataComponentInterpretation::component_is_scalar);
  output.add_data_vector(space.dof_handler(), values, names, kinds);
  output.build_patches(mapping, 1);
  series.write(output, time);
}

/// Records profiles, the flow at points, and errors where the exact solution is known. The constructor finds points
/// outside of the mesh.
template <int dim>
class Samples
{
public:
  /// All arguments have to outlive the object.
  Samples(const Parameters &parameters, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping)
    : parameters(parameters)
    , space(space)
    , mapping(mapping)
    , scalar(std::shared_ptr<const Triangulation<dim>>(&space.triangulation(), [](const auto *) {}), FE_Q<dim>(1), {})
    , at_points("Output/Points", scalar, mapping, adamant::points_of<dim>(parameters.output.points))
    , profiles(scalar, mapping, parameters.output.profiles, parameters.output.profile_points)
  {}

  void record(const Array<double> &nodal, const std::string &folder, adamant::RunRecord &record) const
  {
    std::vector<typename adamant::Profiles<dim>::Function> functions;
    for (int c = 0; c <= dim; ++c)
      {
        const std::string name = c == dim ? "p" : std::string("u_") + "xyz"[c];
        functions.push_back({name, component(space, scalar, nodal.data(), c), c < dim});
        if (!at_points.empty())
          record["at_points"][name] = at_points(functions.back().nodal);
      }
    profiles.write(functions, folder, record);
    const QGauss<dim> quadrature(4);
    const auto       &problem = parameters.problem;
    if (!problem.exact_velocity.empty())
      record["errors"]["u_l2"] =
        l2_error(space, mapping, quadrature, nodal.data(),
                 *adamant::parse_function<dim>("Problem/Exact velocity", problem.exact_velocity, dim));
    if (!problem.exact_pressure.empty())
      record["errors"]["p_l2"] =
        l2_error(scalar, mapping, quadrature, functions.back().nodal.data(),
                 *adamant::parse_function<dim>("Problem/Exact pressure", problem.exact_pressure, 1));
  }

private:
  const Parameters                  &parameters;
  const adamant::LevelSpace<dim>    &space;
  const Mapping<dim>                &mapping;
  const adamant::LevelSpace<dim>     scalar;
  const adamant::HostPointEvaluation at_points;
  const adamant::Profiles<dim>       profiles;
};
} // namespace stationary_navier_stokes
