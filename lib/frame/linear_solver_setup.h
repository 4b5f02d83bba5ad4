#pragma once

#include "fem/forms/form.h"
#include "fem/spaces/field.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/run.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Returns how many level meshes this solver needs, and on which ranks they live. There are levels down to "Coarsest
/// level cells", or the finest one alone where no multigrid is wanted. On several ranks the section "Ranks" sets the
/// cells of a rank. By default each rank has at least the unknowns of 1000 bilinear elements on the host, of 200000 on
/// GPUs. Where several elements share the meshes, `element` is the one with the most unknowns.
template <int dim>
LevelMeshOptions level_mesh_options(const Run &run, const LinearSolverParameters &parameters,
                                    const dealii::FiniteElement<dim> &element);

/// The near-null space of a form on one level: vectors of this rank's DoFs in host memory, such as the rigid-body modes
/// of elasticity.
template <int dim>
using NearNullSpace = std::function<std::vector<Array<double>>(const LevelSpace<dim> &space)>;

/// Returns the solver of A x = b that its section of parameters asks for. A is a form with Levels::all and columns
/// unknowns(field) that has been updated; `name` says in messages what is solved. Trilinos ML, as preconditioner or on
/// the coarsest level, gets the near-null space where one is given. After a further update of the form call the
/// solver's update(). Throws InputError where Trilinos is asked for on a GPU, or deal.II was built without it.
template <int dim>
std::unique_ptr<LinearSolver> make_linear_solver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                                                 const LinearSolverParameters &parameters, const std::string &name,
                                                 const NearNullSpace<dim> &near_null_space = nullptr);

/// Returns the solver for a matrix that will not change, in less memory than make_linear_solver. The form, which was
/// not updated, is assembled level by level. Once the device has a level's matrix, the host's copy is freed, as are the
/// coarser meshes and spaces (levels_in_turn). The timer counts the transfer as "init/hierarchy", the matrices as
/// "init/assembly", the rest as "init/solver". The solver refuses update().
template <int dim>
std::unique_ptr<LinearSolver>
make_constant_linear_solver(SectionTimer &timer, const Device &device, LevelMeshes<dim> &meshes, Field<dim> &field,
                            Form<dim> &form, const LinearSolverParameters &parameters, const std::string &name,
                            const NearNullSpace<dim> &near_null_space = nullptr);

/// Returns the preconditioner of these levels that the parameters ask for, with the options of their multigrid:
/// Trilinos ML or ComponentBlocks. It is null where multigrid treats all components together. `space` is the finest
/// level's.
template <int dim>
std::unique_ptr<Preconditioner>
make_preconditioner(const Device &device, const std::vector<LevelData> &levels, const LevelSpace<dim> &space,
                    const LinearSolverParameters &parameters, const LinearSolverOptions &options,
                    const NearNullSpace<dim> &near_null_space = nullptr);

/// Returns Trilinos ML as a preconditioner for the matrix of this level, with the options of the parameters; `space` is
/// the level's. Its update() takes new values. Throws InputError as make_linear_solver does.
template <int dim>
std::unique_ptr<Preconditioner>
make_amg_preconditioner(const Device &device, const LevelData &level, const LevelSpace<dim> &space,
                        const LinearSolverParameters &parameters, const NearNullSpace<dim> &near_null_space = nullptr);
} // namespace adamant
