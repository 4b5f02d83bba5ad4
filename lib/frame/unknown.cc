#include "frame/unknown.h"

#include "fem/forms/hierarchy_builder.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "frame/run.h"
#include "operators/level_data.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace adamant
{
namespace
{
template <int dim>
internal::FieldOnLevels<dim> on_levels(const dealii::Triangulation<dim> &mesh, const LevelMeshOptions &options,
                                       const std::string &name, const dealii::FiniteElement<dim> &element,
                                       DirichletBoundary dirichlet, unsigned int mapping_degree)
{
  dirichlet.mapping_degree = mapping_degree;
  auto meshes              = std::make_unique<LevelMeshes<dim>>(mesh, options);
  auto field               = std::make_unique<Field<dim>>(*meshes, name, element, dirichlet);
  return {std::move(meshes), std::move(field)};
}
} // namespace

template <int dim>
Unknown<dim>::Unknown(TimeDependentProblem<dim> &program, const std::string &name,
                      const dealii::FiniteElement<dim> &element, const DirichletBoundary &dirichlet,
                      const LinearSolverParameters &parameters, const UnknownOptions &options)
  : internal::FieldOnLevels<dim>(on_levels(*program.mesh,
                                           program.level_mesh_options(parameters, element, options.coarsest_cells),
                                           name, element, dirichlet, program.mapping.get_degree()))
  , DeviceField<dim>(program.device, *this->field_, program.mapping)
  , quadrature(options.n_points > 0 ? options.n_points : element.degree + 1)
  , parameters(parameters)
  , timer(program.run_info.timer)
  , flags(options.flags)
{}

template <int dim>
Unknown<dim>::~Unknown() = default;

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
  const Section scope(timer, "init/solver");
  if (A.on_device(0) != nullptr)
    return make_linear_solver(this->device, this->host, A, parameters, name, near_null_space);
  HierarchyBuilder<dim> builder(*this->meshes_, *this->field_, A);
  const bool            in_turn = parameters.preconditioner == "multigrid" && parameters.interpolation != "harmonic";
  const int at_once = std::max(1 << 16, parameters.options(name).multigrid.compose_up_to); // unknowns, made quickly
  std::vector<LevelData> levels;
  {
    const Section assembly(timer, "init/assembly");
    if (in_turn)
      levels = builder.levels(at_once);
    else
      A.update();
  }
  for (auto &level : levels)
    if (auto *demand = std::get_if<MadeOnDemand>(&level.values))
      {
        demand->transfer = [&timer = timer, make = demand->transfer] {
          const Section hierarchy(timer, "init/hierarchy");
          return make();
        };
        demand->matrix = [&timer = timer, make = demand->matrix] {
          const Section assembly(timer, "init/assembly");
          return make();
        };
      }
  auto solver = make_linear_solver(this->device, this->host, A, parameters, name, near_null_space, std::move(levels));
  builder.release();
  return solver;
}

template class Unknown<2>;
template class Unknown<3>;
} // namespace adamant
