#pragma once

#include "boundary.h"
#include "equations.h"
#include "parameters.h"

#include "base/run_record.h"
#include "fem/forms/integrals.h"
#include "fem/spaces/level_space.h"
#include "flow/nodal_functionals.h"
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
        functions.push_back({name, component_of(space, scalar, nodal.data(), c), c < dim});
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
