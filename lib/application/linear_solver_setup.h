#pragma once

#include "application/linear_solver_parameters.h"
#include "application/run.h"
#include "discretization/fields/field.h"
#include "discretization/forms/form.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// How far level meshes go for this solver, and where they live: to "Coarsest level cells", or the finest one alone
/// where no multigrid is wanted. On several ranks as the section "Ranks" says; else each has at least the unknowns of
/// 1000 bilinear elements on the host, of 200000 on GPUs. Of the elements that share the meshes `element` is the one
/// with the most unknowns.
template <int dim>
LevelMeshOptions level_mesh_options(const Run &run, const LinearSolverParameters &parameters,
                                    const dealii::FiniteElement<dim> &element);

/// The near-null space of a form on one level: vectors of this rank's DoFs in host memory, such as the rigid-body modes
/// of elasticity.
template <int dim>
using NearNullSpace = std::function<std::vector<Array<double>>(const LevelSpace<dim> &space)>;

/// The solver of A x = b as its section of parameters wants it, A a form with Levels::all and columns unknowns(field)
/// that has been updated; `name` says in messages what is solved. Multigrid, or Trilinos ML as the preconditioner or on
/// the coarsest level, which gets the near-null space where one is given. After a further update of the form call the
/// solver's update(). Throws InputError where Trilinos is asked for on a GPU, or deal.II was built without it.
template <int dim>
std::unique_ptr<LinearSolver> make_linear_solver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                                                 const LinearSolverParameters &parameters, const std::string &name,
                                                 const NearNullSpace<dim> &near_null_space = nullptr);

/// The same for a matrix that will not change, in less memory: the form, which was not updated, is assembled level by
/// level, and what the device has taken is freed, with it the coarser meshes and spaces (levels_in_turn). The seconds
/// of the transfer count as "init/hierarchy", of the matrices as "init/assembly", of the rest as "init/solver". The
/// solver refuses update().
template <int dim>
std::unique_ptr<LinearSolver>
make_constant_linear_solver(SectionTimer &timer, const Device &device, LevelMeshes<dim> &meshes, Field<dim> &field,
                            Form<dim> &form, const LinearSolverParameters &parameters, const std::string &name,
                            const NearNullSpace<dim> &near_null_space = nullptr);

/// The preconditioner of these levels, the finest one the space's, that the parameters ask for, with the options of
/// their multigrid: Trilinos ML or ComponentBlocks; null where it is multigrid for all components together.
template <int dim>
std::unique_ptr<Preconditioner>
make_preconditioner(const Device &device, const std::vector<LevelData> &levels, const LevelSpace<dim> &space,
                    const LinearSolverParameters &parameters, const LinearSolverOptions &options,
                    const NearNullSpace<dim> &near_null_space = nullptr);

/// Trilinos ML as a preconditioner for the matrix of this level, the space's, as the parameters have it; `update` takes
/// new values. Throws InputError as above.
template <int dim>
std::unique_ptr<Preconditioner>
make_amg_preconditioner(const Device &device, const LevelData &level, const LevelSpace<dim> &space,
                        const LinearSolverParameters &parameters, const NearNullSpace<dim> &near_null_space = nullptr);
} // namespace adamant
