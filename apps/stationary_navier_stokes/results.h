#pragma once

#include "boundary.h"
#include "equations.h"
#include "parameters.h"

#include "base/run_record.h"
#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "evaluation/flow_quantities.h"
#include "fem/forms/integrals.h"
#include "fem/spaces/level_space.h"
#include "flow/nodal_functionals.h"
#include "frame/output/output.h"

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// Output and records of a flow, from the nodal values of (u, p) in host memory.
namespace stationary_navier_stokes
{
/// Writes a VTU file with velocity, pressure and derived fields.
template <int dim>
void write_state(const adamant::LevelSpace<dim> &space, const MappingQ<dim> &mapping,
                 const adamant::DerivedFields<dim> &derived, const double *nodal, adamant::TimeSeries &series,
                 double time)
{
  adamant::FieldOutput<dim> output;
  const auto                values = adamant::nodal_vector(space, nodal);
  std::vector<std::string>  names(dim, "velocity");
  names.push_back("pressure");
  std::vector<DataComponentInterpretation::DataComponentInterpretation> kinds(
    dim, DataComponentInterpretation::component_is_part_of_vector);
  kinds.push_back(DataComponentInterpretation::component_is_scalar);
  output.add_data_vector(space.dof_handler(), values, names, kinds);
  if (!derived.empty())
    output.add_data_vector(space.dof_handler(), values, derived);
  output.build_patches(mapping, 1);
  series.write(output, time);
}

/// Records statistics, the flow at points, along lines and on planes, and errors where the exact solution is known.
/// The constructor finds points
/// outside of the mesh.
template <int dim>
class Samples
{
public:
  /// All arguments have to outlive the object.
  Samples(const Parameters &parameters, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping,
          FlowEquations<dim> &equations, const adamant::Vector<double> &u)
    : parameters(parameters)
    , space(space)
    , mapping(mapping)
    , equations(equations)
    , u(u)
    , scalar(std::shared_ptr<const Triangulation<dim>>(&space.triangulation(), [](const auto *) {}), FE_Q<dim>(1), {})
    , evaluation(parameters.output, mapping, {{&space, names()}},
                 adamant::flow_quantities<dim>(parameters.problem.viscosity),
                 {{"force", [this](unsigned int id) { return force_on(id); }}})
  {}

  /// Returns the force of the flow u on a boundary, times the parameters' factor.
  std::vector<double> force_on(unsigned int id) const
  {
    auto force = equations.force_on(id, u);
    for (double &component : force)
      component *= parameters.output.force_scale;
    return force;
  }

  void add_to(adamant::Statistics::Row &row, const Array<double> &nodal) const
  {
    evaluation.add_to(row, {nodal.data()});
  }

  void record(const Array<double> &nodal, const std::string &folder, adamant::RunRecord &record) const
  {
    evaluation.add_to(record, {nodal.data()}, folder);
    const QGauss<dim> quadrature(4);
    const auto       &problem = parameters.problem;
    if (!problem.exact_velocity.empty())
      record["errors"]["u_l2"] =
        l2_error(space, mapping, quadrature, nodal.data(),
                 *adamant::parse_function<dim>("Problem/Exact velocity", problem.exact_velocity, dim));
    if (!problem.exact_pressure.empty())
      record["errors"]["p_l2"] =
        l2_error(scalar, mapping, quadrature, component_of(space, scalar, nodal.data(), dim).data(),
                 *adamant::parse_function<dim>("Problem/Exact pressure", problem.exact_pressure, 1));
  }

private:
  static std::vector<std::string> names()
  {
    std::vector<std::string> names;
    for (int c = 0; c < dim; ++c)
      names.push_back(std::string("u_") + "xyz"[c]);
    names.push_back("p");
    return names;
  }

  const Parameters               &parameters;
  const adamant::LevelSpace<dim> &space;
  const Mapping<dim>             &mapping;
  FlowEquations<dim>             &equations;
  const adamant::Vector<double>  &u;
  const adamant::LevelSpace<dim>  scalar;
  const adamant::Evaluation<dim>  evaluation;
};
} // namespace stationary_navier_stokes
