#pragma once

#include "algebra/device.h"
#include "base/array.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
template <int dim>
class Field;
template <int dim>
class Form;
struct LevelData;
template <int dim>
class LevelSpace;
class LinearSolver;
struct LinearSolverOptions;
class LinearSolverParameters;
class Preconditioner;

/// The near-null space of a form on one level: vectors of this rank's DoFs in host memory, such as the rigid-body modes
/// of elasticity.
template <int dim>
using NearNullSpace = std::function<std::vector<Array<double>>(const LevelSpace<dim> &space)>;

/// Returns the solver of A x = b that its section of parameters asks for. A is a form with Levels::all and columns
/// unknowns(field) that has been updated; `name` says in messages what is solved. Trilinos ML, as preconditioner or on
/// the coarsest level, gets the near-null space where one is given. `levels`, where given, replace the form's levels.
/// After a further update of the form call the solver's update(). Throws InputError where Trilinos is asked for on a
/// GPU, or deal.II was built without it.
template <int dim>
std::unique_ptr<LinearSolver> make_linear_solver(const Device &device, const Field<dim> &field, const Form<dim> &form,
                                                 const LinearSolverParameters &parameters, const std::string &name,
                                                 const NearNullSpace<dim> &near_null_space = nullptr,
                                                 std::vector<LevelData>    levels          = {});

/// Returns the preconditioner of these levels that the parameters ask for, with the options of their multigrid:
/// Trilinos ML or ComponentBlocks. It is null where multigrid treats all components together. `space` is the finest
/// level's. Throws InputError as make_linear_solver does.
template <int dim>
std::unique_ptr<Preconditioner>
make_preconditioner(const Device &device, const std::vector<LevelData> &levels, const LevelSpace<dim> &space,
                    const LinearSolverParameters &parameters, const LinearSolverOptions &options,
                    const NearNullSpace<dim> &near_null_space = nullptr);
} // namespace adamant
