#include "frame/unknown.h"

namespace adamant
{
namespace
{
template <int dim>
LevelMeshOptions level_options(const Run &run, const LinearSolverParameters &parameters,
                               const dealii::FiniteElement<dim> &element, unsigned int coarsest_cells)
{
  auto options = level_mesh_options<dim>(run, parameters, element);
  if (coarsest_cells > 0 && options.coarsest_cells != finest_level_only)
    options.coarsest_cells = coarsest_cells;
  return options;
}
} // namespace

template <int dim>
Unknown<dim>::Unknown(TimeDependentProblem<dim> &program, const std::string &name,
                      const dealii::FiniteElement<dim> &element, const DirichletBoundary &dirichlet,
                      const LinearSolverParameters &parameters, const UnknownOptions &options)
  : internal::FieldOnLevels<dim>{{*program.mesh,
                                  level_options(program.run_info, parameters, element, options.coarsest_cells)},
                                 {this->meshes_, name, element, dirichlet}}
  , DeviceField<dim>(program.device, this->field_, program.mapping)
  , quadrature(options.n_points > 0 ? options.n_points : element.degree + 1)
  , parameters(parameters)
  , timer(program.run_info.timer)
  , flags(options.flags)
{}

template <int dim>
std::unique_ptr<Form<dim>> Unknown<dim>::form(const std::string &name, ColumnKind columns, const Kernel &kernel,
                                              Levels levels) const
{
  const auto *const field = columns != ColumnKind::quadrature_points ? &this->host : nullptr;
  return std::make_unique<Form<dim>>(name, this->host, Columns<dim>{columns, field}, this->mapping, quadrature, flags,
                                     kernel, levels);
}

template <int dim>
std::unique_ptr<LinearSolver> Unknown<dim>::solver_for(Form<dim> &A, const std::string &name,
                                                       const NearNullSpace<dim> &near_null_space)
{
  if (A.on_device(this->host.n_levels() - 1) == nullptr)
    return make_constant_linear_solver(timer, this->device, this->meshes_, this->field_, A, parameters, name,
                                       near_null_space);
  const Section scope(timer, "init/solver");
  return make_linear_solver(this->device, this->host, A, parameters, name, near_null_space);
}

template class Unknown<2>;
template class Unknown<3>;
} // namespace adamant
