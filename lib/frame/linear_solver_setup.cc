#include "frame/linear_solver_setup.h"

#include "base/exceptions.h"
#include "fem/forms/patches.h"
#include "solvers/preconditioner.h"

#include <algorithm>

namespace adamant
{
namespace
{
/// Trilinos ML for the matrix of the finest level, whose values may change.
class AMGPreconditioner : public Preconditioner
{
public:
  AMGPreconditioner(LevelData level, TrilinosAMGOptions options)
    : level(std::move(level))
    , options(std::move(options))
  {
    AMGPreconditioner::update();
  }
  void vmult(const Vector<double> &v, Vector<double> &z) const override { amg(v.data(), z.data()); }
  void update() override { amg = trilinos_amg(matrix_on_host(level), options); }

private:
  const LevelData          level;
  const TrilinosAMGOptions options;
  TrilinosAMG              amg;
};

template <int dim>
TrilinosAMGOptions amg_options(const LinearSolverParameters &parameters, const LevelSpace<dim> &space,
                               const NearNullSpace<dim> &near_null_space)
{
  auto options = parameters.amg_options();
  if (near_null_space)
    {
      options.near_null_space = near_null_space(space);
      options.node_size       = space.node_size();
    }
  return options;
}

template <int dim>
LinearSolverOptions solver_options(const Field<dim> &field, const LinearSolverParameters &parameters,
                                   const std::string &name, const NearNullSpace<dim> &near_null_space)
{
  auto options = parameters.options(name);
  if (parameters.preconditioner == "multigrid" && options.multigrid.make_coarse_solver && near_null_space)
    options.multigrid.make_coarse_solver = make_trilinos_amg(amg_options(parameters, field.space(0), near_null_space));
  return options;
}

template <int dim>
std::vector<LevelData> timed_levels_in_turn(SectionTimer &timer, LevelMeshes<dim> &meshes, Field<dim> &field,
                                            Form<dim> &form, const MultigridOptions &options)
{
  constexpr int          small = 1 << 16; // unknowns of levels that are quickly made
  std::vector<LevelData> levels;
  {
    const Section assembly(timer, "init/assembly");
    levels = levels_in_turn(meshes, field, form, std::max(small, options.compose_up_to));
  }
  for (auto &level : levels)
    if (auto *demand = std::get_if<MadeOnDemand>(&level.values))
      {
        demand->transfer = [&timer, make = demand->transfer] {
          const Section hierarchy(timer, "init/hierarchy");
          return make();
        };
        demand->matrix = [&timer, make = demand->matrix] {
          const Section assembly(timer, "init/assembly");
          return make();
        };
      }
  return levels;
}
} // namespace

template <int dim>
LevelMeshOptions level_mesh_options(const Run &run, const LinearSolverParameters &parameters,
                                    const dealii::FiniteElement<dim> &element)
{
  parameters.require_ranks(run.ranks.size());
  return {parameters.preconditioner != "trilinos_amg" ? parameters.coarsest_cells : finest_level_only,
          run.cells_per_rank(element.n_dofs_per_cell()), parameters.coarsest_on_one_rank()};
}

template <int dim>
std::unique_ptr<LinearSolver> make_linear_solver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                                                 const LinearSolverParameters &parameters, const std::string &name,
                                                 const NearNullSpace<dim> &near_null_space)
{
  auto       levels  = levels_of(field, form);
  const auto options = solver_options(field, parameters, name, near_null_space);
  if (parameters.preconditioner != "multigrid")
    return std::make_unique<LinearSolver>(
      device, levels, options,
      make_preconditioner(device, levels, field.finest(), parameters, options, near_null_space));
  if (parameters.interpolation == "harmonic")
    make_harmonic(field, levels);
  return std::make_unique<LinearSolver>(device, levels, options);
}

template <int dim>
std::unique_ptr<LinearSolver>
make_constant_linear_solver(SectionTimer &timer, const Device &device, LevelMeshes<dim> &meshes, Field<dim> &field,
                            Form<dim> &form, const LinearSolverParameters &parameters, const std::string &name,
                            const NearNullSpace<dim> &near_null_space)
{
  const bool    in_turn = parameters.preconditioner == "multigrid" && parameters.interpolation != "harmonic";
  const Section section(timer, "init/solver");
  std::unique_ptr<LinearSolver> solver;
  if (in_turn)
    {
      const auto options = solver_options(field, parameters, name, near_null_space);
      const auto levels  = timed_levels_in_turn(timer, meshes, field, form, options.multigrid);
      solver             = std::make_unique<LinearSolver>(device, levels, options);
    }
  else
    {
      {
        const Section assembly(timer, "init/assembly");
        form.update();
      }
      solver = make_linear_solver(device, field, form, parameters, name, near_null_space);
    }
  for (std::size_t level = 0; level < field.n_levels(); ++level)
    {
      form.keep_matrix(level);
      form.release_entries(level);
      field.release_transfer(level);
    }
  field.release_spaces_below(field.n_levels() - 1);
  meshes.release();
  return solver;
}

template <int dim>
std::unique_ptr<Preconditioner>
make_preconditioner(const Device &device, const std::vector<LevelData> &levels, const LevelSpace<dim> &space,
                    const LinearSolverParameters &parameters, const LinearSolverOptions &options,
                    const NearNullSpace<dim> &near_null_space)
{
  if (parameters.preconditioner == "multigrid")
    return nullptr;
  if (parameters.preconditioner == "component_blocks")
    return std::make_unique<ComponentBlocks>(device, levels, options.precision, options.multigrid,
                                             parameters.component_sweep(), parameters.omega);
  return make_amg_preconditioner(device, levels.back(), space, parameters, near_null_space);
}

template <int dim>
std::unique_ptr<Preconditioner>
make_amg_preconditioner(const Device &device, const LevelData &level, const LevelSpace<dim> &space,
                        const LinearSolverParameters &parameters, const NearNullSpace<dim> &near_null_space)
{
  if (device.asynchronous())
    throw InputError("Linear solver/Preconditioner = trilinos_amg needs --backend host");
  return std::make_unique<AMGPreconditioner>(level, amg_options(parameters, space, near_null_space));
}

#define INSTANTIATE(dim)                                                                                           \
  template std::unique_ptr<Preconditioner> make_preconditioner(                                                    \
    const Device &, const std::vector<LevelData> &, const LevelSpace<dim> &, const LinearSolverParameters &,       \
    const LinearSolverOptions &, const NearNullSpace<dim> &);                                                      \
  template std::unique_ptr<Preconditioner> make_amg_preconditioner(                                                \
    const Device &, const LevelData &, const LevelSpace<dim> &, const LinearSolverParameters &,                    \
    const NearNullSpace<dim> &);                                                                                   \
  template LevelMeshOptions              level_mesh_options(const Run &, const LinearSolverParameters &,           \
                                                            const dealii::FiniteElement<dim> &);                   \
  template std::unique_ptr<LinearSolver> make_linear_solver(const Device &, const Field<dim> &, const Form<dim> &, \
                                                            const LinearSolverParameters &, const std::string &,   \
                                                            const NearNullSpace<dim> &);                           \
  template std::unique_ptr<LinearSolver> make_constant_linear_solver(                                              \
    SectionTimer &, const Device &, LevelMeshes<dim> &, Field<dim> &, Form<dim> &, const LinearSolverParameters &, \
    const std::string &, const NearNullSpace<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
