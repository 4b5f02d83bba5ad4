#include "frame/linear_solver_setup.h"

#include "base/exceptions.h"
#include "fem/forms/form.h"
#include "fem/forms/patches.h"
#include "fem/spaces/field.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "multigrid/component_blocks.h"
#include "operators/device_level.h"
#include "solvers/preconditioner.h"

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
  auto options = parameters.amg;
  if (near_null_space)
    {
      options.near_null_space = near_null_space(space);
      options.node_size       = space.node_size();
    }
  return options;
}
} // namespace

template <int dim>
std::unique_ptr<LinearSolver> make_linear_solver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                                                 const LinearSolverParameters &parameters, const std::string &name,
                                                 const NearNullSpace<dim> &near_null_space,
                                                 std::vector<LevelData>    levels)
{
  if (levels.empty())
    levels = levels_of(field, form);
  auto       options   = parameters.options(name);
  const bool multigrid = parameters.preconditioner == "multigrid";
  if (multigrid && near_null_space)
    parameters.add_coarse_solver(amg_options(parameters, field.space(0), near_null_space), options.multigrid);
  if (multigrid && parameters.interpolation == "harmonic")
    make_harmonic(field, levels);
  return std::make_unique<LinearSolver>(
    device, levels, options, make_preconditioner(device, levels, field.finest(), parameters, options, near_null_space));
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
                                             parameters.sweep == "symmetric"    ? ComponentBlocks::Sweep::symmetric :
                                             parameters.sweep == "gauss_seidel" ? ComponentBlocks::Sweep::lower :
                                                                                  ComponentBlocks::Sweep::none,
                                             parameters.omega);
  require(!device.traits().separate_memory, "Linear solver/Preconditioner = trilinos_amg needs --backend host");
  return std::make_unique<AMGPreconditioner>(levels.back(), amg_options(parameters, space, near_null_space));
}

#define INSTANTIATE(dim)                                                                                           \
  template std::unique_ptr<Preconditioner> make_preconditioner(                                                    \
    const Device &, const std::vector<LevelData> &, const LevelSpace<dim> &, const LinearSolverParameters &,       \
    const LinearSolverOptions &, const NearNullSpace<dim> &);                                                      \
  template std::unique_ptr<LinearSolver> make_linear_solver(const Device &, const Field<dim> &, const Form<dim> &, \
                                                            const LinearSolverParameters &, const std::string &,   \
                                                            const NearNullSpace<dim> &, std::vector<LevelData>);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
